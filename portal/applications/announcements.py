"""What administrators announced to the applicant of an application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.models import Announcement, AnnouncementRecipient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from portal.models import Application

ANCHOR = "announcements"
"""The id of the part of an application's page that shows them."""


def announcements_to(session: Session, application: Application) -> Sequence[Announcement]:
    """Those for this application that were not taken back, newest first."""
    return session.scalars(
        select(Announcement)
        .join(AnnouncementRecipient, AnnouncementRecipient.announcement_id == Announcement.id)
        .where(AnnouncementRecipient.application_id == application.id, Announcement.taken_back_at.is_(None))
        .order_by(Announcement.id.desc())
    ).all()
