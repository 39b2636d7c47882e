"""Applicants: interests, resume, matches, the labs they share with.

Other rooms read through `queries` and write through `service`; `rules` holds the limits and the reasons.
"""
