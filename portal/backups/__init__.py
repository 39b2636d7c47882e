"""Backups: everything that the portal stores in one archive, and restoring it into an empty portal."""
