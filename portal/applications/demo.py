"""What the demo's applicants state, from seeds/demo_people.toml."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications import service
from portal.applications.queries import interests_of, resume_of
from portal.applications.stated import Stated
from portal.documents.extraction import pasted
from portal.labs.queries import lab_by_slug
from portal.matching import Topic
from portal.models import User

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy.orm import Session

    from portal.storage import FileStore


def ensure_demo_interests(session: Session, files: FileStore, seeds: Path, now: datetime) -> None:
    """Let the demo's applicants state what the file says, unless they state something already.

    Raises:
        LookupError: The file names a person or a lab that is not there.
    """
    people = tomllib.loads((seeds / "demo_people.toml").read_text(encoding="utf-8"))["people"]
    for person in people:
        user = session.scalar(select(User).where(User.email == person["email"]))
        if user is None:
            raise LookupError(f"{person['email']} has no account")
        if "interests" in person and interests_of(session, user) is None:
            _state(session, user, person["interests"], now)
        if "resume" in person and resume_of(session, user) is None:
            text = pasted(person["resume"]["text"])
            resume = service.keep_resume(session, files, user, text, data=b"", filename="", now=now)
            service.confirm_resume(session, user, sha256=resume.sha256, now=now)


def _state(session: Session, user: User, entry: dict[str, object], now: datetime) -> None:
    topics, shares_with = entry.get("topics", []), entry.get("shares_with", [])
    if not isinstance(topics, list) or not isinstance(shares_with, list):
        raise TypeError("demo_people.toml: topics and shares_with are lists")
    stated = Stated(
        topics=tuple(Topic(topic["text"], topic["weight"]) for topic in topics),
        statement=str(entry.get("statement", "")).strip(),
        discoverable=bool(entry.get("discoverable")),
    )
    service.save_interests(session, user, stated, base=0, now=now)
    for slug in shares_with:
        lab = lab_by_slug(session, slug)
        if lab is None:
            raise LookupError(f"no lab has the address {slug}")
        service.share_with_lab(session, user, lab, now=now)
