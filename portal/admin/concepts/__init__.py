"""The concepts: plain words for the terms of the field."""
