"""The index that answers all queries of a process, in step with the database and shared on disk."""
