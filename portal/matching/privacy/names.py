"""Finds somebody's name in a text: in any order and spelling, with initials and the small words that belong to it.

A word of the name that is an ordinary word, a technology or the name of a method as well (Ray, Swift, Taylor) is taken
for the name only where it is used like one: "Ray wrote", not "Ray tasks".
"""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.spelling import is_common
from portal.matching.privacy.name_words import (
    DEEDS,
    FAMILIES,
    FUNCTION_WORDS,
    PARTICLES,
    SAID_TO,
    SHORT_NAMES,
    TECHNOLOGIES,
    bare_of,
    kind_of,
    latin,
    sound,
)
from portal.matching.privacy.patterns import TECHNICAL_BEHIND
from portal.matching.privacy.searched import searched_for_names
from portal.matching.privacy.words import any_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.matching.privacy.name_words import Kind
    from portal.matching.results import Span

WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
PIECE = re.compile(r"[^\W\d_]+")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3]")
# In Portuguese and Italian "e" and "o" stand between other words with a capital as well.
PARTICLE = rf"(?:von[ \t]und[ \t]zu|(?:in[ \t])?['’]t|[sd]/o|a/[lp]|{any_of(PARTICLES - {'e', 'o'})})"
ATTACHED = r"(?:(?:[dl]|dell|dall)['’]|(?:a[dlnrstz]|ash|el)-)?"
"""What may be attached to a name before its capital: d'Almeida, al-Sayed."""
SHORT = 3  # letters; shorter words are looked for with a capital only
APART = re.compile("[’'-]")  # the parts of a word of a name
_PARTICLE = re.compile(rf"(?<!\w)(?:{PARTICLE}|[eo])(?=[ \t])")
_SOUNDS_FROM = 4  # letters; shorter words are compared as they are spelt
_LONGEST_UNSPACED = 4  # signs
_LONGEST_KANA = 12
_LONGEST_WORD = 60
_KANA = re.compile(r"[\u3040-\u30ff]+")
_IN_NO_NAME = re.compile(r"大|学|校|院|系|科|工|程|公司|研究|专|简|历|书")
_POSSESSIVE = re.compile(r"['’][sS]?$")

_LOOKS_AROUND = 80  # characters
_ACRONYM = 4  # letters, at most, if all are capitals
_DOTTED = r"(?:[^\W\d_a-z]\.[ \t]?-?){1,4}"
_DOTTED_BEFORE = re.compile(
    rf"(?<![\w.&]){_DOTTED}(?:(?:{PARTICLE}[ \t]){{1,2}}|(?:van|von|de|v)\.?[ \t]?(?:d\.|den|der)?[ \t])?$"
)
_BARE_BEFORE = re.compile(r"(?<![\w.&-])[^\W\d_a-z](?:[ -]?[^\W\d_a-z]){0,2}[ \t]$")
_DOTTED_BEHIND = re.compile(rf"(?P<comma>,?)[ \t]?{_DOTTED}(?<![ \t])(?![a-z])")
_BARE_BEHIND = re.compile(
    r",?[ \t](?P<letters>[^\W\d_a-z]{1,3})(?=\*{0,3}[ \t]*(?:[,.;:)&*}]|and\b|et\b|$))", re.MULTILINE
)
_BETWEEN = re.compile(
    r"(?:,?[ \t]+|[ \t]*[-–][ \t]*)(?:(?:[^\W\d_a-z]\.[ \t-]?){1,4}[ \t]?|[^\W\d_a-z][^\W\d_A-Z]+[ \t]+"
    rf"|(?:{PARTICLE}|e|o)[ \t]+){{0,3}}"
)
_LONGEST_BETWEEN = 40
_CAPITALISED_BEFORE = re.compile(r"(?<![\w.@/-])(?P<word>[^\W\d_a-z][^\W\d_A-Z]+(?:-[^\W\d_]+)?)[ \t]$")
_CAPITALISED_BEHIND = re.compile(r"[ \t](?P<word>[^\W\d_a-z][^\W\d_A-Z]+(?:-[^\W\d_]+)?)(?![\w@/-])")
_LAST_WORD = re.compile(r"([^\W\d_]+)[^\w\n.!?;]*$")
_NEXT_WORD = re.compile(r"[ \t]+([\w&+-]+)")
_PART_OF_WORD = re.compile(r"[^\W\d_][’'-]$")
_BROKEN = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,30}-\n[^\W\d_]{1,30}")
_OTHERS_FOLLOW = re.compile(r"[ \t]+(?:et[ \t]+al\b|and[ \t]+colleagues|und[ \t]+andere|u\.[ \t]?a\.)")
_CITED = re.compile(r"[ \t](?:&|and)[ \t][^\W\d_a-z][\w’'-]{1,30},?[ \t]?\(?(?:19|20)\d\d")


class Known:
    """The known forms of somebody's name: every way in which it is written."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = names = tuple(searched_for_names(name).text for name in names if name.strip())
        spaced = [word for name in names for word in WORD.findall(name) if not UNSPACED.search(word)]
        self.name_words = [_words_of(name) for name in names]
        words = {word for word in spaced if word not in PARTICLES and len(word) > 1}
        pieces = {piece for word in words for piece in APART.split(word) if len(piece) > SHORT}
        self.spelt = {bare_of(word) for word in words | pieces}
        self.spelt |= {
            bare_of(first) + bare_of(second)
            for words_of_name in self.name_words
            for first, second in permutations(words_of_name, 2)
            if len(bare_of(first) + bare_of(second)) > SHORT + 2
        }
        self.spelt |= {
            word for group in SHORT_NAMES if not group.isdisjoint(self.spelt) for word in group if len(word) >= SHORT
        }
        self.sounds = {sound(word) for word in self.spelt if len(sound(word)) >= _SOUNDS_FROM}
        self.letters = frozenset(letter for word in self.spelt for letter in word)
        self.initials = frozenset(latin(piece)[:1] for word in spaced for piece in APART.split(word) if piece)
        self.unspaced = _unspaced(names)
        family_words = self.spelt.union(name[:1] for name in self.unspaced)
        self.family_spellings = frozenset(
            word for group in FAMILIES if not group.isdisjoint(family_words) for word in group if word.isascii()
        )
        own_particles = sorted({particle for name in names for particle in _PARTICLE.findall(name)})
        alternatives = "|".join(map(re.escape, own_particles))
        self.particles = re.compile(rf"(?<!\w)(?:(?:{alternatives})[ \t]+){{1,3}}$") if own_particles else None
        self.in_small_letters = _in_small_letters(self.name_words)
        self._kinds: dict[str, Kind | None] = {}

    def kind(self, word: str) -> Kind | None:
        """What else a word, as it is written, may mean if it is of the name; None if it is not."""
        if word not in self._kinds:
            self._kinds[word] = self._kind(word) if len(word) <= _LONGEST_WORD else None
        return self._kinds[word]

    def _kind(self, word: str) -> Kind | None:
        if not word.isalpha():
            word = _POSSESSIVE.sub("", word)
        bare = bare_of(word)
        if bare not in self.spelt and not (word.istitle() and bare.endswith("s") and bare[:-1] in self.spelt):
            is_alike = len(bare) >= _SOUNDS_FROM + word[:1].islower() and sound(bare) in self.sounds
            if not is_alike or is_common(bare):
                return self._kind_of_compound(word)
        kind = kind_of(bare)
        may_be_small = kind != "word" and len(bare) > SHORT and not is_common(bare)
        return kind if may_be_small or not word[:1].islower() else None

    def _kind_of_compound(self, word: str) -> Kind | None:
        """Of "Johnson-Lindenstrauss" (a thing) and "Vogel-Schmidt" (a name), the name."""
        pieces = APART.split(word)
        if not word[:1].isupper() or len(pieces) == 1:
            return None
        kinds = [kind for piece in pieces if len(piece) > 1 and (kind := self.kind(piece))]
        return "plain" if "plain" in kinds or (kinds and len(kinds) == len(pieces)) else None


def may_be_unspaced_name(word: str) -> bool:
    """Whether a word in Chinese, Japanese or Korean, or two, may be somebody's name."""
    signs = word.replace(" ", "")
    longest = _LONGEST_KANA if _KANA.fullmatch(signs) else _LONGEST_UNSPACED
    return len(signs) <= longest and word.count(" ") <= 1 and not _IN_NO_NAME.search(word)


def _words_of(name: str) -> tuple[str, ...]:
    """The words of a name that are written with spaces between them, without particles."""
    return tuple(word for word in WORD.findall(name) if not UNSPACED.search(word) and word not in PARTICLES)


def _in_small_letters(word_lists: Iterable[tuple[str, ...]]) -> re.Pattern[str] | None:
    """Names of two words in small letters, "mei lin", unless both are ordinary words."""
    pairs = [words for words in word_lists if len(words) == 2 and len("".join(words)) > SHORT + 2]  # noqa: PLR2004
    pairs = [words for words in pairs if not all(is_common(bare_of(name)) for name in words)]
    pairs = [words for words in pairs if FUNCTION_WORDS.isdisjoint(map(bare_of, words))]
    orders = {order for words in pairs for order in permutations(re.escape(name.lower()) for name in words)}
    alternatives = "|".join(rf"{first}[ \t\n]{other}" for first, other in sorted(orders))
    return re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)") if alternatives else None


def _unspaced(names: Iterable[str]) -> tuple[str, ...]:
    """Names in Chinese, Japanese and Korean, and the given name of them alone."""
    words = {word for name in names for word in WORD.findall(name) if UNSPACED.match(word) and len(word) > 1}
    joined = {"".join(name.split()) for name in names if UNSPACED.match(name) and len("".join(name.split())) > 1}
    joined = {name for name in joined if all(map(UNSPACED.match, name))}
    given = {word[1:] for word in words if len(word) == SHORT}
    return tuple(sorted({*words, *joined, *given}, key=lambda name: (-len(name), name)))


class _Own(NamedTuple):
    """A word of the text that is of the name."""

    start: int
    end: int
    kind: Kind


def places(text: str, known: Known, *, strict: bool = False) -> Iterator[Span]:
    """Where the name stands in a text as it is searched for names; `strict`: also where a method called like it may be
    meant.
    """
    own = _own_words(text, known)
    number = 0
    while number < len(own):
        last = number
        while last + 1 < len(own) and _is_one_name(text[own[last].end : own[last + 1].start]):
            last += 1
        for start, end in _of_run(text, own[number : last + 1], known, strict=strict):
            before = known.particles and known.particles.search(text, max(0, start - _LOOKS_AROUND), start)
            yield before.start() if before else start, end
        number = last + 1
    for name in known.unspaced:
        pattern = r"[ \t]?".join(map(re.escape, name))
        yield from (match.span() for match in re.finditer(pattern, text))
    if known.in_small_letters:
        yield from (match.span() for match in known.in_small_letters.finditer(text))
    for match in _BROKEN.finditer(text) if "-\n" in text else ():
        if known.kind(match.group().replace("-\n", "")) == "plain":
            yield match.span()


def _own_words(text: str, known: Known) -> list[_Own]:
    """The words of the name in a text, in order. A word that occurs several times is checked once."""
    kinds = {word: kind for word in set(WORD.findall(text)) if (kind := known.kind(word)) and not UNSPACED.search(word)}
    if not kinds:
        return []
    alternatives = "|".join(map(re.escape, sorted(kinds, key=len, reverse=True)))
    pattern = re.compile(rf"(?<![^\W\d_])(?:{alternatives})(?![^\W\d_]|[’'-][^\W\d_])")
    words = (_Own(match.start(), match.end(), kinds[match.group()]) for match in pattern.finditer(text))
    return [word for word in words if not _PART_OF_WORD.search(text, max(0, word.start - 2), word.start)]


def _is_one_name(between: str) -> bool:
    return len(between) < _LONGEST_BETWEEN and _BETWEEN.fullmatch(between) is not None


def _of_run(text: str, run: list[_Own], known: Known, *, strict: bool) -> Iterator[Span]:
    start, end = _with_initials(text, run, known)
    is_alone = (start, end) == (run[0].start, run[-1].end)
    if len({text[word.start : word.end] for word in run}) > 1 or not is_alone:
        yield start, end
        return
    for word in run:
        other = _with_other_name(text, word, known)
        if other != (word.start, word.end) or _is_meant(text, word, strict=strict):
            yield other


def _with_initials(text: str, run: list[_Own], known: Known) -> Span:
    start, end = run[0].start, run[-1].end
    before = text[max(0, start - 24) : start].rpartition("\n")[2]
    plain = all(word.kind == "plain" for word in run)
    initials = _DOTTED_BEFORE.search(before)
    if not initials or not (plain or _are_own(initials.group(), known)):
        initials = _BARE_BEFORE.search(before)
        if initials and (not _are_own(initials.group(), known) or (not plain and initials.group() in {"A ", "I "})):
            initials = None
    if initials:
        start -= len(initials.group())
    if behind := _DOTTED_BEHIND.match(text, end):
        if not behind["comma"] or _are_own(behind.group(), known):
            end = behind.end()
    elif (behind := _BARE_BEHIND.match(text, end)) and _are_own(behind["letters"], known):
        end = behind.end()
    return start, end


def _are_own(letters: str, known: Known) -> bool:
    small = small_letters(letters)
    return bool(small) and small[0] in known.initials and known.letters.issuperset(small)


def small_letters(letters: str) -> str:
    """The letters alone, small and Latin: "X.-Y." is "xy"."""
    return "".join(latin(letter) for letter in letters if letter.isalpha())


def _with_other_name(text: str, word: _Own, known: Known) -> Span:
    """The place with a capitalised word beside it that completes the name: "Kate O’Brien" of Katherine O’Brien."""
    before = _CAPITALISED_BEFORE.search(text[max(0, word.start - 24) : word.start].rpartition("\n")[2])
    if before and _makes_a_name(before["word"], word, known):
        return word.start - len(before.group()), word.end
    behind = _CAPITALISED_BEHIND.match(text, word.end)
    if behind and _makes_a_name(behind["word"], word, known):
        return word.start, behind.end()
    return word.start, word.end


def _makes_a_name(neighbour: str, word: _Own, known: Known) -> bool:
    bare = bare_of(neighbour)
    if bare in known.family_spellings:
        return True
    return word.kind == "plain" and kind_of(bare) == "plain" and bare not in FUNCTION_WORDS


def _is_meant(text: str, word: _Own, *, strict: bool) -> bool:
    """Whether a word of the name that stands alone is the name here."""
    written = text[word.start : word.end]
    before = text[max(0, word.start - _LOOKS_AROUND) : word.start].rpartition("\n")[2]
    behind = text[word.end : word.end + _LOOKS_AROUND].partition("\n")[0]
    if not WORD.search(before) and not WORD.search(behind):
        return True
    is_acronym = written.isupper() and len(written) <= _ACRONYM and len(written) > 1
    if word.kind == "plain" and not is_acronym:
        return strict or not TECHNICAL_BEHIND.match(text, word.end)
    follows, last = _NEXT_WORD.match(behind), _LAST_WORD.search(before)
    next_word = follows[1] if follows else ""
    if _OTHERS_FOLLOW.match(behind) or _CITED.match(behind) or next_word in DEEDS:
        return True
    if word.kind == "eponym" and not is_acronym:
        is_noun = next_word[:1].islower() and next_word not in FUNCTION_WORDS
        return not (is_noun or next_word[:2].isupper() or re.match(r"[-–]\w|['’]s?[ \t]+[a-z]", behind))
    if last is None or last[1].casefold() in SAID_TO:
        return last is not None
    # Behind prose an ordinary word has no capital, as it has in a title or a longer name.
    is_title = next_word[:1].isupper() or bare_of(written) in TECHNOLOGIES or is_acronym
    is_prose = last[1].islower() or last[1].casefold() in FUNCTION_WORDS
    return strict and written[:1].isupper() and not is_title and is_prose
