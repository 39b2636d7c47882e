"""Conflicts of interest of reviewers: declared, and taken back."""
