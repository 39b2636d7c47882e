"""The index that answers a process's queries, in step with the database and shared on disk."""
