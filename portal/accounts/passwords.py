"""Which passwords are refused, and why.

Follows NIST SP 800-63B: a minimum length, no composition rules, and a refusal of what attackers try first: frequent
passwords (those of ten characters and more are variations of few words) and what is known of the person.
"""

from __future__ import annotations

import re
import string
import unicodedata

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
    """Whether `letters` is a frequent word, possibly repeated ("password", "adminadmin"), or empty.

    A password without letters is digits and symbols: a date or a telephone number, ten million at most.
    """
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
