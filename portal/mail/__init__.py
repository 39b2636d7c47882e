"""Mail and news for people: written in the transaction that they report and delivered by a job, so that none is lost
or written twice.
"""

from portal.mail.outbox import Attachment, cancel, tell, together, write_to

__all__ = ["Attachment", "cancel", "tell", "together", "write_to"]
