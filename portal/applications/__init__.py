"""Applicants: interests, resume, matches, the labs they share with.

Other packages read through `queries` and write through `service`; `rules` holds the limits and the reasons.
"""
