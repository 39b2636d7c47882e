"""The forms about referees: the applicant's, and the referee's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import current_app
from flask_wtf.file import FileField
from wtforms import HiddenField, StringField, TextAreaField, ValidationError
from wtforms.validators import InputRequired

from portal.accounts.addresses import AddressError, normal_address
from portal.applications.forms import refuse
from portal.applications.referees.rules import why_not_called, why_not_relation
from portal.applications.referees.service import AddressRefused
from portal.applications.stated import one_line
from portal.web.extensions import settings_of
from portal.web.forms import PortalForm

if TYPE_CHECKING:
    from wtforms import Field

    from portal.applications.moves.service import MoveRefused


class RefereeForm(PortalForm):
    """Whom an applicant asks for a letter."""

    name = StringField(
        "Name", [InputRequired("Give the name of the referee.")], filters=[lambda text: one_line(text or "")]
    )
    email = StringField("E-mail address", [InputRequired("Give the address of the referee.")])
    relation = StringField(
        "How they know you",
        filters=[lambda text: one_line(text or "")],
        description="For example: supervised my thesis. The labs read it beside the letter.",
    )
    address = ""

    def add_refusal(self, refusal: MoveRefused) -> None:
        """Say why nobody was named; beside the address if that is the reason."""
        self.show_refusal(refusal, "email" if isinstance(refusal, AddressRefused) else None)

    def validate_name(self, field: Field) -> None:
        """A name that can be read."""
        refuse(why_not_called(field.data))

    def validate_relation(self, field: Field) -> None:
        """Limit its length."""
        refuse(why_not_relation(field.data))

    def validate_email(self, field: Field) -> None:
        """An address in its usual spelling, which `address` then holds."""
        try:
            self.address = normal_address(field.data or "", test_domains=settings_of(current_app).mode != "production")
        except AddressError as error:
            raise ValidationError(str(error)) from None


class LetterForm(PortalForm):
    """A letter of reference: a file, or text."""

    seen = HiddenField()
    letter_file = FileField("File")
    letter = TextAreaField("Text")
