"""`portal bias-audit`: swap personal details in resumes, and print how far rankings move.

The resumes are those of seeds/bias_resumes.toml and, from five on, those of a cycle's applicants. Counts of applicants
follow the rules of `small_counts`. A word that moved fewer than five resumes is left out, since it could reveal
whose resume holds it. The largest moves are given, since they describe the matcher.
"""

from __future__ import annotations

import json
import sys
import tomllib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
from flask.cli import with_appcontext
from sqlalchemy import select

from portal.admin.cycles.figures.small_counts import LEAST, Published, in_words, nested
from portal.applications.cycles import current_cycle, cycle_by_slug
from portal.applications.match_records import query_of_submission
from portal.applications.submissions import IS_NEWEST
from portal.config import RESOURCES
from portal.db import db
from portal.instance import has_tables
from portal.labs.commands.evaluation_report import aligned
from portal.labs.commands.input import has_bar, labs_at_hand
from portal.matching import Query, Topic
from portal.matching.bias.audit import Person, audit
from portal.matching.bias.words import TITLES
from portal.models import Application, Submission, User

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.matching import LabIndex
    from portal.matching.bias.audit import BiasReport, Movement
    from portal.models import Cycle


MOST = 500  # applicants that are tried unless somebody asks for more
BATCH_SIZE = 100  # submissions read in one statement
GROUPS = {"made_up": "made-up resumes", "applicants": "resumes of applicants"}
HEADER = (
    "Swapped",
    "Scores moved (resumes)",
    "Ranks moved (resumes)",
    "Largest change of rank",
    "Largest change of score",
    "Kendall’s tau, mean",
    "Kendall’s tau, lowest",
    "First five kept, lowest",
)


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

        def step(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        results = run_audit(db.session(), index, cycle, most, step)
    if as_json:
        click.echo(json.dumps(results, indent=2, ensure_ascii=False))
    else:
        for line in _report(results):
            click.echo(line)
    if any(_moved(finding) for finding in results.values() if finding):
        sys.exit(1)


def run_audit(
    session: Session, index: LabIndex, cycle: Cycle | None, most: int, step: Callable[[int, int], None]
) -> dict[str, Any]:
    """Audit the made-up resumes and, from five on, those of a cycle; returns the publishable findings of both.

    `step` is called with how many resumes are done, and how many there are.
    """
    made_up = made_up_people()
    numbers = resumes_of(session, cycle) if cycle else []
    people = applicants(session, numbers, most) if len(numbers) >= LEAST else []
    total = len(made_up) + len(people)
    results: dict[str, Any] = {"applicants": None}
    results["made_up"] = findings(audit(made_up, index, lambda done: step(done, total)), made_up=True)
    if people:
        report = audit(people, index, lambda done: step(len(made_up) + done, total))
        results["applicants"] = findings(report, made_up=False, of=len(numbers))
    return results


def made_up_people() -> list[Person]:
    """The people of seeds/bias_resumes.toml."""
    document = tomllib.loads((RESOURCES / "seeds" / "bias_resumes.toml").read_text(encoding="utf-8"))
    return [
        Person(entry["name"], Query(tuple(map(Topic, entry["topics"])), entry["statement"], entry["resume"]))
        for entry in document["people"]
    ]


def resumes_of(session: Session, cycle: Cycle) -> Sequence[int]:
    """The ids of the newest submissions of a cycle that have a resume and are not withdrawn."""
    submitted = select(Submission.id).select_from(Application).join(Submission, IS_NEWEST).order_by(Submission.id)
    return session.scalars(
        submitted.where(
            Application.cycle_id == cycle.id, Application.state != "withdrawn", Submission.resume_text != ""
        )
    ).all()


def applicants(session: Session, numbers: Sequence[int], most: int) -> list[Person]:
    """The applicants of these submissions, as they last submitted; if more than `most`, evenly spaced ones."""
    count = min(most, len(numbers))
    chosen = [numbers[index * len(numbers) // count] for index in range(count)]
    people = []
    for start in range(0, count, BATCH_SIZE):
        rows = session.execute(
            select(Submission, User.name)
            .join(Application, Application.id == Submission.application_id)
            .join(User, User.id == Application.applicant_id)
            .where(Submission.id.in_(chosen[start : start + BATCH_SIZE]))
            .order_by(Submission.id)
        )
        people += [Person(name, query_of_submission(submission)) for submission, name in rows]
    return people


def findings(report: BiasReport, *, made_up: bool, of: int | None = None) -> dict[str, Any]:
    """The findings of an audit that may be published. `of` is the number of resumes, if not all were tried."""
    least = 1 if made_up else LEAST
    return {
        "resumes": report.people,
        "of": report.people if of is None else of,
        "labs": report.labs,
        "rows": [
            _row("All at once" if kind == "all" else TITLES[kind], found, report.people, made_up=made_up)
            for kind, found in report.kinds.items()
        ],
        "words": [
            {"kind": TITLES[word.kind], "before": word.before, "after": word.after, "resumes": count}
            for word, count in sorted(report.words.items(), key=lambda pair: (-pair[1], pair[0]))
            if count >= least
        ],
        "unsaid": any(count < least for count in report.words.values()),
    }


def lines(finding: Mapping[str, Any]) -> Iterator[str]:
    """The lines below the table: the words that moved a score or rank."""
    if not _moved(finding):
        yield "Nothing moved."
    for word in finding["words"]:
        yield f"{word['kind']}: {word['before']} → {word['after']} moved {word['resumes']}"
    if finding["unsaid"]:
        yield f"Further words moved fewer than {LEAST} resumes each; they are not named."


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
    for group, title in GROUPS.items():
        finding = results[group]
        if finding is None:
            yield "\nThere are too few resumes of applicants to say anything of."
            continue
        out_of = f" of {finding['of']}" if finding["of"] != finding["resumes"] else ""
        resumes = f"{finding['resumes']}{out_of} {title}"
        yield f"\n{resumes}, {finding['labs']} labs, each both ways, with the query and alone:"
        yield from aligned([HEADER, *map(_cells, finding["rows"])])
        yield from lines(finding)


def _moved(finding: Mapping[str, Any]) -> bool:
    return any(row["moved"][1] or row["reordered"][1] for row in finding["rows"])


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts of a row, in the columns of `HEADER`."""
    return (
        row["kind"],
        in_words(Published(*row["moved"])),
        in_words(Published(*row["reordered"])),
        str(row["rank"]),
        f"{row['score']:.4f}",
        f"{row['mean_tau']:.3f}",
        f"{row['least_tau']:.3f}",
        f"{100 * row['overlap']:.0f} %",
    )


def _row(title: str, movement: Movement, people: int, *, made_up: bool) -> dict[str, Any]:
    counts = (people, movement.people, movement.reordered)
    published = [Published(count, count) for count in counts] if made_up else nested(counts)
    return {
        "kind": title,
        "moved": list(published[1]),
        "reordered": list(published[2]),
        "rank": movement.largest_rank,
        "score": movement.largest_score,
        "mean_tau": movement.mean_tau,
        "least_tau": movement.least_tau,
        "overlap": movement.least_overlap,
    }
