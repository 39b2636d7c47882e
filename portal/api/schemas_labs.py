"""Labs, works and systems as JSON."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from portal.api.fields import PageArguments, Text, described, text
from portal.labs.catalogue import FACETS
from portal.labs.listing import SORTS

LONGEST_SEARCH = 200  # characters
MOST_VALUES = 20  # of one facet, as on the page


def _values(name: str) -> fields.List[str]:
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
    topic = _values("topic")
    hardware = _values("hardware")
    opening = _values("opening")
    place = _values("place")
    institution = _values("institution")


class WorksArguments(PageArguments):
    """Which works of a lab."""

    q = text(LONGEST_SEARCH, load_default="", description="Words that all stand in the work.")


class SystemsArguments(PageArguments):
    """Which systems."""

    q = text(LONGEST_SEARCH, load_default="", description="A name or a part of one.")
    letter = Text(
        load_default="",
        validate=validate.Regexp("^[A-Z#]?$"),
        metadata=described("Names that begin with it; # for other signs."),
    )


class LabLine(Schema):
    """A lab in a list."""

    slug = fields.String(required=True)
    name = fields.String(required=True)
    leader = fields.String(required=True)
    place = fields.String(required=True)
    summary = fields.String(required=True)
    openings = fields.List(fields.String(), required=True, metadata=described("Degrees with an open position."))
    terms = fields.List(fields.String(), required=True, metadata=described("What is typical of the lab."))
    works = fields.Integer(required=True)
    changed_at = fields.AwareDateTime(required=True)


class FacetOption(Schema):
    """One value of a facet."""

    value = fields.String(required=True)
    count = fields.Integer(required=True, metadata=described("Labs with it under all other facets."))
    selected = fields.Boolean(required=True)


class Facet(Schema):
    """One facet."""

    name = fields.String(required=True, validate=validate.OneOf(FACETS))
    title = fields.String(required=True)
    options = fields.List(fields.Nested(FacetOption), required=True)
    left_out = fields.Integer(
        required=True, metadata=described("Values that are not listed because there are too many.")
    )


class LabList(Schema):
    """A part of the list of labs."""

    total = fields.Integer(required=True)
    items = fields.List(fields.Nested(LabLine), required=True)
    facets = fields.List(fields.Nested(Facet), required=True)
    next = fields.String(required=True, allow_none=True)


class LinkSchema(Schema):
    """A link of the web."""

    label = fields.String(required=True)
    href = fields.String(required=True)


class OpeningSchema(Schema):
    """An open position."""

    degree = fields.String(required=True)
    closed = fields.Boolean(required=True)
    start = fields.String(required=True)
    funding = fields.String(required=True)
    deadline = fields.String(required=True, metadata=described("A day as YYYY-MM-DD, or empty."))
    text = fields.String(required=True)


class MemberSchema(Schema):
    """Somebody of the lab."""

    name = fields.String(required=True)
    role = fields.String(required=True)
    current = fields.Boolean(required=True)
    interests = fields.String(required=True)
    homepage = fields.String(required=True)


class SystemSchema(Schema):
    """A named system."""

    name = fields.String(required=True)
    description = fields.String(required=True)
    url = fields.String(required=True)
    works = fields.List(fields.String(), required=True, metadata=described("Titles of the works that tell of it."))


class FigureSchema(Schema):
    """A count that a page states."""

    name = fields.String(required=True)
    value = fields.Integer(required=True)


class LabSchema(Schema):
    """The profile of a lab."""

    slug = fields.String(required=True)
    name = fields.String(required=True)
    leader = fields.String(required=True)
    leader_title = fields.String(required=True)
    institution = fields.String(required=True)
    department = fields.String(required=True)
    place = fields.String(required=True)
    homepage = fields.String(required=True)
    about = fields.String(required=True)
    interests = fields.String(required=True)
    recruiting_focus = fields.String(required=True)
    recruiting = fields.String(required=True)
    contact = fields.String(required=True)
    topics = fields.List(fields.String(), required=True)
    hardware = fields.List(fields.String(), required=True)
    figures = fields.List(fields.Nested(FigureSchema), required=True)
    openings = fields.List(fields.Nested(OpeningSchema), required=True)
    members = fields.List(fields.Nested(MemberSchema), required=True)
    systems = fields.List(fields.Nested(SystemSchema), required=True)
    works = fields.Integer(required=True, metadata=described("How many; they have an address of their own."))
    revision = fields.Integer(required=True)
    changed_at = fields.AwareDateTime(required=True)


class WorkSchema(Schema):
    """A work. Its abstract belongs to its authors: only how it begins is told."""

    key = fields.String(required=True)
    title = fields.String(required=True)
    authors = fields.List(fields.String(), required=True)
    authors_complete = fields.Boolean(required=True)
    venue = fields.String(required=True)
    year = fields.Integer(required=True, allow_none=True)
    excerpt = fields.String(required=True)
    links = fields.List(fields.Nested(LinkSchema), required=True)
    awards = fields.List(fields.String(), required=True)
    systems = fields.List(fields.String(), required=True)
    question = fields.String(required=True, metadata=described("What is open about the work; empty mostly."))


class WorkList(Schema):
    """A part of the works of a lab, newest first."""

    total = fields.Integer(required=True)
    items = fields.List(fields.Nested(WorkSchema), required=True)
    next = fields.String(required=True, allow_none=True)


class SystemOfLab(SystemSchema):
    """A system with its lab."""

    lab_slug = fields.String(required=True)
    lab_name = fields.String(required=True)


class SystemList(Schema):
    """A part of the list of systems."""

    total = fields.Integer(required=True)
    items = fields.List(fields.Nested(SystemOfLab), required=True)
    similar = fields.List(fields.String(), required=True, metadata=described("Names close to one that is not there."))
    next = fields.String(required=True, allow_none=True)
