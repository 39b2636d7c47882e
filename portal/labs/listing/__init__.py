"""Lists of labs and systems, searched and filtered."""
