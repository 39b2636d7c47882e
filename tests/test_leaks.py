"""Nobody is told what they may not know: every address, for every role, searched for marks that must not be there.

The data can leak: one applicant with a released and a staged decision, a lab that reviews blind first, locked and
unlocked scorecards, a letter, another applicant, a draft, somebody who withdrew, and somebody whose data were erased
after a lab had read them. Each mark is found by somebody who may see it, so that its
absence elsewhere says something.
"""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select
from werkzeug.routing import AnyConverter

from portal.accounts.api_tokens import make_token, scopes_for
from portal.models import (
    Application,
    AssignedReviewer,
    Choice,
    ChoiceNote,
    ChoiceTag,
    Cycle,
    InterviewSlot,
    LabReviewing,
    LabText,
    Notification,
    Submission,
)
from tests.admission import Admission, add_admission
from tests.marked_people import ERASED, add_letter, erased, mark_texts, withdrew, write_cards, write_reasons

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.routing import Rule

    from tests.people import Person

SYSTEMS = {"systems leader", "systems reviewer"}
VISION = {"vision leader", "vision reviewer"}
# Each mark, and who may see it. Vision reviews blind first, and nobody there has locked a scorecard.
MAY_SEE: dict[str, set[str]] = {
    "zz-reason-systems": {"ada", "admin", *SYSTEMS},
    "zz-reason-vision": {"ada", "admin", *VISION},
    "zz-answer-ada": {"ada", "admin", *SYSTEMS, *VISION},
    "zz-education-ada": {"ada", *SYSTEMS},
    "zz-statement-ada": {"ada", "admin", *SYSTEMS, *VISION},
    "Zzada": {"ada", "admin", *SYSTEMS},
    "zz-staged-offer": {"admin", *SYSTEMS},
    "zz-released-decline": {"ada", "admin", *VISION},
    "zz-locked-card": {"systems leader"},
    "zz-draft-card": {"systems reviewer"},
    "zz-letter": {*SYSTEMS, *VISION},
    "zz-text-systems": {"systems leader"},
    "zz-tag-systems": SYSTEMS,
    "zz-note-systems": SYSTEMS,
    "zz-note-vision": VISION,
    "zz-reason-bob": {"bob", "admin", *VISION},
    "Zzbob": {"bob", "admin"},
    "zz-draft-cem": {"cem"},
    "Zzcem": {"cem", "admin"},
    "zz-reason-dan": {"dan", "admin"},
    "Zzdan": {"dan", "admin"},
    "Zzeve": {"eve", "admin"},
    **{mark: set() for mark in ERASED},
}
# What would tell an applicant of a decision that is not released.
TELLS_OF_AN_OFFER = (
    "offers you a place",
    "An offer for you",
    "Answer the offer",
    'state":"offered"',
    'state": "offered"',
)
NUMBERS = range(1, 5)
# The numbers of those who left come where labs and the office read applicants; they themselves read their own pages.
NUMBERS_OF_ALL = range(1, 6)
WHERE_ALL_ARE_READ = (
    "/reviews/<slug>/choices/<",
    "/admin/cycles/<slug>/applications/<",
    "/api/v1/reviews/<slug>/choices/<",
)
LEFT = {"dan", "eve"}


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        now = datetime.now(UTC).replace(second=0, microsecond=0)
        one = add_admission(
            app,
            now=now - timedelta(days=40),
            deadline_in=timedelta(days=30),
            questions=[{"key": "why", "text": "Why?", "required": True}],
        )
        one.add_lab("Systems")
        one.add_lab("Vision", "Recognising pictures")
        one.session.add(LabReviewing(lab_id=one.labs["Vision"], blind_first=True, changed_at=now))
        one.session.commit()
        yield one


@pytest.fixture
def people(admission: Admission) -> dict[str, Person]:
    """Everybody, after all that could leak has happened."""
    ada, bob, cem = (admission.add_applicant(f"Zz{name} Muster") for name in ("ada", "bob", "cem"))
    mark_texts(admission, ada)
    application = admission.submitted(ada, "Systems", "Vision")
    write_reasons(admission, application, {"Systems": "zz-reason-systems", "Vision": "zz-reason-vision"})
    application.answers = {"why": "zz-answer-ada"}
    admission.session.scalars(select(Submission)).one().answers = {"why": "zz-answer-ada"}
    other = admission.submitted(bob, "Vision")
    write_reasons(admission, other, {"Vision": "zz-reason-bob"})
    admission.draft(cem, "Systems", reason="zz-draft-cem")
    admission.after_deadline()
    for one in (application, other):
        admission.one_move(one, "mark_eligible", "admin")
    systems, vision = admission.choice(application, "Systems"), admission.choice(application, "Vision")
    admission.move(systems, "start_review", "shortlist", "rank", "offer", as_="leader", message="zz-staged-offer")
    admission.move(vision, "start_review", "decline", as_="leader", message="zz-released-decline")
    admission.one_move(vision, "release", "admin")
    write_cards(admission, systems)
    leads = {name: admission.leaders[name].id for name in ("Systems", "Vision")}
    admission.session.add_all(
        [
            ChoiceTag(choice_id=systems.id, tag="zz-tag-systems"),
            LabText(lab_id=systems.lab_id, kind="decline", text="zz-text-systems"),
            *(
                ChoiceNote(choice_id=choice.id, author_id=leads[lab], text=text, written_at=admission.now)
                for choice, lab, text in (
                    (systems, "Systems", "zz-note-systems"),
                    (vision, "Vision", "Zzada wrote zz-note-vision."),
                )
            ),
            AssignedReviewer(
                choice_id=vision.id, reviewer_id=admission.reviewers["Vision"].id, assigned_at=admission.now
            ),
        ]
    )
    admission.session.commit()
    add_letter(admission, application, "zz-letter: they work well.")
    dan = withdrew(admission)
    chose = select(Choice.id).join(Choice.application).where(Application.applicant_id == dan.id)
    assert set(admission.session.scalars(chose)) <= set(NUMBERS_OF_ALL)
    return {
        "dan": dan,
        "eve": erased(admission),
        "ada": ada,
        "bob": bob,
        "cem": cem,
        "systems leader": admission.leaders["Systems"],
        "systems reviewer": admission.reviewers["Systems"],
        "vision leader": admission.leaders["Vision"],
        "vision reviewer": admission.reviewers["Vision"],
        "admin": admission.admin,
    }


def addresses(admission: Admission) -> list[str]:
    """Every address that a GET can ask for, with all values that exist here and some that do not."""
    labs = ["systems", "vision"]
    cycle = admission.session.get_one(Cycle, admission.cycle_id).slug
    values: dict[str, list[str | int]] = {
        "referee_id": [1],
        "applicant_id": list(range(1, 12)),
        "revision": [1],
        "cycle": [cycle],
        "answer": ["accept"],
        "collection": ["works"],
        "key": ["w1"],
        "token": ["no-such-token"],
    }
    found = []
    with admission.app.test_request_context():
        urls = admission.app.url_map.bind("localhost")
        for rule in admission.app.url_map.iter_rules():
            if "GET" not in (rule.methods or ()) or rule.endpoint.endswith("static"):
                continue
            slugs = [cycle] if "/cycles/" in rule.rule else labs
            names = sorted(rule.arguments)
            ids = NUMBERS_OF_ALL if rule.rule.startswith(WHERE_ALL_ARE_READ) else NUMBERS
            known: dict[str, Sequence[str | int]] = {
                **{name: list(ids) for name in names},
                **all_of(rule),
                **values,
                "slug": slugs,
            }
            options = [known[name] for name in names]
            found += [
                urls.build(rule.endpoint, dict(zip(names, chosen, strict=True)))
                for chosen in itertools.product(*options)
            ]
    return sorted({*found, "/me/compare?lab=systems&lab=vision"})


def all_of(rule: Rule) -> dict[str, list[str | int]]:
    """All values of the arguments of an address that take one of a few."""
    return {
        name: sorted(converter.items)
        for name, converter in rule._converters.items()
        if isinstance(converter, AnyConverter)
    }


def read(client: FlaskClient, address: str, headers: dict[str, str] | None = None) -> str:
    """What the address answers, sign-in pages and refusals included; never a fault of ours."""
    response = client.get(address, headers=headers)
    # No `portal work` runs beside the tests.
    assert response.status_code < 500 or address == "/workz", (address, response.status_code)
    return f"{response.headers.get('Content-Disposition', '')}\n{response.get_data().decode('utf-8', 'replace')}"


def marks_in(text: str) -> set[str]:
    return {mark for mark in MAY_SEE if mark in text}


def test_no_page_export_feed_mail_or_answer_tells_what_its_reader_may_not_know(
    admission: Admission, people: dict[str, Person]
) -> None:
    asked = addresses(admission)
    pages = [one for one in asked if not one.startswith("/api/") and one != "/accounts/logout"]
    calls = [one for one in asked if one.startswith("/api/")]
    found: dict[str, set[str]] = {}
    leaks: list[str] = []

    def note(who: str, where: str, text: str) -> None:
        for mark in marks_in(text):
            found.setdefault(mark, set()).add(who)
            if who not in MAY_SEE[mark]:
                leaks.append(f"{who} finds {mark} at {where}")
        if who in {"ada", "bob", "cem", "dan", "eve"}:
            leaks.extend(f"{who} is told “{words}” at {where}" for words in TELLS_OF_AN_OFFER if words in text)

    visitor = admission.app.test_client()
    for address in pages + calls:
        note("visitor", address, read(visitor, address))
    for who, person in people.items():
        client = person.sign_in()
        for address in pages if who not in LEFT else [page for page in pages if page.startswith("/me/")]:
            note(who, address, read(client, address))
        key = token_of(admission, person)
        program = admission.app.test_client()
        for address in calls if who not in LEFT else ():
            note(who, f"API {address}", read(program, address, {"Authorization": f"Bearer {key}"}))
        news = admission.session.scalars(select(Notification.text).where(Notification.user_id == person.id))
        note(who, "news", "\n".join(news))
    by_address = {person.email: who for who, person in people.items()}
    mails = admission.app.extensions["mailman"].outbox
    assert len(mails) > 3
    for mail in mails:
        note(by_address[mail.to[0]], f"mail {mail.subject}", mail.message().as_string())
    assert leaks == []
    assert {mark for mark in MAY_SEE if not found.get(mark)} == set(ERASED)
    assert admission.session.scalars(select(InterviewSlot)).all() == []


def token_of(admission: Admission, person: Person) -> str:
    """A token with all that its owner may give it."""
    user = admission.user(person)
    scopes = [scope.name for scope in scopes_for(user)]
    _, text = make_token(admission.session, user, name="leaks", scopes=scopes, days=1, now=datetime.now(UTC))
    admission.session.commit()
    return text
