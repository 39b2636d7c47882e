"""`portal seed`: turn pages into lab profiles."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from flask.cli import with_appcontext

from portal import instance
from portal.config import RESOURCES
from portal.db import db
from portal.labs.seeding import StalePlan, apply_plan, plan_for
from portal.seeding.pages import SeedError
from portal.seeding.plan import make_plan
from portal.seeding.reader import seed_from
from portal.seeding.report import SeedReport

if TYPE_CHECKING:
    from portal.seeding.assemble import SeedResult
    from portal.seeding.plan import Plan

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
        seeded = SeedReport(result)
        click.echo(
            json.dumps(seeded.as_json(), ensure_ascii=False, indent=2) if as_json else "\n".join(seeded.as_lines())
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
            "lab": step.lab,
            "step": step.kind,
            "changes": [{"path": change.path, "kind": change.kind} for change in step.changes],
            "questions": [{"path": proposal.path, "why": proposal.why} for proposal in step.proposals],
        }
        for step in plan.steps
    ]


def _in_words(plan: Plan) -> str:
    lines = []
    for step in plan.steps:
        lines.append(f"{SIGNS[step.kind]} {step.kind:6}  {step.lab}  ({step.record.name})")
        if step.kind != "create":
            lines += [f"    {change.kind} {change.path}" for change in step.changes if not change.is_origin]
        lines += [f"    asks about {proposal.path}: {proposal.why}" for proposal in step.proposals]
    if plan.changes_nothing:
        lines.append("All of this is stored already.")
    return "\n".join(lines)
