"""Loads seed pages: plans against what is stored, then applies the plan; `portal seed`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from flask.cli import with_appcontext
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from portal import instance
from portal.config import RESOURCES
from portal.db import db
from portal.labs import service
from portal.labs.proposals import as_row
from portal.labs.queries import lab_by_slug, profile_of
from portal.models import Lab, LabProposal
from portal.seeding.merging import Plan, Stored, make_plan
from portal.seeding.pages import SeedError
from portal.seeding.reader import seed_from
from portal.seeding.records import from_json, to_json

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.seeding.assemble import SeedResult
    from portal.seeding.merging import Plan, Step
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
    for step in plan:
        lab = _store(session, step, now)
        lab.seeded = to_json(step.seeded)
        session.flush()
        session.add_all(as_row(proposal, lab.id, None, now) for proposal in step.proposals)
        try:
            session.flush()
        except IntegrityError:  # another seeding has just asked the same
            raise StalePlan from None


def _store(session: Session, step: Step, now: datetime) -> Lab:
    reason = _reason(step)
    lab = lab_by_slug(session, step.record.key)
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


SEEDS = RESOURCES / "seeds"
TRIES = 5
SIGNS = {"create": "+", "update": "~", "ask": "?", "skip": "="}


@click.command("seed")
@click.argument("pages", type=click.Path(path_type=Path), default=SEEDS / "pages")
@click.option(
    "--corrections",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A file of facts that the pages lack. The pages that come with the portal have their own.",
)
@click.option("--dry-run", is_flag=True, help="Show the plan; change nothing.")
@click.option("--report", is_flag=True, help="Show what was read from the pages; change nothing.")
@click.option("--json", "as_json", is_flag=True, help="Answer with JSON.")
@with_appcontext
def seed(pages: Path, *, corrections: Path | None, dry_run: bool, report: bool, as_json: bool) -> None:
    """Read lab profiles from pages, show the plan and apply it.

    PAGES is a page or a folder of pages; without it, the pages that come with the portal are read.

    Running it again changes nothing. An edit made by hand is never overwritten: where a page says something
    different, administrators are asked.
    """
    if corrections is None and pages == SEEDS / "pages":
        corrections = SEEDS / "corrections.toml"
    try:
        result = seed_from(pages, corrections)
    except SeedError as error:
        raise click.ClickException(str(error)) from None
    if report:
        click.echo(
            json.dumps(result.as_json(), ensure_ascii=False, indent=2) if as_json else "\n".join(result.as_lines())
        )
        return
    plan = _plan_and_apply(result, dry_run=dry_run)
    click.echo(json.dumps(_as_data(plan), ensure_ascii=False, indent=2) if as_json else _in_words(plan))
    if dry_run and not as_json:
        click.echo("Nothing was changed (--dry-run).")


def _plan_and_apply(result: SeedResult, *, dry_run: bool) -> Plan:
    """Plan the profiles and, unless it is a dry run, create missing tables, apply the plan and commit.

    If somebody saves a profile meanwhile, it plans again from the saved state.

    Raises:
        click.ClickException: Profiles were saved meanwhile in each of `TRIES`; nothing was changed.
    """
    if not instance.has_tables():
        if dry_run:
            return make_plan({}, result.labs)
        instance.bring_tables_up_to_date()
    session = db.session()
    if dry_run:
        return plan_for(session, result.labs)
    for _ in range(TRIES):
        plan = plan_for(session, result.labs)
        try:
            apply_plan(session, plan, now=datetime.now(UTC))
            session.commit()
        except StalePlan:
            session.rollback()
        else:
            return plan
    raise click.ClickException("Others kept saving these profiles meanwhile. Nothing was changed; try again later.")


def _as_data(plan: Plan) -> list[dict[str, object]]:
    return [
        {
            "lab": step.record.key,
            "step": step.kind,
            "changes": [{"path": change.path, "kind": change.kind} for change in step.changes],
            "questions": [{"path": proposal.path, "why": proposal.why} for proposal in step.proposals],
        }
        for step in plan
    ]


def _in_words(plan: Plan) -> str:
    lines = []
    for step in plan:
        lines.append(f"{SIGNS[step.kind]} {step.kind:6}  {step.record.key}  ({step.record.name})")
        if step.kind != "create":
            lines += [f"    {change.kind} {change.path}" for change in step.changes if not change.is_origin]
        lines += [f"    asks about {proposal.path}: {proposal.why}" for proposal in step.proposals]
    if all(step.kind == "skip" for step in plan):
        lines.append("All of this is stored already.")
    return "\n".join(lines)
