"""The JSON lines that `portal evaluate` reads: judged queries, ratings and labs (docs/evaluation.md)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from portal.matching.evaluation.judged_queries import JudgedQuery
from portal.matching.evaluation.ratings import HIGHEST, LOWEST, Rating
from portal.matching.json_lines import LineError, Problem, objects, printable
from portal.matching.records import LabDoc, Query, WorkDoc

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from portal.matching.json_lines import Fields

_QUERY = ("text", "topics", "statement", "resume")
_JUDGED = ("id", *_QUERY, "labs", "kind", "evidence", "not_evidence", "not", "same_as")
_KINDS = (
    'it should be a judged query ("text" and "labs"), a rating ("lab", "text" or "query", and "rating"), '
    'a text to be rated ("id" and "text") or a lab ("lab_key", "profile" and "works")'
)


@dataclass(slots=True)
class Material:
    """The contents of a file, and its bad lines. `lab_lines` counts lines for labs, including bad ones."""

    judged: list[JudgedQuery] = field(default_factory=list)
    ratings: list[Rating] = field(default_factory=list)
    labs: list[LabDoc] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    lab_lines: int = 0

    def with_known_labs(self, lab_keys: Collection[str]) -> tuple[Material, list[Problem]]:
        """A copy without the queries and ratings that name other labs than `lab_keys`; each becomes a problem."""
        lines_with_labs = [
            *((query.line, [*query.labs, *query.not_first]) for query in self.judged),
            *((rating.line, [rating.lab]) for rating in self.ratings),
        ]
        problems = {
            line: Problem(line, _no_lab(unknown, lab_keys))
            for line, labs in lines_with_labs
            if (unknown := [lab for lab in labs if lab not in lab_keys])
        }
        judged = [query for query in self.judged if query.line not in problems]
        ratings = [rating for rating in self.ratings if rating.line not in problems]
        return replace(self, judged=judged, ratings=ratings), [problems[line] for line in sorted(problems)]


def read_material(lines: Iterable[bytes]) -> Material:
    """Read the four kinds of line, freely mixed. Bad lines become problems."""
    reader = _Reader()
    reader.read(lines)
    return reader.finished()


def read_labs(lines: Iterable[bytes], taken: Iterable[str] = ()) -> Material:
    """Read a file of labs only, whose keys must not be among `taken`; other kinds of lines become problems."""
    reader = _Reader(taken)
    reader.read(lines, only_labs=True)
    return reader.finished()


class _Reader:
    """Reads lines, with the ids that they may refer to and the keys that must be unique."""

    def __init__(self, labs: Iterable[str] = ()) -> None:
        self.material = Material()
        self._queries: dict[str, tuple[Query, str]] = {}
        self._waiting: list[tuple[int, str, str, float]] = []
        self._labs = set(labs)
        self._rated: set[tuple[str, str, str]] = set()

    def read(self, lines: Iterable[bytes], *, only_labs: bool = False) -> None:
        """Read the good lines and note the bad ones."""
        for line_number, fields in objects(lines):
            try:
                if isinstance(fields, LineError):
                    raise fields
                self._take(line_number, fields, only_labs=only_labs)
            except LineError as error:
                self.material.problems.append(Problem(line_number, str(error)))

    def _take(self, line_number: int, fields: Fields, *, only_labs: bool) -> None:
        """Read one line.

        Raises:
            LineError: it is invalid, and nothing of it was added.
        """
        if "lab_key" in fields.data:
            self.material.lab_lines += 1
            self._take_lab(fields)
        elif only_labs:
            raise LineError('this is no lab: it has no "lab_key"')
        elif "rating" in fields.data:
            self._take_rating(line_number, fields)
        elif "labs" in fields.data:
            self._take_judged(line_number, fields)
        elif "id" in fields.data:
            fields.only("id", *_QUERY)
            self._add_named(fields, _query_parts(line_number, fields, ()))
        else:
            raise LineError(_KINDS)

    def finished(self) -> Material:
        """Everything that was read, with ratings by id joined to their queries."""
        for line_number, lab, key, rating in self._waiting:
            if key in self._queries:
                query, text = self._queries[key]
                self.material.ratings.append(Rating(lab, text, rating, query, line_number))
            else:
                reason = f'no good line has the id "{printable(key)}" that "query" names'
                self.material.problems.append(Problem(line_number, reason))
        self.material.ratings.sort(key=lambda rating: rating.line)
        self.material.problems.sort(key=lambda problem: problem.line)
        return self.material

    def _take_judged(self, line_number: int, fields: Fields) -> None:
        fields.only(*_JUDGED)
        judged = _query_parts(line_number, fields, fields.texts("labs", needed=True))
        contradictory = sorted(set(judged.labs) & set(judged.not_first))
        if contradictory:
            raise LineError(f'"labs" and "not" both name {printable(contradictory[0])}')
        if "id" in fields.data:
            self._add_named(fields, judged)
        self.material.judged.append(judged)

    def _take_rating(self, line_number: int, fields: Fields) -> None:
        fields.only("lab", "text", "query", "rating")
        if ("text" in fields.data) == ("query" in fields.data):
            raise LineError('a rating has either a "text" or the id of a "query"')
        lab, rating = fields.key("lab"), fields.number("rating", LOWEST, HIGHEST)
        named_by = "query" if "query" in fields.data else "text"
        rated = fields.text(named_by)
        if (lab, named_by, rated) in self._rated:
            raise LineError("this lab has rated the same text before")
        self._rated.add((lab, named_by, rated))
        if named_by == "query":
            self._waiting.append((line_number, lab, rated, rating))
        else:
            self.material.ratings.append(Rating.of_text(lab, rated, rating, line_number))

    def _take_lab(self, fields: Fields) -> None:
        fields.only("lab_key", "profile", "works")
        key = fields.key("lab_key")
        if key in self._labs:
            raise LineError(f'there is a lab "{printable(key)}" already')
        try:
            lab = LabDoc(key, fields.text("profile", ""), tuple(map(_work, fields.objects("works"))))
        except LineError:
            raise
        except ValueError as error:  # the same work twice
            raise LineError(str(error)) from None
        self._labs.add(key)
        self.material.labs.append(lab)

    def _add_named(self, fields: Fields, judged: JudgedQuery) -> None:
        """Remember a query by its id, to which ratings may refer."""
        key = fields.key("id")
        if key in self._queries:
            raise LineError(f'there is an id "{printable(key)}" already')
        self._queries[key] = replace(judged.query, correct_spelling=False), judged.text or key


def _query_parts(line_number: int, fields: Fields, labs: tuple[str, ...]) -> JudgedQuery:
    if not any(name in fields.data for name in _QUERY):
        raise LineError(f"it needs one of {', '.join(_QUERY)}")
    return JudgedQuery(
        fields.text("text", ""),
        labs,
        fields.text("kind", ""),
        evidence=fields.texts("evidence"),
        not_evidence=fields.texts("not_evidence"),
        not_first=fields.texts("not"),
        same_as=fields.text("same_as", ""),
        topics=fields.topics("topics"),
        statement=fields.text("statement", ""),
        resume=fields.text("resume", ""),
        line=line_number,
    )


def _work(fields: Fields) -> WorkDoc:
    fields.only("key", "title", "abstract", "year", "systems", "authors")
    year = fields.data.get("year")
    if year is not None and type(year) is not int:
        raise LineError('"year" must be a whole number')
    return WorkDoc(
        fields.key("key"),
        fields.text("title"),
        fields.text("abstract", ""),
        year,
        fields.texts("systems"),
        fields.texts("authors"),
    )


def _no_lab(unknown: list[str], lab_keys: Collection[str]) -> str:
    examples = sorted(lab_keys)[:10]
    more = f" and {len(lab_keys) - len(examples)} more" if len(lab_keys) > len(examples) else ""
    names = ", ".join(map(printable, unknown))
    return f"no lab has the key {names}; there are {', '.join(map(printable, examples))}{more}"
