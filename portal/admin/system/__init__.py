"""The state of the portal: index, jobs, mail, clock, storage, database, settings; and the audit log."""
