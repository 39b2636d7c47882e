"""Forms: base classes with WTForms' messages in the portal's words, and whole numbers in forms and URLs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from flask import request
from flask_wtf import FlaskForm
from werkzeug.datastructures import CombinedMultiDict, MultiDict
from werkzeug.exceptions import HTTPException
from werkzeug.routing import IntegerConverter
from wtforms import FileField, Form, IntegerField

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flask import Request
    from werkzeug.routing import Map


LARGEST = 2**31 - 1  # the largest value of PostgreSQL's integer columns


class ColumnInteger(IntegerConverter):
    """`<int:…>` in URLs: at most what an integer column holds, so that a larger number is a 404."""

    def __init__(self, url_map: Map) -> None:
        super().__init__(url_map, max=LARGEST)


def whole_number(text: str) -> int | None:
    """The number from 0 to `LARGEST` that `text` writes in plain digits; None for anything else, however long."""
    digits = text.lstrip("0") or text[:1]
    # Python refuses to parse thousands of digits, so the length is checked first.
    if not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(LARGEST))):
        return None
    number = int(digits)
    return number if number <= LARGEST else None


def whole_numbers(texts: Iterable[str]) -> list[int]:
    """The whole numbers in `texts`, of which one may hold several with commas between them, in order and each once;
    anything else is left out.
    """
    parts = (part for text in texts for part in text.split(","))
    return list(dict.fromkeys(number for part in parts if (number := whole_number(part)) is not None))


class WholeNumberField(IntegerField):  # type: ignore[misc]  # the library has no types
    """A whole number to type. One of hundreds of digits is refused, as is "1_0", which only Python takes for ten."""

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        """Read what was sent."""
        if valuelist and (len(valuelist[0].strip()) > len(f"-{LARGEST}") or "_" in valuelist[0]):
            raise ValueError(self.gettext("Not a valid integer value."))
        super().process_formdata(valuelist)


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

        def wrap_formdata(self, form: FlaskForm, formdata: Any) -> Any:  # noqa: ANN401  (as above)
            """What was sent, without files in place of texts, which the fields of texts could not read."""
            sent = super().wrap_formdata(form, formdata)
            if not isinstance(sent, CombinedMultiDict):
                return sent
            taken = {field.name for field in form if isinstance(field, FileField)}
            files = MultiDict(one for one in request.files.items(multi=True) if one[0] in taken)
            return CombinedMultiDict((files, request.form))

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


MEBIBYTE = 1024**2


def form_holds_too_much(request: Request) -> str | None:
    """What is wrong with a form that was refused as too large although the request is not; None if the request is."""
    size, limit = request.content_length, request.max_content_length
    if size is None or limit is None or size > limit:
        return None
    longest_text = (request.max_form_memory_size or 0) // MEBIBYTE
    return (
        f"What was sent has more than {request.max_form_parts or 0:,} fields, "
        f"or a text of more than {longest_text} MB. Nothing of it was saved."
    )


MOST_TEXTS = 40
# The values of these fields are never shown, in case somebody looks over a shoulder.
_SECRET = re.compile(r"password|token|code|secret", re.IGNORECASE)

# Hidden fields in which a page notes what it showed; nobody typed them. The last part of a name counts, since rows of a
# form have names such as "answers-0-asked".
PAGE_NOTES = frozenset(
    {"agreed", "asked", "base", "key", "lab", "opened_with", "pending", "query", "reviewed", "shown", "version"}
)
_SEEN = re.compile(r"(?:^|-)seen(?:_|$)")


@dataclass(frozen=True, slots=True)
class Typed:
    """The texts of a form, in its order, and the path of the page it was on, or empty if that is unknown.

    `fields` are all names and values that were sent, to be sent again; empty if a file or a secret was among them,
    since a page gives neither back.
    """

    texts: tuple[str, ...]
    page: str
    fields: tuple[tuple[str, str], ...] = ()


NOTHING = Typed((), "")
TOKEN = "csrf_token"  # noqa: S105  (the name of a field)


def typed_in(request: Request) -> Typed:
    """The texts of more than one word that one of our pages sent with a form; a single one is quickly retyped.

    Nothing if the browser does not say that the form was ours: no other site puts its words on our pages.
    """
    if request.method != "POST" or request.headers.get("Sec-Fetch-Site") != "same-origin":
        return NOTHING
    try:
        fields = list(request.form.items(multi=True))
    except HTTPException:  # too large to be read, or not a form at all
        return NOTHING
    texts = (value.strip() for name, value in fields if not _SECRET.search(name) and not is_page_note(name))
    several_words = dict.fromkeys(text for text in texts if len(text.split()) > 1)
    resendable = [(name, value) for name, value in fields if name != TOKEN]
    can_resend = not any(_SECRET.search(name) for name, _ in resendable) and not any(
        file for file in request.files.values()
    )
    return Typed(tuple(several_words)[:MOST_TEXTS], _page_of(request), tuple(resendable) if can_resend else ())


def is_page_note(name: str) -> bool:
    """Whether a field of this name holds a note of the page rather than typed text."""
    return name.rpartition("-")[2] in PAGE_NOTES or _SEEN.search(name) is not None


def _page_of(request: Request) -> str:
    """Path and query of the page that sent the form."""
    parts = urlsplit(request.referrer or "")
    if parts.netloc != request.host or not parts.path.startswith("/") or parts.path.startswith("//"):
        return ""
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
