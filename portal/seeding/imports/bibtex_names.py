"""The people of a BibTeX field: split into names first, then decoded from TeX."""

from __future__ import annotations

import re

from bibtexparser.middlewares.names import parse_single_name_into_parts, split_multiple_persons_names

from portal.seeding.imports.latex import text_of, with_letters
from portal.seeding.names import split_authors
from portal.seeding.texts import NAME_LIMIT, plain

PEOPLE_LIMIT = 300

_OTHERS = re.compile(r"^(?:\W*(?:others|et\.?\s*al\.?)\W*)$", re.IGNORECASE)
_EXTENDED = re.compile(r"^\s*(?:given|family|prefix|suffix)(?:-i)?\s*=", re.IGNORECASE)
_PART = re.compile(
    r"(?<![a-z])(given|family|prefix|suffix)\s*=\s*(?:\"([^\"]*)\"|\{((?:[^{}]|\{[^{}]*\})*)\}|([^,]*))", re.IGNORECASE
)
_COMMAS_OF_A_NAME = 2
_LONGEST = 100_000
_SUFFIX = re.compile(r"(?:Jr|Sr|II|III|IV|Jnr|Snr|Ph\.?\s?D|M\.?\s?D)\b\.?", re.IGNORECASE)
# An affiliation mark after a name: "Ann Lee\\textsuperscript{1}", "Bo Kim$^{2,*}$".
_MARK = re.compile(r"\\textsuperscript\s*\{[^{}]*\}|\$\s*\^[^$]{1,40}\$")
# DBLP numbers namesakes: "Yang Liu 0005".
_HOMONYM = re.compile(r"\s+0\d{3}(?!\S)")


def people_of(tex: str) -> tuple[tuple[str, ...], bool]:
    """The names in a field such as "Doe, Jane and {The LAB Team} and others", given names first; whether all are
    listed.
    """
    names: list[str] = []
    complete = len(tex) <= _LONGEST
    letters = with_letters(_MARK.sub("", " ".join(tex[:_LONGEST].split())))
    for person in split_multiple_persons_names(letters):
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
        return [plain(text_of(bare), NAME_LIMIT)]  # a corporate author is not inverted
    if ";" in _outside_braces(bare):
        return [name for part in bare.split(";") if part.strip() for name in _names(part)]
    outside = [part.strip() for part in _outside_braces(bare).split(",")]
    sides = re.split(r"\s\\?&\s", _outside_braces(bare))
    several = len(sides) > 1 and all(len(side.split()) > 1 for side in sides)
    if several or len(outside) > _COMMAS_OF_A_NAME + 1 or _is_list(outside):
        listed, _ = split_authors(text_of(bare))  # "A. One, B. Two, C. Three": a list without "and"
        return [plain(name, NAME_LIMIT) for name in listed]
    if len(outside) > 1 and _SUFFIX.fullmatch(outside[-1]):  # "Doe, Jane, Jr." or "Jane Doe, Jr."
        head, _, suffix = bare.rpartition(",")
        return [f"{name} {text_of(suffix).strip()}" for name in _names(head) if name]
    parts = parse_single_name_into_parts(bare, strict=False)
    words = [*parts.first, *parts.von, *parts.last, *parts.jr]
    return [_tidy(" ".join(words))]


def _tidy(tex: str) -> str:
    return _HOMONYM.sub("", plain(text_of(tex), NAME_LIMIT).strip(" ,;*"))


def _outside_braces(tex: str) -> str:
    return re.sub(r"\{[^{}]*\}", "{}", tex)


def _is_list(parts: list[str]) -> bool:
    """Whether the parts between the commas are names themselves: "Ann Lee, Bo Kim, Cy Wu"."""
    return (
        len(parts) > _COMMAS_OF_A_NAME
        and not _SUFFIX.fullmatch(parts[1])
        and all(len(part.split()) > 1 and max(map(len, re.findall(r"\w+", part)), default=0) > 1 for part in parts)
    )


def _extended(person: str) -> str:
    """A name in Biber's format: "family=Doe, given=Jane, prefix=van"."""
    values = {match[1].lower(): match[2] or match[3] or match[4] or "" for match in _PART.finditer(person)}
    parts = (values.get(name, "").strip() for name in ("given", "prefix", "family", "suffix"))
    return _tidy(" ".join(part for part in parts if part))
