"""Figures of a cycle: counted in the database, small groups hidden by `small_counts`, then drawn and tabulated."""
