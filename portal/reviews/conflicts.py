"""Conflicts of interest of reviewers: declared and withdrawn, each with an audit entry.

A conflict is between two people and applies in every lab that the reviewer reads for. It takes effect at once: the
reviewer cannot open or move the applicant's choices. The reviewer's draft is kept, hidden and not counted, and returns
if the conflict is withdrawn, so a mistake costs nothing. A locked card is neither shown nor counted during the
conflict.

An administrator can declare one for a reviewer, who is notified and cannot withdraw it: only administrators can.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for
from sqlalchemy import bindparam, exists, select

from portal import audit, mail
from portal.accounts.service import administrators
from portal.applications.forms import running_text
from portal.applications.locks import Refusal, lock_person
from portal.applications.people import keeps_out
from portal.applications.states import OPEN_CHOICE, READ_BY_LABS
from portal.db import db
from portal.models import Application, Choice, Conflict, Cycle, Lab, LabProfessor, User
from portal.reviews.access import choice_despite_conflict, lab_i_read_for
from portal.reviews.blind_review import shown_as
from portal.web.access import actor
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.reviews.blind_review import Shown


LONGEST_REASON = 1_000  # characters
BY_ADMINISTRATOR = "An administrator declared this conflict. Write to them if there is none; they can take it back."
THEIRS = "The reviewer declared this conflict. Only they can take it back."


def declare(
    session: Session, applicant: User, reviewer: User, *, reason: str, now: datetime, admin: User | None = None
) -> bool:
    """Declare a conflict of the reviewer with the applicant, by the reviewer or `admin`; False if it is declared.

    Side effects: writes an audit entry; notifies the reviewer if an administrator declared it, and the administrators
    if a lab has nobody left to read. Raises `Refusal` without a reason, or with too long a one.
    """
    _ensure_reason(reason, "Say in a few words what the conflict is.")
    if not _write(session, applicant, reviewer, "declared", reason, now, admin):
        return False
    if admin is not None:
        _tell_reviewer(session, applicant, reviewer, "declared", now)
    _tell_where_nobody_is_left(session, applicant, reviewer, now)
    return True


def take_back(
    session: Session, applicant: User, reviewer: User, *, reason: str, now: datetime, admin: User | None = None
) -> bool:
    """Withdraw a conflict as who declared it; False if none is. `Refusal` to others, without a reason."""
    _ensure_reason(reason, "Say why there is no conflict after all.")
    current = conflict_between(session, applicant, reviewer)
    if current is None or current.state != "declared":
        return False
    if current.by_administrator != (admin is not None):
        raise Refusal(THEIRS if admin is not None else BY_ADMINISTRATOR)
    if not _write(session, applicant, reviewer, "dismissed", reason, now, admin):
        return False
    if admin is not None:
        _tell_reviewer(session, applicant, reviewer, "taken back", now)
    return True


_BETWEEN = (
    select(Conflict)
    .where(Conflict.applicant_id == bindparam("applicant"), Conflict.reviewer_id == bindparam("reviewer"))
    .execution_options(populate_existing=True)
)


def conflict_between(session: Session, applicant: User, reviewer: User) -> Conflict | None:
    """The stored conflict between the two."""
    return session.scalar(_BETWEEN, {"applicant": applicant.id, "reviewer": reviewer.id})


def _write(
    session: Session, applicant: User, reviewer: User, state: str, reason: str, now: datetime, admin: User | None
) -> bool:
    lock_person(session, reviewer)
    conflict = conflict_between(session, applicant, reviewer)
    before = {"state": conflict.state, "reason": conflict.reason} if conflict else None
    if conflict is not None and conflict.state == state:
        return False
    if conflict is None:
        conflict = Conflict(reviewer_id=reviewer.id, applicant_id=applicant.id)
        session.add(conflict)
    conflict.state, conflict.reason, conflict.changed_at = state, reason.strip(), now
    conflict.declared_by_id = (admin or reviewer).id if state == "declared" else None
    conflict.by_administrator = state == "declared" and admin is not None
    key, after = f"{reviewer.id}/{applicant.id}", {"state": state, "reason": conflict.reason}
    audit.record(session, admin or reviewer, f"conflict.{state}", "conflict", key, now, before=before, after=after)
    session.flush()
    return True


def _ensure_reason(reason: str, missing: str) -> None:
    if not reason.strip():
        raise Refusal(missing)
    if len(reason.strip()) > LONGEST_REASON:
        raise Refusal(f"Keep the reason to {LONGEST_REASON:,} characters; it has {len(reason.strip()):,}.")


def _tell_reviewer(session: Session, applicant: User, reviewer: User, outcome: str, now: datetime) -> None:
    """Notify the reviewer of a conflict without naming the applicant, whom the page shows as the lab does."""
    chosen = (
        select(Choice.lab_id)
        .join(Application, Application.id == Choice.application_id)
        .where(Application.applicant_id == applicant.id, Application.state.in_(READ_BY_LABS))
    )
    labs = session.scalars(
        select(Lab)
        .join(LabProfessor, LabProfessor.lab_id == Lab.id)
        .where(Lab.id.in_(chosen), LabProfessor.user_id == reviewer.id)
        .order_by(Lab.id)
    )
    for lab in labs:
        mail.tell(
            session,
            reviewer,
            "conflict_of_yours",
            {"lab": lab.name, "outcome": outcome},
            now=now,
            path=f"/reviews/{lab.slug}/conflicts",
            dedupe=f"conflict:{applicant.id}:{lab.id}:{outcome}:{now.isoformat()}",
        )


def _tell_where_nobody_is_left(session: Session, applicant: User, reviewer: User, now: datetime) -> None:
    reads = exists().where(LabProfessor.lab_id == Choice.lab_id, LabProfessor.user_id == reviewer.id)
    others_read = exists().where(
        LabProfessor.lab_id == Choice.lab_id,
        LabProfessor.user_id == User.id,
        User.active.is_(True),
        ~keeps_out(LabProfessor.user_id, applicant.id),
    )
    rows = session.execute(
        select(Choice.id, Lab, Cycle)
        .join(Application, Application.id == Choice.application_id)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .join(Lab, Lab.id == Choice.lab_id)
        .where(
            Application.applicant_id == applicant.id,
            Application.state == "eligible",
            Cycle.closed_at.is_(None),
            Choice.state.in_(OPEN_CHOICE),
            reads,
            ~others_read,
        )
        .order_by(Choice.id)
    )
    admins = administrators(session)
    for choice_id, lab, cycle in rows:
        for admin in admins:
            mail.tell(
                session,
                admin,
                "nobody_to_review",
                {"cycle": cycle.name, "lab": lab.name},
                now=now,
                path=f"/admin/labs/{lab.slug}",
                dedupe=f"choice:{choice_id}:nobody-to-review:{now.isoformat()}",
            )


def own_conflicts(session: Session, lab: Lab, reviewer: User) -> Sequence[tuple[Choice, Shown, datetime]]:
    """Applicants of the lab with whom the reviewer declared a conflict, and since when; latest first."""
    rows = session.execute(
        select(Choice, Conflict.changed_at)
        .join(Application, Application.id == Choice.application_id)
        .join(Conflict, Conflict.applicant_id == Application.applicant_id)
        .where(
            Choice.lab_id == lab.id,
            Application.state.in_(READ_BY_LABS),
            Conflict.reviewer_id == reviewer.id,
            Conflict.state == "declared",
        )
        .order_by(Conflict.changed_at.desc(), Choice.id)
    ).all()
    shown = shown_as(session, lab, reviewer, [row[0] for row in rows])
    return [(choice, shown[choice.id], since) for choice, since in rows]


def my_conflicts(slug: str) -> str:
    """The reader's conflicts of interest in this lab."""
    lab = lab_i_read_for(slug)
    return render_template("reviews/conflicts.html", lab=lab, mine=own_conflicts(db.session(), lab, actor()))


def conflict(slug: str, choice_id: int) -> str:
    """The only page on a choice that a reviewer in conflict can open."""
    return _page(*choice_despite_conflict(slug, choice_id))


def declare_conflict(slug: str, choice_id: int) -> ResponseReturnValue:
    """Declare a conflict of interest."""
    done = "Your conflict is declared. The application is closed to you."
    return _change(slug, choice_id, declare, done, "This was declared already.")


def take_back_conflict(slug: str, choice_id: int) -> ResponseReturnValue:
    """Withdraw a declared conflict."""
    done = "The conflict is taken back. The application is open to you again."
    return _change(slug, choice_id, take_back, done, "There was none to take back.")


def _change(slug: str, choice_id: int, act: Callable[..., bool], done: str, nothing: str) -> ResponseReturnValue:
    lab, choice = choice_despite_conflict(slug, choice_id)
    reason = running_text(request.form.get("reason", ""))
    try:
        changed = act(db.session(), choice.application.applicant, actor(), reason=reason, now=datetime.now(UTC))
    except Refusal as refused:
        return _page(lab, choice, reason, str(refused)), 422
    flash_message(done if changed else nothing)
    return redirect(url_for("reviews.conflict", slug=slug, choice_id=choice_id))


def _page(lab: Lab, choice: Choice, reason: str = "", error: str = "") -> str:
    session = db.session()
    return render_template(
        "reviews/conflict.html",
        lab=lab,
        shown=shown_as(session, lab, actor(), [choice])[choice.id],
        conflict=conflict_between(session, choice.application.applicant, actor()),
        choice_id=choice.id,
        reason=reason,
        error=error,
    )
