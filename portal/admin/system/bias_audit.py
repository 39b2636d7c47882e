"""`portal bias-audit`: swap personal details in made-up resumes, and print how far rankings move."""

from __future__ import annotations

import sys
import tomllib
from typing import TYPE_CHECKING, Literal

import click
from flask.cli import with_appcontext

from portal.config import RESOURCES
from portal.labs.commands.console import labs_at_hand
from portal.labs.commands.evaluate import aligned
from portal.matching import Query, Topic
from portal.matching.bias.audit import Person, audit
from portal.matching.bias.swaps import TITLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.matching.bias.audit import BiasReport, Movement
    from portal.matching.bias.swaps import Kind


HEADER = (
    "Swapped",
    "Scores moved (resumes)",
    "Ranks moved (resumes)",
    "Largest change of rank",
    "Largest change of score",
    "First five kept, lowest",
)


@click.command("bias-audit")
@with_appcontext
def bias_audit() -> None:
    """Check that rankings do not depend on who somebody is.

    It swaps names, schools, places, gendered words and domains in the resumes of seeds/bias_resumes.toml, and says how
    far rankings move. None should move; the command exits with 1 if any does.
    """
    report = audit(made_up_people(), labs_at_hand().index)
    click.echo("\n".join(report_lines(report)))
    if any(movement.people or movement.reordered for movement in report.kinds.values()):
        sys.exit(1)


def made_up_people() -> list[Person]:
    """The people of seeds/bias_resumes.toml."""
    document = tomllib.loads((RESOURCES / "seeds" / "bias_resumes.toml").read_text(encoding="utf-8"))
    return [
        Person(entry["name"], Query(tuple(map(Topic, entry["topics"])), entry["statement"], entry["resume"]))
        for entry in document["people"]
    ]


def report_lines(report: BiasReport) -> Iterator[str]:
    """A table, and the words that moved a score or rank."""
    yield f"{report.people} made-up resumes, {report.labs} labs, each both ways, with the query and alone:"
    yield from aligned([HEADER, *(_row(kind, movement) for kind, movement in report.kinds.items())])
    for word, count in sorted(report.words.items(), key=lambda pair: (-pair[1], pair[0])):
        yield f"{TITLES[word.kind]}: {word.before} → {word.after} moved {count}"
    if not any(movement.people or movement.reordered for movement in report.kinds.values()):
        yield "Nothing moved."


def _row(kind: Kind | Literal["all"], movement: Movement) -> tuple[str, ...]:
    """The texts of a row, in the columns of `HEADER`."""
    return (
        "All at once" if kind == "all" else TITLES[kind],
        str(movement.people),
        str(movement.reordered),
        str(movement.largest_rank),
        f"{movement.largest_score:.4f}",
        f"{100 * movement.least_overlap:.0f} %",
    )
