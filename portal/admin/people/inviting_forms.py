"""The forms about invitations: for administrators, and for the invited person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import current_app
from wtforms import Field, PasswordField, SelectField, SelectMultipleField, StringField, TextAreaField
from wtforms.fields import SelectChoice
from wtforms.validators import EqualTo, InputRequired, ValidationError
from wtforms.widgets import CheckboxInput, ListWidget

from portal.accounts.forms import PASSWORD_ADVICE
from portal.accounts.passwords import LONGEST_PASSWORD, normal_password, why_not_password
from portal.accounts.rules import LONGEST_NAME, tidy_name, why_not_name
from portal.accounts.wording import MESSAGES
from portal.admin.lab_choice import NoSuchLab
from portal.admin.people.address_list import Invitee, Problem, read_addresses
from portal.admin.people.inviting_rules import LONGEST_LIST, MOST_AT_ONCE, why_not_terms
from portal.admin.rules import POSITIONS
from portal.models.user import ROLES
from portal.web.extensions import settings_of
from portal.web.forms import PortalForm

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.models import Lab


class InviteForm(PortalForm):
    """The people to invite, and their rights. `people` holds those read from the list."""

    addresses = TextAreaField(
        "E-mail addresses",
        description="One per line, or separated by commas. A name may come first: 李雷 <li@example.edu>.",
        render_kw={"autocapitalize": "none", "spellcheck": "false"},
    )
    roles = SelectMultipleField(
        "Roles",
        choices=[SelectChoice(role, role.capitalize()) for role in ROLES],
        widget=ListWidget(prefix_label=False),
        option_widget=CheckboxInput(),
        validate_choice=False,
    )
    lab = StringField("Reads for (optional)", filters=[lambda typed: (typed or "").strip()])
    position = SelectField(
        "Position there",
        choices=[SelectChoice(value, label) for value, label in POSITIONS.items()],
        default="reviewer",
        validate_choice=False,
    )
    people: tuple[Invitee, ...] = ()
    lab_to_read_for: Lab | None = None

    def __init__(self, *args: Any, find_lab: Callable[[str], Lab], **more: Any) -> None:  # noqa: ANN401  (PortalForm's)
        """`find_lab` gives the lab that a text names, or raises `NoSuchLab`."""
        super().__init__(*args, **more)
        self._find_lab = find_lab

    def validate_lab(self, field: Field) -> None:
        """Check that the field names exactly one lab, or is empty."""
        if field.data:
            try:
                self.lab_to_read_for = self._find_lab(field.data)
            except NoSuchLab as refusal:
                raise ValidationError(str(refusal)) from refusal

    def validate_addresses(self, field: Field) -> None:
        """Check that every entry is an address; each that is not becomes an error with its line."""
        text = field.data or ""
        if len(text) > LONGEST_LIST:
            raise ValidationError(f"This is too long: at most {LONGEST_LIST:,} characters.")
        people, problems = read_addresses(text, test_domains=settings_of(current_app).mode != "production")
        if not people and not problems:
            raise ValidationError("Write the address of somebody to invite.")
        if len(people) > MOST_AT_ONCE:
            raise ValidationError(f"Invite at most {MOST_AT_ONCE} people at once; these are {len(people)}.")
        self.people = tuple(people)
        self.add_problems(problems)

    def validate_roles(self, field: Field) -> None:
        """Check that roles and position make sense together."""
        reason = why_not_terms(field.data or [], lab=self.lab.data or None, position=self.position.data or "")
        if reason is not None:
            raise ValidationError(reason)

    def add_problems(self, problems: list[Problem] | tuple[Problem, ...]) -> None:
        """Add problems of the list to its errors."""
        self.addresses.errors = [*self.addresses.errors, *(str(problem) for problem in problems)]

    def validate(self, **more: Any) -> bool:  # noqa: ANN401  (what the library's form takes)
        """Whether everything is right, the list included."""
        return bool(super().validate(**more)) and not self.addresses.errors


class JoinForm(PortalForm):
    """The name and the password of an invited person. Their rights are in the invitation alone."""

    name = StringField(
        "Your name",
        description="As you would like to be addressed.",
        filters=[lambda typed: tidy_name(typed) if isinstance(typed, str) else typed],
        render_kw={"autocomplete": "name", "maxlength": LONGEST_NAME},
    )
    password = PasswordField(
        "Password",
        [InputRequired("Choose a password.")],
        description=PASSWORD_ADVICE,
        render_kw={"autocomplete": "new-password", "maxlength": LONGEST_PASSWORD},
    )
    password_confirm = PasswordField(
        "Repeat the password",
        [InputRequired("Type the same password again."), EqualTo("password", MESSAGES["RETYPE_PASSWORD_MISMATCH"][0])],
        render_kw={"autocomplete": "new-password", "maxlength": LONGEST_PASSWORD},
    )

    def __init__(self, *args: Any, email: str, **more: Any) -> None:  # noqa: ANN401  (what PortalForm takes)
        super().__init__(*args, **more)
        self._email = email

    def validate_name(self, field: Field) -> None:
        """Check that the name can be shown, or is empty."""
        reason = why_not_name(field.data or "")
        if reason is not None:
            raise ValidationError(reason)

    def validate_password(self, field: Field) -> None:
        """Check that the password is as good as registration requires."""
        reason = why_not_password(normal_password(field.data), email=self._email, name=self.name.data or "")
        if reason is not None:
            raise ValidationError(reason)


class AgreeForm(PortalForm):
    """For an invited person who already has an account: a button only."""
