"""The forms of profiles. A field has the name it has in the profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from wtforms import HiddenField, StringField

from portal.admin.labs import fields, sections
from portal.admin.labs.fields import (
    ChoiceField,
    DayField,
    FiguresField,
    LineField,
    LinksField,
    PhrasesField,
    ReasonField,
    SeatsField,
    TextField,
    WebAddressField,
    WorksField,
    YearField,
    YesNoField,
)
from portal.admin.labs.sections import edited_fields
from portal.seeding.records import (
    ActivityRecord,
    LabRecord,
    MemberRecord,
    OpeningRecord,
    SystemRecord,
    WorkRecord,
)
from portal.web.forms import PortalForm, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from portal.admin.labs.sections import Collection, Item


_LINKS_HELP = "One link per line: what it is called, a space, the address, such as “code https://github.com/…”."


class ReasonForm(PortalForm):
    """Only a reason. `adds` says that what the form is about does not exist yet."""

    adds: bool = False
    reason = ReasonField()

    def __init__(self, *args: Any, adds: bool | None = None, **kwargs: Any) -> None:  # noqa: ANN401  (WTForms' signature)
        if adds is not None:
            self.adds = adds
        super().__init__(*args, **kwargs)


class SavingForm(ReasonForm):
    """The base of all forms that edit a profile: the reason, and the number of the revision that was edited."""

    base = HiddenField()

    @property
    def base_number(self) -> int | None:
        """The revision that the editor started from; None if the form does not hold it."""
        return whole_number(self.base.data or "")


class RecordForm(SavingForm):
    """A form for the fields of one kind of record."""

    record: ClassVar[type[LabRecord | Item]]

    @property
    def record_fields(self) -> list[Any]:
        """The fields of the record, in the order of the form."""
        return [field for field in self if field.short_name in edited_fields(self.record)]

    def values(self) -> dict[str, Any]:
        """The values of the fields by their names; the form must be valid."""
        return {field.short_name: field.data for field in self.record_fields}


class ProfileForm(RecordForm):
    """The texts of a profile."""

    record = LabRecord
    name = LineField("Name of the lab", required="Give the lab a name.", limit=fields.LAB_NAME)
    leader = LineField("Leader", limit=fields.LEADER)
    leader_title = LineField("Title of the leader", description="Such as “Assistant Professor”.")
    institution = LineField("Institution", limit=fields.INSTITUTION)
    department = LineField("Department", limit=fields.DEPARTMENT)
    place = LineField("Place", limit=fields.PLACE, description="Such as “Hong Kong”.")
    homepage = WebAddressField("Home page")
    recruiting_focus = TextField(
        "Recruiting focus",
        description="One sentence: whom the lab looks for now. Counts in matching.",
    )
    recruiting = TextField("Recruiting", description="What applicants should know. Counts in matching.")
    interests = TextField("Research interests", description="Counts in matching.")
    about = TextField("About", description="Does not count in matching.")
    contact = TextField("Contact", description="How to write to the lab, and whether to.")
    topics = PhrasesField("Topics", limit=fields.PHRASE, description="One topic per line.")
    hardware = PhrasesField("Hardware", limit=fields.PHRASE, description="One kind per line, such as GPU, TPU, NPU.")
    figures = FiguresField(
        "Figures",
        description="As a page states them, one per line: what is counted, a space, the number (“citations 1219”).",
    )


class NewLabForm(ReasonForm):
    """What a new lab begins with; the rest is filled in afterwards."""

    adds = True
    name = LineField("Name of the lab", required="Give the lab a name.", limit=fields.LAB_NAME)
    slug = LineField(
        "Word in the address",
        limit=fields.LAB_SLUG,
        description="Small letters, digits and hyphens, as in /labs/relaxed-system-lab. It never changes. "
        "Leave it empty to have it made from the name.",
    )
    leader = LineField("Leader", limit=fields.LEADER)
    institution = LineField("Institution", limit=fields.INSTITUTION)
    place = LineField("Place", limit=fields.PLACE)
    homepage = WebAddressField("Home page")


class MemberForm(RecordForm):
    """One person of a lab."""

    record = MemberRecord
    name = LineField("Name", required="Give the person’s name.", limit=fields.MEMBER_NAME)
    role = ChoiceField("Role", sections.MEMBER_ROLE_LABELS)
    current = YesNoField("In the lab now", sections.CURRENT_LABELS)
    term = LineField("Term of entry", description="As printed, such as “2023-Fall”.")
    degrees = PhrasesField(
        "Degrees", limit=fields.LINE, description="One degree per line, such as “BS@Peking University”."
    )
    homepage = WebAddressField("Home page")
    co_supervisor = LineField("Co-supervisor")
    now = LineField("Where they are now", description="For former members, such as “PhD@University of Cambridge”.")
    interests = TextField("Research interests", description="The person’s own statement. Counts in matching.")


class WorkForm(RecordForm):
    """One publication."""

    record = WorkRecord
    title = LineField("Title", required="Give the title of the work.", limit=fields.WORK_TITLE)
    authors = PhrasesField("Authors", limit=fields.PERSON_NAME, description="One author per line, in order.")
    authors_complete = YesNoField("List of authors", sections.COMPLETE_LABELS)
    venue = LineField("Venue", limit=fields.VENUE, description="The short name, such as “ICML”.")
    venue_full = LineField("Venue in full", limit=fields.VENUE, description="As printed, with volume and pages.")
    year = YearField("Year")
    date = LineField("Date as printed", description="Such as “Oct 28, 2023”.")
    subject = LineField("Subject class", description="The source’s own subject class, such as “DC”.")
    abstract = TextField("Abstract", description="Counts in matching.")
    links = LinksField("Links", description=_LINKS_HELP)
    awards = PhrasesField("Awards", limit=fields.LINE, description="One award per line.")
    question = LineField(
        "Open question",
        limit=fields.QUESTION,
        description="What a person has to decide about this work. While it has a question it does not count in "
        "matching; empty it once it is decided.",
    )


class SystemForm(RecordForm):
    """One named system, with the works that describe it."""

    record = SystemRecord
    name = LineField("Name", required="Give the name of the system.", limit=fields.SYSTEM_NAME)
    description = TextField("Description")
    url = WebAddressField("Web address")
    works = WorksField("Works that tell of it")
    find = StringField("Find works to add")


class ActivityForm(RecordForm):
    """One course, talk, service, degree, employment, award or piece of news."""

    record = ActivityRecord
    kind = ChoiceField("Kind", sections.ACTIVITY_KIND_LABELS)
    title = LineField("Title", required="Say what it is.", limit=fields.ACTIVITY_TITLE)
    person = LineField("Whose it is", description="The person’s name; empty for the lab itself.")
    organisation = LineField("Where", description="The school, event or journal.")
    when = LineField("When, as printed", description="Such as “Spring 2024, Spring 2025” or “2016/08 - 2020/12”.")
    year = YearField("Year", description="The latest year in it, for sorting.")
    note = TextField("Note")
    links = LinksField("Links", description=_LINKS_HELP)


class OpeningForm(RecordForm):
    """One position that the lab recruits for."""

    record = OpeningRecord
    degree = ChoiceField("Degree or position", sections.DEGREE_LABELS)
    text = TextField("Text", description="Counts in matching.")
    seats = SeatsField("Seats", description="Leave it empty where the number is not given.")
    funding = LineField("Funding", limit=fields.FUNDING, description="Such as “full scholarship”.")
    start = LineField("Start", limit=fields.START, description="Such as “Fall 2027”.")
    deadline = DayField("Deadline")


ITEM_FORMS: Mapping[Collection, type[RecordForm]] = {
    "members": MemberForm,
    "works": WorkForm,
    "systems": SystemForm,
    "activities": ActivityForm,
    "openings": OpeningForm,
}
BLANKS: Mapping[Collection, Item] = {
    "members": MemberRecord(key="new", name="", role="phd_student"),
    "works": WorkRecord(key="new", title=""),
    "systems": SystemRecord(key="new", name=""),
    "activities": ActivityRecord(key="new", kind="course", title=""),
    "openings": OpeningRecord(key="new", degree="phd"),
}


def labels_of(form: type[RecordForm]) -> Mapping[str, str]:
    """The label of each field of a record, as its form declares it, in the order of the record."""
    return {name: getattr(form, name).args[0] for name in edited_fields(form.record)}


PROFILE_LABELS: Mapping[str, str] = labels_of(ProfileForm)
ITEM_LABELS: Mapping[Collection, Mapping[str, str]] = {name: labels_of(form) for name, form in ITEM_FORMS.items()}


def field_label(path: str) -> str:
    """The label of a path's field: "about" → "About", "members/<key>/term" → "Term of entry".

    Raises:
        KeyError: The profile has no such field.
    """
    name, *rest = path.split("/")
    section = sections.section_named(name)
    return PROFILE_LABELS[name] if section is None else ITEM_LABELS[section.name][rest[1]]


def place_of(sides: Iterable[LabRecord], path: str) -> str:
    """The name of a path: "About", "People: Ran Yan: Term of entry"; items have their name on the first side that has
    them.
    """
    name, *rest = path.split("/")
    section = sections.section_named(name)
    if section is None:
        return field_label(path)
    if not rest:
        return f"{section.title}: their order"
    items_there = (item for side in sides if (item := sections.item_of(side, section.name, rest[0])) is not None)
    place = f"{section.title}: {next(map(sections.item_name, items_there), rest[0])}"
    return f"{place}: {field_label(path)}" if len(rest) > 1 else place
