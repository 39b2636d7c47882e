"""What an applicant may see of what became of their application."""
