"""`portal bias-audit`: swap personal details in resumes, and print how far rankings move."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
from flask.cli import with_appcontext

from portal.admin.bias.findings import HEADER, cells, lines, moved
from portal.admin.bias.running import MOST, run_audit
from portal.applications.cycles import current_cycle, cycle_by_slug
from portal.db import db
from portal.instance import has_tables
from portal.labs.commands.evaluation_report import aligned
from portal.labs.commands.input import has_bar, labs_at_hand

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal.models import Cycle

TITLES = {"made_up": "made-up resumes", "applicants": "resumes of applicants"}


@click.command("bias-audit")
@click.option("--cycle", "slug", help="Slug of the cycle whose applicants are audited; otherwise the newest open one.")
@click.option("--made-up", "only_made_up", is_flag=True, help="Only the made-up resumes that come with the portal.")
@click.option("--most", type=click.IntRange(min=5), default=MOST, show_default=True, help="So many applicants.")
@click.option("--json", "as_json", is_flag=True, help="Answer with JSON.")
@with_appcontext
def bias_audit(*, slug: str | None, only_made_up: bool, most: int, as_json: bool) -> None:
    """Check that rankings do not depend on who somebody is.

    It swaps names, schools, places, gendered words and domains in resumes, and says how far rankings move. None should
    move; the command exits with 1 if any does. Nothing is stored, nobody is named, and about fewer than five
    applicants nothing is said.
    """
    if only_made_up and slug is not None:
        raise click.UsageError("--made-up audits no applicants, so it takes no --cycle.")
    cycle = None if only_made_up else _cycle(slug)
    index = labs_at_hand().index
    with click.progressbar(length=1, label="Swapping", file=sys.stderr, hidden=not has_bar(most)) as bar:

        def step(done: int, total: int, _doing: str) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        results = run_audit(db.session(), index, cycle, most, step)
    if as_json:
        click.echo(json.dumps(results, indent=2, ensure_ascii=False))
    else:
        for line in _report(results):
            click.echo(line)
    if any(moved(finding) for finding in results.values() if finding):
        sys.exit(1)


def _cycle(slug: str | None) -> Cycle | None:
    if not has_tables():
        return None
    session = db.session()
    if slug is None:
        return current_cycle(session, datetime.now(UTC))
    cycle = cycle_by_slug(session, slug)
    if cycle is None:
        raise click.BadParameter(f"there is no cycle {slug!r}", param_hint="--cycle")
    return cycle


def _report(results: Mapping[str, Any]) -> Iterator[str]:
    for group, title in TITLES.items():
        finding = results[group]
        if finding is None:
            yield "\nThere are too few resumes of applicants to say anything of."
            continue
        out_of = f" of {finding['of']}" if finding["of"] != finding["resumes"] else ""
        resumes = f"{finding['resumes']}{out_of} {title}"
        yield f"\n{resumes}, {finding['labs']} labs, each both ways, with the query and alone:"
        yield from aligned([HEADER, *map(cells, finding["rows"])])
        yield from lines(finding)
