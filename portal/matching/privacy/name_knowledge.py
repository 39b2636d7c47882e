"""What is known of somebody's name, and what a word of it may mean beside."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import permutations
from typing import TYPE_CHECKING, Literal

from portal.matching.language.spelling import is_common
from portal.matching.privacy.name_spelling import latin, sound
from portal.matching.privacy.name_words import EPONYMS, FAMILIES, FUNCTION_WORDS, SHORT_NAMES, TECHNOLOGIES

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["plain", "eponym", "word"]

WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3]")
_PARTICLES = "de del della da dos das do di du la le van der den von zu bin ibn al el ter ten y e v.d o "
_PARTICLES += "ap ab ferch dela delos ní nic uí"
PARTICLES = frozenset(_PARTICLES.split())
SHORT = 3  # letters; shorter words are looked for with a capital only
_SOUNDS_FROM = 4  # letters; shorter words are compared as they are spelt
_LONGEST_UNSPACED = 4  # signs
_LONGEST_KANA = 12
_LONGEST_WORD = 60
_PAIR = 2  # words
_KANA = re.compile(r"[\u3040-\u30ff]+")
_INFLECTED_FROM = 5  # letters of a sound
_CASES = "a e u i s n en om em im ov oi ova ovi ove ovu ovou ego"
_ENDINGS = frozenset(_CASES.split())
_IN_NO_NAME = re.compile(r"大|学|學|校|院|系|科|工|程|公司|研究|专|專|简|簡|历|歷|书|書")
_POSSESSIVE = re.compile(r"['’][sS]?$")
PIECE = re.compile(r"[^\W\d_]+")


class Known:
    """What is known of somebody's name: all the ways in which it is told, and the e-mail addresses' local parts."""

    def __init__(self, told: Iterable[str], locals_: Iterable[str] = ()) -> None:
        self.told = told = tuple(name for name in told if name.strip())
        spaced = [word for name in told for word in WORD.findall(name) if not UNSPACED.search(word)]
        self.whole = [words_of(name) for name in told]
        words = {word for word in spaced if word not in PARTICLES and len(word) > 1}
        pieces = {piece for word in words for piece in re.split(r"[’'-]", word) if len(piece) > SHORT}
        self.spelt = {bare_of(word) for word in words | pieces}
        self.spelt |= {bare_of(a) + bare_of(b) for names in self.whole for a in names for b in names if _may_join(a, b)}
        self.spelt |= {
            word for group in SHORT_NAMES if not group.isdisjoint(self.spelt) for word in group if len(word) >= SHORT
        }
        self.sounds = {sound(word) for word in self.spelt if len(sound(word)) >= _SOUNDS_FROM}
        plain = {one for one in self.sounds if len(one) >= _INFLECTED_FROM and kind_of(one) == "plain"}
        self.stems = tuple(stem for one in plain for stem in (one, one[:-1]) if len(stem) >= _INFLECTED_FROM)
        self.letters = frozenset(letter for word in self.spelt for letter in word)
        self.initials = frozenset(latin(piece)[:1] for word in spaced for piece in re.split(r"[’'-]", word) if piece)
        self.unspaced = _unspaced(told)
        told_in = self.spelt.union(name[:1] for name in self.unspaced)
        self.kin = frozenset(
            word for group in FAMILIES if not group.isdisjoint(told_in) for word in group if word.isascii()
        )
        self.handles = self._handles(locals_)
        self.handle_sounds = frozenset(map(sound, self.handles))
        self.in_small_letters = _in_small_letters(self.whole)
        self.kinds: dict[str, Kind | None] = {}

    def _handles(self, locals_: Iterable[str]) -> frozenset[str]:
        """What accounts are called by such a name: "linmei", "mlin", "meil", and the local parts of addresses."""
        made = set()
        for names in self.whole:
            pieces = dict.fromkeys(piece for name in names for piece in (name, *re.split(r"[’'-]", name)) if piece)
            bare = [bare_of(piece) for piece in pieces]
            for number, one in enumerate(bare):
                made |= {one + other for other in bare if other != one}
                made |= {one[0] + other for other in bare if other != one and len(other) > SHORT}
                made |= {one + other[0] for other in bare if other != one and len(one) > SHORT}
                made |= {"".join(name[0] for name in bare if name != one) + one, one + bare[number - 1][0]}
            made |= {"".join(bare), "".join(reversed(bare)), *bare}
        for name in self.told:
            made |= _with_particles(name)
        made |= {bare_of(piece) for local in locals_ for piece in (*PIECE.findall(local), local)}
        return frozenset(handle for handle in made if len(handle) > SHORT and not is_common(handle))

    def kind(self, word: str) -> Kind | None:
        """Whether a word as it is written is of the name, and what else it may be."""
        if word not in self.kinds:
            self.kinds[word] = self._kind(word) if len(word) <= _LONGEST_WORD else None
        return self.kinds[word]

    def _kind(self, word: str) -> Kind | None:
        if not word.isalpha():
            word = _POSSESSIVE.sub("", word)
        bare = bare_of(word)
        if bare not in self.spelt:
            is_alike = len(bare) >= _SOUNDS_FROM + word[:1].islower() and sound(bare) in self.sounds
            if not is_alike or is_common(bare):
                return "plain" if self._is_inflected(word) else self._kind_of_compound(word)
        kind = kind_of(bare)
        may_be_small = kind != "word" and len(bare) > SHORT and not is_common(bare)
        return kind if may_be_small or not word[:1].islower() else None

    def _is_inflected(self, word: str) -> bool:
        """“Dvořákova”, “Müllers”, “Петровой”."""
        if not self.stems or not word[:1].isupper() or not (said := sound(word)).startswith(self.stems):
            return False
        return any(said == stem + ending for stem in self.stems for ending in _ENDINGS)

    def _kind_of_compound(self, word: str) -> Kind | None:
        if not word[:1].isupper() or word.isalpha():
            return None
        pieces = re.split(r"[’'-]", word)
        if len(pieces) == 1:
            return None
        kinds = [kind for piece in pieces if len(piece) > 1 and (kind := self.kind(piece))]
        if not kinds:
            return None
        # "Johnson-Lindenstrauss" is a thing, "Vogel-Schmidt" is a name.
        return "plain" if "plain" in kinds or len(kinds) == len(pieces) else None


@lru_cache(maxsize=4096)
def kind_of(bare: str) -> Kind:
    """What a word of a name may be beside."""
    if bare in TECHNOLOGIES or bare in FUNCTION_WORDS:
        return "word"
    if bare in EPONYMS:
        return "eponym"
    return "word" if is_common(bare) else "plain"


@lru_cache(maxsize=65_536)
def bare_of(word: str) -> str:
    """A word in small Latin letters alone."""
    return latin(word).replace("’", "").replace("'", "").replace("-", "")


@lru_cache(maxsize=1024)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name that are written with spaces between them, without particles."""
    return tuple(word for word in WORD.findall(name) if not UNSPACED.search(word) and word not in PARTICLES)


def _with_particles(name: str) -> set[str]:
    """What accounts make of a name with particles: "vandenberg", "zoevandenberg", "zoevdberg"."""
    words = [word for word in WORD.findall(name) if not UNSPACED.search(word)]
    if PARTICLES.isdisjoint(words):
        return set()
    whole = [bare_of(word) for word in words]
    short = [bare[0] if word in PARTICLES else bare for word, bare in zip(words, whole, strict=True)]
    return {"".join(one[start:]) for one in (whole, short) for start in range(len(one) - 1)}


def _in_small_letters(whole: Iterable[tuple[str, ...]]) -> re.Pattern[str] | None:
    """Names of two words in small letters, "mei lin", unless both are ordinary words."""
    pairs = [names for names in whole if len(names) == _PAIR and len("".join(names)) > SHORT + 2]
    pairs = [names for names in pairs if not all(is_common(bare_of(name)) for name in names)]
    pairs = [names for names in pairs if FUNCTION_WORDS.isdisjoint(map(bare_of, names))]
    both_ways = {order for names in pairs for order in permutations(re.escape(name.lower()) for name in names)}
    any_of = "|".join(rf"{first}[ \t\n]{other}" for first, other in sorted(both_ways))
    return re.compile(rf"(?<!\w)(?:{any_of})(?!\w)") if any_of else None


def may_be_unspaced_name(word: str) -> bool:
    """Whether a word in Chinese, Japanese or Korean, or two, may be somebody's name."""
    signs = word.replace(" ", "")
    longest = _LONGEST_KANA if _KANA.fullmatch(signs) else _LONGEST_UNSPACED
    return len(signs) <= longest and word.count(" ") <= 1 and not _IN_NO_NAME.search(word)


def _may_join(one: str, other: str) -> bool:
    return one != other and len(bare_of(one) + bare_of(other)) > SHORT + 2


def _unspaced(told: Iterable[str]) -> tuple[str, ...]:
    """Names in Chinese, Japanese and Korean, and the given name of them alone."""
    whole = {word for name in told for word in WORD.findall(name) if UNSPACED.match(word) and len(word) > 1}
    joined = {"".join(name.split()) for name in told if UNSPACED.match(name) and len("".join(name.split())) > 1}
    joined = {name for name in joined if all(map(UNSPACED.match, name))}
    given = {word[1:] for word in whole if len(word) == SHORT}
    return tuple(sorted({*whole, *joined, *given}, key=lambda name: (-len(name), name)))
