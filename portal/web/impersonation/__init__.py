"""Impersonation: an administrator views the portal as somebody else, read-only and for half an hour at most."""
