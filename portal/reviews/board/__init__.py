"""A lab's board: its columns and its order of preference."""
