"""A portal in the middle of its work: something of nearly everything, so that pages have all their forms."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.interests.service import interests_of
from portal.models import Decision, LabProfessor, OutboxMail
from tests.admission import Admission, add_admission
from tests.people import Person, add_person, submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

BIBTEX = "@article{a1, title={A paper on queues}, author={Leader of Systems and Bo Li}, year={2025}}\n"


@dataclass
class BusyPortal:
    """Who is in it, by what they are to it."""

    past: Admission
    open: Admission
    people: dict[str, Person] = field(default_factory=dict)


def busy_portal(app: Flask) -> BusyPortal:
    """Fill the database of `app`. Needs an application context; leaves no session open."""
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    past = add_admission(app, now=now - timedelta(days=40), deadline_in=timedelta(days=30))
    past.add_lab("Systems")
    past.add_lab("Vision", "Recognising pictures")
    opened = add_admission(app, now=now, referees=2, questions=[{"key": "why", "text": "Why?", "required": True}])
    opened.labs, opened.leaders, opened.reviewers = past.labs, past.leaders, past.reviewers
    made = BusyPortal(past, opened)
    people = made.people
    people["admin"], people["second admin"] = past.admin, add_person(app, "admin", name="Second Admin")
    people["leader"], people["reviewer"] = past.leaders["Systems"], past.reviewers["Systems"]
    people["second leader"] = add_person(app, "professor", name="Second Leader")
    session = past.session
    session.add(LabProfessor(lab_id=past.labs["Systems"], user_id=people["second leader"].id, position="leader"))
    session.commit()
    _in_the_past_cycle(made)
    _in_the_open_cycle(made)
    session.add(
        OutboxMail(
            kind="welcome",
            address="a@example.org",
            message_id="<lost@example.org>",
            state="dead",
            tries=8,
            due_at=now,
            created_at=now,
            error="No such host.",
        )
    )
    session.commit()
    _by_forms(made)
    session.expire_all()
    return made


def _in_the_past_cycle(made: BusyPortal) -> None:
    past, people = made.past, made.people
    submitted = {name: past.add_applicant(name) for name in ("Bo Submitted", "Cy Submitted", "Di Incomplete")}
    rows = {name: past.submitted(one, "Systems", "Vision") for name, one in submitted.items()}
    past.after_deadline()
    past.move(rows["Di Incomplete"], "ask_for_more", as_="admin")
    paths = {
        "Ada Offer": ("start_review", "shortlist", "rank", "offer"),
        "Ed Offer": ("start_review", "shortlist", "rank", "offer"),
        "Fay Interview": ("start_review", "shortlist", "invite_to_interview"),
        "Gil Shortlisted": ("start_review", "shortlist"),
        "Hal Ranked": ("start_review", "shortlist", "rank"),
        "Ida Pending": (),
        "Jo Review": ("start_review",),
        "Kim Declined": ("start_review", "decline"),
        "Lu Released": ("start_review", "shortlist", "rank", "offer"),
    }
    for name, path in paths.items():
        people[name] = past.add_applicant(name)
        choice = past.choice(past.eligible(people[name], "Systems", "Vision"), "Systems")
        past.move(choice, *path, as_="leader")
        if name == "Lu Released":
            past.move(choice, "release", as_="admin")


def _in_the_open_cycle(made: BusyPortal) -> None:
    opened, people = made.open, made.people
    people["drafting"] = opened.add_applicant("Max Drafting")
    opened.draft(people["drafting"], "Systems", "Vision")
    people["submitted"] = opened.add_applicant("Nia Submitted")
    opened.cycle.referees = 0
    opened.session.commit()
    opened.submitted(people["submitted"], "Systems", "Vision")
    opened.cycle.referees = 2
    people["new"] = opened.add_applicant("Oz New")
    interests = interests_of(opened.session, opened.user(people["new"]))
    assert interests is not None
    interests.discoverable = True
    people["found"] = opened.add_applicant("Pia Found")
    interests = interests_of(opened.session, opened.user(people["found"]))
    assert interests is not None
    interests.discoverable = True
    opened.session.commit()


def _by_forms(made: BusyPortal) -> None:
    """What is begun through pages: releases, imports, interviews, invitations, referees, tokens."""
    people, slug = made.people, made.past.cycle.slug
    admin, leader = people["admin"].sign_in(), people["leader"].sign_in()
    ticked = [str(one) for one in made.past.session.scalars(select(Decision.id).where(Decision.released_at.is_(None)))]
    _do(
        admin,
        f"/admin/cycles/{slug}/release",
        {"which": "ticked", "decision": ticked[:1], "due_at": ""},
        f"/admin/cycles/{slug}/releases",
    )
    _do(admin, "/admin/labs/systems/imports", {"file": (io.BytesIO(BIBTEX.encode()), "a.bib"), "text": ""})
    _do(admin, "/admin/people/invitations", {"addresses": "invited@example.org", "roles": "applicant", "lab": ""})
    day = (datetime.now(UTC) + timedelta(days=20)).date().isoformat()
    at = f"{day} 10:00, 11:00, 12:00"
    times = {
        "cycle": made.past.cycle.slug,
        "times": at,
        "minutes": "30",
        "zone": "Europe/Berlin",
        "interviewer": people["leader"].id,
        "shown": f"30 Europe/Berlin {at}",
    }
    _do(leader, "/reviews/systems/interviews/offer", times)
    found = f"/reviews/systems/discover/{people['found'].id}"
    _do(leader, f"{found}/invite", {"message": "Apply to us."}, found)
    _do(leader, "/reviews/systems/profile/edit", {"base": 1, "name": "Systems and More", "reason": "A new name."})
    _do(
        people["drafting"].sign_in(),
        f"/me/application/{made.open.cycle.slug}/referees",
        {"name": "Ada Referee", "email": "referee@example.org", "relation": "My thesis"},
    )
    _do(admin, "/accounts/tokens/new", {"name": "A program", "days": "30", "scopes": "admin"})
    _do(admin, f"/admin/cycles/{slug}/assignment/draft", {"seed": "s"}, f"/admin/cycles/{slug}/assignment")


def _do(client: FlaskClient, address: str, data: dict[str, object], page: str | None = None) -> None:
    answer = submit(client, address, data, page=page)
    assert answer.status_code in {200, 302}, (address, answer.text)
