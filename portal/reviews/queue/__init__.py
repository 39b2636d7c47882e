"""A lab's queue: its filter and order, its rows, and the pages of them."""
