"""Figures of a cycle: counted in the database, small groups hidden, then drawn, tabulated and written as CSV.

`published` decides what may be said of a count; the modules of the figures count and hand everything to it; `tables`
and `charts` only ever see what is published.
"""
