"""Offers to all applicants whom a round assigns, in one transaction and with a constant number of reads."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from portal.admin.assignment.market import ACCEPTABLE
from portal.applications.cycles import IS_STAGED
from portal.applications.locks import MoveRefused
from portal.applications.moves.rules import FILLING_A_SEAT, Case, SeatsTaken
from portal.applications.moves.service import Made, conclude, perform_locked
from portal.applications.people import applicants_in_conflict
from portal.applications.states import move_named
from portal.db import lock_rows
from portal.models import Application, Choice, Decision, Lab, LabIntake
from portal.reviews.board.service import lock_applications

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.models import Cycle, User


def offer_places(
    session: Session, cycle: Cycle, lab_of: Mapping[str, str], *, actor: User, now: datetime, reply_days: int
) -> Sequence[str]:
    """Offer each applicant (by receipt) a place in their lab (by slug); returns a sentence for each who cannot get one.

    Side effects: those of `portal.applications.moves.service.perform`, without its statements for each move. Locks the
    labs and then the applications, both by ascending id, as bulk moves of labs do.
    """
    rows = session.execute(
        select(Application.receipt, Lab.slug, Application.id, Choice.id, Lab.id)
        .join(Application, Application.id == Choice.application_id)
        .join(Lab, Lab.id == Choice.lab_id)
        .where(Application.cycle_id == cycle.id, Choice.state.in_(ACCEPTABLE))
    )
    places = {(receipt, slug): ids for receipt, slug, *ids in rows if receipt and lab_of.get(receipt) == slug}
    lock_rows(session, Lab.id, {lab_id for _, _, lab_id in places.values()})
    applications = {
        locked.id: locked
        for locked in lock_applications(session, {application_id for application_id, _, _ in places.values()})
    }
    choices = _choices(session, [choice_id for _, choice_id, _ in places.values()])
    in_conflict, staged = applicants_in_conflict(session, actor), _staged(session, cycle)
    seats, offers = _seats(session, cycle), _offers(session, cycle)
    made: list[Made] = []
    refused, offer = [], move_named("choice", "offer")
    for receipt, slug in sorted(lab_of.items()):
        application_id, choice_id, lab_id = places.get((receipt, slug), (0, 0, 0))
        if application_id not in applications:
            refused.append(f"{receipt}, {slug}: This application was erased or changed in the meantime.")
            continue
        application = applications[application_id]
        case = Case(
            application,
            choices[choice_id],
            actor,
            "admin",
            now,
            in_conflict=application.applicant_id in in_conflict,
            staged=staged,
            taken=SeatsTaken(seats.get(lab_id), offers[lab_id]),
        )
        try:
            perform_locked(session, offer, case, reply_days=reply_days, later=made)
        except MoveRefused as refusal:
            refused.append(f"{receipt}, {slug}: {refusal}")
        else:
            offers[lab_id] += 1
    conclude(session, made)
    return refused


def _choices(session: Session, ids: Sequence[int]) -> Mapping[int, Choice]:
    """The choices with these ids, kept in memory so that no move has to read one again."""
    return {choice.id: choice for choice in session.scalars(select(Choice).where(Choice.id.in_(ids)))}


def _staged(session: Session, cycle: Cycle) -> frozenset[int]:
    """The choices on which a decision waits for its release."""
    return frozenset(
        session.scalars(
            select(Decision.choice_id)
            .join(Choice, Choice.id == Decision.choice_id)
            .join(Application, Application.id == Choice.application_id)
            .where(Application.cycle_id == cycle.id, IS_STAGED)
        )
    )


def _seats(session: Session, cycle: Cycle) -> Mapping[int, int | None]:
    """The seats that labs have set, by lab."""
    rows = session.execute(select(LabIntake.lab_id, LabIntake.seats).where(LabIntake.cycle_id == cycle.id))
    return {row.lab_id: row.seats for row in rows}


def _offers(session: Session, cycle: Cycle) -> Counter[int]:
    """How many offers of each lab are staged, out or accepted."""
    rows = session.execute(
        select(Choice.lab_id, func.count().label("offers"))
        .join(Application, Application.id == Choice.application_id)
        .where(Application.cycle_id == cycle.id, Choice.state.in_(FILLING_A_SEAT))
        .group_by(Choice.lab_id)
    )
    return Counter({row.lab_id: row.offers for row in rows})
