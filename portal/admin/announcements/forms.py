"""The form of an announcement to applicants of a cycle."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from wtforms import HiddenField, RadioField, StringField, TextAreaField
from wtforms.validators import InputRequired, Length, Regexp, ValidationError

from portal.accounts.rules import TURNS_DIRECTION, shows_nothing, turns_direction
from portal.admin.announcements.service import NewAnnouncement
from portal.applications.forms import one_line, running_text
from portal.web.forms import PortalForm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.admin.announcements.groups import Group

LONGEST_ABOUT = 120  # characters; a subject holds the name of the cycle before it
LONGEST_MESSAGE = 5_000
_NO_ABOUT = "Say in a few words what it is about."
_NO_MESSAGE = "Write the message."


class AnnouncementForm(PortalForm):
    """To whom, about what, and the message."""

    announced_to = RadioField("To whom", validators=[InputRequired("Choose to whom you write.")])
    about = StringField(
        "What it is about",
        description="The subject of the mail, after the name of the cycle, and the line in people’s news.",
        filters=[lambda text: one_line(text or "")],
        validators=[
            InputRequired(_NO_ABOUT),
            Length(max=LONGEST_ABOUT, message=f"Keep it to {LONGEST_ABOUT} characters."),
        ],
    )
    message = TextAreaField(
        "Message",
        description="A blank line begins a paragraph; addresses of pages become links. Everybody in the group gets the "
        "same text by mail, so keep out of it what is about single people.",
        filters=[lambda text: running_text(text or "").strip()],
        validators=[
            InputRequired(_NO_MESSAGE),
            Length(max=LONGEST_MESSAGE, message=f"Keep it to {LONGEST_MESSAGE:,} characters."),
        ],
    )
    form_key = HiddenField(
        validators=[Regexp(r"\A[0-9a-f]{32}\Z", message="This form is not whole. Send it again; nothing is lost.")]
    )

    @classmethod
    def to_groups(cls, groups: Sequence[Group]) -> AnnouncementForm:
        """An empty form, or the sent one, that offers these groups with their sizes."""
        form = cls()
        form.announced_to.choices = [(group.name, f"{group.label} ({group.count:,})") for group in groups]
        return form

    def with_key(self) -> None:
        """Give it a key if it has no good one: a form is one announcement, however often it is sent."""
        if not self.form_key.data or self.form_key.errors:
            self.form_key.data = secrets.token_hex(16)

    def validate_about(self, field: Any) -> None:  # noqa: ANN401  (WTForms is published without types)
        """It shows something, and does not turn the words around it in a subject."""
        if shows_nothing(field.data):
            raise ValidationError(_NO_ABOUT)
        if turns_direction(field.data):
            raise ValidationError(TURNS_DIRECTION)

    def validate_message(self, field: Any) -> None:  # noqa: ANN401  (as above)
        """A text of blanks or invisible characters is none."""
        if shows_nothing(field.data):
            raise ValidationError(_NO_MESSAGE)

    def values(self) -> NewAnnouncement:
        """The announcement in the form, which must be valid."""
        return NewAnnouncement(
            str(self.about.data), str(self.message.data), str(self.announced_to.data), str(self.form_key.data)
        )
