"""What must not enter a match is taken out of a resume first: who somebody is, where from, and when."""

from portal.matching.privacy.redacting import Redacted, Removed, redact

__all__ = ["Redacted", "Removed", "redact"]
