"""What is kept of applicants: as a bundle for them, and for how long."""
