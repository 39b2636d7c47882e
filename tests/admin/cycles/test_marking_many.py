"""Many applications are marked at once as if one by one, with hardly more statements than for a few."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import delete, func, select, update

from portal.admin.cycles.applications.service import Marked, mark_all
from portal.applications.locks import Refusal
from portal.applications.moves.service import AlreadyMoved, perform
from portal.applications.states import move_named
from portal.db import db
from portal.mail.outbox import prefer
from portal.models import Application, AuditEntry, Choice, Conflict, Lab, MoveRecord, Notification, OutboxMail
from tests.admin.cycles.releases import past_deadline
from tests.databases import application_over_each
from tests.meanwhile import meanwhile
from tests.people import add_person, submit
from tests.reviews.crowd import add_crowd
from tests.statements import statements_sent

if TYPE_CHECKING:
    from flask import Flask

    from portal.db import Base
    from tests.admission import Admission

NOW = datetime.now(UTC).replace(microsecond=0)
NUMBERED = re.compile(r"(?<=move:|.new:)\d+")
OWN = {"id", "message_id", "position", "seal"}  # of each row alone
app = application_over_each(requests_anew=True)


def written(admission: Admission) -> dict[str, list[dict[str, Any]]]:
    """All rows that a move can write, with the place of a move among all moves instead of its number."""
    session = admission.session
    session.flush()
    session.expire_all()
    places = {str(number): str(place) for place, number in enumerate(session.scalars(select(MoveRecord.id)))}

    def values(row: Base) -> dict[str, Any]:
        shown = {column.key: getattr(row, column.key) for column in row.__table__.columns if column.key not in OWN}
        if shown.get("dedupe_key"):
            shown["dedupe_key"] = NUMBERED.sub(lambda found: places[found[0]], shown["dedupe_key"])
        return shown

    tables = (MoveRecord, AuditEntry, Notification, OutboxMail, Application, Choice)
    return {
        table.__tablename__: [values(row) for row in session.scalars(select(table).order_by(table.id))]
        for table in tables
    }


def one_by_one(admission: Admission, name: str, ids: list[int], message: str) -> Counter[str]:
    """Make the move of each application on its own."""
    outcomes: Counter[str] = Counter()
    for number in sorted(ids):
        application = admission.session.get_one(Application, number)
        administrator = admission.user(admission.admin)
        try:
            perform(
                admission.session, name, application, actor=administrator, capacity="admin", now=NOW, message=message
            )
            outcomes["moved"] += 1
        except AlreadyMoved:
            outcomes["already"] += 1
        except Refusal:
            outcomes["refused"] += 1
    return outcomes


def together(admission: Admission, name: str, ids: list[int], message: str) -> Marked:
    move, administrator = move_named("application", name), admission.user(admission.admin)
    return mark_all(admission.session, move, ids, actor=administrator, now=NOW, message=message)


def some_applications(admission: Admission) -> list[int]:
    """Four that can move, one that has moved, one that cannot; labs with all sorts of readers."""
    session = admission.session
    labs = ("Vision", "Systems")
    movable = [admission.submitted(admission.add_applicant(), *labs[: 1 + number % 2]) for number in range(4)]
    done, refused = (admission.submitted(admission.add_applicant(), *labs) for _ in range(2))
    admission.after_deadline()
    admission.one_move(done, "mark_eligible", "admin")
    admission.move(refused, "ask_for_more", as_="admin")
    prefer(session, admission.user(admission.leaders["Systems"]), {"new_choices": "at_once"})
    prefer(session, movable[0].applicant, {"application_eligible": "digest"})
    prefer(session, movable[1].applicant, {"application_eligible": "never"})
    admission.user(admission.reviewers["Systems"]).active = False
    conflict = {"reviewer_id": admission.leaders["Vision"].id, "applicant_id": movable[1].applicant_id}
    dismissed = {"reviewer_id": admission.leaders["Vision"].id, "applicant_id": movable[0].applicant_id}
    session.add(Conflict(**conflict, state="declared", changed_at=NOW))
    session.add(Conflict(**dismissed, state="dismissed", changed_at=NOW))
    session.commit()
    return [refused.id, *(application.id for application in reversed(movable)), done.id]


def test_many_are_marked_as_if_one_by_one(app: Flask) -> None:
    admission = past_deadline(app)
    ids = some_applications(admission)
    before = len(written(admission)["notification"])
    for name, message in (("mark_eligible", ""), ("ask_for_more", "The transcript."), ("mark_ineligible", "No.")):
        outcomes = one_by_one(admission, name, ids, message)
        expected = written(admission)
        admission.session.rollback()
        marked = together(admission, name, ids, message)
        found = {"moved": marked.moved, "already": marked.already, "refused": len(marked.refused)}
        assert found == {key: outcomes[key] for key in found}
        assert written(admission) == expected
        if name == "mark_eligible":
            assert found == {"moved": 4, "already": 1, "refused": 1}
            # One for each applicant; of the lab with a suspended reader one for each choice, of the other up to two.
            assert len(expected["notification"]) == before + 4 + 2 + 7
        admission.session.rollback()
    application = admission.session.get_one(Application, ids[0])
    refusal = "“Mark as eligible” is not possible now: the application is “Something is missing”."
    assert [(one.id, reason) for one, reason in together(admission, "mark_eligible", ids, "").refused] == [
        (application.id, refusal)
    ]


def test_nobody_is_told_twice_and_a_second_click_says_so(app: Flask) -> None:
    admission = past_deadline(app)
    ids = [admission.submitted(admission.add_applicant(), "Systems").id for _ in range(2)]
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/applications"
    ticked: dict[str, object] = {"application": list(map(str, ids)), "move": "mark_eligible", "confirmed": "yes"}
    submit(client, f"{page}/mark", ticked, page=page)
    assert "2 applications marked: eligible. 0 left to check." in client.get(page).text
    first = written(admission)
    with statements_sent(app) as sent:
        submit(client, f"{page}/mark", ticked, page=page)
    shown = client.get(page).text
    assert "2 applications were “eligible” already." in shown
    assert re.search(r'action="[^"]+/applications/undo"', shown)
    assert written(admission) == first
    assert not [statement for statement in sent if statement.startswith("SELECT move_record")]


@pytest.mark.parametrize("name", ["mark_eligible", "mark_ineligible", "ask_for_more"])
def test_marking_ten_times_as_many_takes_as_many_statements(app: Flask, name: str) -> None:
    """SQLite adds rows one by one where their ids are asked for, so that these are left out of the count."""
    admission = past_deadline(app)
    with_ids = ("INSERT INTO move_record", "INSERT INTO audit_entry")

    def taken_by(number: int) -> int:
        session = admission.session
        labs = session.scalars(select(Lab).where(Lab.id.in_(admission.labs.values()))).all()
        add_crowd(session, admission.cycle, labs, number, now=NOW)
        session.execute(update(Application).where(Application.state == "eligible").values(state="submitted"))
        session.commit()
        ids = session.scalars(select(Application.id).where(Application.state == "submitted")).all()
        session.expunge_all()
        with statements_sent(app) as statements:
            assert together(admission, name, list(ids), "Why.") == Marked(number, 0, 0, [])
        told = select(func.count()).where(Notification.kind == "new_choices")
        assert session.scalar(told) == (number * 2 * 2 if name == "mark_eligible" else 0)
        closed = select(func.count()).where(Choice.state == "closed", Choice.application_id.in_(ids))
        assert session.scalar(closed) == (number * 2 if name == "mark_ineligible" else 0)
        session.execute(delete(Notification))
        session.execute(update(Application).values(state="closed"))
        session.commit()
        return sum(not statement.startswith(with_ids) for statement in statements)

    assert taken_by(3) == taken_by(30) <= 25


def test_one_that_is_erased_meanwhile_does_not_stop_the_others(app: Flask) -> None:
    admission = past_deadline(app)
    ids = [admission.submitted(admission.add_applicant(), "Systems").id for _ in range(3)]
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/applications"
    ticked: dict[str, object] = {"application": list(map(str, ids)), "move": "mark_eligible", "confirmed": "yes"}

    def erase() -> None:
        db.session.delete(db.session.get_one(Application, ids[0]))

    with meanwhile(app, "UPDATE application SET", erase):
        assert submit(client, f"{page}/mark", ticked, page=page).status_code == 302
    shown = client.get(page).text
    assert "2 applications marked: eligible. 0 left to check." in shown
    assert "1 application was erased meanwhile." in shown
    admission.session.expire_all()
    states = admission.session.execute(select(Application.id, Application.state).order_by(Application.id)).all()
    assert [tuple(row) for row in states] == [(number, "eligible") for number in ids[1:]]


def test_what_would_change_is_shown_first_with_whom_it_cannot_change(app: Flask) -> None:
    admission = past_deadline(app)
    one, other = (admission.submitted(admission.add_applicant(name), "Systems") for name in ("Zzone", "Zzother"))
    admission.after_deadline()
    admission.one_move(other, "mark_eligible", "admin")
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/applications"
    ticked: dict[str, object] = {"application": [str(one.id), str(other.id)], "move": "mark_eligible"}
    shown = submit(client, f"{page}/mark", ticked, page=page).text
    ready, _, refused = shown.partition("Not possible")
    assert "1 application → <strong>Eligible</strong>" in ready
    assert ("Zzone" in ready, "Zzother" in ready, "Zzother" in refused) == (True, False, True)
    assert re.findall(r'name="application" value="(\d+)"', shown) == [str(one.id)]
    admission.session.expire_all()
    assert one.state == "submitted"
    for sent in ({}, {"move": "mark_eligible"}, {**ticked, "move": "withdraw"}):
        assert submit(client, f"{page}/mark", sent, page=page).status_code == 302
        assert "Select applications, and what to mark them as." in client.get(page).text


@pytest.mark.parametrize(
    ("name", "message"), [("mark_eligible", ""), ("mark_ineligible", "No."), ("ask_for_more", "A.")]
)
def test_marking_is_taken_back_except_where_another_move_followed(app: Flask, name: str, message: str) -> None:
    admission = past_deadline(app)
    ids = [admission.submitted(admission.add_applicant(), "Systems").id for _ in range(3)]
    client, page = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/applications"
    sent: dict[str, object] = {"application": list(map(str, ids)), "move": name, "message": message, "confirmed": "yes"}
    submit(client, f"{page}/mark", sent, page=page)
    shown = client.get(f"{page}?state=submitted").text
    assert "Nothing left to check" in shown
    at = re.search(r'name="at" value="([^"]+)"', shown)
    assert at is not None
    undo = {"move": name, "at": at[1]}
    first = admission.session.get_one(Application, ids[0])
    if name == "mark_ineligible":
        admission.after_deadline()
        admission.move(first, "reconsider", "mark_eligible", as_="admin")
    else:
        admission.one_move(first, "withdraw", "applicant")
    admission.session.commit()
    before = first.state
    other = add_person(app, "admin").sign_in()
    assert submit(other, f"{page}/undo", undo, page=page).status_code == 404
    for bad in ({**undo, "at": "x"}, {**undo, "move": "withdraw"}, {**undo, "at": "2020-01-01T00:00:00+00:00"}):
        assert submit(client, f"{page}/undo", bad, page=page).status_code == 404
    for _click in range(2):
        assert submit(client, f"{page}/undo", undo, page=page).location == f"{page}?state=submitted"
    admission.session.expire_all()
    states = [admission.session.get_one(Application, number).state for number in ids]
    assert states == [before, "submitted", "submitted"]
