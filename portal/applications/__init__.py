"""Applicants: interests, resume, matches, the labs they share with, applications and what becomes of them."""
