"""Form fields for the kinds of values in a lab profile.

An untouched value stays exactly as it was stored, even if the form would not accept it today. A field that was not sent
counts as untouched. Whatever reads a text raises ValueError if it has no such value; its message says what to do.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from datetime import date
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar
from urllib.parse import urlsplit

from sqlalchemy import String, inspect
from wtforms import Field, SelectField
from wtforms.fields import SelectChoice
from wtforms.validators import ValidationError
from wtforms.widgets import TextArea, TextInput

from portal.accounts.rules import TURNING_MARKS, shows_nothing
from portal.models import Activity, Lab, LabRevision, Member, Opening, System, User, Work
from portal.seeding.records import Link

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from portal.db import Base


TEXT = 20_000  # characters of a text in paragraphs
LINE = 300  # characters of a short text that no column holds
URL = 2_000
PHRASE = 120  # characters of a topic, a kind of hardware, the label of a figure
LINES = 200  # entries of a list that is typed line by line
MOST_WORKS_OF_A_SYSTEM = 999
LARGEST_FIGURE = 1_000_000_000
MOST_SEATS = 1_000
FIRST_YEAR, LAST_YEAR = 1900, 2100


def _length(table: type[Base], column: str) -> int:
    kind = inspect(table).columns[column].type
    if not isinstance(kind, String) or kind.length is None:
        raise TypeError(f"{table.__name__}.{column} has no length")
    return kind.length


LAB_NAME = _length(Lab, "name")
LAB_SLUG = _length(Lab, "slug")
LEADER = _length(Lab, "leader")
INSTITUTION = _length(Lab, "institution")
DEPARTMENT = _length(Lab, "department")
PLACE = _length(Lab, "place")
MEMBER_NAME = _length(Member, "name")
WORK_TITLE = _length(Work, "title")
VENUE = _length(Work, "venue")
QUESTION = _length(Work, "question")
SYSTEM_NAME = _length(System, "name")
ACTIVITY_TITLE = _length(Activity, "title")
FUNDING = _length(Opening, "funding")
START = _length(Opening, "start")
REASON = _length(LabRevision, "reason")
PERSON_NAME = _length(User, "name")


_WHOLE_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,12}", re.ASCII)
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_SPACES = re.compile(r"\s+")
_WITHOUT_TURNING_MARKS = dict.fromkeys(map(ord, TURNING_MARKS))


def one_line(text: str) -> str:
    """`text` with line ends and repeated spaces as one space, without characters that turn the words beside it."""
    return _SPACES.sub(" ", text.translate(_WITHOUT_TURNING_MARKS)).strip()


def plain_line_ends(text: str) -> str:
    r"""`text` with all line ends as \n; browsers send \r\n."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def filled_lines(text: str) -> list[str]:
    """The lines of `text` that are not empty, without the spaces around them."""
    return [line for line in map(one_line, plain_line_ends(text).split("\n")) if line]


def storable(text: str) -> str:
    """`text` itself."""
    for position, char in enumerate(text, start=1):
        if char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cs"}:
            raise ValueError(
                f"Character {position} (U+{ord(char):04X}) is an invisible control character and cannot be stored. "
                "Delete it, or type the text anew."
            )
    return text


def no_longer_than(limit: int, text: str, what: str = "This") -> str:
    """`text` itself."""
    if len(text) > limit:
        raise ValueError(f"{what} is {len(text):,} characters long; at most {limit:,} fit. Shorten it.")
    return text


def web_address(text: str, what: str = "The address") -> str:
    """`text` itself, if it is empty or an http(s) address."""
    if not text:
        return text
    no_longer_than(URL, text, what)
    try:
        parts = urlsplit(text)
        has_host = bool(parts.hostname)
    except ValueError:  # such as the unclosed [ of an IPv6 address
        has_host = False
    if not has_host or parts.scheme not in {"http", "https"} or _SPACES.search(text):
        raise ValueError(f"{what} must begin with https:// or http:// and hold no spaces, not “{text[:80]}”.")
    return text


def whole_number(text: str, least: int, most: int, what: str) -> int:
    """The number that `text` writes, with or without commas between thousands."""
    if _WHOLE_NUMBER.fullmatch(text):
        number = int(text.replace(",", ""))
        if least <= number <= most:
            return number
    # A year is written without a comma.
    first, last = (f"{least:,}", f"{most:,}") if most != LAST_YEAR else (str(least), str(most))
    raise ValueError(f"{what} is a whole number from {first} to {last}, not “{text[:40]}”.")


def iso_day(text: str) -> str:
    """`text` itself, if it is empty or a day such as "2026-12-15"."""
    refusal = f"Write the day as year-month-day, such as 2026-12-15, not “{text[:40]}”."
    if text and not _ISO_DAY.fullmatch(text):
        raise ValueError(refusal)
    try:
        return date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise ValueError(f"The calendar has no day {text}. {refusal}") from None


def link(line: str, what: str) -> Link:
    """A link typed as its label, a space, and the address."""
    label, _, url = line.rpartition(" ")
    return Link(no_longer_than(LINE, label, f"{what}: the label"), web_address(url, f"{what}: the address"))


def figure(line: str, what: str, taken: Collection[str]) -> tuple[str, int]:
    """A figure typed as what is counted, a space, and the number."""
    label, _, number = line.rpartition(" ")
    if not label:
        raise ValueError(f"{what} needs what is counted and then the number, such as “citations 1219”.")
    if label in taken:
        raise ValueError(f"“{label}” is there twice. Keep one of the lines.")
    no_longer_than(PHRASE, label, f"{what}: the label")
    return label, whole_number(number, 0, LARGEST_FIGURE, f"{what}: the number")


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

    def __init__(self, label: str, *, limit: int = LINE, **bound: Bound) -> None:
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
        """The value of `text`, which is tidied."""

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

    def __init__(self, label: str, *, limit: int = TEXT, **bound: Bound) -> None:
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
        super().__init__(label, required=needed, limit=REASON, **bound)

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
    most = LARGEST_FIGURE

    def read(self, text: str) -> int | None:
        """The number; None for nothing."""
        return whole_number(text, self.least, self.most, self.label.text) if text else None


class YearField(NumberField):
    """A year, or nothing."""

    least, most = FIRST_YEAR, LAST_YEAR


class SeatsField(NumberField):
    """A number of seats, or nothing if it is not stated."""

    most = MOST_SEATS


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
        """The entry of a line; `what` names the line in errors, `before` are the entries above it."""

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
        if len(lines) > max(LINES, len(stored)):
            raise ValueError(f"These are {len(lines):,} lines; at most {LINES} fit. Take some out.")
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


class ChoiceField(SelectField):  # type: ignore[misc]  # WTForms is published without types
    """One of a few texts. A stored value that is not among them is offered too, so that it can stay."""

    def __init__(self, label: str, choices: Mapping[str, str], **bound: Bound) -> None:
        self.offered = dict(choices)
        super().__init__(label, coerce=self.chosen, choices=self._options(), **bound)
        self.type = "SelectField"  # templates choose the look of a control by it
        self.invalid_value_message = f"Choose one of: {', '.join(self.offered.values())}."

    def chosen(self, value: object) -> object:
        """The value behind an option."""
        if value not in self.offered:
            raise ValueError(f"{value!r} is not offered")
        return value

    def process_data(self, value: object) -> None:
        """Offer the stored value, whatever it is."""
        if isinstance(value, str) and value not in self.offered:
            self.offered[value] = value
            self.choices = self._options()
        super().process_data(value)

    def _options(self) -> list[SelectChoice]:
        return [SelectChoice(value, label) for value, label in self.offered.items()]


class YesNoField(ChoiceField):
    """True or false as a choice of two, so that "no" differs from "not sent". `choices` are for "yes" and "no"."""

    def chosen(self, value: object) -> bool:
        """The value behind an option, or the stored one itself."""
        return value if isinstance(value, bool) else super().chosen(value) == "yes"


class WorksField(RecordField["tuple[str, ...]"]):
    """Works of the lab that are chosen, by key, in the order of the numbers beside them.

    The page sends an empty value with the chosen keys, so that "none chosen" differs from "not sent"; the number
    beside the work with key K is sent as "<name>-place-K". Call `offer` with the lab's works before validating.
    """

    widget = None

    def offer(self, works: Mapping[str, str]) -> None:
        """Set the works that may be chosen: their names by their keys."""
        self.offered = works

    def place_name(self, key: str) -> str:
        """The name of the input that holds a work's place."""
        return f"{self.name}-place-{key}"

    def place_text(self, key: str) -> str:
        """The value of that input: the typed text, else the work's place among the chosen."""
        return self._places.get(self.place_name(key), str(self.data.index(key) + 1) if key in self.data else "")

    def process(self, formdata: Any, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  (WTForms' own signature)
        """Keep the places that were sent until the keys are known."""
        start = f"{self.name}-place-"
        self._places: dict[str, str] = {name: formdata.get(name) for name in formdata or () if name.startswith(start)}
        super().process(formdata, *args, **kwargs)

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        """The chosen keys by their places; works without a place come last."""
        if not valuelist:
            return
        chosen = tuple(dict.fromkeys(key for key in valuelist if key))
        self.touched = True
        self.data = chosen
        places = {key: self._place(key) for key in chosen}
        self.data = tuple(sorted(chosen, key=places.__getitem__))
        self.touched = self.data != self.object_data

    def pre_validate(self, form: EditForm) -> None:  # noqa: ARG002  (WTForms' own signature)
        """Refuse a work that the lab does not have."""
        gone = [key for key in self.data if key not in self.offered]
        if gone:
            raise ValidationError(f"The lab no longer has {', '.join(gone)}. Take it out, or add the work again first.")

    def _place(self, key: str) -> int:
        text = self._places.get(self.place_name(key), "").strip()
        last = MOST_WORKS_OF_A_SYSTEM
        return whole_number(text, 1, last, "The place of a work") if text else last + 1
