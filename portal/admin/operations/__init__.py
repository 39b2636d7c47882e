"""Operations: index, jobs, mail, settings."""
