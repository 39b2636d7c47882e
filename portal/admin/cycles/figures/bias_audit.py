"""`portal bias-audit`: swap personal details in resumes, and print how far rankings move.

The resumes are those of seeds/bias_resumes.toml and, from five on, those of a cycle's applicants. Counts of applicants
follow the rules of `small_counts`. A word that moved fewer than five resumes is left out, since it could reveal
whose resume holds it. The largest moves are given, since they describe the matcher.
"""

from __future__ import annotations

import sys
import tomllib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

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
from portal.labs.commands.console import has_bar, labs_at_hand
from portal.labs.commands.evaluate import aligned
from portal.matching import Query, Topic
from portal.matching.bias.audit import Person, audit
from portal.matching.bias.swaps import TITLES
from portal.models import Application, Submission, User

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy.orm import Session

    from portal.matching import LabIndex
    from portal.matching.bias.audit import BiasReport, Movement
    from portal.matching.bias.swaps import Kind
    from portal.models import Cycle


MOST = 500  # applicants that are tried
BATCH_SIZE = 100  # submissions read in one statement
MADE_UP = "made-up resumes"
HEADER = (
    "Swapped",
    "Scores moved (resumes)",
    "Ranks moved (resumes)",
    "Largest change of rank",
    "Largest change of score",
    "First five kept, lowest",
)


@click.command("bias-audit")
@click.option("--cycle", "slug", help="Slug of the cycle whose applicants are audited; otherwise the newest open one.")
@click.option("--made-up", "only_made_up", is_flag=True, help="Only the made-up resumes that come with the portal.")
@with_appcontext
def bias_audit(*, slug: str | None, only_made_up: bool) -> None:
    """Check that rankings do not depend on who somebody is.

    It swaps names, schools, places, gendered words and domains in resumes, and says how far rankings move. None should
    move; the command exits with 1 if any does. Nothing is stored, nobody is named, and about fewer than five
    applicants nothing is said.
    """
    if only_made_up and slug is not None:
        raise click.UsageError("--made-up audits no applicants, so it takes no --cycle.")
    cycle = None if only_made_up else _cycle(slug)
    index = labs_at_hand().index
    with click.progressbar(length=1, label="Swapping", file=sys.stderr, hidden=not has_bar(MOST)) as bar:

        def step(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        audits = run_audit(db.session(), index, cycle, step)
    for title, report, all_resumes in audits:
        click.echo("\n".join(report_lines(title, report, all_resumes)))
    if len(audits) == 1:
        click.echo("\nThere are too few resumes of applicants to say anything of.")
    if any(_has_moved(report) for _, report, _ in audits):
        sys.exit(1)


def run_audit(
    session: Session, index: LabIndex, cycle: Cycle | None, step: Callable[[int, int], None]
) -> list[tuple[str, BiasReport, int]]:
    """Audit the made-up resumes and, from five on, those of a cycle: of each its title, the report, and how many
    resumes there are.

    `step` is called with how many resumes are done, and how many there are.
    """
    made_up = made_up_people()
    numbers = resumes_of(session, cycle) if cycle else []
    people = applicants(session, numbers, MOST) if len(numbers) >= LEAST else []
    total = len(made_up) + len(people)
    audits = [(MADE_UP, audit(made_up, index, lambda done: step(done, total)), len(made_up))]
    if people:
        report = audit(people, index, lambda done: step(len(made_up) + done, total))
        audits.append(("resumes of applicants", report, len(numbers)))
    return audits


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


def report_lines(title: str, report: BiasReport, all_resumes: int) -> Iterator[str]:
    """What may be said of a report: a table, and the words that moved a score or rank."""
    made_up = title == MADE_UP
    out_of = f" of {all_resumes}" if all_resumes != report.people else ""
    yield f"\n{report.people}{out_of} {title}, {report.labs} labs, each both ways, with the query and alone:"
    kinds = report.kinds.items()
    yield from aligned([HEADER, *(_row(kind, found, report.people, made_up=made_up) for kind, found in kinds)])
    if not _has_moved(report):
        yield "Nothing moved."
    least = 1 if made_up else LEAST
    for word, count in sorted(report.words.items(), key=lambda pair: (-pair[1], pair[0])):
        if count >= least:
            yield f"{TITLES[word.kind]}: {word.before} → {word.after} moved {count}"
    if any(count < least for count in report.words.values()):
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


def _has_moved(report: BiasReport) -> bool:
    return any(movement.people or movement.reordered for movement in report.kinds.values())


def _row(kind: Kind | Literal["all"], movement: Movement, people: int, *, made_up: bool) -> tuple[str, ...]:
    """The texts of a row, in the columns of `HEADER`."""
    counts = (people, movement.people, movement.reordered)
    _, moved, reordered = [Published(count, count) for count in counts] if made_up else nested(counts)
    return (
        "All at once" if kind == "all" else TITLES[kind],
        in_words(moved),
        in_words(reordered),
        str(movement.largest_rank),
        f"{movement.largest_score:.4f}",
        f"{100 * movement.least_overlap:.0f} %",
    )
