"""Blind review: from whom an applicant's identity is hidden, and how texts are redacted."""
