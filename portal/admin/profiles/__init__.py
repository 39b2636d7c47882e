"""Profiles of labs as they are edited: fields, differences, merges, ways back, approval."""
