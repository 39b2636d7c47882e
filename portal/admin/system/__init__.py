"""Operations: the state of index, jobs, mail, clock, storage, database and settings."""
