"""`portal rank-pool`: rank all labs for many people's queries, into a file; run again, it continues where it
stopped.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click
from flask.cli import with_appcontext

from portal.db import db
from portal.labs.commands.input import STANDARD_INPUT, labs_and_concepts, name_of, opened, with_bar
from portal.labs.commands.pool_file import PoolFile
from portal.matching import LabIndex
from portal.matching.json_lines import LineError, Problem
from portal.matching.pool import CHUNK, rank_stream
from portal.matching.pool_lines import read_queries, run_digest, to_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.matching import Query
    from portal.matching.pool_lines import PoolQuery

NO_DASK = "Dask is not installed. It comes with: pip install 'phd-portal[cluster]'"
INTERRUPTED = 130
MOST_JOBS = 1_000
MOST_IN_BATCH = 1_000_000


@click.command("rank-pool")
@click.argument("queries", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option(
    "--out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to which answers are appended.",
)
@click.option(
    "-k",
    "most",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="How many labs to list for each query.",
)
@click.option(
    "--jobs",
    type=click.IntRange(-1, MOST_JOBS),
    default=-1,
    show_default=True,
    help="How many queries to rank at a time; -1: one for each core.",
)
@click.option(
    "--chunk", type=click.IntRange(1, MOST_IN_BATCH), default=CHUNK, show_default=True, help="Queries in a batch."
)
@click.option("--processes", is_flag=True, help="Use processes instead of threads.")
@click.option("--scheduler", metavar="ADDRESS", help="Rank on the Dask cluster of this scheduler.")
@with_appcontext
def rank_pool(
    queries: str, *, out: Path, most: int, jobs: int, chunk: int, processes: bool, scheduler: str | None
) -> None:
    """Rank the labs for each query of a file, into another file.

    QUERIES is a file with one query on each line, as JSON; - reads standard input.

    \b
    A query has a key and at least one of the other fields:
    {"key": "a-1", "topics": ["LLM serving", {"text": "GPUs", "weight": 2}],
     "statement": …, "resume": …, "resume_weight": 0.3}
    Its answer is a line, too:
    {"run": …, "key": "a-1", "query": …,
     "matches": [{"lab": …, "score": …, "percentile": …}]}

    You can stop it at any time; the same command continues with the queries that have no answer yet. The index is
    fitted anew each time, so the same labs and queries give the same numbers on every machine.
    """  # noqa: D301 - click reads the backspace as "keep these lines as they are"
    if jobs == 0:
        raise click.BadParameter("it cannot be 0; -1 means one for each core", param_hint="--jobs")
    labs, concepts = labs_and_concepts()
    db.session.remove()
    problems: list[Problem] = []
    with ExitStack() as stack:
        lines = stack.enter_context(opened(queries))
        answers = stack.enter_context(PoolFile(out, run := run_digest(labs, concepts, most)))
        before, written = len(answers.done), 0
        waiting = _Waiting(_without_done(read_queries(lines), answers, problems))
        stack.enter_context(_workers(processes=processes, scheduler=scheduler))
        ranked = rank_stream(LabIndex.fit(labs, concepts=concepts).rank, waiting, most, n_jobs=jobs, chunk=chunk)
        missing = max(0, _count_lines(queries) - before)
        try:
            with with_bar(ranked, "Ranking", missing) as ranking:
                for key, matches in ranking:
                    answers.append(to_line(run, waiting.pop(key), matches))
                    written += 1
        except KeyboardInterrupt:
            written = answers.count() - before
            click.echo(f"\nStopped after {written} queries. To continue, run the same command again.", err=True)
            sys.exit(INTERRUPTED)
    for problem in problems:
        click.echo(f"{name_of(queries)}, line {problem.line}: {problem.reason}", err=True)
    click.echo(f"{out}: {written} queries ranked, {before} had been ranked before.", err=True)
    if problems:
        sys.exit(1)


class _Waiting:
    """The queries that are being ranked, by key, so that each answer can be written with the digest of its query."""

    def __init__(self, queries: Iterable[PoolQuery]) -> None:
        self._queries = queries
        self._by_key: dict[str, PoolQuery] = {}

    def __iter__(self) -> Iterator[tuple[str, Query]]:
        for query in self._queries:
            self._by_key[query.key] = query
            yield query.key, query.query

    def pop(self, key: str) -> PoolQuery:
        return self._by_key.pop(key)


def _without_done(
    queries: Iterable[PoolQuery | Problem], answers: PoolFile, problems: list[Problem]
) -> Iterator[PoolQuery]:
    for query in queries:
        if isinstance(query, Problem):
            problems.append(query)
            continue
        try:
            if not answers.is_done(query):
                yield query
        except LineError as error:
            problems.append(Problem(query.line, str(error)))


@contextmanager
def _workers(*, processes: bool, scheduler: str | None) -> Iterator[None]:
    from joblib import parallel_config

    if processes and scheduler:
        raise click.UsageError("--processes and --scheduler exclude each other.")
    if scheduler:
        try:
            from distributed import Client
        except ModuleNotFoundError:
            raise click.ClickException(NO_DASK) from None
        try:
            client = Client(scheduler)  # type: ignore[no-untyped-call]  # Dask is annotated in part
        except ValueError as error:
            raise click.BadParameter(f"{scheduler!r} is no address ({error})", param_hint="--scheduler") from None
        with client, parallel_config(backend="dask"):
            yield
    elif processes:
        with parallel_config(backend="loky"):
            yield
    else:
        yield


def _count_lines(path: str) -> int:
    """The number of lines in a file, for the progress bar; 0 for a stream that can be read only once."""
    if path == STANDARD_INPUT or not Path(path).is_file():
        return 0
    with Path(path).open("rb") as file:
        return sum(1 for line in file if line.strip())
