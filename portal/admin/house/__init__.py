"""The state of the house: index, jobs, mail, settings."""
