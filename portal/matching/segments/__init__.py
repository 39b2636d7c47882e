"""The arrays of an index: which terms are where, how they are fitted, edited, saved and mapped."""
