"""Figures of a cycle: counted in the database, small groups hidden, then drawn, tabulated and written as CSV.

The modules of the figures pass every count through `small_counts`, which hides small groups of people; `tables` and
`charts` only see published counts.
"""
