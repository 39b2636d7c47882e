"""One name in many spellings: without accents, in Latin letters, and as it sounds, so that Müller, Mueller and Muller
or Ольга, Olga and Ol'ga are one.
"""

from __future__ import annotations

import re
import unicodedata

from portal.matching.language.words import cached_by_word

_CYRILLIC = (
    "а-a б-b в-v г-g ґ-g д-d е-e є-ie ж-zh з-z и-i і-i ї-i й-i к-k л-l м-m н-n о-o п-p р-r с-s т-t у-u ф-f х-kh ц-ts "
    "ч-ch ш-sh щ-shch ъ- ы-y ь- э-e ю-iu я-ia"
)
_GREEK = "α-a β-v γ-g δ-d ε-e ζ-z η-i θ-th ι-i κ-k λ-l μ-m ν-n ξ-x ο-o π-p ρ-r σ-s ς-s τ-t υ-y φ-f χ-ch ψ-ps ω-o"
_OTHER = "ß-ss ø-o ł-l đ-d ð-d þ-th ı-i æ-ae œ-oe ħ-h"
_LETTERS = {pair[0]: pair[2:] for pair in f"{_CYRILLIC} {_GREEK} {_OTHER}".split()}
_FIRSTS = "g kk n d tt r m b pp s ss - j jj ch k t p h"
_VOWELS = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i"
_ENDS = "- k k k n n n t l k m l l l p l m p p t t ng t t k t p t"
_FIRST_HANGUL, _MIDDLE_HANGUL, _LAST_HANGUL = (sounds.replace("-", "_").split() for sounds in (_FIRSTS, _VOWELS, _ENDS))
_HANGUL, _HANGUL_END, _MIDDLES, _LASTS = 0xAC00, 0xD7A3, 21, 28
_ALIKE = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("tsch|tch|cz", "ch"),
        ("sch|sz", "sh"),
        ("kh|gh", "h"),
        ("ph", "f"),
        ("ks", "x"),
        ("w", "v"),
        ("oe", "o"),
        ("[au]e", lambda match: match.group()[0]),
        ("ou|oo", "u"),
        ("ee", "i"),
        ("[yj]", "i"),
        (r"(.)\1+", r"\1"),
        ("(?<=[a-z]{2}[aeiou])h$", ""),
    )
)


@cached_by_word(65_536)
def latin(word: str) -> str:
    """A word in small Latin letters without accents, as far as its script is known."""
    if word.isascii():
        return word.lower()
    parts = []
    for letter in unicodedata.normalize("NFC", word).lower().replace("ου", "u").replace("ού", "u"):
        base = letter if letter in _LETTERS else unicodedata.normalize("NFKD", letter)[:1]
        if _HANGUL <= ord(letter) <= _HANGUL_END:
            first, remainder = divmod(ord(letter) - _HANGUL, _MIDDLES * _LASTS)
            base = _FIRST_HANGUL[first] + _MIDDLE_HANGUL[remainder // _LASTS] + _LAST_HANGUL[remainder % _LASTS]
        elif unicodedata.combining(letter):
            base = ""
        parts.append(_LETTERS.get(base, base).replace("_", ""))
    return "".join(parts)


@cached_by_word(65_536)
def bare_of(word: str) -> str:
    """A word in small Latin letters alone."""
    return latin(word).replace("’", "").replace("'", "").replace("-", "")


@cached_by_word(65_536)
def sound(word: str) -> str:
    """A key that the spellings of one name share; other words may have the same one."""
    spelling = bare_of(word)
    for pattern, replacement in _ALIKE:
        spelling = pattern.sub(replacement, spelling)
    return spelling
