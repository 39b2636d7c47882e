"""`portal evaluate`: measures the ranking on judged queries and on ratings."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click
from flask.cli import with_appcontext

from portal.labs.commands.evaluation_report import BadLine, Report
from portal.labs.commands.input import labs_at_hand, name_of, opened, with_bar
from portal.labs.concept_file import shipped_concepts
from portal.matching import LabIndex
from portal.matching.evaluation.judged_queries import figures, judge
from portal.matching.evaluation.lines import read_labs, read_material
from portal.matching.evaluation.ratings import pairwise, score, wrong_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching import LabDoc
    from portal.matching.evaluation.lines import Material
    from portal.matching.json_lines import Problem


@click.command("evaluate")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--labs",
    "labs_file",
    type=click.Path(exists=True, dir_okay=False),
    help="Labs to rank, one line of JSON each; FILE may also have such lines.",
)
@click.option("--json", "as_json", is_flag=True, help="Answer with JSON.")
@click.option("--failures", is_flag=True, help="List each query that went wrong, with the actual result.")
@with_appcontext
def evaluate(file: str, *, labs_file: str | None, as_json: bool, failures: bool) -> None:
    """Measure the ranking on judged queries and ratings.

    FILE has lines of JSON, in any mixture; - reads standard input:

    \b
    a judged query   {"text": …, "labs": [right lab keys; none: nothing should fit]}
                     optional: id, topics, statement, resume, kind,
                     evidence, not_evidence, not, same_as
    a rating         {"lab": …, "text": … (or "query": id), "rating": 1 to 5}
    a text to rate   {"id": …, "text": …}
    a lab            {"lab_key": …, "profile": …, "works":
                     [{"key": …, "title": …, "abstract": …, "systems": […]}]}

    If no line gives a lab, those of the database are ranked, or else those of the seed pages. docs/evaluation.md says
    what each field and each figure means. Lines that cannot be read are listed and skipped; if there were any, the
    command exits with 1.
    """  # noqa: D301 - click reads the backspace as "keep these lines as they are"
    material, labs, problems = _read(file, labs_file)
    if not material.judged and not material.ratings:
        _print_problems(problems)
        raise click.ClickException(
            f"There is no judged query and no rating in {name_of(file)}. portal evaluate --help shows their format."
        )
    if not labs and (labs_file or material.lab_lines):
        _print_problems(problems)
        raise click.ClickException("There are no labs to rank: no line has a valid lab. Correct the lines named above.")
    index = LabIndex.fit(labs, concepts=shipped_concepts()) if labs else labs_at_hand().index
    material, unknown = material.with_known_labs(frozenset(index.keys()))
    problems = _in_order([*problems, *_named(file, unknown)], first=name_of(file))
    _print_problems(problems)
    report = _report(index, material, problems, failures=failures)
    if as_json:
        click.echo(json.dumps(report.as_data(failures=failures), indent=2))
    else:
        for line in report.as_lines(failures=failures):
            click.echo(line)
    incomparable = material.ratings and not report.ratings
    if incomparable:
        click.echo("The ratings cannot be compared: no lab has two texts with different ratings.", err=True)
    if problems or incomparable:
        sys.exit(1)


def _read(file: str, labs_file: str | None) -> tuple[Material, list[LabDoc], list[BadLine]]:
    """The contents of FILE, its labs and those of the lab file, and the bad lines of both."""
    with opened(file) as lines:
        material = read_material(lines)
    labs, problems = material.labs, _named(file, material.problems)
    if labs_file:
        with opened(labs_file) as lines:
            file_labs = read_labs(lines, (lab.key for lab in labs))
        labs, problems = [*labs, *file_labs.labs], [*problems, *_named(labs_file, file_labs.problems)]
    return material, labs, problems


def _report(index: LabIndex, material: Material, problems: Sequence[BadLine], *, failures: bool) -> Report:
    with with_bar(material.judged, "Ranking", len(material.judged)) as queries:
        judgements = [judge(index, query) for query in queries]
    with with_bar(material.ratings, "Scoring", len(material.ratings)) as ratings:
        scored = [score(index, rating) for rating in ratings]
    wrong = list(wrong_pairs(scored)) if failures else []
    return Report(len(index), judgements, figures(judgements), pairwise(scored), wrong, problems)


def _named(path: str, problems: Sequence[Problem]) -> list[BadLine]:
    return [BadLine(name_of(path), problem.line, problem.reason) for problem in problems]


def _in_order(problems: Sequence[BadLine], first: str) -> list[BadLine]:
    return sorted(problems, key=lambda problem: (problem.file != first, problem.line))


def _print_problems(problems: Sequence[BadLine]) -> None:
    for problem in problems:
        click.echo(f"{problem.file}, line {problem.line}: {problem.reason}", err=True)
