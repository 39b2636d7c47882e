"""Valid names and roles, the page after signing in, and which `next` addresses are local."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from portal.models.user import ADMIN, APPLICANT, PROFESSOR, ROLES

if TYPE_CHECKING:
    from collections.abc import Collection

LONGEST_NAME = 200  # characters, as the column
MOST_MARKS = 8  # on one letter; Tibetan and Hebrew with all its signs have up to five
# Bidirectional control characters can make a name read as another one.
TURNING_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
TURNS_DIRECTION = (
    "This contains invisible characters that change the direction of writing. Type it instead of copying it."
)


def tidy_name(name: str) -> str:
    """A name on one line, in NFC, with single spaces and none around it."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def shows_nothing(text: str) -> bool:
    """Whether nobody can see anything of a text: it is empty, or of blanks and characters without a shape."""
    return all(character.isspace() or unicodedata.category(character) == "Cf" for character in text)


def turns_direction(text: str) -> bool:
    """Whether a text holds characters that set the direction in which it, and perhaps what follows it, is read."""
    return any(character in TURNING_MARKS for character in text)


def _has_towers(text: str) -> bool:
    """Whether more marks are piled on a letter than any script does, so that they cover what stands around it."""
    marks = "".join("m" if unicodedata.category(character) in {"Mn", "Me"} else " " for character in text)
    return "m" * (MOST_MARKS + 1) in marks


def why_not_name(name: str) -> str | None:
    """Why this cannot be a person's name; every script and single letters are allowed."""
    if len(name) > LONGEST_NAME:
        return f"Use at most {LONGEST_NAME} characters; this has {len(name)}."
    if name and shows_nothing(name):
        return "This name contains nothing visible. Type it again, or leave the field empty."
    if (
        turns_direction(name)
        or _has_towers(name)
        or any(unicodedata.category(character) in {"Cc", "Cs"} for character in name)
    ):
        return "This contains characters that cannot be shown. Type the name instead of copying it."
    return None


def why_not_role(role: str) -> str | None:
    """Why this is not a role."""
    return None if role in ROLES else f"There is no role {role!r}. The roles are {', '.join(ROLES)}."


def landing_path(roles: Collection[str], *, has_stated: bool, is_under_way: bool = False) -> str:
    """The first page after signing in; of several roles, the one with most decisions counts.

    Args:
        roles: Names of the person's roles.
        has_stated: Whether an applicant has stated something by which labs can be ranked.
        is_under_way: Whether an applicant has applied or is invited by a lab; the overview says whose turn it is.
    """
    if ADMIN in roles:
        return "/admin/"
    if PROFESSOR in roles:
        return "/reviews/"
    if APPLICANT in roles:
        if is_under_way:
            return "/me/"
        return "/me/matches" if has_stated else "/me/interests"
    return "/accounts/"


def is_local_path(target: str) -> bool:
    r"""Whether a redirect to `target` stays within the portal.

    Browsers treat "//host", "/\host" and addresses with control characters before a slash as other hosts, so only a
    path that begins with one slash and contains none of these is accepted. Full addresses are refused, even the
    portal's own.
    """
    if not target.startswith("/") or target.startswith("//") or "\\" in target:
        return False
    if any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in target):
        return False
    try:
        parts = urlsplit(target)
    except ValueError:
        return False
    return not parts.scheme and not parts.netloc
