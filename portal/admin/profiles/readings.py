"""Parses values that a person typed; each refusal says what to do."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from portal.accounts.rules import TURNING_MARKS
from portal.admin.profiles import limits
from portal.seeding.records import Link

if TYPE_CHECKING:
    from collections.abc import Collection

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
    """`text` itself.

    Raises:
        ValueError: It holds a control character or half of a surrogate pair, which databases refuse.
    """
    for position, char in enumerate(text, start=1):
        if char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cs"}:
            raise ValueError(
                f"Character {position} (U+{ord(char):04X}) is an invisible control character and cannot be stored. "
                "Delete it, or type the text anew."
            )
    return text


def no_longer_than(limit: int, text: str, what: str = "This") -> str:
    """`text` itself.

    Raises:
        ValueError: It has more than `limit` characters.
    """
    if len(text) > limit:
        raise ValueError(f"{what} is {len(text):,} characters long; at most {limit:,} fit. Shorten it.")
    return text


def web_address(text: str, what: str = "The address") -> str:
    """`text` itself, if it is empty or an http(s) address.

    Raises:
        ValueError: It is something else, such as a javascript: address.
    """
    if not text:
        return text
    no_longer_than(limits.URL, text, what)
    try:
        parts = urlsplit(text)
        has_host = bool(parts.hostname)
    except ValueError:  # such as the unclosed [ of an IPv6 address
        has_host = False
    if not has_host or parts.scheme not in {"http", "https"} or _SPACES.search(text):
        raise ValueError(f"{what} must begin with https:// or http:// and hold no spaces, not “{text[:80]}”.")
    return text


def whole_number(text: str, least: int, most: int, what: str) -> int:
    """The number that `text` writes, with or without commas between thousands.

    Raises:
        ValueError: It is no whole number from `least` to `most`.
    """
    if _WHOLE_NUMBER.fullmatch(text):
        number = int(text.replace(",", ""))
        if least <= number <= most:
            return number
    # A year is written without a comma.
    first, last = (f"{least:,}", f"{most:,}") if most != limits.LAST_YEAR else (str(least), str(most))
    raise ValueError(f"{what} is a whole number from {first} to {last}, not “{text[:40]}”.")


def iso_day(text: str) -> str:
    """`text` itself, if it is empty or a day such as "2026-12-15".

    Raises:
        ValueError: It is something else, or the calendar has no such day.
    """
    refusal = f"Write the day as year-month-day, such as 2026-12-15, not “{text[:40]}”."
    if text and not _ISO_DAY.fullmatch(text):
        raise ValueError(refusal)
    try:
        return date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise ValueError(f"The calendar has no day {text}. {refusal}") from None


def link(line: str, what: str) -> Link:
    """A link typed as its label, a space, and the address.

    Raises:
        ValueError: The line does not end in an http(s) address, or the label is too long.
    """
    label, _, url = line.rpartition(" ")
    return Link(no_longer_than(limits.LINE, label, f"{what}: the label"), web_address(url, f"{what}: the address"))


def figure(line: str, what: str, taken: Collection[str]) -> tuple[str, int]:
    """A figure typed as what is counted, a space, and the number.

    Raises:
        ValueError: One of both is missing, or the label is among those `taken` by other lines.
    """
    label, _, number = line.rpartition(" ")
    if not label:
        raise ValueError(f"{what} needs what is counted and then the number, such as “citations 1219”.")
    if label in taken:
        raise ValueError(f"“{label}” is there twice. Keep one of the lines.")
    no_longer_than(limits.PHRASE, label, f"{what}: the label")
    return label, whole_number(number, 0, limits.LARGEST_FIGURE, f"{what}: the number")
