"""The known forms of somebody's name, and what else a word of it may mean."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING, Literal

from portal.matching.language.spelling import is_common
from portal.matching.language.words import cached_by_word
from portal.matching.privacy.name_spelling import bare_of, latin, sound
from portal.matching.privacy.name_words import EPONYMS, FAMILIES, FUNCTION_WORDS, PARTICLES, SHORT_NAMES, TECHNOLOGIES
from portal.matching.privacy.search import any_of
from portal.matching.privacy.searched import searched_for_names

if TYPE_CHECKING:
    from collections.abc import Iterable

Kind = Literal["plain", "eponym", "word"]

WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3]")
# In Portuguese and Italian "e" and "o" stand between other words with a capital as well.
PARTICLE = rf"(?:von[ \t]und[ \t]zu|(?:in[ \t])?['’]t|[sd]/o|a/[lp]|{any_of(PARTICLES - {'e', 'o'})})"
ATTACHED = r"(?:(?:[dl]|dell|dall)['’]|(?:a[dlnrstz]|ash|el)-)?"
"""What may be attached to a name before its capital: d'Almeida, al-Sayed."""
SHORT = 3  # letters; shorter words are looked for with a capital only
_PARTICLE = re.compile(rf"(?<!\w)(?:{PARTICLE}|[eo])(?=[ \t])")
_SOUNDS_FROM = 4  # letters; shorter words are compared as they are spelt
_LONGEST_UNSPACED = 4  # signs
_LONGEST_KANA = 12
_LONGEST_WORD = 60
_PAIR = 2  # words
_KANA = re.compile(r"[\u3040-\u30ff]+")
_INFLECTED_FROM = 5  # letters of a sound
_CASES = "a e u i s n en om em im ov oi ova ovi ove ovu ovou ego"
_ENDINGS = frozenset(_CASES.split())
_IN_NO_NAME = re.compile(r"大|学|校|院|系|科|工|程|公司|研究|专|简|历|书")
_APART = re.compile("[’'-]")  # the parts of a word of a name
_POSSESSIVE = re.compile(r"['’][sS]?$")
PIECE = re.compile(r"[^\W\d_]+")


class Known:
    """The known forms of somebody's name: every way in which it is written, and local parts of e-mail addresses."""

    def __init__(self, names: Iterable[str], locals_: Iterable[str] = ()) -> None:
        self.names = names = tuple(searched_for_names(name).text for name in names if name.strip())
        spaced = [word for name in names for word in WORD.findall(name) if not UNSPACED.search(word)]
        self.name_words = [words_of(name) for name in names]
        words = {word for word in spaced if word not in PARTICLES and len(word) > 1}
        pieces = {piece for word in words for piece in _APART.split(word) if len(piece) > SHORT}
        self.spelt = {bare_of(word) for word in words | pieces}
        self.spelt |= {
            bare_of(first) + bare_of(second)
            for words_of_name in self.name_words
            for first in words_of_name
            for second in words_of_name
            if _may_join(first, second)
        }
        self.spelt |= {
            word for group in SHORT_NAMES if not group.isdisjoint(self.spelt) for word in group if len(word) >= SHORT
        }
        self.sounds = {sound(word) for word in self.spelt if len(sound(word)) >= _SOUNDS_FROM}
        plain = {
            plain_sound
            for plain_sound in self.sounds
            if len(plain_sound) >= _INFLECTED_FROM and kind_of(plain_sound) == "plain"
        }
        self.stems = tuple(
            stem for plain_sound in plain for stem in (plain_sound, plain_sound[:-1]) if len(stem) >= _INFLECTED_FROM
        )
        self.letters = frozenset(letter for word in self.spelt for letter in word)
        self.initials = frozenset(latin(piece)[:1] for word in spaced for piece in _APART.split(word) if piece)
        self.unspaced = _unspaced(names)
        family_words = self.spelt.union(name[:1] for name in self.unspaced)
        self.family_spellings = frozenset(
            word for group in FAMILIES if not group.isdisjoint(family_words) for word in group if word.isascii()
        )
        self.handles = self._handles(locals_)
        self.handle_sounds = frozenset(map(sound, self.handles))
        self.in_small_letters = _in_small_letters(self.name_words)
        self.particles = _particles(names)
        self.kinds: dict[str, Kind | None] = {}

    def _handles(self, locals_: Iterable[str]) -> frozenset[str]:
        """Names of accounts made of such a name: "linmei", "mlin", "meil", and the local parts of addresses."""
        handles = set()
        for names in self.name_words:
            pieces = dict.fromkeys(piece for name in names for piece in (name, *_APART.split(name)) if piece)
            bare = [bare_of(piece) for piece in pieces]
            for number, first in enumerate(bare):
                handles |= {first + second for second in bare if second != first}
                handles |= {first[0] + second for second in bare if second != first and len(second) > SHORT}
                handles |= {first + second[0] for second in bare if second != first and len(first) > SHORT}
                handles |= {"".join(name[0] for name in bare if name != first) + first, first + bare[number - 1][0]}
            handles |= {"".join(bare), "".join(reversed(bare)), *bare}
        for name in self.names:
            handles |= _with_particles(name)
        handles |= {bare_of(piece) for local in locals_ for piece in (*PIECE.findall(local), local)}
        return frozenset(handle for handle in handles if len(handle) > SHORT and not is_common(handle))

    def kind(self, word: str) -> Kind | None:
        """What else a word, as it is written, may mean if it is of the name; None if it is not."""
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
        if not self.stems or not word[:1].isupper() or not (word_sound := sound(word)).startswith(self.stems):
            return False
        return any(word_sound == stem + ending for stem in self.stems for ending in _ENDINGS)

    def _kind_of_compound(self, word: str) -> Kind | None:
        if not word[:1].isupper() or word.isalpha():
            return None
        pieces = _APART.split(word)
        if len(pieces) == 1:
            return None
        kinds = [kind for piece in pieces if len(piece) > 1 and (kind := self.kind(piece))]
        if not kinds:
            return None
        # "Johnson-Lindenstrauss" is a thing, "Vogel-Schmidt" is a name.
        return "plain" if "plain" in kinds or len(kinds) == len(pieces) else None


@cached_by_word(4096)
def kind_of(bare: str) -> Kind:
    """What else a word of a name may mean."""
    if bare in TECHNOLOGIES or bare in FUNCTION_WORDS:
        return "word"
    if bare in EPONYMS:
        return "eponym"
    return "word" if is_common(bare) else "plain"


@cached_by_word(1024)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name that are written with spaces between them, without particles."""
    return tuple(word for word in WORD.findall(name) if not UNSPACED.search(word) and word not in PARTICLES)


def _with_particles(name: str) -> set[str]:
    """Names of accounts made of a name with particles: "vandenberg", "zoevandenberg", "zoevdberg"."""
    words = [word for word in WORD.findall(name) if not UNSPACED.search(word)]
    if PARTICLES.isdisjoint(words):
        return set()
    full = [bare_of(word) for word in words]
    short = [bare[0] if word in PARTICLES else bare for word, bare in zip(words, full, strict=True)]
    return {"".join(spelling[start:]) for spelling in (full, short) for start in range(len(spelling) - 1)}


def _in_small_letters(word_lists: Iterable[tuple[str, ...]]) -> re.Pattern[str] | None:
    """Names of two words in small letters, "mei lin", unless both are ordinary words."""
    pairs = [words for words in word_lists if len(words) == _PAIR and len("".join(words)) > SHORT + 2]
    pairs = [words for words in pairs if not all(is_common(bare_of(name)) for name in words)]
    pairs = [words for words in pairs if FUNCTION_WORDS.isdisjoint(map(bare_of, words))]
    orders = {order for words in pairs for order in permutations(re.escape(name.lower()) for name in words)}
    alternatives = "|".join(rf"{first}[ \t\n]{other}" for first, other in sorted(orders))
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)") if alternatives else None


def _particles(names: Iterable[str]) -> re.Pattern[str] | None:
    """The particles of some names, where a passage ends with them."""
    own = {particle for name in names for particle in _PARTICLE.findall(name)}
    return re.compile(rf"(?<!\w)(?:(?:{'|'.join(map(re.escape, sorted(own)))})[ \t]+){{1,3}}$") if own else None


def may_be_unspaced_name(word: str) -> bool:
    """Whether a word in Chinese, Japanese or Korean, or two, may be somebody's name."""
    signs = word.replace(" ", "")
    longest = _LONGEST_KANA if _KANA.fullmatch(signs) else _LONGEST_UNSPACED
    return len(signs) <= longest and word.count(" ") <= 1 and not _IN_NO_NAME.search(word)


def _may_join(first: str, second: str) -> bool:
    return first != second and len(bare_of(first) + bare_of(second)) > SHORT + 2


def _unspaced(names: Iterable[str]) -> tuple[str, ...]:
    """Names in Chinese, Japanese and Korean, and the given name of them alone."""
    words = {word for name in names for word in WORD.findall(name) if UNSPACED.match(word) and len(word) > 1}
    joined = {"".join(name.split()) for name in names if UNSPACED.match(name) and len("".join(name.split())) > 1}
    joined = {name for name in joined if all(map(UNSPACED.match, name))}
    given = {word[1:] for word in words if len(word) == SHORT}
    return tuple(sorted({*words, *joined, *given}, key=lambda name: (-len(name), name)))
