"""The JSON lines that `portal rank-pool` reads and writes (docs/pool.md)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from portal.matching.json_lines import Fields, LineError, Problem, objects, printable
from portal.matching.records import Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from portal.matching.concepts import Concept
    from portal.matching.records import LabDoc, WorkDoc
    from portal.matching.results import Match

FORMAT = 1
_PARTS = ("topics", "statement", "resume")


@dataclass(frozen=True, slots=True)
class PoolQuery:
    """A query of a pool. `digest` identifies its content, whatever its key."""

    key: str
    query: Query
    line: int

    @property
    def digest(self) -> str:
        """16 hexadecimal digits."""
        query = self.query
        topics = [[topic.text, topic.weight] for topic in query.topics]
        return _digest([topics, query.statement, query.resume, query.resume_weight])


@dataclass(frozen=True, slots=True)
class Answered:
    """The identity of an answer line: its run, and the key and digest of its query."""

    run: str
    key: str
    query: str


def read_queries(lines: Iterable[bytes]) -> Iterator[PoolQuery | Problem]:
    """The queries of a pool, one at a time; bad lines and repeated keys become problems."""
    seen: set[str] = set()
    for line_number, fields in objects(lines):
        try:
            if isinstance(fields, LineError):
                raise fields
            yield _query(line_number, fields, seen)
        except LineError as error:
            yield Problem(line_number, str(error))


def run_digest(labs: Iterable[LabDoc], concepts: Sequence[Concept], k: int) -> str:
    """16 hexadecimal digits that identify a run by its labs, its concepts and the number of labs ranked."""
    corpus = [
        [lab.key, lab.profile, [_as_list(work) for work in lab.works]] for lab in sorted(labs, key=lambda lab: lab.key)
    ]
    concept_values = [[list(concept.plain), list(concept.terms), concept.strength] for concept in concepts]
    return _digest([FORMAT, k, concept_values, corpus])


def _as_list(work: WorkDoc) -> list[object]:
    return [work.key, work.title, work.abstract, work.year, list(work.systems), list(work.authors)]


def beginning(run: str) -> bytes:
    """The beginning of every line of a run."""
    return f'{{"run": "{run}", "key": '.encode()


def to_line(run: str, query: PoolQuery, matches: Sequence[Match]) -> bytes:
    """An answer line. Reading it back gives exactly the same scores."""
    ranked = [{"lab": match.lab, "score": match.score, "percentile": match.percentile} for match in matches]
    return json.dumps({"run": run, "key": query.key, "query": query.digest, "matches": ranked}).encode() + b"\n"


def read_answered(line: bytes) -> Answered:
    """The identity of a complete answer line.

    Raises:
        LineError: it is not an answer line.
    """
    ((_, fields),) = tuple(objects([line])) or ((1, LineError("this is an empty line")),)
    if isinstance(fields, LineError):
        raise fields
    fields.only("run", "key", "query", "matches")
    fields.objects("matches")
    return Answered(fields.text("run"), fields.text("key"), fields.text("query"))


def _query(line_number: int, fields: Fields, seen: set[str]) -> PoolQuery:
    fields.only("key", *_PARTS, "resume_weight")
    key = fields.key("key")
    if key in seen:
        raise LineError(f'there is a key "{printable(key)}" already')
    if not any(name in fields.data for name in _PARTS):
        raise LineError(f"it needs one of {', '.join(_PARTS)}")
    weight = fields.number("resume_weight", 0, 1e6) if "resume_weight" in fields.data else Query().resume_weight
    query = Query(fields.topics("topics"), fields.text("statement", ""), fields.text("resume", ""), weight)
    seen.add(key)
    return PoolQuery(key, query, line_number)


def _digest(content: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    return sha256(json.dumps(content).encode()).hexdigest()[:16]
