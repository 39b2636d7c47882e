"""Interviews: times that are offered and taken, who is told, and calendars."""
