"""The people of a BibTeX field: split first, then read the TeX of each name."""

from __future__ import annotations

import re

from bibtexparser.middlewares.names import parse_single_name_into_parts, split_multiple_persons_names

from portal.seeding.imports.latex import text_of
from portal.seeding.imports.texts import NAME_LIMIT, plain
from portal.seeding.names import split_authors

PEOPLE_LIMIT = 300

_OTHERS = re.compile(r"^(?:\W*(?:others|et\.?\s*al\.?)\W*)$", re.IGNORECASE)
_EXTENDED = re.compile(r"^\s*(?:given|family|prefix|suffix)(?:-i)?\s*=", re.IGNORECASE)
_PART = re.compile(
    r"(given|family|prefix|suffix)\s*=\s*(?:\"([^\"]*)\"|\{((?:[^{}]|\{[^{}]*\})*)\}|([^,]*))", re.IGNORECASE
)
_COMMAS_OF_A_NAME = 2
_LONGEST = 100_000


def people_of(tex: str) -> tuple[tuple[str, ...], bool]:
    """The names of a field such as "Doe, Jane and {The LAB Team} and others", given names first; whether all are."""
    names: list[str] = []
    complete = len(tex) <= _LONGEST
    for person in split_multiple_persons_names(" ".join(tex[:_LONGEST].split())):
        if _OTHERS.match(person.strip("{} ")):
            complete = False
            continue
        for name in _names(person):
            if name and name not in names:
                names.append(name)
    if len(names) > PEOPLE_LIMIT:
        return tuple(names[:PEOPLE_LIMIT]), False
    return tuple(names), complete


def _names(person: str) -> list[str]:
    bare = person.strip()
    if _EXTENDED.match(bare):
        return [_extended(bare)]
    if bare.startswith("{") and bare.endswith("}") and "}" not in bare[1:-1]:
        return [plain(text_of(bare), NAME_LIMIT)]  # a corporate author: nothing inside is turned round
    outside = re.sub(r"\{[^{}]*\}", "", bare)
    if max(outside.count(","), outside.count(";") + _COMMAS_OF_A_NAME) > _COMMAS_OF_A_NAME:
        listed, _ = split_authors(text_of(bare))  # "A. One, B. Two, C. Three": a list without "and"
        return [plain(name, NAME_LIMIT) for name in listed]
    parts = parse_single_name_into_parts(bare, strict=False)
    words = [*parts.first, *parts.von, *parts.last, *parts.jr]
    return [plain(text_of(" ".join(words)).strip(" ,;*"), NAME_LIMIT)]


def _extended(person: str) -> str:
    """A name as Biber writes it: "family=Doe, given=Jane, prefix=van"."""
    said = {match[1].lower(): match[2] or match[3] or match[4] or "" for match in _PART.finditer(person)}
    parts = (said.get(name, "").strip() for name in ("given", "prefix", "family", "suffix"))
    return plain(text_of(" ".join(part for part in parts if part)), NAME_LIMIT)
