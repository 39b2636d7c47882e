"""Labs: the public pages, and the one owner of lab data – revisions, seeding, the live index."""
