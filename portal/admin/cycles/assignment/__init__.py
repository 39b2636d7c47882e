"""Assignment rounds: their lists, their one writer, and the command with its output."""
