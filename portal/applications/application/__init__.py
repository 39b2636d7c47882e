"""Writing and submitting an application."""
