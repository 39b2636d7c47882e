"""Finds somebody's name in a text: in any order and spelling, with initials, as initials alone, in account names.

A word of the name that is an ordinary word, a technology or the name of a method as well (Ray, Swift, Taylor) is taken
for the name only where it is used like one: "Ray wrote", not "Ray tasks".
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.spelling import is_common
from portal.matching.privacy.late_patterns import LatePattern
from portal.matching.privacy.name_knowledge import PARTICLE, PIECE, UNSPACED, WORD, Kind, kind_of
from portal.matching.privacy.name_spelling import bare_of, latin, sound
from portal.matching.privacy.name_words import DEEDS, FUNCTION_WORDS, SAID_TO, TECHNOLOGIES, THINGS_DO
from portal.matching.privacy.rules import NOT_TECHNICAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.matching.privacy.name_knowledge import Known
    from portal.matching.results import Span

_LOOKS_AROUND = 80  # characters
_LONGEST_BEFORE = 24  # characters of initials and particles
_ACRONYM = 4  # letters, at most, if all are capitals
_MEANS_NO_THING = LatePattern(NOT_TECHNICAL)
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
_CAPITALISED_BEFORE = re.compile(r"(?<![\w.@/-])(?P<word>[^\W\d_a-z][^\W\d_A-Z]+(?:-[^\W\d_]+)?)[ \t]$")
_CAPITALISED_BEHIND = re.compile(r"[ \t](?P<word>[^\W\d_a-z][^\W\d_A-Z]+(?:-[^\W\d_]+)?)(?![\w@/-])")
_LAST_WORD = re.compile(r"([^\W\d_]+)[^\w\n.!?;]*$")
_SIGNED_BY = frozenset({"am", "by", "dear", "hi", "name", "regards", "sincerely", "yours", "me", "i'm"})
_NEXT_WORD = re.compile(r"[ \t]+([\w&+-]+)")
_PART_OF_WORD = re.compile(r"[^\W\d_][’'-]$")
_COMPOUND = re.compile(r"[-–][^\W\d_]")
_OWNED = re.compile(r"['’]s?[ \t]+[a-z]")
_INITIALS = re.compile(r"(?<![\w.@/&-])(?:[^\W\d_a-z]\.[ \t-]?){2,4}(?![^\W\d_])")
_SIGNED = re.compile(r"(?m)(?:^[ \t>*_-]*|[–—-][ \t]?|\()(?P<letters>[^\W\d_a-z]{2,4})(?=[ \t*_]*$|\))")
_LISTED = re.compile(
    r"(?<![\w.&-])(?P<letters>[^\W\d_a-z]{2,4})(?=,[ \t](?:[^\W\d_a-z]\.[ \t-]?){1,3}[^\W\d_a-z][^\W\d_A-Z])"
)
_SPACED_OUT = re.compile(r"(?<!\w)(?:[^\W\d_][ .·_-]{1,3}){4,40}[^\W\d_](?!\w)")
_BROKEN = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,30}-\n[^\W\d_]{1,30}")
_FOREIGN_INITIALS = re.compile(r"(?<![\w.@/&-])(?P<letters>[^\W\d_a-z]{2,4})(?!\w)")
_OTHERS_FOLLOW = re.compile(r"[ \t]+(?:et[ \t]+al\b|and[ \t]+colleagues|und[ \t]+andere|u\.[ \t]?a\.)")
_CITED = re.compile(r"[ \t](?:&|and)[ \t][^\W\d_a-z][\w’'-]{1,30},?[ \t]?\(?(?:19|20)\d\d")
_CREDITS = re.compile(r"(?i)\b(?:author )?contributions?\b[^\n]{0,2}:?")
_CREDITED = re.compile(
    r"(?<![\w.&-])(?P<letters>[^\W\d_a-z]{2,4})(?=,| and | & |[ \t][a-z]+ed\b|[ \t](?:wrote|ran|led)\b)"
)
_NEXT_WORD_IS_NAME = re.compile(r"[^\W\d_a-z][^\W\d_]")
_TOKEN = re.compile(r"(?<![\w.+-])[^\W_][\w.+-]{1,60}(?<!_)(?![\w+-])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


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
            yield _begin_with_particles(text, start, known), end
        number = last + 1
    for name in known.unspaced:
        pattern = r"[ \t]?".join(map(re.escape, name))
        yield from (match.span() for match in re.finditer(pattern, text))
    if known.in_small_letters:
        yield from (match.span() for match in known.in_small_letters.finditer(text))
    yield from _initials_alone(text, known)
    yield from _accounts(text, known)
    for match in _BROKEN.finditer(text) if "-\n" in text else ():
        if known.kind(match.group().replace("-\n", "")) == "plain":
            yield match.span()
    for match in _SPACED_OUT.finditer(text):
        joined = bare_of("".join(PIECE.findall(match.group())))
        if any(handle in joined for handle in known.handles):
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
    return len(between) < 40 and _BETWEEN.fullmatch(between) is not None  # noqa: PLR2004  (characters)


def _begin_with_particles(text: str, start: int, known: Known) -> int:
    """Where the name begins if particles of it stand before `start`."""
    before = known.particles and known.particles.search(text, max(0, start - _LOOKS_AROUND), start)
    return before.start() if before else start


def _of_run(text: str, run: list[_Own], known: Known, *, strict: bool) -> Iterator[Span]:
    start, end = _with_initials(text, run, known)
    is_alone = (start, end) == (run[0].start, run[-1].end)
    if len({text[word.start : word.end] for word in run}) > 1 or not is_alone:
        if not (is_alone and _is_called_like(text, run, known)):
            yield start, end
        return
    for word in run:
        other_start, other_end = _with_other_name(text, word, known)
        if (other_start, other_end) != (word.start, word.end):
            yield other_start, other_end
        elif _is_meant(text, word, strict=strict):
            yield word.start, word.end


def _is_called_like(text: str, run: list[_Own], known: Known) -> bool:
    """Whether a part of the name that is ordinary words is a thing here: "Robin Hood hashing" of Robin Hood Marsh."""
    is_part = len(run) < max(map(len, known.name_words), default=0)
    follows = _NEXT_WORD.match(text, run[-1].end)
    is_thing = follows and follows[1][:1].islower() and follows[1] not in FUNCTION_WORDS | DEEDS
    return is_part and bool(is_thing) and all(word.kind == "word" for word in run)


def _with_initials(text: str, run: list[_Own], known: Known) -> Span:
    start, end = run[0].start, run[-1].end
    before = text[max(0, start - _LONGEST_BEFORE) : start].rpartition("\n")[2]
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
    small = _small(letters)
    return bool(small) and small[0] in known.initials and known.letters.issuperset(small)


def _small(letters: str) -> str:
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
        return strict or _MEANS_NO_THING.compiled.match(text, word.end) is not None
    is_cited = _OTHERS_FOLLOW.match(behind) or _CITED.match(behind)
    follows = _NEXT_WORD.match(behind)
    next_word = follows[1] if follows else ""
    if is_cited or (word.kind == "eponym" and not is_acronym):
        is_noun = next_word[:1].islower() and next_word not in FUNCTION_WORDS | DEEDS
        names_a_thing = is_noun or next_word[:2].isupper()  # "Hopper GPUs"
        return bool(is_cited) or not (names_a_thing or _COMPOUND.match(behind) or _OWNED.match(behind))
    last = _LAST_WORD.search(before)
    is_deed = next_word in DEEDS and (strict or next_word not in THINGS_DO)
    if last and strict:
        is_title = next_word[:1].isupper() or bare_of(written) in TECHNOLOGIES or is_acronym
        return _is_somebody(last[1], next_word) or (written[:1].isupper() and not is_title and _is_prose(last[1]))
    return last[1].casefold() in _SIGNED_BY if last else is_deed


def _is_somebody(last: str, next_word: str) -> bool:
    return last.casefold() in SAID_TO or next_word in DEEDS - THINGS_DO


def _is_prose(last: str) -> bool:
    """Whether behind this word an ordinary word has no capital, as it has in a title or a longer name."""
    return last.islower() or last.casefold() in FUNCTION_WORDS


def _initials_alone(text: str, known: Known) -> Iterator[Span]:
    """Initials of the name without it: "M. L." anywhere, "ML" as a signature or in a list of authors."""
    if not any(len(names) > 1 for names in known.name_words):
        return
    known_initials = {frozenset(name[0] for name in map(latin, names)) for names in known.name_words if len(names) > 1}
    for match in _INITIALS.finditer(text):
        if frozenset(_small(match.group())) in known_initials and not _NEXT_WORD_IS_NAME.match(text, match.end()):
            yield match.start(), match.start() + len(match.group().rstrip())
    for match in _FOREIGN_INITIALS.finditer(text):
        if not match["letters"].isascii() and frozenset(_small(match["letters"])) in known_initials:
            yield match.span()
    credited = _CREDITED.finditer(text) if _CREDITS.search(text) else ()
    yield from (match.span() for match in credited if frozenset(_small(match["letters"])) in known_initials)
    for match in (*_SIGNED.finditer(text), *_LISTED.finditer(text)):
        letters = _small(match["letters"])
        if frozenset(letters) in known_initials and (match.re is _LISTED or _is_signature(text, match)):
            yield match.span("letters")


def _is_signature(text: str, match: re.Match[str]) -> bool:
    """Whether a match is at the end of a text, where no heading is."""
    if text[match.start()] == "(":
        return False
    return not text[match.end() :].strip(" \t\n*_-.")


def _accounts(text: str, known: Known) -> Iterator[Span]:
    """Names of accounts, files and keys that are made of the name."""
    tokens = {token for token in set(_TOKEN.findall(text)) if _is_account(token, known)}
    if tokens:
        yield from (match.span() for match in _TOKEN.finditer(text) if match.group() in tokens)


def _is_account(token: str, known: Known) -> bool:
    if token.isalpha() and (token.islower() or token.istitle() or not token.isascii()):
        bare = token.lower()
        return bare not in known.spelt and _is_handle(bare, known)
    pieces = [bare_of(piece) for piece in PIECE.findall(token)]
    parts = [bare_of(part) for piece in PIECE.findall(token) for part in _CAMEL.split(piece)]
    # "MariaDB" is a thing, "maria_db" and "MariaGarcia" are accounts.
    joined = {"".join(parts[start:end]) for start, end in combinations(range(len(parts) + 1), 2) if end - start > 1}
    return not known.handles.isdisjoint(joined) or any(_is_handle(piece, known) for piece in pieces)


def _is_handle(piece: str, known: Known) -> bool:
    is_alike = len(piece) > _ACRONYM and sound(piece) in known.handle_sounds and not is_common(piece)
    return (piece in known.handles or is_alike) and kind_of(piece) == "plain"
