"""Conflicts of interest of reviewers: declared, or pointed out by signs."""
