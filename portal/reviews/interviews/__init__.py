"""Interview times that a lab offers."""
