"""People: roles and labs, invitations, merging two accounts of one person."""
