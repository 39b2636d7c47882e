"""Applicants: interests, resume, matches, the labs they name.

Other rooms read through `queries` and write through `service`; `rules` holds the limits and the reasons.
"""
