"""The one table of moves: every state × move × role, by the services and by every form, with the reason against it."""

from __future__ import annotations

import html
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
import time_machine

from portal.applications.application.submission import PUT_BACK
from portal.applications.locks import Refusal
from portal.applications.moves.rules import Case, is_done, why_not
from portal.applications.moves.service import perform
from portal.applications.states import APPLICATION_LABELS, CAPACITIES, CHOICE_LABELS, MOVES, Move
from portal.db import db
from portal.models import Application, Choice, Conflict, InterviewSlot, LabProfessor
from portal.models.admission import APPLICATION_STATES, CHOICE_STATES
from portal.reviews.moves.service import DONE
from tests.people import add_person, csrf_token

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask.testing import FlaskClient

    from portal.models import User
    from tests.admission import Admission
    from tests.people import Person

OF_APPLICATIONS = [one for one in MOVES if one.subject == "application"]
OF_CHOICES = [one for one in MOVES if one.subject == "choice"]
SIGN_IN = "Sign in to continue."
PORTAL_ALONE = "Only the portal itself does this."
ANOTHERS = "This is somebody else’s application."
ADMIN_ALONE = "Only an administrator can do this."
OWN = "This is your own application; another administrator decides on it."
NO_READER = "You do not read for this lab. Ask an administrator to add you as its leader or reviewer."
LEADER_ALONE = "Only the lab’s leader decides this. You read for the lab as a reviewer."
IN_CONFLICT = "You have a conflict of interest with this applicant."
_OUTSIDE = dict.fromkeys(("clock", "system"), PORTAL_ALONE)
_PERSON = {"applicant": ANOTHERS, "reviewer": NO_READER, "leader": NO_READER, "admin": ADMIN_ALONE, **_OUTSIDE}
WHO: Mapping[str, Mapping[str, str]] = {
    "its applicant": {**_PERSON, "applicant": "", "admin": OWN},
    "another applicant": _PERSON,
    "the leader": {**_PERSON, "reviewer": "", "leader": ""},
    "a leader in conflict": {**_PERSON, "reviewer": "", "leader": ""},
    "the reviewer": {**_PERSON, "reviewer": "", "leader": LEADER_ALONE},
    "the leader of another lab": _PERSON,
    "an administrator": {**_PERSON, "admin": ""},
    "nobody": {**dict.fromkeys(CAPACITIES, SIGN_IN), "clock": "", "system": ""},
}
"""In which capacities each may act (""), and what they are told in the others."""


@dataclass(frozen=True)
class Standing:
    """How a choice comes to where it stands, and which guards of the table refuse there, with what reason."""

    way: tuple[tuple[str, str], ...]
    guards: Mapping[str, str] = field(default_factory=dict)


STAGED = "A decision on this applicant is waiting to be released. Take it back first, or wait until it is released."
NOT_STAGED = "No decision is waiting here: it has been released already."
NO_OFFER = "There is no offer to answer."
NOT_DUE = "The reply date of this offer has not passed yet."
ENDED = "This application is not open any more."
PLAIN = {"staged": NOT_STAGED, "released": NO_OFFER, "reply_too_late": NOT_DUE}
WAITING = {"nothing_staged": STAGED, "released": NO_OFFER, "reply_too_late": NOT_DUE}
OVER = {**PLAIN, "eligible_application": ENDED}


def one_named(name: str) -> Move:
    return next(one for one in OF_CHOICES if one.name == name)


def of_lab(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, "leader") for name in names)


RELEASED, EXPIRED = ("release", "admin"), ("expire", "clock")
SHORT, RANKED = of_lab("start_review", "shortlist"), of_lab("start_review", "shortlist", "rank")
OFFERED = (*RANKED, *of_lab("offer"), RELEASED)
CHOICES = {
    "pending": Standing((), PLAIN),
    "in_review": Standing(of_lab("start_review"), PLAIN),
    "shortlisted": Standing(SHORT, PLAIN),
    "interview": Standing((*SHORT, *of_lab("invite_to_interview")), PLAIN),
    "interviewed": Standing((*SHORT, *of_lab("invite_to_interview", "mark_interviewed")), PLAIN),
    "ranked": Standing(RANKED, PLAIN),
    "waitlisted": Standing((*SHORT, *of_lab("waitlist")), WAITING),
    "waitlisted, released": Standing((*SHORT, *of_lab("waitlist"), RELEASED), PLAIN),
    "declined": Standing(of_lab("start_review", "decline"), WAITING),
    "declined, released": Standing((*of_lab("start_review", "decline"), RELEASED), PLAIN),
    "offered": Standing((*RANKED, *of_lab("offer")), WAITING),
    "offered, released": Standing(OFFERED, {**PLAIN, "released": ""}),
    "accepted": Standing((*OFFERED, ("accept", "applicant")), OVER),
    "declined_by_applicant": Standing((*OFFERED, ("decline_offer", "applicant")), PLAIN),
    "expired": Standing((*OFFERED, EXPIRED), PLAIN),
    "closed": Standing((("withdraw", "applicant"),), OVER),
}
_SENT = (("submit", "applicant"),)
APPLICATIONS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "draft": (),
    "submitted": _SENT,
    "incomplete": (*_SENT, ("ask_for_more", "admin")),
    "eligible": (*_SENT, ("mark_eligible", "admin")),
    "ineligible": (*_SENT, ("mark_ineligible", "admin")),
    "withdrawn": (*_SENT, ("withdraw", "applicant")),
    "closed": (*_SENT, ("mark_eligible", "admin"), ("close", "clock")),
}


@pytest.fixture
def leader_in_conflict(admission: Admission) -> Person:
    """A second leader of Systems; `choice_in` declares a conflict with each applicant."""
    person = add_person(admission.app, "professor", name="Leader in conflict")
    admission.session.add(LabProfessor(lab_id=admission.labs["Systems"], user_id=person.id, position="leader"))
    admission.session.commit()
    return person


def choice_in(admission: Admission, standing: Standing, in_conflict: Person) -> Choice:
    """The choice of Systems of somebody new, as it stands then."""
    applicant = admission.add_applicant()
    application = admission.eligible(applicant, "Systems", "Vision")
    choice = admission.choice(application, "Systems")
    for name, capacity in standing.way:
        if capacity == "clock":
            admission.now = max(admission.now, choice.offer_reply_by_at or admission.now)
        admission.one_move(application if name == "withdraw" else choice, name, capacity)
    admission.session.add(
        Conflict(reviewer_id=in_conflict.id, applicant_id=applicant.id, state="declared", changed_at=admission.now)
    )
    admission.session.commit()
    return choice


def application_in(admission: Admission, way: tuple[tuple[str, str], ...]) -> Application:
    """The application of somebody new, as it stands after these moves; the time is before the deadline again."""
    before = admission.now
    application = admission.draft(admission.add_applicant(), "Systems")
    for name, capacity in way:
        if name.startswith("mark_"):
            admission.after_deadline()
        admission.one_move(application, name, capacity)
    admission.now = before
    return application


def everybody(admission: Admission, application: Application, in_conflict: Person) -> dict[str, User | None]:
    """The people of `WHO`."""
    people: dict[str, Person | None] = {
        "another applicant": admission.add_applicant(),
        "the leader": admission.leaders["Systems"],
        "a leader in conflict": in_conflict,
        "the reviewer": admission.reviewers["Systems"],
        "the leader of another lab": admission.leaders["Vision"],
        "an administrator": admission.admin,
        "nobody": None,
    }
    users = {who: admission.user(person) if person else None for who, person in people.items()}
    return {"its applicant": application.applicant, **users}


def expected(one: Move, who: str, capacity: str, state: str, guards: Mapping[str, str]) -> str:
    """The reason that the table gives, "" if the move is made."""
    if reason := WHO[who][capacity]:
        return reason
    if capacity not in one.actors:
        return f"“{one.label}” is done by "
    labels = APPLICATION_LABELS if one.subject == "application" else CHOICE_LABELS
    if state not in one.sources:
        return f"“{one.label}” is not possible now: the {one.subject} is “{labels[state]}”."
    told = {**guards, "no_conflict": IN_CONFLICT if who == "a leader in conflict" else ""}
    if capacity == "applicant" and told.get("eligible_application"):
        told["eligible_application"] = "Your application is closed."
    return next((told[guard] for guard in one.guards if told.get(guard)), "")


def outcome(admission: Admission, one: Move, subject: Application | Choice, actor: User | None, capacity: Any) -> str:  # noqa: ANN401  (one of the capacities)
    """Why the services refuse the move, "" if they make it; what it wrote is rolled back."""
    session, choice = admission.session, subject if isinstance(subject, Choice) else None
    application = choice.application if choice else subject
    case = Case(application, choice, actor, capacity, admission.now)  # type: ignore[arg-type]  # an application
    reason = why_not(session, one, case)
    if capacity not in one.actors:
        return reason or ""
    again = reason and is_done(session, one, case) and "This was done already"
    try:
        perform(session, one.name, subject, actor=actor, capacity=capacity, now=admission.now, message="Because.")
    except Refusal as refusal:
        return reason if again and str(refusal).startswith(again) and reason else str(refusal)
    finally:
        session.rollback()
    return ""


def test_the_table_names_known_states_and_leads_to_every_state_but_the_first() -> None:
    assert (tuple(APPLICATION_LABELS), tuple(CHOICE_LABELS)) == (APPLICATION_STATES, CHOICE_STATES)
    assert len({(one.subject, one.name) for one in MOVES}) == len(MOVES)
    for moves, states in ((OF_APPLICATIONS, APPLICATION_STATES), (OF_CHOICES, CHOICE_STATES)):
        assert all(one.sources <= set(states) for one in moves)
        assert {one.target for one in moves if one.target} | {states[0]} == set(states)
    assert {standing.partition(",")[0] for standing in CHOICES} == set(CHOICE_STATES)
    assert set(APPLICATIONS) == set(APPLICATION_STATES)


@pytest.mark.parametrize("standing", CHOICES)
def test_every_move_of_a_choice_by_everybody(admission: Admission, leader_in_conflict: Person, standing: str) -> None:
    choice = choice_in(admission, CHOICES[standing], leader_in_conflict)
    assert choice.state == standing.partition(",")[0]
    for who, actor in everybody(admission, choice.application, leader_in_conflict).items():
        for one in OF_CHOICES:
            for capacity in CAPACITIES:
                state = choice.shown_state if capacity == "applicant" else choice.state
                reason = expected(one, who, capacity, state, CHOICES[standing].guards)
                given = outcome(admission, one, choice, actor, capacity)
                assert given.startswith(reason), (who, capacity, one.name)
                assert bool(given) == bool(reason), (who, capacity, one.name, given)


@pytest.mark.parametrize("state", APPLICATIONS)
def test_every_move_of_an_application_by_everybody(
    admission: Admission, leader_in_conflict: Person, state: str
) -> None:
    application = application_in(admission, APPLICATIONS[state])
    assert application.state == state
    before, deadline = admission.now, admission.cycle.deadline_at
    never = {} if application.submissions else {"submitted_before": "This application was never submitted."}
    for who, actor in everybody(admission, application, leader_in_conflict).items():
        for one in OF_APPLICATIONS:
            admission.now = deadline if "deadline_passed" in one.guards else before
            for capacity in ("applicant", "admin", "clock", "system"):
                reason = expected(one, who, capacity, state, never)
                given = outcome(admission, one, application, actor, capacity)
                assert given.startswith(reason), (who, capacity, one.name)
                assert bool(given) == bool(reason), (who, capacity, one.name, given)


def test_the_guards_that_a_time_or_a_number_opens(admission: Admission, leader_in_conflict: Person) -> None:
    session, leader = admission.session, admission.user(admission.leaders["Systems"])
    invited = choice_in(admission, CHOICES["interview"], leader_in_conflict)
    at = admission.now + timedelta(days=1)
    session.add(
        InterviewSlot(
            lab_id=invited.lab_id, cycle_id=admission.cycle_id, uid="1", organizer="a@b.example", starts_at=at,
            minutes=30, zone="UTC", where="", created_at=admission.now, choice_id=invited.id,
        )
    )  # fmt: skip
    session.commit()
    for name in ("mark_interviewed", "decline"):
        assert outcome(admission, one_named(name), invited, leader, "leader").endswith("Cancel it first.")
    offered = choice_in(admission, CHOICES["offered, released"], leader_in_conflict)
    assert offered.offer_reply_by_at is not None
    admission.now = offered.offer_reply_by_at
    for name in ("accept", "decline_offer"):
        told = outcome(admission, one_named(name), offered, offered.application.applicant, "applicant")
        assert told.startswith("The reply date of this offer passed on ")
    assert outcome(admission, one_named("expire"), offered, None, "clock") == ""


ROOMS = {
    "applicant": "This page is for applicants.",
    "professor": "This page is for professors who read for a lab.",
    "admin": "This page is for administrators.",
}
"""What those are told who have no such page."""
ROLES = {"its applicant": "applicant", "another applicant": "applicant", "an administrator": "admin", "nobody": ""}
SIGNED_OUT = "Your session expired"
NO_SUCH_PAGE = "404"
NOT_SUBMITTED = ("This application is submitted already.", PUT_BACK)
NOT_OPEN = "Nobody was moved: none of them is open to you in this cycle."


@dataclass
class Sender:
    """Somebody's browser, and the token that its forms have."""

    client: FlaskClient
    token: str

    @classmethod
    def of(cls, admission: Admission, user: User | None) -> Sender:
        client = admission.app.test_client()
        if user is not None:
            client = replace(admission.admin, id=user.id, email=user.email).sign_in()
        return cls(client, csrf_token(client, "/" if user else "/accounts/login"))

    def send(self, url: str, **values: object) -> str:
        """Post a form; all that it is answered with, on the page and at the top of the next one."""
        answer = self.client.post(url, data={"csrf_token": self.token, **values})
        with self.client.session_transaction() as kept:
            flashed = [str(text) for _, text in kept.pop("_flashes", [])]
        db.session.expire_all()
        return " ".join([str(answer.status_code), html.unescape(answer.text), *flashed])


def kept_out(who: str, room: str) -> str:
    """What somebody is told who has no pages of that role."""
    role = ROLES.get(who, "professor")
    return "" if role == room else ROOMS[room] if role else SIGNED_OUT


@pytest.mark.parametrize("standing", CHOICES)
def test_every_form_with_which_a_lab_moves_a_choice(
    admission: Admission, leader_in_conflict: Person, standing: str
) -> None:
    choice = choice_in(admission, CHOICES[standing], leader_in_conflict)
    with time_machine.travel(admission.now, tick=False):
        for who, user in everybody(admission, choice.application, leader_in_conflict).items():
            sender, capacity = Sender.of(admission, user), "reviewer" if who == "the reviewer" else "leader"
            for one in (each for each in OF_CHOICES if {"reviewer", "leader"} & set(each.actors)):
                told = kept_out(who, "professor")
                if who == "the leader of another lab":
                    told = "You do not read for Systems."
                elif not told and (who == "a leader in conflict" or standing == "closed"):
                    told = NOT_OPEN
                told = told or expected(one, who, capacity, choice.state, CHOICES[standing].guards)
                before = choice.state
                said = sender.send(
                    "/reviews/systems/board/do", cycle=admission.cycle.slug, move=one.name, choice=choice.id
                )
                if told:
                    already = before in one.targets and (DONE[one.name] in said or "before, and not again." in said)
                    assert (told in said or already, choice.state) == (True, before), (who, one.name, told, said[-300:])
                else:
                    assert choice.state in one.targets, (who, one.name, said[-300:])
                    choice = choice_in(admission, CHOICES[standing], leader_in_conflict)


ANSWERED = {"accept": "accepted", "decline_offer": "declined"}
SETTLED = {
    "accepted": "You accepted",
    "declined_by_applicant": "You declined",
    "expired": "This offer expired on",
    "closed": "You withdrew your application on",
}


@pytest.mark.parametrize("standing", CHOICES)
@pytest.mark.parametrize(("name", "answer"), [("accept", "accept"), ("decline_offer", "decline")])
def test_every_answer_to_an_offer(
    admission: Admission, leader_in_conflict: Person, standing: str, name: str, answer: str
) -> None:
    choice = choice_in(admission, CHOICES[standing], leader_in_conflict)
    before, page = choice.state, f"/me/application/{admission.cycle.slug}/labs/systems/{answer}"
    people = everybody(admission, choice.application, leader_in_conflict)
    its_applicant = people.pop("its applicant")
    with time_machine.travel(admission.now, tick=False):
        for who, user in people.items():
            said = Sender.of(admission, user).send(page)
            told = kept_out(who, "applicant") or NO_SUCH_PAGE
            assert (told in said, choice.state) == (True, before), (who, told, said[-300:])
        said = Sender.of(admission, its_applicant).send(page)
    if standing == "offered, released":
        assert f"You {ANSWERED[name]} the offer of Systems." in said
        assert choice.state == one_named(name).target
    else:
        assert (SETTLED.get(standing, NO_OFFER) in said, choice.state) == (True, before), said[-300:]


@pytest.mark.parametrize("state", APPLICATIONS)
def test_every_form_with_which_an_administrator_moves_an_application(
    admission: Admission, leader_in_conflict: Person, state: str
) -> None:
    application = application_in(admission, APPLICATIONS[state])
    admission.after_deadline()
    people = everybody(admission, application, leader_in_conflict)
    with time_machine.travel(admission.now, tick=False):
        for who, user in people.items():
            sender = Sender.of(admission, user)
            for one in (each for each in OF_APPLICATIONS if "admin" in each.actors):
                told = kept_out(who, "admin") or expected(one, who, "admin", state, {})
                page = f"/admin/cycles/{admission.cycle.slug}/applications/{application.id}/move"
                said = sender.send(page, move=one.name, message="Because of this.")
                if told:
                    already = state == one.target and "already" in said
                    assert (told in said or already, application.state) == (True, state), (who, one.name, said[-300:])
                else:
                    assert application.state == one.target, (who, one.name, said[-300:])
                    now = admission.now
                    admission.now = admission.cycle.deadline_at - timedelta(days=1)
                    application = application_in(admission, APPLICATIONS[state])
                    admission.now = now


@pytest.mark.parametrize("state", APPLICATIONS)
def test_every_form_with_which_an_applicant_moves_an_application(
    admission: Admission, leader_in_conflict: Person, state: str
) -> None:
    application = application_in(admission, APPLICATIONS[state])
    people = everybody(admission, application, leader_in_conflict)
    never = {} if application.submissions else {"submitted_before": "This application was never submitted."}
    del people["its applicant"]
    with time_machine.travel(admission.now, tick=False):
        for name, form in (("submit", "submit"), ("edit", "edit"), ("restore", "restore"), ("withdraw", "withdraw")):
            page = f"/me/application/{admission.cycle.slug}/{form}"
            for who, user in people.items():
                told, said = kept_out(who, "applicant") or NO_SUCH_PAGE, Sender.of(admission, user).send(page)
                assert (told in said, application.state) == (True, state), (who, name, said[-300:])
            one = next(
                each
                for each in OF_APPLICATIONS
                if each.name == ("complete" if (name, state) == ("submit", "incomplete") else name)
            )
            told = expected(one, "its applicant", "applicant", state, never)
            sender = Sender.of(admission, application.applicant)
            said = sender.send(page, version=application.version, after=application.submissions)
            if told:
                done = state == one.target or (name == "submit" and any(words in said for words in NOT_SUBMITTED))
                assert (told in said or done, application.state) == (True, state), (name, told, said[-300:])
            else:
                assert application.state == one.target, (name, said[-300:])
                application = application_in(admission, APPLICATIONS[state])
