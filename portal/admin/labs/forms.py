"""The forms of profiles. A field has the name it has in the profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from wtforms import HiddenField

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
    from collections.abc import Mapping

    from portal.admin.labs.sections import Collection, Item


_PROFILE = sections.PROFILE_LABELS
_MEMBER = sections.ITEM_LABELS["members"]
_WORK = sections.ITEM_LABELS["works"]
_SYSTEM = sections.ITEM_LABELS["systems"]
_ACTIVITY = sections.ITEM_LABELS["activities"]
_OPENING = sections.ITEM_LABELS["openings"]
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
    name = LineField(_PROFILE["name"], required="Give the lab a name.", limit=fields.LAB_NAME)
    leader = LineField(_PROFILE["leader"], limit=fields.LEADER)
    leader_title = LineField(_PROFILE["leader_title"], description="Such as “Assistant Professor”.")
    institution = LineField(_PROFILE["institution"], limit=fields.INSTITUTION)
    department = LineField(_PROFILE["department"], limit=fields.DEPARTMENT)
    place = LineField(_PROFILE["place"], limit=fields.PLACE, description="Such as “Hong Kong”.")
    homepage = WebAddressField(_PROFILE["homepage"])
    recruiting_focus = TextField(
        _PROFILE["recruiting_focus"],
        description="One sentence: whom the lab looks for now. Counts in matching.",
    )
    recruiting = TextField(_PROFILE["recruiting"], description="What applicants should know. Counts in matching.")
    interests = TextField(_PROFILE["interests"], description="Counts in matching.")
    about = TextField(_PROFILE["about"], description="Does not count in matching.")
    contact = TextField(_PROFILE["contact"], description="How to write to the lab, and whether to.")
    topics = PhrasesField(_PROFILE["topics"], limit=fields.PHRASE, description="One topic per line.")
    hardware = PhrasesField(
        _PROFILE["hardware"], limit=fields.PHRASE, description="One kind per line, such as GPU, TPU, NPU."
    )
    figures = FiguresField(
        _PROFILE["figures"],
        description="As a page states them, one per line: what is counted, a space, the number (“citations 1219”).",
    )


class NewLabForm(ReasonForm):
    """What a new lab begins with; the rest is filled in afterwards."""

    adds = True
    name = LineField(_PROFILE["name"], required="Give the lab a name.", limit=fields.LAB_NAME)
    slug = LineField(
        "Word in the address",
        limit=fields.LAB_SLUG,
        description="Small letters, digits and hyphens, as in /labs/relaxed-system-lab. It never changes. "
        "Leave it empty to have it made from the name.",
    )
    leader = LineField(_PROFILE["leader"], limit=fields.LEADER)
    institution = LineField(_PROFILE["institution"], limit=fields.INSTITUTION)
    place = LineField(_PROFILE["place"], limit=fields.PLACE)
    homepage = WebAddressField(_PROFILE["homepage"])


class MemberForm(RecordForm):
    """One person of a lab."""

    record = MemberRecord
    name = LineField(_MEMBER["name"], required="Give the person’s name.", limit=fields.MEMBER_NAME)
    role = ChoiceField(_MEMBER["role"], sections.MEMBER_ROLE_LABELS)
    current = YesNoField(_MEMBER["current"], sections.CURRENT_LABELS)
    term = LineField(_MEMBER["term"], description="As printed, such as “2023-Fall”.")
    degrees = PhrasesField(
        _MEMBER["degrees"], limit=fields.LINE, description="One degree per line, such as “BS@Peking University”."
    )
    homepage = WebAddressField(_MEMBER["homepage"])
    co_supervisor = LineField(_MEMBER["co_supervisor"])
    now = LineField(_MEMBER["now"], description="For former members, such as “PhD@University of Cambridge”.")
    interests = TextField(_MEMBER["interests"], description="The person’s own statement. Counts in matching.")


class WorkForm(RecordForm):
    """One publication."""

    record = WorkRecord
    title = LineField(_WORK["title"], required="Give the title of the work.", limit=fields.WORK_TITLE)
    authors = PhrasesField(_WORK["authors"], limit=fields.PERSON_NAME, description="One author per line, in order.")
    authors_complete = YesNoField(_WORK["authors_complete"], sections.COMPLETE_LABELS)
    venue = LineField(_WORK["venue"], limit=fields.VENUE, description="The short name, such as “ICML”.")
    venue_full = LineField(_WORK["venue_full"], limit=fields.VENUE, description="As printed, with volume and pages.")
    year = YearField(_WORK["year"])
    date = LineField(_WORK["date"], description="Such as “Oct 28, 2023”.")
    subject = LineField(_WORK["subject"], description="The source’s own subject class, such as “DC”.")
    abstract = TextField(_WORK["abstract"], description="Counts in matching.")
    links = LinksField(_WORK["links"], description=_LINKS_HELP)
    awards = PhrasesField(_WORK["awards"], limit=fields.LINE, description="One award per line.")
    question = LineField(
        _WORK["question"],
        limit=fields.QUESTION,
        description="What a person has to decide about this work. While it has a question it does not count in "
        "matching; empty it once it is decided.",
    )


class SystemForm(RecordForm):
    """One named system, with the works that describe it."""

    record = SystemRecord
    name = LineField(_SYSTEM["name"], required="Give the name of the system.", limit=fields.SYSTEM_NAME)
    description = TextField(_SYSTEM["description"])
    url = WebAddressField(_SYSTEM["url"])
    works = WorksField(_SYSTEM["works"])


class ActivityForm(RecordForm):
    """One course, talk, service, degree, employment, award or piece of news."""

    record = ActivityRecord
    kind = ChoiceField(_ACTIVITY["kind"], sections.ACTIVITY_KIND_LABELS)
    title = LineField(_ACTIVITY["title"], required="Say what it is.", limit=fields.ACTIVITY_TITLE)
    person = LineField(_ACTIVITY["person"], description="The person’s name; empty for the lab itself.")
    organisation = LineField(_ACTIVITY["organisation"], description="The school, event or journal.")
    when = LineField(_ACTIVITY["when"], description="Such as “Spring 2024, Spring 2025” or “2016/08 - 2020/12”.")
    year = YearField(_ACTIVITY["year"], description="The latest year in it, for sorting.")
    note = TextField(_ACTIVITY["note"])
    links = LinksField(_ACTIVITY["links"], description=_LINKS_HELP)


class OpeningForm(RecordForm):
    """One position that the lab recruits for."""

    record = OpeningRecord
    degree = ChoiceField(_OPENING["degree"], sections.DEGREE_LABELS)
    text = TextField(_OPENING["text"], description="Counts in matching.")
    seats = SeatsField(_OPENING["seats"], description="Leave it empty where the number is not given.")
    funding = LineField(_OPENING["funding"], limit=fields.FUNDING, description="Such as “full scholarship”.")
    start = LineField(_OPENING["start"], limit=fields.START, description="Such as “Fall 2027”.")
    deadline = DayField(_OPENING["deadline"])


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
