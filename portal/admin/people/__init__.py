"""People: invitations, merging two accounts of one person, impersonation."""
