"""The applicant's pages, and those that a secret opens."""
