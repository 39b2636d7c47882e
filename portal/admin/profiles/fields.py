"""Form fields for the kinds of values in a lab profile.

An untouched value stays exactly as it was stored, even if the form would not accept it today. A field that was not sent
counts as untouched.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from wtforms import Field
from wtforms.validators import ValidationError
from wtforms.widgets import TextArea, TextInput

from portal.accounts.rules import shows_nothing
from portal.admin.profiles import limits
from portal.admin.profiles.readings import (
    figure,
    filled_lines,
    iso_day,
    link,
    no_longer_than,
    one_line,
    plain_line_ends,
    storable,
    web_address,
    whole_number,
)
from portal.seeding.records import Link

if TYPE_CHECKING:
    from collections.abc import Sequence

V = TypeVar("V")
E = TypeVar("E")
# The keyword arguments with which WTForms binds a field: its name, form, prefix …
Bound: TypeAlias = Any


class EditForm(Protocol):
    """The interface of a form for these fields. `adds`: the form adds a record rather than editing one."""

    adds: bool


class Required:
    """The field must hold something; `message` says what to give."""

    def __init__(self, message: str) -> None:
        self.field_flags = {"required": True}
        self.message = message

    def __call__(self, _form: EditForm, field: RecordField[Any]) -> None:
        """Refuse an empty value."""
        if not field.data or (isinstance(field.data, str) and shows_nothing(field.data)):
            raise ValidationError(self.message)


class RecordField(Field, Generic[V]):  # type: ignore[misc]  # WTForms is published without types
    """A field for a value of type V that knows whether a person changed it: `touched`, set when a form is sent."""

    data: V

    def __init__(self, label: str, *, required: str = "", **bound: Bound) -> None:
        self.touched = False
        super().__init__(label, [Required(required)] if required else [], **bound)

    def validate(self, form: EditForm, extra_validators: Sequence[object] = ()) -> bool:
        """Check what a person changed; on a form that adds something, also what they left out."""
        self.errors = list(self.process_errors)
        if self.errors or not (self.touched or form.adds):
            return not self.errors
        return bool(super().validate(form, extra_validators))


class TextualField(RecordField[V], ABC):
    """A field that shows its value as text and parses the text that was sent."""

    widget = TextInput()

    def __init__(self, label: str, *, limit: int = limits.LINE, **bound: Bound) -> None:
        self.limit = limit  # characters
        super().__init__(label, **bound)
        if isinstance(self.widget, TextArea):
            self.type = "TextAreaField"  # templates choose the look of a control by it

    def shown(self, value: V) -> str:
        """The value as text for the form."""
        return "" if value is None else str(value)

    def tidied(self, text: str) -> str:
        """`text` in a normal form that is independent of the browser: equal texts mean an untouched field."""
        return one_line(text)

    @abstractmethod
    def read(self, text: str) -> V:
        """The value of `text`, which is tidied.

        Raises:
            ValueError: It has none; the message says what to do.
        """

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        """Read the text that was sent, unless it is the one that was shown."""
        if not valuelist:
            return
        sent = self.tidied(valuelist[0])
        self.touched = sent != self.tidied(self.shown(self.object_data))
        if self.touched:
            self.data = self.read(storable(sent))

    def _value(self) -> str:
        return str(self.raw_data[0]) if self.raw_data else self.shown(self.data)


class LineField(TextualField[str]):
    """A text of one line."""

    def read(self, text: str) -> str:
        """The text."""
        return no_longer_than(self.limit, text)


class TextField(TextualField[str]):
    """A text in paragraphs."""

    widget = TextArea()

    def __init__(self, label: str, *, limit: int = limits.TEXT, **bound: Bound) -> None:
        super().__init__(label, limit=limit, **bound)
        self.flags.maxlength = limit  # the counter's limit; templates never cut what is typed or pasted

    def tidied(self, text: str) -> str:
        """The text with plain line ends and no space around it."""
        return plain_line_ends(text).strip()

    def read(self, text: str) -> str:
        """The text."""
        return no_longer_than(self.limit, text)


class ReasonField(TextField):
    """The reason for an act: always required, kept in the history or the audit log."""

    def __init__(self, label: str = "Reason", **bound: Bound) -> None:
        bound.setdefault("description", "A few words for the history: what changed, and how you know.")
        needed = "Say in a few words why. It is kept with this change in the history."
        super().__init__(label, required=needed, limit=limits.REASON, **bound)

    def validate(self, form: EditForm, extra_validators: Sequence[object] = ()) -> bool:
        """Refuse an empty reason on every form."""
        self.touched = True
        return super().validate(form, extra_validators)


class WebAddressField(TextualField[str]):
    """An http(s) address, or nothing."""

    widget = TextInput("url")

    def read(self, text: str) -> str:
        """The address."""
        return web_address(text)


class NumberField(TextualField["int | None"]):
    """A whole number from `least` to `most`, or nothing."""

    least = 0
    most = limits.LARGEST_FIGURE

    def read(self, text: str) -> int | None:
        """The number; None for nothing."""
        return whole_number(text, self.least, self.most, self.label.text) if text else None


class YearField(NumberField):
    """A year, or nothing."""

    least, most = limits.FIRST_YEAR, limits.LAST_YEAR


class SeatsField(NumberField):
    """A number of seats, or nothing if it is not stated."""

    most = limits.MOST_SEATS


class DayField(TextualField[str]):
    """A day as an ISO date ("2026-12-15"), or nothing; the profile keeps it as text."""

    widget = TextInput("date")

    def read(self, text: str) -> str:
        """The day."""
        return iso_day(text)


class LinesField(TextualField["tuple[E, ...]"], Generic[E]):
    """A list with one entry per line. Untouched lines keep their entries exactly."""

    widget = TextArea()

    @abstractmethod
    def line(self, entry: E) -> str:
        """An entry as a line."""

    @abstractmethod
    def entry(self, line: str, what: str, before: Sequence[E]) -> E:
        """The entry of a line; `what` names the line in errors, `before` are the entries above it.

        Raises:
            ValueError: It has none.
        """

    def shown(self, value: tuple[E, ...]) -> str:
        """One entry per line."""
        return "\n".join(one_line(self.line(entry)) for entry in value)

    def tidied(self, text: str) -> str:
        """The text without empty lines and without spaces around entries."""
        return "\n".join(filled_lines(text))

    def read(self, text: str) -> tuple[E, ...]:
        """The entries in their order, each once."""
        stored = {one_line(self.line(entry)): entry for entry in self.object_data}
        lines = list(dict.fromkeys(filled_lines(text)))
        if len(lines) > max(limits.LINES, len(stored)):
            raise ValueError(f"These are {len(lines):,} lines; at most {limits.LINES} fit. Take some out.")
        entries: list[E] = []
        for number, line in enumerate(lines, start=1):
            entries.append(stored[line] if line in stored else self.entry(line, f"Line {number}", entries))
        return tuple(entries)


class PhrasesField(LinesField[str]):
    """Short texts, one per line."""

    def line(self, entry: str) -> str:
        """The text itself."""
        return entry

    def entry(self, line: str, what: str, before: Sequence[str]) -> str:  # noqa: ARG002  (part of the signature)
        """The text itself."""
        return no_longer_than(self.limit, line, what)


class LinksField(LinesField[Link]):
    """Links, one per line: the label, a space, the address. The label may be missing."""

    def line(self, entry: Link) -> str:
        """Label and address."""
        return f"{entry.label} {entry.url}"

    def entry(self, line: str, what: str, before: Sequence[Link]) -> Link:  # noqa: ARG002  (part of the signature)
        """The link."""
        return link(line, what)


class FiguresField(LinesField["tuple[str, int]"]):
    """Figures that a page states, one per line: what is counted, a space, the number."""

    def line(self, entry: tuple[str, int]) -> str:
        """Label and number."""
        return f"{entry[0]} {entry[1]}"

    def entry(self, line: str, what: str, before: Sequence[tuple[str, int]]) -> tuple[str, int]:
        """The figure."""
        return figure(line, what, [label for label, _ in before])
