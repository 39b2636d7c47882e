"""Applicants: interests, resume, matches."""
