"""What the demo's administrators wrote to applicants, from seeds/demo_admission.toml."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.accounts.queries import administrators
from portal.admin.announcements.service import NewAnnouncement, announce
from portal.models import Announcement, Cycle

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy.orm import Session


def ensure_demo_announcements(session: Session, seeds: Path, now: datetime) -> None:
    """Write the demo's announcements, unless they were written before. The caller commits.

    Side effect: starts the jobs that tell applicants.
    """
    by = next(iter(administrators(session)), None)
    if by is None:
        return
    entries = tomllib.loads((seeds / "demo_admission.toml").read_text(encoding="utf-8"))["announcements"]
    for number, entry in enumerate(entries):
        form_key = f"demo-{number}"
        if session.scalar(select(Announcement.id).where(Announcement.form_key == form_key)) is None:
            cycle = session.scalars(select(Cycle).where(Cycle.slug == entry["cycle"])).one()
            new = NewAnnouncement(entry["about"], entry["message"].strip(), entry["to"], form_key)
            announce(session, cycle, new, by=by, now=now)
