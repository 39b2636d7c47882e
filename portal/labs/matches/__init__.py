"""Matches for pages: what a query found in each lab, in words, sentences and drawings."""
