"""The form that invites many people, each to a lab of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import current_app
from wtforms import Field, HiddenField, SelectField, TextAreaField
from wtforms.fields import SelectChoice
from wtforms.validators import ValidationError

from portal.admin.people.invitation_lines import HOW, read_lines
from portal.admin.people.inviting_rules import LONGEST_LIST, MOST_AT_ONCE
from portal.admin.rules import POSITIONS
from portal.web.extensions import settings_of
from portal.web.forms import PortalForm

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from portal.admin.people.address_list import Problem
    from portal.admin.people.invitation_lines import LabInvitee
    from portal.models import Lab


class InviteLinesForm(PortalForm):
    """People and their labs, a line each. `people` holds those read from the list; `agreed` is what was previewed."""

    lines = TextAreaField(
        "People and their labs",
        description="One per line: the address, a comma and the lab by its name, its leader or its address here. A "
        "name may come first, and a position last: 李雷 <li@example.edu>, Ada Lab, reviewer. Two or three columns of a "
        "spreadsheet can be pasted as they are.",
        render_kw={"autocapitalize": "none", "spellcheck": "false"},
    )
    position = SelectField(
        "Position where a line names none",
        choices=[SelectChoice(value, label) for value, label in POSITIONS.items()],
        default="leader",
    )
    agreed = HiddenField()
    people: Sequence[LabInvitee] = ()

    def __init__(self, *args: Any, find_lab: Callable[[str], Lab], **more: Any) -> None:  # noqa: ANN401  (PortalForm's)
        """`find_lab` gives the lab that a text names, or raises `NoSuchLab`."""
        super().__init__(*args, **more)
        self._find_lab = find_lab

    def validate_lines(self, field: Field) -> None:
        """Check every line; each that is wrong becomes an error with its number."""
        text = field.data or ""
        if len(text) > LONGEST_LIST:
            raise ValidationError(f"This is too long: at most {LONGEST_LIST:,} characters.")
        count = len({line.strip() for line in text.splitlines()} - {""})
        if count > MOST_AT_ONCE:  # a lab is looked up for each
            raise ValidationError(f"Invite at most {MOST_AT_ONCE} people at once; these are {count:,} lines.")
        people, problems = read_lines(
            text,
            position=self.position.data if self.position.data in POSITIONS else "leader",
            find_lab=self._find_lab,
            test_domains=settings_of(current_app).mode != "production",
        )
        if not people and not problems:
            raise ValidationError(f"Write a line for somebody to invite. {HOW}")
        self.people = people
        self.add_problems(problems)

    def add_problems(self, problems: Sequence[Problem]) -> None:
        """Add problems of the list to its errors."""
        self.lines.errors = [*self.lines.errors, *(str(problem) for problem in problems)]

    def validate(self, **more: Any) -> bool:  # noqa: ANN401  (what the library's form takes)
        """Whether everything is right, every line included."""
        return bool(super().validate(**more)) and not self.lines.errors
