"""Form fields for the kinds of values in a lab profile.

An untouched value stays exactly as it was stored, even if the form would not accept it today. A field that was not sent
counts as untouched. Whatever reads a text raises ValueError if it has no such value; its message says what to do.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from urllib.parse import urlsplit

from sqlalchemy import String, inspect
from wtforms import Field, SelectField
from wtforms.fields import SelectChoice
from wtforms.validators import ValidationError
from wtforms.widgets import TextArea, TextInput

from portal.accounts.rules import TURNING_MARKS, shows_nothing
from portal.labs.texts import folded_text, folded_words
from portal.models import LabRevision, User
from portal.seeding.records import Link, work_label

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from portal.db import Base
    from portal.seeding.records import LabRecord


TEXT = 20_000  # characters of a text in paragraphs
LINE = 300  # characters of a short text that no column holds
URL = 2_000
PHRASE = 120  # characters of a topic, a kind of hardware, the label of a figure
LINES = 200  # entries of a list that is typed line by line
MOST_NAMED = 5  # works in an error
LARGEST_FIGURE = 1_000_000_000
MOST_SEATS = 1_000
FIRST_YEAR, LAST_YEAR = 1900, 2100


def length_of(table: type[Base], column: str) -> int | None:
    """How many characters a column holds, if that is limited."""
    columns = inspect(table).columns
    kind = columns[column].type if column in columns else None
    return kind.length if isinstance(kind, String) else None


REASON = length_of(LabRevision, "reason") or LINE
PERSON_NAME = length_of(User, "name") or LINE


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


def _shown(value: object) -> str:
    return "" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Kind:
    """How the values of a field are shown as text, and read from it.

    `read` takes the tidied text, how many characters fit, and the value before, whose untouched entries stay exactly.
    `tidied` makes a text independent of the browser: equal texts mean an untouched field. `labels` are those of a few
    values of which one is chosen.
    """

    read: Callable[[str, int, Any], Any]
    shown: Callable[[Any], str] = _shown
    tidied: Callable[[str], str] = one_line
    widget: Any = field(default_factory=TextInput)
    limit: int = LINE
    labels: Mapping[str, str] = field(default_factory=dict)


WORDS = Kind(lambda text, limit, _: no_longer_than(limit, text))
PARAGRAPHS = Kind(WORDS.read, tidied=lambda text: plain_line_ends(text).strip(), widget=TextArea(), limit=TEXT)
ADDRESS = Kind(lambda text, *_: web_address(text), widget=TextInput("url"))
DAY = Kind(lambda text, *_: iso_day(text), widget=TextInput("date"))
YEAR = Kind(lambda text, *_: whole_number(text, FIRST_YEAR, LAST_YEAR, "Year") if text else None)
SEATS = Kind(lambda text, *_: whole_number(text, 0, MOST_SEATS, "Seats") if text else None)


def labelled(labels: Mapping[str, str]) -> Kind:
    """One of a few values, each with its label; True and False go as "yes" and "no", so that "no" is not "not sent"."""

    def read(text: str, _limit: int, stored: object) -> str | bool:
        if text not in labels and text != stored:
            raise ValueError(f"Choose one of: {', '.join(labels.values())}.")
        return text == "yes" if "yes" in labels else text

    def shown(value: str | bool) -> str:  # noqa: FBT001  (it is the value, not an option)
        name = value if isinstance(value, str) else "yes" if value else "no"
        return labels.get(name, name)

    return Kind(read, shown, labels=labels)


def lines(line: Callable[[Any], str], entry: Callable[[str, int, str, Sequence[Any]], object]) -> Kind:
    """A list with one entry per line, each once. `line` shows an entry; `entry` reads one from its text, the characters
    that fit, its name in errors ("Line 3") and the entries above it.
    """

    def read(text: str, limit: int, stored: Sequence[object]) -> tuple[object, ...]:
        present = {one_line(line(one)): one for one in stored or ()}
        typed = list(dict.fromkeys(filled_lines(text)))
        if len(typed) > max(LINES, len(present)):
            raise ValueError(f"These are {len(typed):,} lines; at most {LINES} fit. Take some out.")
        entries: list[object] = []
        for number, text_of_line in enumerate(typed, start=1):
            known = text_of_line in present
            what = f"Line {number}"
            entries.append(present[text_of_line] if known else entry(text_of_line, limit, what, entries))
        return tuple(dict.fromkeys(entries))

    return Kind(
        read,
        shown=lambda value: "\n".join(one_line(line(one)) for one in value),
        tidied=lambda text: "\n".join(filled_lines(text)),
        widget=TextArea(),
    )


PHRASES = lines(str, lambda text, limit, what, _: no_longer_than(limit, text, what))
LINKS = lines(lambda one: f"{one.label} {one.url}", lambda text, _limit, what, _: link(text, what))
FIGURES = lines(
    lambda one: f"{one[0]} {one[1]}",
    lambda text, _limit, what, before: figure(text, what, [label for label, _ in before]),
)


def works_of(record: LabRecord) -> Kind:
    """Works of a profile by key, typed as their titles or as words that only one title has."""
    titles = {work.key: one_line(work_label(work)) for work in record.works}
    often = Counter(titles.values())
    titles = {key: title if often[title] == 1 else f"{title} ({key})" for key, title in titles.items()}

    def entry(text: str, _limit: int, what: str, _before: Sequence[str]) -> str:
        words = folded_words(text)
        found = [key for key, title in titles.items() if title == text] or [
            key for key, title in titles.items() if all(word in folded_text(title) for word in words)
        ]
        if len(found) == 1:
            return found[0]
        named = "; ".join(titles[key] for key in found[:MOST_NAMED])
        raise ValueError(
            f"{what} fits several works: {named}. Write more of the title."
            if found
            else f"{what}: no work of the lab has these words: “{text[:80]}”. Add the work first."
        )

    return lines(lambda key: titles.get(key, key), entry)


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field of a record, described once for forms, differences, history and imports.

    `limit` is how many characters fit, by default as its kind says. `required` says what to give.
    """

    name: str
    label: str
    kind: Kind | Callable[[LabRecord], Kind]
    help: str = ""
    limit: int = 0
    required: str = ""

    def kind_in(self, record: LabRecord) -> Kind:
        """The kind of its values in a profile."""
        return self.kind if isinstance(self.kind, Kind) else self.kind(record)

    def field(self, record: LabRecord) -> Any:  # noqa: ANN401  (WTForms has no types)
        """The field of a form about a part of a profile."""
        kind = self.kind_in(record)
        if kind.labels:
            return ChoiceField(self.label, kind)
        return KindField(self.label, kind, self.limit, required=self.required, description=self.help)


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

    def __call__(self, _form: EditForm, field: KindField) -> None:
        """Refuse an empty value."""
        if not field.data or (isinstance(field.data, str) and shows_nothing(field.data)):
            raise ValidationError(self.message)


class KindField(Field):  # type: ignore[misc]  # WTForms is published without types
    """A field that shows its value as text and reads the text that was sent. It knows whether a person changed it:
    `touched`, set when a form is sent.
    """

    def __init__(self, label: str, kind: Kind, limit: int = 0, *, required: str = "", **bound: Bound) -> None:
        self.kind = kind
        self.limit = limit or kind.limit
        self.widget = kind.widget
        self.touched = False
        super().__init__(label, [Required(required)] if required else [], **bound)
        if isinstance(self.widget, TextArea):
            self.type = "TextAreaField"  # templates choose the look of a control by it
        if kind is PARAGRAPHS:
            self.flags.maxlength = self.limit  # the counter's limit; templates never cut what is typed or pasted

    def process_formdata(self, valuelist: Sequence[str]) -> None:
        """Read the text that was sent, unless it is the one that was shown."""
        if not valuelist:
            return
        sent = self.kind.tidied(valuelist[0])
        self.touched = sent != self.kind.tidied(self.kind.shown(self.object_data))
        if self.touched:
            self.data = self.kind.read(storable(sent), self.limit, self.object_data)

    def validate(self, form: EditForm, extra_validators: Sequence[object] = ()) -> bool:
        """Check what a person changed; on a form that adds something, also what they left out."""
        self.errors = list(self.process_errors)
        if self.errors or not (self.touched or form.adds):
            return not self.errors
        return bool(super().validate(form, extra_validators))

    def _value(self) -> str:
        return str(self.raw_data[0]) if self.raw_data else self.kind.shown(self.data)


class ReasonField(KindField):
    """The reason for an act: always required, kept in the history or the audit log."""

    def __init__(self, label: str = "Reason", **bound: Bound) -> None:
        bound.setdefault("description", "A few words for the history: what changed, and how you know.")
        needed = "Say in a few words why. It is kept with this change in the history."
        super().__init__(label, PARAGRAPHS, REASON, required=needed, **bound)

    def validate(self, form: EditForm, extra_validators: Sequence[object] = ()) -> bool:
        """Refuse an empty reason on every form."""
        self.touched = True
        return super().validate(form, extra_validators)


class ChoiceField(SelectField):  # type: ignore[misc]  # WTForms is published without types
    """One of a few values. A stored value that is not among them is offered too, so that it can stay."""

    def __init__(self, label: str, kind: Kind, **bound: Bound) -> None:
        self.kind = kind
        self.stored: str | bool = ""
        super().__init__(label, coerce=self.chosen, choices=self._options(**kind.labels), **bound)
        self.type = "SelectField"  # templates choose the look of a control by it
        self.invalid_value_message = f"Choose one of: {', '.join(kind.labels.values())}."

    def chosen(self, value: str | bool) -> str | bool:  # noqa: FBT001  (it is the value, not an option)
        """The value behind an option, or a value itself."""
        return value if isinstance(value, bool) else self.kind.read(value, self.kind.limit, self.stored)

    def process_data(self, value: str | bool) -> None:  # noqa: FBT001  (as above)
        """Offer the stored value, whatever it is."""
        if isinstance(value, str) and value not in self.kind.labels:
            self.stored = value
            self.choices = self._options(**self.kind.labels, **{value: value})
        super().process_data(value)

    @staticmethod
    def _options(**labels: str) -> list[SelectChoice]:
        return [SelectChoice(value, label) for value, label in labels.items()]
