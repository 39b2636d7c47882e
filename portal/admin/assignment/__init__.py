"""Assignment rounds: their lists, their one writer, the command and what it prints."""
