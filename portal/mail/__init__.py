"""Mail and news for people: written in the transaction that they report, delivered by a job, never lost and never
written twice.
"""

from portal.mail.outbox import Attachment, cancel, tell, write_to

__all__ = ["Attachment", "cancel", "tell", "write_to"]
