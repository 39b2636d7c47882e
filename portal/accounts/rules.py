"""Valid names and passwords, the page after signing in, and which `next` addresses are local."""

from __future__ import annotations

import re
import string
import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from portal.models.user import ADMIN, APPLICANT, PROFESSOR

if TYPE_CHECKING:
    from collections.abc import Collection


LONGEST_PATH = 1_000  # characters of a page to go on to
LONGEST_NAME = 200  # characters, as the column
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


def why_not_name(name: str) -> str | None:
    """Why this cannot be a person's name; every script and single letters are allowed."""
    if len(name) > LONGEST_NAME:
        return f"Use at most {LONGEST_NAME} characters; this has {len(name)}."
    if name and shows_nothing(name):
        return "This name contains nothing visible. Type it again, or leave the field empty."
    if turns_direction(name) or any(unicodedata.category(character) in {"Cc", "Cs"} for character in name):
        return "This contains characters that cannot be shown. Type the name instead of copying it."
    return None


def landing_path(roles: Collection[str], *, has_stated: bool, is_under_way: bool = False) -> str:
    """The first page after signing in; of several roles, the one with most decisions counts. An applicant whose
    application is under way sees whose turn it is; one who has stated something, what fits.
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
    r"""Whether a redirect to `target` stays within the portal: a path of one slash at its beginning. Browsers treat
    "//host", "/\host" and addresses with control characters before a slash as other hosts.
    """
    if not target.startswith("/") or target.startswith("//") or "\\" in target or len(target) > LONGEST_PATH:
        return False
    if any(unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for character in target):
        return False
    try:
        parts = urlsplit(target)
    except ValueError:
        return False
    return not parts.scheme and not parts.netloc


SHORTEST_PASSWORD = 10  # characters
LONGEST_PASSWORD = 128  # characters; Flask-Security's own bound
FEWEST_DIFFERENT = 4  # distinct characters
FEWEST_OF_ONES_OWN = 5  # letters left without the parts of name and address
SHORTEST_TELLING_PART = 3  # characters; shorter parts of names occur in too many words

# The words of frequent passwords, without digits, symbols and letters written as digits.
FREQUENT_WORDS = frozenset(
    """
    abc abcd abcdef abcdefg abcdefgh abcdefghi abcdefghij admin administrator alexander andrea anthony arsenal asdf
    asdfg asdfgh asdfghjkl ashley azerty azertyuiop barcelona baseball basketball batman blink butterfly changeme
    charlie chelsea chocolate computer cookie daniel default dragon football freedom friends fuckyou guest hannah
    heaven hello hunter iloveyou internet jennifer jessica jordan joshua justin killer letmein liverpool login love
    lovely loveme master matthew michael michelle monkey mustang myspace naruto nicole nothing pass passphrase passw
    password passwort pokemon portal princess qazwsx qazwsxedc qwe qweasd qweasdzxc qwer qwert qwerty qwertyui
    qwertyuiop qwertz qwertzuiop root samsung secret shadow soccer starwars student summer sunshine superman
    tequiero test testing trustno universe university user welcome whatever winter zxcvbn zxcvbnm
    """.split()  # noqa: SIM905  (a list of a hundred quoted words is harder to read)
)
# Runs of the alphabet, of digits and of keyboard rows, in both directions.
RUNS = tuple(
    run
    for row in (
        "01234567890123456789",
        "abcdefghijklmnopqrstuvwxyz",
        "qwertyuiop",
        "qwertzuiop",
        "asdfghjkl",
        "zxcvbnm",
    )
    for run in (row, row[::-1])
)
WRITTEN_AS_DIGITS = str.maketrans(
    {"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i"}
)
_ENDS = string.digits + string.punctuation + " "
_NO_LETTERS = re.compile(r"[\W\d_]+")


def normal_password(password: str) -> str:
    """The normal form that is hashed (NFKD, as Flask-Security's): keyboards type é as one code point or as two."""
    return unicodedata.normalize("NFKD", password)


def why_not_password(password: str, *, email: str, name: str) -> str | None:
    """Why this person cannot use a password, as a sentence that says what to do; None if they can."""
    if len(password) < SHORTEST_PASSWORD:
        return f"Use at least {SHORTEST_PASSWORD} characters; this has {len(password)}. Three or four words are fine."
    if len(password) > LONGEST_PASSWORD:
        return f"Use at most {LONGEST_PASSWORD} characters; this has {len(password)}."
    typed = unicodedata.normalize("NFKC", password).casefold()
    if len(set(typed)) < FEWEST_DIFFERENT:
        return "This repeats the same few characters. Use three or four words that do not belong together."
    if _is_frequent(typed):
        return "This is among the first passwords that anybody would try. Use words that do not belong together."
    if _is_about(typed, email=email, name=name):
        return "This is made of your name or address, which others know. Use words that do not belong together."
    return None


def _is_frequent(typed: str) -> bool:
    if any(typed in run for run in RUNS):
        return True
    core = typed.strip(_ENDS)
    spellings = (typed, typed.translate(WRITTEN_AS_DIGITS), core.translate(WRITTEN_AS_DIGITS))
    return any(_is_frequent_word(_NO_LETTERS.sub("", spelling)) for spelling in spellings)


def _is_frequent_word(letters: str) -> bool:
    """Whether `letters` is a frequent word, possibly repeated ("adminadmin"), or empty: a date or telephone number."""
    return not letters or any(
        len(letters) % len(word) == 0 and letters == word * (len(letters) // len(word)) for word in FREQUENT_WORDS
    )


def _is_about(typed: str, *, email: str, name: str) -> bool:
    """Whether too few letters remain without the parts of address and name."""
    known = unicodedata.normalize("NFKC", f"{email} {name}").casefold()
    parts = {part for part in _NO_LETTERS.split(known) if len(part) >= SHORTEST_TELLING_PART}
    letters = remaining = _NO_LETTERS.sub("", typed)
    for part in sorted(parts, key=lambda part: (-len(part), part)):
        remaining = remaining.replace(part, "")
    return remaining != letters and len(remaining) < FEWEST_OF_ONES_OWN
