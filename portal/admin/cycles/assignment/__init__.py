"""Assignment rounds: their one writer, their pages, and the command on files."""
