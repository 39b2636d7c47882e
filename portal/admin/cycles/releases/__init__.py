"""Releases of decisions: one administrator prepares, another approves."""
