"""One applicant's data as a bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.applications.privacy.export_applications import (
    applications_in_export,
    invitations_in_export,
    isoformat_or_none,
)
from portal.applications.queries import interests_of, resume_of, shares_of, stated_in

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Resume, User

FORMAT = 3


def export_of(session: Session, user: User, *, now: datetime) -> dict[str, Any]:
    """Everything stored about an applicant, as far as they may know it, as JSON-able data; moments are ISO 8601 in
    UTC.
    """
    interests = interests_of(session, user)
    stated = stated_in(interests)
    shares = sorted(shares_of(session, user), key=lambda share: (share.shared_at, share.lab.slug))
    return {
        "format": FORMAT,
        "exported_at": now.isoformat(),
        "account": {
            "name": user.name,
            "email": user.email,
            "roles": [role.name for role in user.roles],
            "confirmed_at": isoformat_or_none(user.confirmed_at),
        },
        "interests": {
            "topics": [{"text": topic.text, "weight": topic.weight} for topic in stated.topics],
            "statement": stated.statement,
            "wanted": {name: list(values) for name, values in stated.facets.items()},
            "discoverable": stated.discoverable,
            "resume_weight": stated.resume_weight,
            "changed_at": isoformat_or_none(interests.changed_at if interests else None),
        },
        "shared_with": [
            {"lab": share.lab.slug, "name": share.lab.name, "shared_at": isoformat_or_none(share.shared_at)}
            for share in shares
        ],
        "resume": _resume(resume_of(session, user)),
        "applications": applications_in_export(session, user),
        "invitations": invitations_in_export(session, user),
    }


def _resume(resume: Resume | None) -> dict[str, Any] | None:
    if resume is None:
        return None
    return {
        "kind": resume.kind,
        "filename": resume.filename,
        "size_bytes": resume.size,
        "sha256": resume.sha256,
        "pages": resume.pages,
        "text": resume.text,
        "hidden_text": resume.hidden_text,
        "warnings": list(resume.warnings),
        "uploaded_at": isoformat_or_none(resume.uploaded_at),
        "confirmed_at": isoformat_or_none(resume.confirmed_at),
    }
