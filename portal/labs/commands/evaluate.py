"""`portal evaluate`: measures the ranking on judged queries and on ratings, and reports it."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import click
from flask.cli import with_appcontext

from portal.labs.commands.console import labs_at_hand, name_of, opened, with_bar
from portal.labs.live_index.state import SHIPPED_CONCEPTS, read_concept_file
from portal.matching import LabIndex
from portal.matching.evaluation import judged_queries as evaluation
from portal.matching.evaluation.judged_queries import figures, judge
from portal.matching.evaluation.lines import read_labs, read_material
from portal.matching.evaluation.ratings import pairwise, score
from portal.matching.json_lines import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from portal.matching import LabDoc
    from portal.matching.evaluation.figures import Figure
    from portal.matching.evaluation.judged_queries import Figures, Judgement
    from portal.matching.evaluation.lines import Material
    from portal.matching.evaluation.ratings import PairwiseFigures
    from portal.matching.json_lines import Problem


TABLES = (
    ("Order", (evaluation.FIRST_LAB, evaluation.NDCG, evaluation.PRECISION)),
    ("Recall", evaluation.RECALLS),
    (
        "Refusal and evidence",
        (
            evaluation.REFUSAL,
            evaluation.EVIDENCE,
            evaluation.KEPT_OUT,
            evaluation.NOT_FIRST,
            evaluation.AGREEMENT,
        ),
    ),
)
NO_KIND = "(no kind)"


@dataclass(frozen=True)
class BadLine:
    """A line of an input file that was skipped, and why."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True)
class Report:
    """The result of an evaluation. `ratings` is None if there was nothing to compare."""

    labs: int
    judgements: Sequence[Judgement]
    figures: Figures
    ratings: PairwiseFigures | None
    problems: Sequence[BadLine]

    def as_data(self) -> dict[str, Any]:
        """The JSON that `--json` prints."""
        return {
            "labs": self.labs,
            "queries": len(self.judgements),
            "all": _as_data(self.figures.overall),
            "kinds": {kind: _as_data(figures) for kind, figures in self.figures.by_kind.items()},
            "ratings": asdict(self.ratings) if self.ratings else None,
            "bad_lines": [asdict(problem) for problem in self.problems],
        }

    def as_lines(self) -> Iterator[str]:
        """Tables for the terminal; figures that apply to no query are left out."""
        if self.judgements:
            yield f"{len(self.judgements)} judged queries, {self.labs} labs. With 95 % bootstrap intervals:"
            for title, names in TABLES:
                yield from self._table(title, names)
        if self.ratings:
            yield from _ratings(self.ratings)

    def _table(self, title: str, names: Sequence[str]) -> Iterator[str]:
        shown = [name for name in names if name in self.figures.overall]
        if not shown:
            return
        rows = [(title, "queries", *shown)]
        if len(self.figures.by_kind) > 1:
            for kind, figures in self.figures.by_kind.items():
                if any(name in figures for name in shown):
                    rows.append((printable(kind, 40) or NO_KIND, *_cells(figures, shown)))
        rows.append(("all", *_cells(self.figures.overall, shown)))
        yield ""
        yield from aligned(rows)


def _ratings(figures: PairwiseFigures) -> Iterator[str]:
    yield ""
    rows = [("Ratings", "pairs", "labs", "figure")]
    for name, figure, pairs in (
        ("pairwise loss (0 is best, 0.5 is chance)", figures.loss, figures.pairs),
        ("easy pairs in right order", figures.easy, figures.easy_pairs),
        ("hard pairs in right order", figures.hard, figures.hard_pairs),
    ):
        if figure:
            rows.append((name, str(pairs), str(figure.count), _cell(figure)))
    yield from aligned(rows)


def _as_data(figures: Mapping[str, Figure]) -> dict[str, Any]:
    return {name: asdict(figure) for name, figure in figures.items()}


def _cells(figures: Mapping[str, Figure], names: Sequence[str]) -> list[str]:
    """The number of queries and the figures. A figure that covers fewer queries says how many."""
    queries = max(figures[name].count for name in names if name in figures)
    cells = [str(queries)]
    for name in names:
        figure = figures.get(name)
        of = f" of {figure.count}" if figure and figure.count != queries else ""
        cells.append(f"{_cell(figure)}{of}" if figure else "")
    return cells


def _cell(figure: Figure) -> str:
    return f"{figure.value:.3f} ({figure.low:.2f}–{figure.high:.2f})"


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table that is also valid Markdown; the first row is its header."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for index, row in enumerate(rows):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "| " + " | ".join(cells) + " |"
        if index == 0:
            yield "|" + "|".join("-" * (width + 2) for width in widths) + "|"


@click.command("evaluate")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--labs",
    "labs_file",
    type=click.Path(exists=True, dir_okay=False),
    help="Labs to rank, one line of JSON each; FILE may also have such lines.",
)
@click.option("--json", "as_json", is_flag=True, help="Answer with JSON.")
@with_appcontext
def evaluate(file: str, *, labs_file: str | None, as_json: bool) -> None:
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
    index = LabIndex.fit(labs, concepts=read_concept_file(SHIPPED_CONCEPTS)) if labs else labs_at_hand().index
    material, unknown = material.with_known_labs(frozenset(index.keys()))
    problems = _in_order([*problems, *_named(file, unknown)], first=name_of(file))
    _print_problems(problems)
    report = _report(index, material, problems)
    if as_json:
        click.echo(json.dumps(report.as_data(), indent=2))
    else:
        for line in report.as_lines():
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


def _report(index: LabIndex, material: Material, problems: Sequence[BadLine]) -> Report:
    with with_bar(material.judged, "Ranking", len(material.judged)) as queries:
        judgements = [judge(index, query) for query in queries]
    with with_bar(material.ratings, "Scoring", len(material.ratings)) as ratings:
        scored = [score(index, rating) for rating in ratings]
    return Report(len(index), judgements, figures(judgements), pairwise(scored), problems)


def _named(path: str, problems: Sequence[Problem]) -> list[BadLine]:
    return [BadLine(name_of(path), problem.line, problem.reason) for problem in problems]


def _in_order(problems: Sequence[BadLine], first: str) -> list[BadLine]:
    return sorted(problems, key=lambda problem: (problem.file != first, problem.line))


def _print_problems(problems: Sequence[BadLine]) -> None:
    for problem in problems:
        click.echo(f"{problem.file}, line {problem.line}: {problem.reason}", err=True)
