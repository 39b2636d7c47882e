"""The forms of a professor's pages."""

from __future__ import annotations

from wtforms import HiddenField, RadioField, SelectChoice, TextAreaField
from wtforms.validators import InputRequired, Length

from portal.applications.stated import running_text
from portal.reviews.discover.queries import MARKS
from portal.web.forms import PortalForm

LONGEST_NOTE = 4000  # characters


class MarkForm(PortalForm):
    """A reviewer's mark with a note. `seen` is when the mark was saved that the form showed, if any."""

    seen = HiddenField(default="")
    mark = RadioField(
        "Would you take this applicant further?",
        choices=[SelectChoice(mark, mark.capitalize()) for mark in MARKS],
        validators=[InputRequired("Choose yes, maybe or no.")],
    )
    note = TextAreaField(
        "Note",
        description="For you and the lab’s other reviewers. Applicants never see it.",
        filters=[lambda text: running_text(text or "").strip()],
        validators=[Length(max=LONGEST_NOTE, message=f"Keep the note to {LONGEST_NOTE:,} characters.")],
    )
