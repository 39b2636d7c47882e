"""Accounts: registration, sign-in, roles (on Flask-Security)."""
