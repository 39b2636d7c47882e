"""Cycles: their form and dates, applications, replies, releases, assignment, figures, announcements, retention."""
