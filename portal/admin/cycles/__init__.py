"""Cycles: their form, rules, one writer, list of applications, and a preview for administrators."""
