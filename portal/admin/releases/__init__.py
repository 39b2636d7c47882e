"""Releases of decisions: two administrators, one door."""
