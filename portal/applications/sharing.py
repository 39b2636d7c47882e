"""Labs that an applicant shares with, and whom a lab may read about before it is chosen. The caller commits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import abort, redirect, render_template, request, url_for
from sqlalchemy import and_, delete, func, or_, select
from sqlalchemy.orm import contains_eager, selectinload

from portal.accounts.rules import is_local_path
from portal.applications.interests.service import (
    RefusedByRule,
    interests_of,
    query_from,
    refuse_by_rule,
    stated_in,
)
from portal.applications.locks import lock_person
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.models import Interests, InterestTopic, Lab, LabShare, Resume, Role, User
from portal.models.user import APPLICANT, role_of_user
from portal.web.access import actor, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.db import Columns
    from portal.matching import Query
    from portal.web.messages import Tone


MOST_SHARES = 30  # labs
AT_ONCE = 500  # people whose texts are read in one statement
LONGEST_ADDRESS = 1_000  # characters
BLANKS = "".join(sign for sign in map(chr, range(0x3001)) if sign.isspace())


def why_not_share_with(lab: Lab) -> str | None:
    """Against sharing with an archived lab: nobody finds anybody for it."""
    return None if lab.archived_at is None else f"{lab.name} is not listed any more, so you cannot share with it."


def why_not_share(shares: int) -> str | None:
    """Against sharing with one more lab."""
    if shares >= MOST_SHARES:
        return f"You share with {shares} labs, the most there can be. Stop sharing with one of them first."
    return None


@dataclass(frozen=True, slots=True)
class ApplicantForLab:
    """Somebody a lab may read about: what they state, the resume if it is confirmed, and since when they share with the
    lab, if they do not only agree to be found.
    """

    user: User
    interests: Interests | None
    resume: Resume | None
    shared_at: datetime | None


@dataclass(frozen=True, slots=True)
class ApplicantInShort:
    """Somebody a lab may read about, without texts. `stated` changes whenever what they state changes."""

    id: int
    name: str
    email: str
    shared_at: datetime | None
    stated: bytes


def applicants_in_short(session: Session, lab: Lab) -> list[ApplicantInShort]:
    """Active applicants who share with the lab, or who agreed to be found and can be matched; by account."""
    rows = session.execute(
        _readable(
            select(
                User.id,
                User.name,
                User.email,
                LabShare.shared_at,
                # Every save of interests gets another version, every resume that is confirmed another time.
                Interests.id,
                Interests.version,
                Interests.changed_at,
                Resume.id,
                Resume.sha256,
                Resume.confirmed_at,
            ),
            lab,
        )
    )
    return [
        ApplicantInShort(
            user_id,
            name,
            email,
            shared_at,
            stated=blake2b(repr(stated).encode(), digest_size=32).digest(),
        )
        for user_id, name, email, shared_at, *stated in rows
    ]


def applicants_of_lab(session: Session, lab: Lab, only: Collection[int]) -> list[ApplicantForLab]:
    """Those of the same people whose accounts have these ids, with what they state."""
    columns = select(User, Interests, Resume, LabShare.shared_at).options(selectinload(Interests.topics))
    statement = _readable(columns, lab)
    return [
        ApplicantForLab(*row)
        for batch in _in_parts(sorted(only))
        for row in session.execute(statement.where(User.id.in_(batch))).all()
    ]


def queries_of(session: Session, people: Collection[int]) -> dict[int, Query]:
    """The matcher's query of each of these people, by account."""
    queries: dict[int, Query] = {}
    for batch in _in_parts(sorted(people)):
        rows = session.execute(
            select(User.id, Interests, Resume)
            .outerjoin(Interests, Interests.user_id == User.id)
            .outerjoin(Resume, _confirmed_resume())
            .where(User.id.in_(batch))
            .options(selectinload(Interests.topics))
        )
        queries |= {user_id: query_from(interests, resume) for user_id, interests, resume in rows}
    return queries


def _readable(statement: Select[*Columns], lab: Lab) -> Select[*Columns]:
    """Join `LabShare`, `Interests` and the confirmed `Resume` to `User`, and keep whom the lab may read about."""
    applicants = (
        select(role_of_user.c.user_id).join(Role, Role.id == role_of_user.c.role_id).where(Role.name == APPLICANT)
    )
    return (
        statement.outerjoin(LabShare, and_(LabShare.user_id == User.id, LabShare.lab_id == lab.id))
        .outerjoin(Interests, Interests.user_id == User.id)
        .outerjoin(Resume, _confirmed_resume())
        .where(
            User.active.is_(True),
            User.id.in_(applicants),
            or_(LabShare.user_id.is_not(None), and_(Interests.discoverable.is_(True), _asks_for_something())),
        )
        .order_by(User.id)
    )


def _confirmed_resume() -> ColumnElement[bool]:
    return and_(Resume.user_id == User.id, Resume.confirmed_at.is_not(None))


def _asks_for_something() -> ColumnElement[bool]:
    """`portal.applications.interests.service.asks_for_something` as an SQL expression."""
    topic = (
        select(InterestTopic.id)
        .where(InterestTopic.interests_id == Interests.id, InterestTopic.weight > 0, InterestTopic.text != "")
        .exists()
    )
    return or_(
        topic,
        func.ltrim(Interests.statement, BLANKS) != "",
        and_(Interests.resume_weight > 0, func.ltrim(Resume.text, BLANKS) != ""),
    )


def _in_parts(people: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(people), AT_ONCE):
        yield people[start : start + AT_ONCE]


def shares_of(session: Session, user: User) -> Sequence[LabShare]:
    """Which labs an applicant shares with, and since when; by name of the lab."""
    return session.scalars(
        select(LabShare)
        .join(LabShare.lab)
        .where(LabShare.user_id == user.id)
        .options(contains_eager(LabShare.lab))
        .order_by(Lab.name)
    ).all()


def labs_shared_with(session: Session, user: User) -> Sequence[Lab]:
    """The labs an applicant shares with, by name."""
    return [share.lab for share in shares_of(session, user)]


def share_count(session: Session, user: User) -> int:
    """How many labs an applicant shares with."""
    return session.scalar(select(func.count()).select_from(LabShare).where(LabShare.user_id == user.id)) or 0


def share_with_lab(session: Session, user: User, lab: Lab, *, now: datetime) -> bool:
    """Let the professors of a lab read what the applicant states; False if they could already.

    Raises:
        RefusedByRule: The applicant shares with as many labs as can be, or the lab is archived.
    """
    lock_person(session, user)
    if session.get(LabShare, (user.id, lab.id)) is not None:
        return False
    refuse_by_rule(why_not_share_with(lab) or why_not_share(share_count(session, user)))
    session.add(LabShare(user_id=user.id, lab_id=lab.id, shared_at=now))
    session.flush()
    return True


def stop_sharing(session: Session, user: User, lab: Lab) -> bool:
    """Undo `share_with_lab`; False if nothing was shared."""
    stopped = session.execute(delete(LabShare).where(LabShare.user_id == user.id, LabShare.lab_id == lab.id))
    return bool(stopped.rowcount)  # type: ignore[attr-defined]  # a DELETE gives a CursorResult


def labs() -> ResponseReturnValue:
    """The list, each with a way to stop."""
    return render_template("applications/labs.html", shares=shares_of(db.session(), actor()))


def share_or_stop(slug: str) -> ResponseReturnValue:
    """Share with a lab (`act` is "share") or stop it ("stop"), then go back to where the form was."""
    session, user, lab = db.session(), actor(), or_404(lab_by_slug(db.session(), slug))
    text = ""
    tone: Tone = "good"
    match request.form.get("act", "share"):
        case "share":
            try:
                if share_with_lab(session, user, lab, now=datetime.now(UTC)):
                    text = f"You now share with {lab.name}. Its professors can read your interests and your confirmed "
                    text += "resume. This is not an application."
                else:
                    text, tone = f"You share with {lab.name} already.", "info"
            except RefusedByRule as refusal:
                text, tone = str(refusal), "warn"
        case "stop" if stop_sharing(session, user, lab):
            text = f"You stopped sharing with {lab.name}."
            if stated_in(interests_of(session, user)).discoverable:
                text += " Its professors can still find you, as you let other labs do; your interests are where to "
                text += "change that."
        case "stop":
            text, tone = f"You do not share with {lab.name}.", "info"
        case _:
            abort(400)
    flash_message(text, tone)
    address = request.form.get("next", "")
    # Nobody is sent to another site, nor to an address that only takes forms.
    is_short = len(address) <= LONGEST_ADDRESS
    is_own = is_short and is_local_path(address) and urlsplit(address).path != request.script_root + request.path
    return redirect(address if is_own else url_for("applications.labs"))
