"""Concepts: plain words and the terms of the field, as administrators keep them."""
