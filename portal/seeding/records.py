"""The lab profile as plain data: made by parsers, edited by people, stored in revisions, projected into tables.

A `LabRecord` is one lab's whole profile. It is immutable and compares by value. Every item of a collection has a `key`
that is unique within the collection and does not change when its text is corrected, so that edits and pages can be
merged item by item.

Its JSON form, for revisions and for exchange between processes, mirrors the dataclasses; pairs are lists of two.
Parsing is strict about what is given (an unknown field, a wrong type or a repeated key is refused, with its path) and
lenient about what is missing (a newer field gets its default, so old snapshots load).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import repeat
from types import NoneType
from typing import Any, Literal, TypeAlias, cast, get_args, get_origin, get_type_hints

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

MemberRole = Literal["leader", "phd_student", "mphil_student", "research_assistant", "visiting", "member"]
ActivityKind = Literal["course", "talk", "service", "education", "employment", "award", "news"]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a fact comes from: a file under seeds/ and its first line (from 1)."""

    page: str
    line: int


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a page; `label` is its text there ("paper", "code", "Slides")."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class MemberRecord:
    """A person of the lab, current or former.

    `term` is the printed term of entry ("2023-Fall"); `degrees` as printed ("BS@Peking University"); `now` is where a
    former member went; `interests` is the person's own statement, if a page has one.
    """

    key: str
    name: str
    role: MemberRole
    current: bool = True
    term: str = ""
    degrees: tuple[str, ...] = ()
    homepage: str = ""
    co_supervisor: str = ""
    now: str = ""
    interests: str = ""
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkRecord:
    """A publication. An empty `title` means that no source states one.

    `authors_complete` is False if the source shortened the list ("et al."). `year` is None if no source states it.
    `venue` is the short name ("ICML"), `venue_full` the long one as printed, with volume and pages; `date` is the
    printed date ("Oct 28, 2023", "May 24"). `subject` is the source's own subject class (an arXiv category). `question`
    is an open question about the work ("does this belong to the lab?"); such a work is kept, and shown to
    administrators as open.
    """

    key: str
    title: str
    authors: tuple[str, ...] = ()
    authors_complete: bool = True
    venue: str = ""
    venue_full: str = ""
    year: int | None = None
    date: str = ""
    subject: str = ""
    abstract: str = ""
    links: tuple[Link, ...] = ()
    awards: tuple[str, ...] = ()
    question: str = ""
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemRecord:
    """A named artefact of the lab; `works` are keys of works of the same lab, the main evidence first."""

    key: str
    name: str
    description: str = ""
    url: str = ""
    works: tuple[str, ...] = ()
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class ActivityRecord:
    """A course, talk, service, degree, employment, award or piece of news.

    `person` is whose it is. `when` is the printed time ("Spring 2024, Spring 2025", "2016/08 - 2020/12"); `year` its
    latest year, for sorting. `organisation` is the school, event or journal.
    """

    key: str
    kind: ActivityKind
    title: str
    person: str = ""
    organisation: str = ""
    when: str = ""
    year: int | None = None
    note: str = ""
    links: tuple[Link, ...] = ()
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class OpeningRecord:
    """A position the lab recruits for. `degree` is "phd", "mphil", "ra" or "postdoc".

    `start` and `funding` are free text; `deadline` is an ISO date ("2026-12-15") or empty.
    """

    key: str
    degree: str
    text: str = ""
    seats: int | None = None
    funding: str = ""
    start: str = ""
    deadline: str = ""
    origins: tuple[Origin, ...] = ()


@dataclass(frozen=True, slots=True)
class LabRecord:
    """One lab's whole profile.

    `key` is the slug in addresses and never changes. `about`, `interests`, `recruiting`, `contact` are texts in
    paragraphs; `recruiting_focus` is one sentence on whom the lab is looking for now; `topics` and `hardware` are short
    phrases for facets and matching. `links` lead to profiles elsewhere. `stipend`, `duration`, `languages` and
    `recent_hires` are what applicants decide by. `figures` are counts stated by a page ("h-index", "citations").
    `origins` maps a plain field's name to where its value comes from; a field without an entry was entered by a person,
    or is empty.
    """

    key: str
    name: str
    leader: str = ""
    leader_title: str = ""
    institution: str = ""
    department: str = ""
    place: str = ""
    country: str = ""
    homepage: str = ""
    links: tuple[Link, ...] = ()
    about: str = ""
    interests: str = ""
    recruiting: str = ""
    recruiting_focus: str = ""
    contact: str = ""
    stipend: str = ""
    duration: str = ""
    languages: tuple[str, ...] = ()
    recent_hires: str = ""
    topics: tuple[str, ...] = ()
    hardware: tuple[str, ...] = ()
    figures: tuple[tuple[str, int], ...] = ()
    members: tuple[MemberRecord, ...] = ()
    works: tuple[WorkRecord, ...] = ()
    systems: tuple[SystemRecord, ...] = ()
    activities: tuple[ActivityRecord, ...] = ()
    openings: tuple[OpeningRecord, ...] = ()
    origins: tuple[tuple[str, Origin], ...] = ()


def without_lost_references(record: LabRecord) -> LabRecord:
    """The record without what its systems say of works that it does not have, or has no more."""
    works = {work.key for work in record.works}
    systems = (replace(one, works=tuple(key for key in one.works if key in works)) for one in record.systems)
    return replace(record, systems=tuple(systems))


def work_label(work: WorkRecord) -> str:
    """The title of a work, or a statement that none is printed, with people, venue and year.

    "Work without a printed title: Wang, Zhu et al. (ASPLOS 2025)".
    """
    if work.title:
        return work.title
    families = [name.split()[-1] for name in work.authors if name.split()]
    people = ", ".join(families[:2]) + (" et al." if len(families) > 2 or not work.authors_complete else "")  # noqa: PLR2004
    place = " ".join(part for part in (work.venue, str(work.year or "")) if part)
    description = " ".join(part for part in (people, f"({place})" if place else "") if part)
    return f"Work without a printed title: {description}" if description else "Work without a printed title"


SCHEMA = 1
COLLECTIONS = ("members", "works", "systems", "activities", "openings")


class SnapshotError(ValueError):
    """The JSON is not a lab profile; the message has the path and what is wrong there."""


def to_json(record: LabRecord) -> dict[str, Json]:
    """The record as JSON-serialisable data, with its format version under "schema"."""
    return {"schema": SCHEMA, **cast("dict[str, Json]", dumped(record))}


def dumped(value: object) -> Json:
    """Dataclasses, named tuples and what is in them as JSON-serialisable data."""
    if value is None or isinstance(value, str | int | float):
        return value
    if is_dataclass(value):
        return {item.name: dumped(getattr(value, item.name)) for item in fields(value)}
    if hasattr(value, "_asdict"):
        return {name: dumped(part) for name, part in value._asdict().items()}
    if isinstance(value, tuple):
        return [dumped(item) for item in value]
    raise SnapshotError(f"{type(value).__name__} has no form in JSON")


def from_json(data: Mapping[str, Json]) -> LabRecord:
    """The record in `data`, as written by this or an earlier `to_json`.

    Raises:
        SnapshotError: An unknown field (the known ones are listed), a value of the wrong type, a missing required
            field, a key that is empty, contains "/" or is repeated, or a newer schema.
    """
    schema = data.get("schema", SCHEMA)
    if schema != SCHEMA:
        raise SnapshotError(f"schema {schema!r} is not known; known: {SCHEMA}")
    record: LabRecord = loaded(LabRecord, {name: value for name, value in data.items() if name != "schema"}, "lab")
    for name in COLLECTIONS:
        used: set[str] = set()
        for item in getattr(record, name):
            if not item.key or "/" in item.key:
                raise SnapshotError(f'{name}: the key {item.key!r} is empty or holds a "/"')
            if item.key in used:
                raise SnapshotError(f"{name}: the key {item.key!r} is used twice")
            used.add(item.key)
    return record


@cache
def _kinds_of(kind: type[Any]) -> tuple[dict[str, Any], list[str]]:
    """The annotated types of the fields of a dataclass or named tuple, and the names of those that must be given."""
    if is_dataclass(kind):
        required = [item.name for item in fields(kind) if item.default is item.default_factory is MISSING]
    else:
        required = [name for name in kind._fields if name not in kind._field_defaults]
    return get_type_hints(kind), required


def loaded(kind: Any, value: Json, path: str) -> Any:  # noqa: ANN401, C901 - a case for each form of types
    """The value at a path as the annotated type `kind`; a SnapshotError says what does not fit."""
    if type(value) is kind:
        return value
    if isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields")):
        if not isinstance(value, Mapping):
            raise SnapshotError(f"{path}: expected an object, got {type(value).__name__}")
        kinds, required = _kinds_of(kind)
        unknown = sorted(value.keys() - kinds.keys())
        if unknown:
            raise SnapshotError(f"{path}: unknown {', '.join(unknown)}; known: {', '.join(kinds)}")
        missing = [name for name in required if name not in value]
        if missing:
            raise SnapshotError(f"{path}: missing {', '.join(missing)}")
        return kind(**{name: loaded(kinds[name], part, f"{path}/{name}") for name, part in value.items()})
    origin, parts = get_origin(kind), get_args(kind)
    if origin is tuple:
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise SnapshotError(f"{path}: expected a list, got {type(value).__name__}")
        is_list = parts[-1] is Ellipsis
        if not is_list and len(value) != len(parts):
            raise SnapshotError(f"{path}: expected a list of {len(parts)}, got {len(value)}")
        each = zip(repeat(parts[0]) if is_list else parts, value, strict=False)
        return tuple(loaded(part, item, f"{path}/{index}") for index, (part, item) in enumerate(each))
    if NoneType in parts:
        return None if value is None else loaded(parts[0], value, path)
    if origin is Literal:
        if value not in parts:
            raise SnapshotError(f"{path}: {value!r} is not known; known: {', '.join(parts)}")
    # bool is a subclass of int, but True is not a number of seats.
    elif type(value) is not kind:
        raise SnapshotError(f"{path}: expected {kind.__name__}, got {type(value).__name__}")
    return value
