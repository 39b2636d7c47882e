"""The applications of a cycle as administrators see, check and mark them."""
