"""`portal rank`, `portal rank-pool` and `portal reindex`: rank for a text or a file of them, and rebuild the index."""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections import deque
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, Any

import click
from flask import current_app
from flask.cli import with_appcontext

from portal.config import settings_of
from portal.db import db
from portal.documents.extraction import extract
from portal.documents.limits import Slots
from portal.documents.refusals import Busy, ReaderFailed, RefusedDocument
from portal.labs.commands.console import (
    STANDARD_INPUT,
    CommandStages,
    labs_and_concepts,
    labs_at_hand,
    name_of,
    need_tables,
    opened,
    with_bar,
)
from portal.labs.live_index.live import live_index
from portal.labs.matches import LabMatch, matches_for, related_for
from portal.matching import LabIndex, Query, Topic, strength
from portal.matching.json_lines import LineError, Problem
from portal.matching.pool import CHUNK, rank_stream
from portal.matching.pool_lines import beginning, read_answered, read_queries, run_digest, to_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.matching.pool_lines import PoolQuery


LEFT_OUT = "“{word}” was left out as an everyday word. Put it in quotation marks to look for it."
NOTHING_FITS = "No lab fits this. Try other words for the topic, or say more about what you want to work on."


@click.command("rank")
@click.argument("text")
@click.option("--json", "as_json", is_flag=True, help="Answer with JSON, a line for each query.")
@click.option(
    "--resume",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A resume (PDF, DOCX or text) to rank by as well.",
)
@click.option(
    "--related", is_flag=True, help="Also show labs that do not fit, but that the field's terms for the words suggest."
)
@click.option("-k", "most", type=click.IntRange(min=1), help="How many labs to show; unless given, all that fit.")
@with_appcontext
def rank(text: str, *, as_json: bool, resume: Path | None, related: bool, most: int | None) -> None:
    """Rank the labs for a text.

    With - as TEXT, each line of standard input is ranked.

    If the database has no labs yet, those of the seed pages are ranked.
    """
    resume_text = _read_resume(resume) if resume else ""
    labs = labs_at_hand()
    for query_text in _queries(text):
        query = Query(topics=(Topic(query_text),), resume=resume_text)
        matches = matches_for(labs, query, most)
        if not matches:
            click.echo(NOTHING_FITS, err=True)
        for word in labs.index.left_out(query):
            click.echo(LEFT_OUT.format(word=word), err=True)
        if related:
            matches += related_for(labs, query)
        if as_json:
            click.echo(json.dumps([as_data(match) for match in matches], ensure_ascii=False))
            sys.stdout.flush()
        else:
            for match in matches:
                click.echo(_in_words(match))


def as_data(match: LabMatch) -> dict[str, Any]:
    """A match as JSON-serialisable data, as `portal rank --json` prints it."""
    return {
        "lab": match.slug,
        "name": match.name,
        "fits": match.fits,
        "score": match.score,
        "terms": [{"term": term.term, "share": term.share, "source": term.source} for term in match.terms],
        "evidence": [
            {
                "work": item.work_key,
                "title": item.title,
                "score": item.score,
                "sentence": item.sentence,
                "systems": list(item.systems),
            }
            for item in match.evidence
        ],
    }


def _queries(text: str) -> Iterator[str]:
    if text != STANDARD_INPUT:
        yield text
        return
    # Invalid UTF-8 is replaced rather than raising: it must not end a long run of queries.
    with opened(text) as lines:
        for line in lines:
            yield line.decode("utf-8", errors="replace").rstrip("\r\n")


def _read_resume(path: Path) -> str:
    settings = settings_of(current_app)
    if path.stat().st_size > settings.upload_bytes:
        raise click.ClickException(f"{path} is larger than {settings.upload_mb} MB, the most that is read.")
    slots = Slots(settings.instance / "slots", settings.extraction_slots)
    try:
        return extract(path.read_bytes(), slots=slots).text
    except (RefusedDocument, Busy) as refusal:
        raise click.ClickException(f"{path}: {refusal.message}") from None
    except ReaderFailed as failure:
        raise click.ClickException(f"{path} cannot be read on this machine: {failure}") from None


def _in_words(match: LabMatch) -> str:
    position = f"{match.position}." if match.fits else "Related, not a fit:"
    how = f"score {match.score:.3f}, {strength(match.score)}" if match.fits else f"suggested with {match.score:.3f}"
    lines = [f"{position} {match.name}  ({match.slug}, {how})"]
    if match.terms:
        lines.append("   terms: " + ", ".join(f"{term.term} {term.share:.3f}" for term in match.terms[:8]))
    for item in match.evidence[:2]:
        when = f" ({item.year})" if item.year else ""
        lines.append(f"   {item.title}{when}: {item.sentence}")
    if match.profile and (match.profile.adds or not match.evidence):
        lines.append(f"   From the lab’s profile: {match.profile.sentence}")
    return "\n".join(lines)


class PoolFile:
    """The answers of one run, open in one process at a time. `done` maps answered keys to the digests of their
    queries.

    Opening it removes an incomplete last line, which a killed process leaves.
    """

    def __init__(self, path: Path, run: str) -> None:
        """Open the file, creating it if needed.

        Raises:
            click.ClickException: It contains something other than answers of this run, or another process is writing to
                it; nothing was changed.
            OSError: It cannot be opened.
        """
        self.done: dict[str, str] = {}
        self._path = path
        self._run = run
        self._file = path.open("a+b")
        try:
            self._lock()
            self._file.truncate(self._read())
        except BaseException:  # re-raised, but with the file closed
            self._file.close()
            raise

    def is_done(self, query: PoolQuery) -> bool:
        """Whether the file contains the answer to this query.

        Raises:
            LineError: It contains an answer to a different query with the same key.
        """
        digest = self.done.get(query.key)
        if digest is not None and digest != query.digest:
            raise LineError("the query with this key has changed since it was ranked; its earlier answer stays")
        return digest is not None

    def append(self, line: bytes) -> None:
        """Append a line; it stays in the file even if this process is killed."""
        self._file.write(line)
        self._file.flush()

    def close(self) -> None:
        """Write everything appended to disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def _lock(self) -> None:
        if not S_ISREG(os.fstat(self._file.fileno()).st_mode):
            raise self._refusal("it is no file, but a device or a pipe")
        try:
            fcntl.flock(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._refusal("another portal rank-pool is writing to it") from None

    def _read(self) -> int:
        """Load the answers; returns the position at which the last complete line ends."""
        self._file.seek(0)
        end = 0
        for line_number, line in enumerate(self._file, start=1):
            if not line.endswith(b"\n"):
                start = beginning(self._run)
                if not end and not (line.startswith(start) or start.startswith(line)):
                    raise self._refusal("line 1 is not an answer of this command")
                break
            try:
                answered = read_answered(line)
            except LineError as error:
                raise self._refusal(f"line {line_number} is not an answer of this command ({error})") from None
            if answered.run != self._run:
                raise self._refusal("it has answers from other labs, other concepts or another -k")
            self.done[answered.key] = answered.query
            end += len(line)
        return end

    def _refusal(self, reason: str) -> click.ClickException:
        return click.ClickException(f"{self._path}: {reason}. Nothing was changed; name another file with --out.")


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
        answers = stack.enter_context(closing(PoolFile(out, run := run_digest(labs, concepts, most))))
        before, written = len(answers.done), 0
        sent: deque[PoolQuery] = deque()  # answers come in the same order
        waiting = _remembered(_without_done(read_queries(lines), answers, problems), sent)
        stack.enter_context(_workers(processes=processes, scheduler=scheduler))
        ranked = rank_stream(LabIndex.fit(labs, concepts=concepts).rank, waiting, most, n_jobs=jobs, chunk=chunk)
        missing = max(0, _count_lines(queries) - before)
        try:
            with with_bar(ranked, "Ranking", missing) as ranking:
                for _key, matches in ranking:
                    answers.append(to_line(run, sent.popleft(), matches))
                    written += 1
        except KeyboardInterrupt:
            click.echo(f"\nStopped after {written} queries. To continue, run the same command again.", err=True)
            sys.exit(INTERRUPTED)
    for problem in problems:
        click.echo(f"{name_of(queries)}, line {problem.line}: {problem.reason}", err=True)
    click.echo(f"{out}: {written} queries ranked, {before} had been ranked before.", err=True)
    if problems:
        sys.exit(1)


def _remembered(queries: Iterable[PoolQuery], sent: deque[PoolQuery]) -> Iterator[tuple[str, Query]]:
    for query in queries:
        sent.append(query)
        yield query.key, query.query


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


@click.command("reindex")
@with_appcontext
def reindex() -> None:
    """Fit the matcher's index anew and save it.

    Running processes use the new index within moments. You may run this at any time, and interrupt it: until it has
    finished, the previous index stays in use. Edits are visible without it; it makes the next start faster.
    """
    need_tables()
    with CommandStages() as stages:
        built = live_index(current_app).rebuild(db.session(), stages)
    if built is None:
        raise click.ClickException(
            "Another process is building the index just now. Wait for it; Admin › System says when it is done."
        )
    click.echo(f"The index of {len(built.profiles)} labs with {built.fit.works} works is saved.")
