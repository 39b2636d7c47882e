"""Decisions that wait, and releases of them, as administrators make them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.models import Decision
from tests.admission import add_admission
from tests.people import add_person, submit

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.test import TestResponse

    from tests.admission import Admission


def past_deadline(app: Flask) -> Admission:
    """A cycle with two labs, whose deadline has passed for whoever looks now."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    made = add_admission(app, now=now - timedelta(days=40), deadline_in=timedelta(days=30))
    made.add_lab("Systems")
    made.add_lab("Vision", "Recognising pictures")
    return made


def staged(admission: Admission) -> tuple[int, int]:
    """Two offers that wait: (id of the decision, id of its applicant) of the first."""
    person = admission.add_applicant("Applicant with an offer")
    for one in (person, admission.add_applicant()):
        choice = admission.choice(admission.eligible(one, "Systems"), "Systems")
        admission.move(choice, "start_review", "shortlist", "rank", "offer", as_="leader", message="zz-welcome")
    return admission.session.scalars(select(Decision.id).order_by(Decision.id)).first() or 0, person.id


def prepare(admission: Admission, *decisions: int, due_at: str = "", **values: str) -> TestResponse:
    slug = admission.cycle.slug
    ticked: dict[str, object] = {"decision": [str(decision) for decision in decisions], "due_at": due_at, **values}
    client = admission.admin.sign_in()
    return submit(client, f"/admin/cycles/{slug}/release", ticked, page=f"/admin/cycles/{slug}/releases")


def release(admission: Admission, *decisions: int) -> None:
    """Two administrators: one prepares, the other approves."""
    address = prepare(admission, *decisions).location
    second = add_person(admission.app, "admin").sign_in()
    assert submit(second, f"{address}/approve", {}, page=address).status_code == 302


def out(admission: Admission) -> list[int]:
    admission.session.expire_all()
    return list(
        admission.session.scalars(select(Decision.id).where(Decision.released_at.is_not(None)).order_by(Decision.id))
    )
