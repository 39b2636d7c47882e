"""Load seed pages: plan against what is stored, then apply the plan in the caller's transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from portal.labs import service
from portal.labs.queries import lab_by_slug, profile_of
from portal.models import Lab, LabProposal
from portal.seeding.plan import Plan, Stored, make_plan
from portal.seeding.reader import seed_from
from portal.seeding.snapshots import from_json, to_json

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy.orm import Session

    from portal.seeding.plan import Proposal, Step
    from portal.seeding.records import LabRecord

LONGEST_REASON = 500  # characters


class StalePlan(Exception):
    """A profile was saved or created after planning. Roll back and plan again."""


def seed_labs(session: Session, folder: Path, *, now: datetime) -> Plan:
    """Seed the pages below `folder` with its corrections; returns the applied plan.

    Raises:
        SeedError: A page or the corrections are unusable; nothing was changed.
        StalePlan: A profile was saved after planning.
    """
    plan = plan_for(session, seed_from(folder / "pages", folder / "corrections.toml").labs)
    apply_plan(session, plan, now=now)
    return plan


def plan_for(session: Session, seeded: tuple[LabRecord, ...]) -> Plan:
    """What seeding these labs would change. Questions that were asked before are not asked again."""
    stored = {
        lab.slug: Stored(profile_of(session, lab), from_json(lab.seeded) if lab.seeded else None, lab.revision_number)
        for lab in session.scalars(select(Lab).where(Lab.slug.in_([record.key for record in seeded])))
    }
    return make_plan(stored, seeded, excluded=frozenset(session.scalars(select(LabProposal.fingerprint))))


def apply_plan(session: Session, plan: Plan, *, now: datetime) -> None:
    """Apply the plan: store profiles as revisions, and questions as proposals.

    Raises:
        StalePlan: A profile was saved, or the same was asked, after planning.
    """
    for step in plan.steps:
        lab = _store(session, step, now)
        lab.seeded = to_json(step.seeded)
        session.flush()
        session.add_all(_question(lab, proposal, now) for proposal in step.proposals)
        try:
            session.flush()
        except IntegrityError:  # another seeding has just asked the same
            raise StalePlan from None


def _store(session: Session, step: Step, now: datetime) -> Lab:
    reason = _reason(step)
    lab = lab_by_slug(session, step.lab)
    if lab is None and step.kind == "create":
        try:
            return service.create_lab(session, step.record, author=None, reason=reason, now=now, source="pages")
        except IntegrityError:  # another seeding just created it
            raise StalePlan from None
    if lab is None or lab.revision_number != step.base:
        raise StalePlan
    if step.changes:
        try:
            service.save_profile(
                session, lab, step.record, base=step.base, author=None, reason=reason, now=now, source="pages"
            )
        except service.StaleEdit:
            raise StalePlan from None
    return lab


def _reason(step: Step) -> str:
    pages = sorted(_pages(step.seeded))
    reason = f"Seeded from {', '.join(pages)}" if pages else "Seeded"
    return reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"


def _pages(record: LabRecord) -> set[str]:
    """The pages that a profile's facts come from."""
    origins = [origin for _, origin in record.origins]
    for collection in (record.members, record.works, record.systems, record.activities, record.openings):
        origins += [origin for item in collection for origin in item.origins]
    return {origin.page for origin in origins}


def _question(lab: Lab, proposal: Proposal, now: datetime) -> LabProposal:
    return LabProposal(
        lab_id=lab.id,
        path=proposal.path,
        current=proposal.current,
        proposed=proposal.proposed,
        why=proposal.why,
        fingerprint=proposal.fingerprint,
        created_at=now,
    )
