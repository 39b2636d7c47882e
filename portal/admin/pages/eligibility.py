"""Applications of a cycle as administrators check them: what is missing, eligible or not, with the reason."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import redirect, render_template, request, url_for

from portal.admin.conflict_queries import declared_conflicts, readers_of
from portal.admin.cycles.queries import applications_page
from portal.admin.searching import SHOWN, rows_at_once, search_text
from portal.applications.checklist import checklist
from portal.applications.cycles import cycle_by_slug, last_submission
from portal.applications.move_rules import Case
from portal.applications.moves import LONGEST_MESSAGE, AlreadyMoved, MoveRefused, perform, why_not
from portal.applications.stated import running_text
from portal.applications.states import APPLICATION_LABELS, move, moves_from
from portal.db import db
from portal.models import Application, MoveRecord
from portal.reviews.conflict_service import THEIRS, ConflictRefused, declare, take_back
from portal.web.access import actor, found
from portal.web.messages import say
from portal.web.paging import PER_PAGE, page_number
from portal.web.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.applications.states import Move
    from portal.models import Cycle

MOST_AT_ONCE = 500
BULK = ("mark_eligible", "mark_ineligible", "ask_for_more")  # the first is what a form without a word means


def applications(slug: str) -> str:
    """The applications of a cycle; those that wait to be checked first to hand."""
    session, cycle = db.session(), _cycle(slug)
    state = request.args.get("state", "")
    state = state if state in APPLICATION_LABELS else ""
    search = search_text(request.args.get("q"))
    number, per_page = page_number(request.args.get("page")), rows_at_once(request.args.get("show"))
    page = applications_page(session, cycle, state=state, search=search, number=number, per_page=per_page)
    return render_template(
        "admin/applications.html",
        cycle=cycle,
        page=page,
        state=state,
        search=search,
        labels=APPLICATION_LABELS,
        shown=[(number, str(number)) for number in SHOWN],
        least=PER_PAGE,
    )


def mark_many(slug: str) -> ResponseReturnValue:
    """Make one move of the ticked applications; each by itself, so that one that cannot be does not stop the others.

    A move that tells a reason to the applicants is shown first: whom it is about, and what they will read.
    """
    session, cycle, name = db.session(), _cycle(slug), request.form.get("move", BULK[0])
    if name not in BULK:
        say("Choose what to do with the ticked applications.", "info")
        return redirect(url_for("admin.applications", slug=slug))
    ticked = [one for number in _ticked() if (one := _of_cycle(cycle, number)) is not None]
    message, chosen = request.form.get("message", "").strip(), move("application", name)
    if chosen.message and ticked:
        refusal = why_not_message(message) if "confirmed" in request.form else ""
        if "confirmed" not in request.form or refusal is not None:
            page = render_template(
                "admin/mark_many.html",
                cycle=cycle,
                move=chosen,
                rows=ticked,
                message=message,
                refusal=refusal,
                longest=LONGEST_MESSAGE,
                looked_at=_list_looked_at(),
            )
            return page, 422 if refusal else 200
    marked, refused = 0, []
    for one in ticked:
        try:
            perform(session, name, one, actor=actor(), capacity="admin", now=datetime.now(UTC), message=message)
            marked += 1
        except AlreadyMoved:
            continue
        except MoveRefused as refusal:
            refused.append(f"{one.applicant.display_name}: {refusal}")
    _say_what_was_done(chosen, ticked, marked, refused)
    return redirect(url_for("admin.applications", slug=slug, **_list_looked_at()))


def _list_looked_at() -> dict[str, Any]:
    """The part of the list that the form was sent from, to go on there. In a list of one state it is the first page
    that holds those who wait: the marked are in it no more.
    """
    names = ("state", "q", "show") if request.form.get("state") else ("q", "show", "page")
    return {name: value for name in names if (value := request.form.get(name))}


def why_not_message(message: str) -> str | None:
    """Who is told something reads a reason."""
    if not message:
        return "Write why: the applicants read it."
    long = len(message) > LONGEST_MESSAGE
    return f"Keep it to {LONGEST_MESSAGE:,} characters; this has {len(message):,}." if long else None


def _say_what_was_done(done: Move, ticked: list[Application], marked: int, refused: list[str]) -> None:
    if not ticked:
        say("Nothing was ticked. Tick the applications to mark.", "info")
    elif marked:
        state = APPLICATION_LABELS[done.target or ""].lower()
        what = "marked as eligible" if done.name == "mark_eligible" else f"now “{state}”"
        say(f"{marked} {'application is' if marked == 1 else 'applications are'} {what}.")
    for line in refused[:10]:
        say(line, "warn")
    if len(refused) > 10:  # noqa: PLR2004  (as many as were shown)
        say(f"And {len(refused) - 10} more were not marked.", "warn")


def _ticked() -> list[int]:
    return whole_numbers(request.form.getlist("application"))[:MOST_AT_ONCE]


def _of_cycle(cycle: Cycle, number: int) -> Application | None:
    one = db.session().get(Application, number)
    return one if one is not None and one.cycle_id == cycle.id else None


def application(slug: str, number: int) -> ResponseReturnValue:
    """One application: its checklist, what was submitted, what has happened, and what an administrator can do."""
    return _page(_application(_cycle(slug), number), "")


def move_application(slug: str, number: int) -> ResponseReturnValue:
    """Make one of an administrator's moves."""
    session = db.session()
    one = _application(_cycle(slug), number)
    name, message = request.form.get("move", ""), request.form.get("message", "").strip()
    if name not in {each.name for each in moves_from("application", one.state, "admin")}:
        say(f"This is not possible now: the application is “{APPLICATION_LABELS[one.state]}”.", "warn")
        return redirect(url_for("admin.application", slug=slug, number=number))
    try:
        perform(session, name, one, actor=actor(), capacity="admin", now=datetime.now(UTC), message=message)
    except MoveRefused as refusal:
        return _page(one, str(refusal), typed=message, tried=name), 422
    say(f"{one.applicant.display_name}: {APPLICATION_LABELS[one.state].lower()}.")
    return redirect(url_for("admin.application", slug=slug, number=number))


def _cycle(slug: str) -> Cycle:
    return found(cycle_by_slug(db.session(), slug))


def _application(cycle: Cycle, number: int) -> Application:
    one = found(db.session().get(Application, number))
    return found(one if one.cycle_id == cycle.id else None)


def declare_conflict(slug: str, number: int) -> ResponseReturnValue:
    """Keep one of those who read for the labs out of an application."""
    session, one = db.session(), _application(_cycle(slug), number)
    sent, held = request.form.get("reviewer", ""), declared_conflicts(session, one)
    people = [*readers_of(session, one), *(each.reviewer for each in held)]
    reviewer = next((each for each in people if str(each.id) == sent), None)
    reason = running_text(request.form.get("reason", ""))
    if reviewer is None:
        return _page(one, "Choose who has the conflict.", typed=reason, tried="reviewer"), 422
    try:
        new = declare(session, one.applicant, reviewer, reason=reason, now=datetime.now(UTC), admin=actor())
    except ConflictRefused as refusal:
        return _page(one, str(refusal), typed=reason, tried="conflict"), 422
    say(f"{reviewer.display_name} keeps out and is told." if new else "This conflict is declared already.")
    return redirect(url_for("admin.application", slug=slug, number=number))


def take_back_conflict(slug: str, number: int) -> ResponseReturnValue:
    """End a conflict that an administrator declared."""
    session, one = db.session(), _application(_cycle(slug), number)
    sent = request.form.get("reviewer")
    held = next((each for each in declared_conflicts(session, one) if str(each.reviewer_id) == sent), None)
    if held is None or not held.by_administrator:
        say(THEIRS if held else "This conflict is not declared any more.", "info")
        return redirect(url_for("admin.application", slug=slug, number=number))
    reviewer, reason = held.reviewer, running_text(request.form.get("reason", ""))
    try:
        take_back(session, one.applicant, reviewer, reason=reason, now=datetime.now(UTC), admin=actor())
    except ConflictRefused as refusal:
        return _page(one, str(refusal), typed=reason, tried=f"take-back-{reviewer.id}"), 422
    say(f"The conflict of {reviewer.display_name} is taken back; they are told.")
    return redirect(url_for("admin.application", slug=slug, number=number))


def _page(one: Application, refusal: str, typed: str = "", tried: str = "") -> str:
    session, now = db.session(), datetime.now(UTC)
    case = Case(one, None, actor(), "admin", now)
    history = (
        session.query(MoveRecord)
        .filter(MoveRecord.application_id == one.id, MoveRecord.choice_id.is_(None))
        .order_by(MoveRecord.id)
        .all()
    )
    return render_template(
        "admin/application.html",
        one=one,
        cycle=one.cycle,
        submission=last_submission(session, one),
        items=checklist(session, one),
        moves=[
            (one_move, why_not(session, one_move, case)) for one_move in moves_from("application", one.state, "admin")
        ],
        history=history,
        conflicts=declared_conflicts(session, one),
        readers=readers_of(session, one),
        labels=APPLICATION_LABELS,
        refusal=refusal,
        typed=typed,
        tried=tried,
    )
