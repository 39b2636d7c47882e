"""What the forms of several pages share: cleaned texts, numbered rows, and the joining of two tabs."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from wtforms import Field, FieldList, HiddenField, ValidationError

from portal.web.forms import PortalForm, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

# Control characters that no text needs and some databases refuse; line ends and tabs stay.
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_BLANKS = re.compile(r"\s+")
LAST_ROW = 9_999  # as rows are numbered in names of fields
LONGEST_FINGERPRINT = 20_000  # characters; none of our forms writes more
T = TypeVar("T")


def one_line(text: str) -> str:
    """`text` in NFC on one line: control characters out, runs of blanks as one space."""
    return _BLANKS.sub(" ", _CONTROLS.sub(" ", unicodedata.normalize("NFC", text))).strip()


def running_text(text: str) -> str:
    """`text` in NFC with single line feeds as line ends and without control characters or blanks at its end."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", unicodedata.normalize("NFC", unified)).rstrip()


class NumberedRows(FieldList):  # type: ignore[misc]  # the library has no types
    """Rows of a list; field names that none of our forms has are ignored."""

    def _extract_indices(self, prefix: str, formdata: Mapping[str, Any]) -> Iterator[int]:
        for name in formdata:
            list_name, _, remainder = name.partition("-")
            number = whole_number(remainder.partition("-")[0])
            if list_name == prefix and number is not None and number <= LAST_ROW:
                yield number


def refuse(reason: str | None) -> None:
    """Raise `ValidationError` if a rule gave a reason."""
    if reason is not None:
        raise ValidationError(reason)


class JoinedForm(PortalForm):
    """A form that saves itself and is joined with what another tab saved. It remembers what it was opened with."""

    version = HiddenField(default="0")
    opened_with = HiddenField(default="")

    def opening(self, stored_version: int, stored: Mapping[str, str]) -> str:
        """The fingerprint that it was opened with; of what is stored, where it says none and nothing else was saved."""
        unchanged = (whole_number(self.version.data or "") or 0) == stored_version
        return self.opened_with.data or (fingerprint(stored) if unchanged else "")

    def fields_with_errors(self) -> list[Field]:
        """The fields beside which errors stand."""
        raise NotImplementedError

    def refusal(self, reason: str = "") -> tuple[dict[str, Any], int]:
        """The answer to a script whose save was refused: the reason or the first error, and every error by the name of
        the field it stands beside.
        """
        wrong = [field for field in self.fields_with_errors() if field.errors]
        errors = {field.name: [str(error) for error in field.errors] for field in wrong}
        first = next((error for of_field in errors.values() for error in of_field), "Something needs to be corrected.")
        error = {"status": 422, "reason": reason or first, "advice": "What you typed is kept on this page."}
        return {"error": error, "errors": errors}, 422


def saved_answer(saved_at: datetime, version: int, saved: Mapping[str, str], **more: object) -> dict[str, Any]:
    """The answer to a script that saved a form: when, and what its next save needs."""
    fields = {"version": str(version), "opened_with": fingerprint(saved)}
    return {"saved_at": saved_at.isoformat(), "fields": fields, **more}


def conflict_answer(what: str, button: str) -> tuple[dict[str, Any], int]:
    """The answer to a script whose save another tab was quicker than."""
    advice = f"Nothing is lost: press “{button}” to see both versions."
    reason = f"{what} changed in another tab or on another device since you opened this page."
    return {"error": {"status": 409, "reason": reason, "advice": advice}}, 409


@dataclass(frozen=True, slots=True)
class Difference:
    """One part that both sides changed: its label, and what is saved of it as text. The form has the other version."""

    label: str
    theirs: str


@dataclass(frozen=True, slots=True)
class Merged(Generic[T]):
    """What to save, the parts that were changed elsewhere and stay changed, and the parts that both sides changed."""

    value: T
    from_elsewhere: tuple[str, ...] = ()
    conflicting: tuple[str, ...] = ()


def fingerprint(parts: Mapping[str, str]) -> str:
    """What a form remembers of the texts that it was opened with: a digest of each part that is not empty."""
    return json.dumps({part: _digest(text) for part, text in parts.items() if text}, ensure_ascii=False)


def merge_parts(mine: Mapping[str, str], theirs: Mapping[str, str], opened_with: str) -> Merged[dict[str, str]]:
    """Join the parts of a form with what is saved by now.

    A part that only one side changed is taken from that side. One that both changed, or about which `opened_with` is no
    `fingerprint`, is in conflict, and stays mine.
    """
    opened = digests_in(opened_with)
    joined: dict[str, str] = {}
    from_elsewhere: list[str] = []
    conflicting: list[str] = []
    for part in dict.fromkeys((*mine, *theirs)):
        my_text, their_text = mine.get(part, ""), theirs.get(part, "")
        joined[part] = my_text
        if my_text == their_text:
            continue
        before = None if opened is None else opened.get(part, "")
        if before == _digest(my_text):
            joined[part] = their_text
            from_elsewhere.append(part)
        elif before != _digest(their_text):
            conflicting.append(part)
    return Merged(joined, tuple(from_elsewhere), tuple(conflicting))


def in_words(labels: Iterable[str]) -> str:
    """The labels of parts as a list within a sentence."""
    return "; ".join(label[0].lower() + label[1:] for label in labels)


def digests_in(opened_with: str) -> dict[str, str] | None:
    """The digests of a `fingerprint`, by part; None where it is none."""
    if len(opened_with) > LONGEST_FINGERPRINT:
        return None
    try:
        digests = json.loads(opened_with)
    except (ValueError, RecursionError):
        return None
    if not isinstance(digests, dict):
        return None
    return {part: digest for part, digest in digests.items() if isinstance(digest, str)}


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12] if text else ""
