"""Labs: the public pages, and everything that writes lab data (revisions, seeding, the live index)."""
