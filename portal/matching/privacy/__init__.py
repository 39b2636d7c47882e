"""Removes from a resume what must not enter a match: who somebody is, where they are from, and dates."""

from portal.matching.privacy.redacting import Redacted, Removed, redact

__all__ = ["Redacted", "Removed", "redact"]
