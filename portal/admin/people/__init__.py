"""People: invitations, merging two accounts of one person, looking through somebody's eyes."""
