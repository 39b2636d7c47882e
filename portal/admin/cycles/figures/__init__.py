"""Figures of a cycle: counted in the database, small groups hidden, then drawn, tabulated and written as CSV.

Every count passes through `small_counts`, which hides small groups of people; `charts` only sees published counts.
"""
