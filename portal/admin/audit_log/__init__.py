"""The audit log as administrators read it, take it out and have it proved."""
