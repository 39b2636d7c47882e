"""Every component once, in all its states, on one page: a reference for building pages, and for tests.

What it shows is made up, and written in its templates. Its list really pages; its form is really validated; nothing is
stored.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from wtforms import (
    BooleanField,
    DecimalRangeField,
    EmailField,
    FileField,
    PasswordField,
    RadioField,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.fields import SelectChoice
from wtforms.validators import Email, InputRequired, Length

from portal.web.forms import PortalForm
from portal.web.messages import flash_message, flash_with_undo
from portal.web.paging import page_number, page_of

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


LABS, PER_PAGE = 9, 4
LONGEST_STATEMENT = 200


class SampleForm(PortalForm):
    """One field of each kind."""

    email = EmailField(
        "E-mail", [InputRequired("Write your address."), Email("An address looks like name@example.edu.")]
    )
    password = PasswordField("Password", description="At least 10 characters.")
    topic = StringField("Topic", description="A few words, such as “serving on NPUs”.")
    statement = TextAreaField(
        "Statement",
        [Length(max=LONGEST_STATEMENT, message=f"This is too long: at most {LONGEST_STATEMENT} characters.")],
        description="What you want to work on, in your own words.",
    )
    place = SelectField("Place", choices=[SelectChoice("", "Anywhere"), SelectChoice("Lausanne")])
    mark = RadioField(
        "Your mark",
        [InputRequired("Choose one of the three.")],
        choices=[SelectChoice("yes", "Yes"), SelectChoice("maybe", "Maybe"), SelectChoice("no", "No")],
    )
    found = BooleanField("Labs I did not name may find me", description="They then see your interests and your resume.")
    weight = DecimalRangeField("Weight of this topic", default=1)
    resume = FileField("Resume", description="PDF, DOCX or plain text, at most 5 MB and 20 pages.")


# A submission that is refused in several ways; no mark is chosen.
MISTAKES = {"email": "mei.lin@", "statement": "I want to make large models cheap to serve. " * 6}

blueprint = Blueprint("styleguide", __name__)


def _refused_form() -> SampleForm:
    """The sample form as it comes back with errors in it."""
    sent = MultiDict({f"refused-{name}": value for name, value in MISTAKES.items()})
    form = SampleForm(sent, prefix="refused-", meta={"csrf": False})
    form.validate()
    return form


@blueprint.get("/styleguide")
def styleguide() -> str:
    """All components. `page` turns the pages of its sample list."""
    return render_template(
        "styleguide.html",
        form=SampleForm(meta={"csrf": False}),
        refused=_refused_form(),
        page=page_of(range(LABS), page_number(request.args.get("page")), PER_PAGE),
        moment=datetime(2026, 11, 20, 21, 55, tzinfo=UTC),
        day=date(2026, 12, 15),
    )


@blueprint.post("/styleguide")
def sample_act() -> ResponseReturnValue:
    """Show a message on the same page with an undo, which shows another message."""
    if request.form.get("undo"):
        flash_message("Undone. Nothing was stored before, and nothing is now.", "info")
    else:
        flash_with_undo("This is a message after an act.", url_for("styleguide.sample_act"), {"undo": "1"})
    return redirect(url_for("styleguide.styleguide"))
