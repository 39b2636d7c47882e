"""Professors: the applicants of their labs, reviews, the board and interviews."""
