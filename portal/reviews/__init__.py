"""Professors: who matches their lab and why, and a mark on each applicant."""
