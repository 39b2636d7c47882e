"""Base classes of forms, with WTForms' error messages in the portal's words."""

from __future__ import annotations

from typing import Any

from flask_wtf import FlaskForm
from wtforms import Form

NOT_LISTED = "Choose one from the list. What was sent is not in it, or not any more."
NO_WHOLE_NUMBER = "Write a whole number in digits, such as 3."
# By WTForms' own message.
_WORDS = {
    "Not a valid choice.": NOT_LISTED,
    "Invalid Choice: could not coerce.": NOT_LISTED,
    "'%(value)s' is not a valid choice for this field.": NOT_LISTED,
    "'%(value)s' are not valid choices for this field.": NOT_LISTED,
    "Not a valid date value.": "Write a day that the calendar has, as year-month-day, such as 2026-12-15.",
    "Not a valid datetime value.": (
        "Write a day that the calendar has and a time of day, as year-month-day hour:minute, such as 2026-12-15 23:59."
    ),
    "Not a valid time value.": "Write a time of day, such as 14:00.",
    "Not a valid integer value.": NO_WHOLE_NUMBER,
    "Not a valid decimal value.": "Write a number in digits, such as 2.5.",
    "Not a valid float value.": "Write a number in digits, such as 2.5.",
    "This field is required.": "Fill this in.",
}


class Wording:
    """Replaces WTForms' translations."""

    def gettext(self, text: str) -> str:
        """The portal's wording of a message; the message itself if there is none."""
        return _WORDS.get(text, text)

    def ngettext(self, singular: str, plural: str, count: int) -> str:
        """The same for a message with a number."""
        return self.gettext(singular if count == 1 else plural)


_WORDING = Wording()


class PortalForm(FlaskForm):  # type: ignore[misc]  # the library has no types
    """A form of a page."""

    class Meta(FlaskForm.Meta):  # type: ignore[misc]  # the library has no types
        """How the library works for this form."""

        def get_translations(self, _form: Any) -> Wording:  # noqa: ANN401  (the library has no types)
            """The portal's words."""
            return _WORDING

    def show_refusal(self, reason: object, field: str | None = None) -> None:
        """Show why the form was not carried out: beside a field, or above the form if it is about none."""
        if field:
            self[field].errors = [str(reason)]
        else:
            self.form_errors.append(str(reason))


class FormRow(Form):  # type: ignore[misc]  # the library has no types
    """A form within a form: one row of a list."""

    class Meta(Form.Meta):  # type: ignore[misc]  # the library has no types
        """How the library works for this row."""

        def get_translations(self, _form: Any) -> Wording:  # noqa: ANN401  (the library has no types)
            """The portal's words."""
            return _WORDING
