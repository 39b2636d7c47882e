"""The audit log as administrators read, export and verify it."""
