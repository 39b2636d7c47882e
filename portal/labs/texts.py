"""Texts of profiles: words for codes, open positions, safe links, readable formulas, and folded forms to search."""

from __future__ import annotations

import re
from datetime import date, timedelta, timezone
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from portal.db import folded_letters
from portal.seeding.imports.latex import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from portal.matching import Span
    from portal.seeding.records import ActivityKind, LabRecord, MemberRole, OpeningRecord


DEGREES = {"phd": "Ph.D.", "mphil": "M.Phil.", "ra": "Research assistant", "postdoc": "Postdoc"}

PEOPLE: dict[MemberRole, str] = {
    "leader": "Leader",
    "phd_student": "Ph.D. students",
    "mphil_student": "M.Phil. students",
    "research_assistant": "Research assistants",
    "visiting": "Visiting",
    "member": "Members",
}

ROLES: dict[MemberRole, str] = {
    "leader": "leader",
    "phd_student": "Ph.D. student",
    "mphil_student": "M.Phil. student",
    "research_assistant": "research assistant",
    "visiting": "visiting",
    "member": "member",
}

ACTIVITIES: dict[ActivityKind, str] = {
    "course": "Courses",
    "talk": "Talks",
    "news": "News",
    "award": "Awards",
    "service": "Service",
    "education": "Education",
    "employment": "Employment",
}


def degree_name(degree: str) -> str:
    """The name of a degree, such as "Ph.D." for "phd"; unknown codes are returned unchanged."""
    return DEGREES.get(degree.strip().casefold(), degree.strip())


def deadline_words(deadline: date) -> str:
    """When a deadline passes, as in "15 Dec 2026, 23:59 (Anywhere on Earth)"."""
    return f"{deadline.day} {deadline:%b %Y}, 23:59 (Anywhere on Earth)"


def statement_beside_focus(statement: str, focus: str) -> str:
    """The recruiting statement without the sentence already shown above it."""
    return statement.replace(focus, "", 1).strip() if focus else statement


# A deadline passes when its day has ended everywhere on Earth.
ANYWHERE_ON_EARTH = timezone(timedelta(hours=-12))


def last_open_day(now: datetime) -> date:
    """The earliest deadline that has not passed at `now`."""
    return now.astimezone(ANYWHERE_ON_EARTH).date()


def is_open(opening: OpeningRecord, today: date) -> bool:
    """Whether one can still apply; `today` comes from `last_open_day`. Without a deadline, always."""
    return not opening.deadline or date.fromisoformat(opening.deadline) >= today


def open_degrees(record: LabRecord, today: date) -> tuple[str, ...]:
    """The degrees of the positions still open, in words, each once."""
    degrees = (degree_name(opening.degree) for opening in record.openings if is_open(opening, today))
    return tuple(dict.fromkeys(degrees))


SCHEMES = ("http", "https", "mailto")
_NEVER_IN_ADDRESSES = re.compile(r'["<>\\^`{|}]')
# Browsers drop these from addresses, so "java\nscript:" would run.
_DROPPED_BY_BROWSERS = re.compile(r"[\x00-\x20\x7f]")


def web_address(address: str) -> str:
    """`address` if it is a web or mail address, otherwise empty (script, data, relative, broken).

    Characters that are not allowed in addresses, such as quotes, are percent-encoded as browsers do: %22.
    """
    stripped = address.strip()
    if _DROPPED_BY_BROWSERS.search(stripped):
        return ""
    try:
        parts = urlsplit(stripped)
    except ValueError:  # a broken IPv6 host
        return ""
    if parts.scheme not in SCHEMES or not (parts.path if parts.scheme == "mailto" else parts.netloc):
        return ""
    return _NEVER_IN_ADDRESSES.sub(lambda character: quote(character[0]), stripped)


# A formula has no space inside its dollar signs, and no digit after them, unlike a price.
_FORMULA = re.compile(r"(?<!\\)\$(?![\s$])([^$\n]{0,300}?[^\s$\\])\$(?![\d$])")

_GROUP = re.compile(r"([\^_])\s*\{([^{}]{2,})\}")


def readable(text: str) -> str:
    """`text` with its formulas in plain characters."""
    return _FORMULA.sub(lambda match: _plain(match[1]), text) if "$" in text else text


def readable_with(text: str, spans: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    """The same with `spans` moved accordingly; a span that overlaps a formula covers all of it afterwards."""
    if "$" not in text:
        return text, tuple(spans)
    pieces: list[str] = []
    moved: list[tuple[int, int, int, int]] = []  # for each formula, its old and its new position
    done = length = 0
    for match in _FORMULA.finditer(text):
        plain = _plain(match[1])
        pieces += (text[done : match.start()], plain)
        at = length + match.start() - done
        done, length = match.end(), at + len(plain)
        moved.append((match.start(), match.end(), at, length))
    pieces.append(text[done:])

    def place(position: int, *, is_end: bool) -> int:
        shift = 0
        for start, end, begins, ends in moved:
            if position >= end:
                shift = ends - end
            elif position > start or (position == start and not is_end):
                return ends if is_end else begins
        return position + shift

    return "".join(pieces), tuple((place(start, is_end=False), place(end, is_end=True)) for start, end in spans)


@lru_cache(maxsize=4096)
def _plain(formula: str) -> str:
    """A formula in plain characters; as it was written, with its dollar signs, where nothing would be left of it."""
    tex = _GROUP.sub(r"\1(\2)", formula.replace(r"\wide", "\\"))
    plain = text_of(f"${tex}$")
    return plain if any(map(str.isprintable, plain)) else f"${formula}$"


_NO_LETTER = re.compile(r"[\W_]+")
_SPACE = re.compile(r"\s+")
_PLURAL_OF_CAPITALS = re.compile(r"(?<=[A-Z]{2})s\b")


def folded_name(name: str) -> str:
    """Letters and digits only: "Deja Vu", "DejaVu" and "déjà-vu" all give "dejavu"."""
    return _NO_LETTER.sub("", folded_letters(name))


def folded_words(text: str) -> tuple[str, ...]:
    """The distinct words of a search, in order: "HexGen-2 on NPUs" gives hexgen, 2, on, npus."""
    return tuple(dict.fromkeys(word for word in _NO_LETTER.split(folded_letters(text)) if word))


def folded_text(text: str) -> str:
    """A text to search for words: folded as the words are, with a single space for everything between them."""
    return _NO_LETTER.sub(" ", folded_letters(text)).strip(" ")


def folded_value(value: str) -> str:
    """A facet value for comparison: "GPU ", "gpu" and "GPUs" are one value, "C" and "C++" are two."""
    return _SPACE.sub(" ", _PLURAL_OF_CAPITALS.sub("", value).strip()).casefold()


# HTML, XML and PostgreSQL refuse these. Tabs and line ends stay, since they separate words.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")


def printable(text: str) -> str:
    """`text` without characters that cannot be shown."""
    return _UNPRINTABLE.sub("", text)
