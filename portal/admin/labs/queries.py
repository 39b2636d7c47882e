"""Reads for the administrators' pages about labs: the table, revisions, questions, counts, the lab a text means."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import ColumnElement, and_, exists, false, func, or_, select
from sqlalchemy.orm import defer, joinedload

from portal.admin.searching import contains_text, search_text
from portal.models import Lab, LabImport, LabProfessor, LabProposal, LabRevision, User, Work
from portal.web.paging import PER_PAGE, Page, cut_to_page, page_of, page_within

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from sqlalchemy import Row
    from sqlalchemy.orm import Session


def professors_of(session: Session, lab: Lab) -> Sequence[LabProfessor]:
    """The people who read for a lab: leaders first, then by address."""
    return session.scalars(
        select(LabProfessor)
        .join(User, User.id == LabProfessor.user_id)
        .where(LabProfessor.lab_id == lab.id)
        .order_by(LabProfessor.position, User.email)
        .options(joinedload(LabProfessor.user))
    ).all()


def count_proposals(session: Session, lab: Lab | None = None) -> int:
    """How many proposed changes of a lab's profile, or of all, wait for a decision."""
    waiting = select(func.count(LabProposal.id)).where(LabProposal.state == "open")
    return session.scalar(waiting if lab is None else waiting.where(LabProposal.lab_id == lab.id)) or 0


def open_changes(session: Session, number: int) -> Page[tuple[Lab, LabImport | None, int]]:
    """A page of what is proposed and waits, the oldest first: how many changes of a lab come from one file, or, with
    None, from pages and tables of labs.
    """
    of_file = and_(LabImport.id == LabProposal.import_id, LabImport.lab_id.is_not(None))
    waiting = (
        select(Lab, LabImport, func.count(LabProposal.id))
        .join(LabProposal, LabProposal.lab_id == Lab.id)
        .outerjoin(LabImport, of_file)
        .where(LabProposal.state == "open")
        .group_by(Lab.id, LabImport.id)
        .order_by(func.min(LabProposal.id))
    )
    return page_of([(lab, lab_import, count) for lab, lab_import, count in session.execute(waiting)], number)


_READS_FOR_LAB = (LabProfessor.lab_id == Lab.id, LabProfessor.user_id == User.id, User.active)
NOBODY_READS = ~exists().where(*_READS_FOR_LAB)
"""A condition on `Lab`: nobody with an open account reads for it, so that nobody sees who applies to it."""
_READERS = select(func.count(LabProfessor.user_id)).where(*_READS_FOR_LAB).scalar_subquery()
_WORKS = select(func.count(Work.id)).where(Work.lab_id == Lab.id).scalar_subquery()
_DOUBTED = select(func.count(Work.id)).where(Work.lab_id == Lab.id, Work.question != "").scalar_subquery()
_PROPOSED = (
    select(func.count(LabProposal.id))
    .where(LabProposal.lab_id == Lab.id, LabProposal.state == "open")
    .scalar_subquery()
)


def lab_page(
    session: Session,
    *,
    search: str,
    sort: str,
    descending: bool,
    number: int,
    stale: ColumnElement[bool],
    only: Collection[ColumnElement[bool]] = (),
) -> Page[Row[*tuple[Any, ...]]]:
    """One page of the table of labs, with how many works, questions that wait for a decision, and readers with an open
    account each has, and whether its profile `is_stale`.

    Each word of `search` must occur in a profile. `stale` is the condition for profiles that were not confirmed for
    long; every lab of the list meets those of `only`.

    Raises:
        KeyError: `sort` is none of these.
    """
    keys: dict[str, ColumnElement[Any]] = {
        "name": func.lower(Lab.name),
        "leader": func.lower(Lab.leader),
        "works": _WORKS,
        "questions": _PROPOSED + _DOUBTED,
        "readers": _READERS,
        "changed": Lab.changed_at.expression,
        "confirmed": func.coalesce(Lab.confirmed_on, date.min),
    }
    conditions = [*map(_lab_holds, search.split()), *only]
    columns = select(
        Lab.slug,
        Lab.name,
        Lab.leader,
        Lab.place,
        _WORKS.label("works"),
        (_PROPOSED + _DOUBTED).label("open_questions"),
        _READERS.label("readers"),
        Lab.changed_at,
        Lab.confirmed_on,
        Lab.archived_at,
        Lab.is_draft,
        stale.label("is_stale"),
    )
    order = keys[sort].desc() if descending else keys[sort].asc()
    shown, page, total = cut_to_page(session, columns.where(*conditions).order_by(order, Lab.id), number)
    return Page(session.execute(shown).all(), page, total)


def revision_page(session: Session, lab: Lab, number: int) -> Page[LabRevision]:
    """One page of a lab’s revisions without their profiles, newest first."""
    page = page_within(number, lab.revision_number)
    rows = session.scalars(
        select(LabRevision)
        .where(LabRevision.lab_id == lab.id)
        .order_by(LabRevision.number.desc())
        .limit(PER_PAGE)
        .offset((page - 1) * PER_PAGE)
        .options(defer(LabRevision.snapshot))
    )
    return Page(rows.all(), page, lab.revision_number)


def doubted_page(session: Session, number: int) -> Page[Row[*tuple[Any, ...]]]:
    """One page of the works with an open question, by lab and title."""
    doubted = (
        select(Lab.slug, Lab.name, Work.key, Work.title, Work.question)
        .join(Lab, Lab.id == Work.lab_id)
        .where(Work.question != "")
        .order_by(Lab.name, Work.title, Work.id)
    )
    shown, page, total = cut_to_page(session, doubted, number)
    return Page(session.execute(shown).all(), page, total)


def count_doubted(session: Session, lab: Lab) -> int:
    """How many works of a lab have an open question."""
    doubted = select(func.count(Work.id)).where(Work.lab_id == lab.id, Work.question != "")
    return session.scalar(doubted) or 0


def unread_among(session: Session, slugs: Collection[str]) -> list[str]:
    """The names of those of these labs for which nobody reads."""
    return list(session.scalars(select(Lab.name).where(Lab.slug.in_(slugs), NOBODY_READS).order_by(Lab.name)))


def _lab_holds(word: str) -> ColumnElement[bool]:
    return or_(
        Lab.search_text.contains(word.casefold(), autoescape=True), Lab.slug.contains(word.lower(), autoescape=True)
    )


T = TypeVar("T")
MOST_OFFERED = 100  # labs of a list to choose from; more are searched
MOST_NAMED = 8  # labs that a text may mean, in a sentence


class NoSuchLab(ValueError):
    """A text does not name one lab; the message says what to type instead."""


def labs_on_offer(session: Session, among: ColumnElement[bool] | None = None) -> Sequence[tuple[str, str]] | None:
    """Slug and name of every lab for which `among` holds, by name; None if they are too many for a list."""
    statement = select(Lab.slug, Lab.name).order_by(func.lower(Lab.name), Lab.id).limit(MOST_OFFERED + 1)
    rows = [(slug, name) for slug, name in session.execute(statement if among is None else statement.where(among))]
    return if_few(rows)


def if_few(labs: Sequence[T]) -> Sequence[T] | None:
    """The labs, if they are few enough for a list to choose from; otherwise None."""
    return labs if len(labs) <= MOST_OFFERED else None


def is_meant_by(session: Session, text: str) -> ColumnElement[bool]:
    """A condition on `Lab`: the lab with this slug, else those with this name, else those whose name, leader or slug
    contains every word.
    """
    typed = search_text(text)
    if not typed:
        return false()
    for exact in (Lab.slug == typed, func.lower(Lab.name) == typed.lower()):
        if session.scalar(select(Lab.id).where(exact).limit(1)) is not None:
            return exact
    return and_(*(or_(*(contains_text(column, word) for column in _SEARCHED)) for word in typed.split()))


def lab_meant_by(session: Session, text: str) -> Lab:
    """The one lab that a text names.

    Raises:
        NoSuchLab: There is none, or there are several.
    """
    labs = session.scalars(
        select(Lab).where(is_meant_by(session, text)).order_by(func.lower(Lab.name), Lab.id).limit(MOST_NAMED + 1)
    ).all()
    if len(labs) == 1:
        return labs[0]
    if not labs:
        raise NoSuchLab(f"No lab is called “{search_text(text)}”. Type a part of its name, its leader or its address.")
    names = ", ".join(f"{lab.name} ({lab.slug})" for lab in labs[:MOST_NAMED])
    more = " and others" if len(labs) > MOST_NAMED else ""
    raise NoSuchLab(f"Several labs fit: {names}{more}. Type the address of one, which stands in brackets.")


def shown_text(session: Session, text: str) -> str:
    """The text for a search field: the name of the lab if `text` is a slug, otherwise the text itself."""
    return session.scalar(select(Lab.name).where(Lab.slug == text)) or search_text(text)


_SEARCHED: tuple[ColumnElement[str], ...] = (Lab.name.expression, Lab.leader.expression, Lab.slug.expression)
