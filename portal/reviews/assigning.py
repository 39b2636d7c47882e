"""Who of a lab is to score which applicant: by hand, evenly or by match, with a table of who has scored how many.

Nobody is assigned to an applicant with whom they have a conflict of interest; one that is declared later ends it.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for
from sqlalchemy import select

from portal import audit
from portal.applications.locks import lock_lab
from portal.applications.match_records import NEWEST_RECORD_ID
from portal.applications.people import keeps_out
from portal.applications.states import OPEN_CHOICE
from portal.db import db
from portal.labs.live_index.live import live_index
from portal.models import Application, AssignedReviewer, Choice, LabProfessor, MatchRecord, User
from portal.models.user import called
from portal.reviews.access import chosen_cycle, lab_i_read_for, running_cycle_i_lead_in
from portal.reviews.moves.pages import moment_sent, way_to
from portal.reviews.moves.service import chosen_of
from portal.reviews.rules import READABLE, why_not_lead
from portal.reviews.scorecards.service import means_seen
from portal.web.access import actor, or_404
from portal.web.forms import whole_number, whole_numbers
from portal.web.messages import flash_message, flash_with_undo
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab

Pair = tuple[int, int]
"""A choice and a reviewer, by id."""
MOST_EACH = 5  # reviewers of an applicant


def spread(
    choices: Sequence[int],
    reviewers: Sequence[int],
    each: int,
    *,
    given: Collection[Pair],
    barred: Collection[Pair],
    affinity: Mapping[Pair, float],
) -> list[Pair]:
    """New pairs, so that each choice has `each` reviewers if possible: `given` pairs count, `barred` ones are not made.

    First those of the highest `affinity`, as long as nobody gets more than an equal share; then whoever has fewest.
    """
    load = Counter(reviewer for _, reviewer in given)
    has = Counter(choice for choice, _ in given)
    wanting = {choice: max(0, each - has[choice]) for choice in choices}
    share = -(-(sum(wanting.values()) + sum(load[one] for one in reviewers)) // max(1, len(reviewers)))
    taken, made = {*given, *barred}, list[Pair]()

    def make(choice: int, reviewer: int) -> None:
        made.append((choice, reviewer))
        taken.add((choice, reviewer))
        load[reviewer] += 1
        wanting[choice] -= 1

    for choice, reviewer in sorted(affinity, key=lambda pair: (-affinity[pair], pair)):
        if wanting.get(choice) and reviewer in reviewers and load[reviewer] < share and (choice, reviewer) not in taken:
            make(choice, reviewer)
    for choice in choices:
        while wanting[choice] and (free := [one for one in reviewers if (choice, one) not in taken]):
            make(choice, min(free, key=load.__getitem__))
    return made


def readers_of(session: Session, lab: Lab) -> dict[int, str]:
    """The names of the lab's active readers, by account."""
    rows = session.execute(
        select(User.id, User.name, User.email)
        .join(LabProfessor, LabProfessor.user_id == User.id)
        .where(LabProfessor.lab_id == lab.id, User.active.is_(True))
        .order_by(User.name, User.id)
    )
    return {number: called(name, email) for number, name, email in rows}


def assigned_in(session: Session, lab: Lab, cycle: Cycle) -> dict[int, list[int]]:
    """The assigned reviewers of the lab's choices in a cycle, without those in conflict, by choice. One statement."""
    rows = session.execute(
        select(AssignedReviewer.choice_id, AssignedReviewer.reviewer_id)
        .join(Choice, Choice.id == AssignedReviewer.choice_id)
        .join(Application, Application.id == Choice.application_id)
        .join(LabProfessor, (LabProfessor.lab_id == lab.id) & (LabProfessor.user_id == AssignedReviewer.reviewer_id))
        .where(Choice.lab_id == lab.id, Choice.listed_in_id == cycle.id)
        .where(~keeps_out(AssignedReviewer.reviewer_id, Application.applicant_id))
        .order_by(AssignedReviewer.choice_id, AssignedReviewer.reviewer_id)
    )
    by_choice: dict[int, list[int]] = {}
    for choice, reviewer in rows:
        by_choice.setdefault(choice, []).append(reviewer)
    return by_choice


def barred_pairs(session: Session, lab: Lab, choices: Collection[int]) -> set[Pair]:
    """The lab's readers who must not read some of these choices."""
    rows = session.execute(
        select(Choice.id, LabProfessor.user_id)
        .join(Application, Application.id == Choice.application_id)
        .join(LabProfessor, LabProfessor.lab_id == Choice.lab_id)
        .where(Choice.lab_id == lab.id, Choice.id.in_(choices))
        .where(keeps_out(LabProfessor.user_id, Application.applicant_id))
    )
    return {(choice, reviewer) for choice, reviewer in rows}


def assign(session: Session, lab: Lab, pairs: Collection[Pair], leader: User, now: datetime) -> int:
    """Assign reviewers who are not assigned yet and not in conflict; returns how many pairs. Writes an audit entry."""
    lock_lab(session, lab.id)
    choices = {choice for choice, _ in pairs}
    stored = session.execute(
        select(AssignedReviewer.choice_id, AssignedReviewer.reviewer_id).where(AssignedReviewer.choice_id.in_(choices))
    )
    new = sorted({*pairs} - barred_pairs(session, lab, choices) - {(choice, reviewer) for choice, reviewer in stored})
    session.add_all(AssignedReviewer(choice_id=one, reviewer_id=reviewer, assigned_at=now) for one, reviewer in new)
    if new:
        _log(session, lab, leader, now, "lab.assign", new)
    session.flush()
    return len(new)


def take_back(session: Session, lab: Lab, at: datetime, leader: User, now: datetime) -> int:
    """Take back all pairs of the lab that were assigned at a time; returns how many. Writes an audit entry."""
    lock_lab(session, lab.id)
    rows = session.scalars(
        select(AssignedReviewer)
        .join(Choice, Choice.id == AssignedReviewer.choice_id)
        .where(Choice.lab_id == lab.id, AssignedReviewer.assigned_at == at)
    ).all()
    for row in rows:
        session.delete(row)
    if rows:
        _log(session, lab, leader, now, "lab.unassign", [(row.choice_id, row.reviewer_id) for row in rows])
    session.flush()
    return len(rows)


def _log(session: Session, lab: Lab, leader: User, now: datetime, act: str, pairs: Sequence[Pair]) -> None:
    after = {"choices_and_reviewers": [list(pair) for pair in pairs]}
    audit.record(session, leader, act, "lab", lab.slug, now, after=after)


def open_choices(session: Session, lab: Lab, cycle: Cycle) -> Sequence[int]:
    """The choices that can still be scored, best match first."""
    return session.scalars(
        select(Choice.id)
        .join(Application, Application.id == Choice.application_id)
        .where(Choice.lab_id == lab.id, Choice.listed_in_id == cycle.id, READABLE, Choice.state.in_(OPEN_CHOICE))
        .order_by(Choice.score.desc(), Choice.id)
    ).all()


def affinity_of(
    session: Session, choices: Collection[int], readers: Mapping[int, str], authors: Mapping[str, Collection[str]]
) -> dict[Pair, float]:
    """How much of what a lab published and matched an applicant each reader wrote; `authors` by key of a work."""
    rows = session.execute(
        select(Choice.id, MatchRecord.found)
        .join(MatchRecord, MatchRecord.id == NEWEST_RECORD_ID)
        .where(Choice.id.in_(choices))
    )
    affinity = Counter[Pair]()
    for choice, found in rows:
        for item in found.get("evidence", ()):
            wrote = {name.casefold() for name in authors.get(item["work_key"], ())}
            for reader, name in readers.items():
                if name.casefold() in wrote:
                    affinity[choice, reader] += item["score"]
    return dict(affinity)


def assignment(slug: str) -> str:
    """Who is assigned to how many applicants and has scored how many, and for the leader the form to assign more."""
    lab = lab_i_read_for(slug)
    session, cycle = db.session(), or_404(chosen_cycle(lab))
    assigned, scored = assigned_in(session, lab, cycle), means_seen(session, lab, cycle.id, actor()).reviewers
    left = open_choices(session, lab, cycle)
    progress = [
        (
            number,
            name,
            sum(number in ids for ids in assigned.values()),
            sum(number in scored.get(choice, ()) for choice, ids in assigned.items() if number in ids),
            sum(number in assigned.get(choice, ()) and number not in scored.get(choice, ()) for choice in left),
        )
        for number, name in readers_of(session, lab).items()
    ]
    return render_template(
        "reviews/assignment.html",
        lab=lab,
        cycle=cycle,
        progress=progress,
        without=sum(choice not in assigned for choice in left),
        everybody=len(left),
        leads=why_not_lead(session, actor(), lab) is None and cycle.closed_at is None,
        most_each=MOST_EACH,
    )


def assign_reviewers(slug: str) -> ResponseReturnValue:
    """Assign one reviewer to the ticked applicants or, without ticks, several to all that can be scored."""
    lab, cycle = running_cycle_i_lead_in(slug)
    session, now, readers = db.session(), datetime.now(UTC), readers_of(db.session(), lab)
    chosen = [number for number in whole_numbers(request.form.getlist("reviewer")) if number in readers]
    back = url_for("reviews.assignment", slug=slug, cycle=cycle.slug)
    if "choice" in request.form or "by_hand" in request.form:
        back = way_to(lab, cycle)
        ticked = chosen_of(session, lab, cycle, actor(), whole_numbers(request.form.getlist("choice")))
        pairs = [(choice.id, reviewer) for choice in ticked for reviewer in chosen]
    else:
        choices, each = open_choices(session, lab, cycle), whole_number(request.form.get("each", "")) or 1
        given = [(one, number) for one, numbers in assigned_in(session, lab, cycle).items() for number in numbers]
        profile = live_index(current_app).current(session).corpus.profiles.get(slug)
        authors = {work.key: work.authors for work in profile.works} if profile else {}
        by_match = request.form.get("how") == "match"
        pairs = spread(
            choices,
            chosen,
            min(each, MOST_EACH),
            given=given,
            barred=barred_pairs(session, lab, choices),
            affinity=affinity_of(session, choices, readers, authors) if by_match else {},
        )
    new = assign(session, lab, pairs, actor(), now)
    if not new:
        flash_message("Nobody was assigned: choose applicants and reviewers without a conflict of interest.", "warn")
    else:
        undo = url_for("reviews.unassign_reviewers", slug=slug)
        text = f"{counted(new, 'review is', 'reviews are')} assigned."
        flash_with_undo(text, undo, {"cycle": cycle.slug, "at": now.isoformat()})
    return redirect(back)


def unassign_reviewers(slug: str) -> ResponseReturnValue:
    """Take back what was assigned at once."""
    lab, cycle = running_cycle_i_lead_in(slug)
    at = moment_sent()
    taken = take_back(db.session(), lab, at, actor(), datetime.now(UTC)) if at else 0
    flash_message(f"{counted(taken, 'review is', 'reviews are')} no longer assigned.", "good" if taken else "info")
    return redirect(url_for("reviews.assignment", slug=slug, cycle=cycle.slug))
