"""What a lab does with its applicants: moves of one or many, with preview and undo."""
