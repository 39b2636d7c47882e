"""Labs with their works and systems, and the cycles to come, as on the public pages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from marshmallow import fields, validate

from portal.accounts.api_tokens import LABS_READ
from portal.api.applications import CycleList, cycle_values
from portal.api.blueprint import IF_NONE_MATCH, ApiBlueprint
from portal.api.fields import PageArguments, Text, answer_schema, described, part_after, text
from portal.api.idempotency import tagged
from portal.db import db
from portal.labs.catalogue import FACETS, current_catalogue
from portal.labs.cycles import public_cycles
from portal.labs.listing import SORTS, LabQuery, distinct_values, lab_listing, lab_row, labs_with_text
from portal.labs.profile_works import links, systems_of, works_of_lab
from portal.labs.queries import lab_by_slug
from portal.labs.texts import degree_name, is_open, printable, web_address
from portal.web.access import or_404

if TYPE_CHECKING:
    from flask import Response

    from portal.labs.catalogue import Catalogue, LabEntry
    from portal.labs.profile_works import SystemView, WorkView


LONGEST_SEARCH = 200  # characters
MOST_VALUES = 20  # of one facet, as on the page


def _facet(name: str) -> fields.List[str]:
    return fields.List(
        Text(validate=validate.Length(max=LONGEST_SEARCH)),
        load_default=list,
        validate=validate.Length(max=MOST_VALUES),
        metadata=described(f"Labs with one of these values of the facet “{name}”."),
    )


class LabsArguments(PageArguments):
    """Which labs, in which order."""

    q = text(LONGEST_SEARCH, load_default="", description="Words that all stand in the profile.")
    sort = fields.String(load_default="name", validate=validate.OneOf(sorted(SORTS)), metadata=described("The order."))
    topic = _facet("topic")
    hardware = _facet("hardware")
    opening = _facet("opening")
    country = _facet("country")
    place = _facet("place")
    institution = _facet("institution")


class WorksArguments(PageArguments):
    """Which works of a lab."""

    q = text(LONGEST_SEARCH, load_default="", description="Words that all stand in the work.")


LabLine = answer_schema(
    "LabLine",
    "A lab in a list.",
    texts="slug name leader place summary",
    integers="works",
    moments="changed_at",
    openings=fields.List(fields.String(), required=True, metadata=described("Degrees with an open position.")),
    terms=fields.List(fields.String(), required=True, metadata=described("What is typical of the lab.")),
)
FacetOption = answer_schema(
    "FacetOption",
    "One value of a facet.",
    texts="value",
    booleans="selected",
    count=fields.Integer(required=True, metadata=described("Labs with it under all other facets.")),
)
Facet = answer_schema(
    "Facet",
    "One facet.",
    texts="title",
    name=fields.String(required=True, validate=validate.OneOf(FACETS)),
    options=[FacetOption],
    left_out=fields.Integer(
        required=True, metadata=described("Values that are not listed because there are too many.")
    ),
)
LabList = answer_schema(
    "LabList", "A part of the list of labs.", texts="next?", integers="total", items=[LabLine], facets=[Facet]
)
LinkSchema = answer_schema("LinkSchema", "A link of the web.", texts="label href")
OpeningSchema = answer_schema(
    "OpeningSchema",
    "An open position.",
    texts="degree start funding text",
    booleans="closed",
    deadline=fields.String(required=True, metadata=described("A day as YYYY-MM-DD, or empty.")),
)
MemberSchema = answer_schema(
    "MemberSchema", "Somebody of the lab.", texts="name role interests homepage", booleans="current"
)
SystemSchema = answer_schema(
    "SystemSchema",
    "A named system.",
    texts="name description url",
    works=fields.List(fields.String(), required=True, metadata=described("Titles of the works that tell of it.")),
)
FigureSchema = answer_schema("FigureSchema", "A count that a page states.", texts="name", integers="value")
LabSchema = answer_schema(
    "LabSchema",
    "The profile of a lab.",
    texts=(
        "slug name leader leader_title institution department place country homepage about interests "
        "recruiting_focus recruiting contact stipend duration recent_hires"
    ),
    integers="revision",
    moments="changed_at",
    lists="topics hardware languages",
    links=[LinkSchema],
    figures=[FigureSchema],
    openings=[OpeningSchema],
    members=[MemberSchema],
    systems=[SystemSchema],
    works=fields.Integer(required=True, metadata=described("How many; they have an address of their own.")),
)
WorkSchema = answer_schema(
    "WorkSchema",
    "A work. Its abstract belongs to its authors: only how it begins is told.",
    texts="key title venue excerpt",
    integers="year?",
    booleans="authors_complete",
    lists="authors awards systems",
    links=[LinkSchema],
)
WorkList = answer_schema(
    "WorkList", "A part of the works of a lab, newest first.", texts="next?", integers="total", items=[WorkSchema]
)


blueprint = ApiBlueprint("labs", __name__, description="Labs with their works and systems, the cycles to come")


@blueprint.operation("/labs", LABS_READ, arguments=LabsArguments, response=LabList, public=True)
def labs(arguments: dict[str, Any]) -> dict[str, Any]:
    """All labs, or those that match, with the facets for narrowing further."""
    catalogue = current_catalogue()
    chosen = {name: distinct_values(arguments[name]) for name in FACETS}
    query = LabQuery(printable(arguments["q"]).strip(), chosen, arguments["sort"])
    listing = lab_listing(catalogue, labs_with_text(db.session(), catalogue, query.text), query)
    part, next_cursor = part_after(
        listing.entries, arguments["cursor"], arguments["limit"], lambda entry: entry.record.key
    )
    return {
        "total": len(listing.entries),
        "items": [lab_row(catalogue, entry) for entry in part],
        "facets": listing.facets,
        "next": next_cursor,
    }


@blueprint.operation(
    "/labs/<slug>", LABS_READ, response=LabSchema, public=True, errors=(404,), headers=(IF_NONE_MATCH,)
)
def lab(slug: str) -> Response:
    """The profile of a lab."""
    catalogue = current_catalogue()
    entry = or_404(catalogue.entry(slug))
    row = or_404(lab_by_slug(db.session(), slug))
    return tagged(LabSchema().dump(_profile(catalogue, entry, row.revision_number)))


@blueprint.operation(
    "/labs/<slug>/works", LABS_READ, arguments=WorksArguments, response=WorkList, public=True, errors=(404,)
)
def works(arguments: dict[str, Any], slug: str) -> dict[str, Any]:
    """The works of a lab, newest first."""
    record = or_404(current_catalogue().entry(slug)).record
    listed = works_of_lab(record, printable(arguments["q"]), 1, {}, per_page=max(1, len(record.works)))
    views = [view for year in listed.years.values() for view in year]
    # Years are in the order of the works, so works and views can be zipped.
    pairs = list(zip(listed.page.items, views, strict=True))
    part, next_cursor = part_after(pairs, arguments["cursor"], arguments["limit"], lambda pair: pair[0].key)
    return {"total": len(pairs), "items": [_work(work.key, view) for work, view in part], "next": next_cursor}


@blueprint.operation("/cycles", LABS_READ, response=CycleList, public=True)
def cycles() -> dict[str, Any]:
    """The cycles that take applications, and the next one to open, with what applicants should know."""
    return {"items": [cycle_values(cycle) for cycle in public_cycles(db.session(), datetime.now(UTC))]}


def _profile(catalogue: Catalogue, entry: LabEntry, revision: int) -> dict[str, Any]:
    record = entry.record
    texts = (
        *("name", "leader", "leader_title", "institution", "department", "place", "country"),
        *("about", "interests", "recruiting_focus", "recruiting", "contact"),
        *("stipend", "duration", "recent_hires"),
    )
    return {
        **{name: getattr(record, name) for name in texts},
        "slug": record.key,
        "homepage": web_address(record.homepage),
        "links": links(record.links),
        "languages": record.languages,
        "topics": record.topics,
        "hardware": record.hardware,
        "figures": [{"name": name, "value": value} for name, value in record.figures],
        "openings": [
            {
                "degree": degree_name(opening.degree),
                "closed": not is_open(opening, catalogue.today),
                "start": opening.start,
                "funding": opening.funding,
                "deadline": opening.deadline,
                "text": opening.text,
            }
            for opening in record.openings
        ],
        "members": [
            {
                "name": member.name,
                "role": member.role,
                "current": member.current,
                "interests": member.interests,
                "homepage": web_address(member.homepage),
            }
            for member in record.members
        ],
        "systems": [_system(system) for system in systems_of(record)],
        "works": len(entry.works),
        "revision": revision,
        "changed_at": entry.changed_at,
    }


def _system(system: SystemView) -> dict[str, Any]:
    return {
        "name": system.name,
        "description": system.description,
        "url": system.url,
        "works": [work.title for work in system.works],
    }


def _work(key: str, view: WorkView) -> dict[str, Any]:
    return {
        "key": key,
        "title": view.line.title,
        "authors": [name for name, _of_lab in view.authors],
        "authors_complete": view.record.authors_complete,
        "venue": view.line.venue,
        "year": view.line.year,
        "excerpt": view.excerpt,
        "links": view.links,
        "awards": view.record.awards,
        "systems": [name for name, _anchor in view.systems],
    }
