"""One choice of a lab: what its pages need, read at once, and its moves."""
