"""Referees: named by applicants, asked by mail, and their letters."""
