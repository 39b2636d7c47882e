"""Cycles: their form, their rules, their one writer, what they look like to others."""
