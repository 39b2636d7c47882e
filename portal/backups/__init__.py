"""Backups: everything that the portal keeps in one archive, and back from it into an empty portal."""
