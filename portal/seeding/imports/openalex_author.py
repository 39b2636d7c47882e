"""An OpenAlex author → the leader of a lab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.seeding.imports.identifiers import web_link
from portal.seeding.imports.imported import ImportRefused, Ledger
from portal.seeding.imports.json_file import items, number, obj, text, year_of
from portal.seeding.imports.openalex import is_author
from portal.seeding.imports.texts import NAME_LIMIT, plain
from portal.seeding.imports.works_of_a_file import Reading
from portal.seeding.names import slug
from portal.seeding.records import ActivityRecord, LabRecord, MemberRecord, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.seeding.snapshots import Json

_FEW_AFFILIATIONS = 12
_FEW_TOPICS = 12


def read_author(filename: str, entries: list[tuple[str, Json]]) -> Reading:
    """An author as the leader of a lab: names, affiliations, topics, figures.

    Raises:
        ImportRefused: The author has no name.
    """
    pointer, value = next((pair for pair in entries if is_author(pair[1])), entries[0])
    author = obj(value)
    name = plain(text(author.get("display_name")), NAME_LIMIT)
    if not name:
        raise ImportRefused(f"{filename}: the author of the file has no name")
    ledger = Ledger()
    ledger.note("taken", name, pointer=pointer, item="leader")
    for other, item in entries:
        if other != pointer:
            reason = "not the first author of the file; import one file per person"
            ledger.note("problem", plain(text(obj(item).get("display_name"))) or other, reason, pointer=other)
    origin = Origin(filename, 0)
    institution = _current_institution(author)
    topics = _topics(author)
    facts: dict[str, Any] = {"leader": name, "institution": institution, "topics": topics}
    draft = LabRecord(
        key="",
        name="",
        **facts,
        figures=_figures(author),
        members=(MemberRecord(slug(name), name, "leader", homepage=_orcid(author), origins=(origin,)),),
        activities=tuple(_affiliations(author, name, origin)),
        origins=tuple((field, origin) for field, fact in facts.items() if fact),
    )
    return Reading((draft,), ledger, subject=name, role="leader")


def _current_institution(author: dict[str, Json]) -> str:
    institutions = items(author.get("last_known_institutions")) or [author.get("last_known_institution")]
    return next((name for item in institutions if (name := plain(obj(item).get("display_name"), 300))), "")


def _topics(author: dict[str, Json]) -> tuple[str, ...]:
    listed = items(author.get("topics")) or items(author.get("x_concepts"))
    names = (plain(obj(item).get("display_name"), 120) for item in listed[:_FEW_TOPICS])
    return tuple(dict.fromkeys(name for name in names if name))


def _figures(author: dict[str, Json]) -> tuple[tuple[str, int], ...]:
    stats = obj(author.get("summary_stats"))
    counts = (
        ("papers", number(author.get("works_count"))),
        ("citations", number(author.get("cited_by_count"))),
        ("h-index", number(stats.get("h_index"))),
    )
    return tuple((name, count) for name, count in counts if count)


def _orcid(author: dict[str, Json]) -> str:
    address = text(author.get("orcid")) or text(obj(author.get("ids")).get("orcid"))
    link = web_link("ORCID", address)
    return link.url if link else ""


def _affiliations(author: dict[str, Json], person: str, origin: Origin) -> Iterable[ActivityRecord]:
    """The person's institutions, by the years of their works."""
    names: set[str] = set()
    for item in items(author.get("affiliations"))[:_FEW_AFFILIATIONS]:
        name = plain(obj(obj(item).get("institution")).get("display_name"), 300)
        years = sorted(year for value in items(obj(item).get("years")) if (year := year_of(value)))
        if not name or name in names or not years:
            continue
        names.add(name)
        when = str(years[0]) if years[0] == years[-1] else f"{years[0]} – {years[-1]}"
        yield ActivityRecord(
            key=slug(f"employment {name}"),
            kind="employment",
            title="Affiliation",
            person=person,
            organisation=name,
            when=when,
            year=years[-1],
            note="by the years of the person’s works in OpenAlex",
            origins=(origin,),
        )
