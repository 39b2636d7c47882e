"""Editing profiles of labs: fields, differences, merges, restoring, approval."""
