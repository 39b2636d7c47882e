"""The administrators' forms, table, merge and file review for concepts: plain words for the terms of the field."""
