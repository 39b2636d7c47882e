"""The forms of the public pages."""

from __future__ import annotations

from werkzeug.datastructures import MultiDict
from wtforms import TextAreaField
from wtforms.validators import DataRequired, Length

from portal.labs.pages.address import printable
from portal.web.forms import PortalForm

LONGEST_TEXT = 10_000  # characters


def _as_counted(text: str | None) -> str | None:
    """Counts a line end as one character, as the counter below the box does; drops characters that cannot be shown."""
    return printable(text.replace("\r\n", "\n")) if text else text


class WorkOnForm(PortalForm):
    """The box "What do you want to work on?"."""

    q = TextAreaField(
        "What do you want to work on?",
        description="A few words, a paragraph, or the abstract of a paper you liked. It is not stored.",
        filters=[_as_counted],
        validators=[
            DataRequired("Write what you want to work on: a few words are enough."),
            Length(
                max=LONGEST_TEXT,
                message=f"This is longer than {LONGEST_TEXT:,} characters. Shorten it to what matters most.",
            ),
        ],
    )

    def take_from_address(self, text: str) -> bool:
        """Fill the box from the address and validate it. Needs no form token, since it is a link."""
        self.q.process(MultiDict({"q": text}))
        return bool(self.q.validate(self))

    def refuse(self, reason: str) -> None:
        """Show `reason` beside the box and keep the text."""
        self.q.errors = [*self.q.errors, reason]
