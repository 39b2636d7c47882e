"""Further forms of a person's name in their texts, which blind review hides beside the known one.

Former and maiden names, nicknames, names in brackets or in another script; initials alone, and names of accounts and
files that are made of the name. Texts are as they are searched for names.
"""

from __future__ import annotations

import re
from itertools import combinations, permutations
from typing import TYPE_CHECKING

from portal.matching.language.spelling import is_common
from portal.matching.privacy.names import (
    APART,
    PARTICLE,
    PIECE,
    SHORT,
    UNSPACED,
    WORD,
    Known,
    may_be_unspaced_name,
    small_letters,
)
from portal.matching.privacy.words import PARTICLES, bare_of, kind_of, latin, sound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.matching.results import Span

_HEAD_LINES = 4
_MOST_WORDS = 2  # of a name in brackets
_MOST_FOREIGN = 3
_PARTS = r"[^\W\d_a-z]\.|[^\W\d_a-z][\w'’-]{0,30}"
_NAME = (
    rf"(?P<name>(?:{_PARTS})(?:[ \t](?:{PARTICLE}[ \t]){{0,2}}(?:{_PARTS})){{0,3}}"
    r"|[\u4e00-\u9fff·]{2,4}|[\uac00-\ud7a3]{2,4}|[\u3040-\u30ff]{2,8})"
)
_QUOTES = r"[ \t]*[:：]?[ \t]*[\"“‘„«'(]?"
_CUED = re.compile(
    r"(?<!\w)(?i:(?:née|nee|geb\.|geborene[rn]?|(?:birth|maiden|legal|preferred) name|(?:former|previous) (?:sur)?name"
    r"|nickname(?:d)?|(?:also|better) known as|aka|a\.k\.a\.|goes by|go by|calls? me|nom de (?:jeune fille|naissance)"
    r"|Geburtsname|Mädchenname|genannt|dříve|rozená|z domu|kızlık soyadı|(?:nombre |apellido )?de soltera"
    r"|nome de solteir[ao]|урожд(?:\.|[её]нная)|девичья фамилия|旧姓|曾用名|英文名|又名"
    r"|(?:publish\w*|papers|publications|publi[ck]\w*|author\w*)[ \t]*\(?[ \t]*(?:under|as|als|unter|sous|bajo|como))"
    r"(?:[ \t]+(?:the|my|my maiden|is|was|name|names|surname|of|il|le|el|nom de|dem|Namen)){0,4})"
    rf"{_QUOTES}[ \t]*{_NAME}"
)
_ONCE = re.compile(
    r"(?<!\w)(?i:(?:formerly|previously|earlier|once|until \d{4}|before \d{4}|now|ehemals|früher|anciennement|antes|già"
    r"|wcześniej|eski|ранее|бывш\w+|раньше|born|alias)(?:[ \t]+(?:known|published|writing|called))?(?:[ \t]+as)?)"
    rf"(?:{_QUOTES}|[ \t]*[–—-][ \t]*)[ \t]*{_NAME}"
)
_INITIALS_OR_LETTER = re.compile(r"[B-DF-HJ-NP-TV-XZ]{1,4}|.")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_SPLIT = re.compile(r"(?<=[^\W\d_]{2})\.[ \t]|[|/()（）,;·•–—:\"“”„«»\t]|[ \t]-[ \t]")
_DOTTED = re.compile(r"(?<![^\W\d_])[^\W\d_]\.")
_BRACKETED = re.compile(
    r"(?:(?<!\w)(?P<before>[^\W\d_a-z][\w’'-]{1,30}))?[ \t]{0,3}[(（\"“][ \t]*(?P<inside>[^()（）\"”\n]{2,24})[)）\"”]"
)
_INITIALS = re.compile(r"(?<![\w.@/&-])(?:[^\W\d_a-z]\.[ \t-]?){2,4}(?![^\W\d_])(?!\S?[^\W\d_a-z][^\W\d_])")
_SIGNED = re.compile(r"(?m)(?:^[ \t>*_-]*|[–—-][ \t]?)(?P<letters>[^\W\d_a-z]{2,4})[ \t\n*_.-]*\Z")
_LISTED = re.compile(
    r"(?<![\w.&-])(?P<letters>[^\W\d_a-z]{2,4})(?=,[ \t](?:[^\W\d_a-z]\.[ \t-]?){1,3}[^\W\d_a-z][^\W\d_A-Z])"
)
_SPACED_OUT = re.compile(r"(?<!\w)(?:[^\W\d_][ .·_-]{1,3}){4,40}[^\W\d_](?!\w)")
_TOKEN = re.compile(r"(?<![\w.+-])[^\W_][\w.+-]{1,60}(?<!_)(?![\w+-])")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SOUNDS_FROM = 5  # letters of an account's name


def further_names(text: str, known: Known) -> tuple[str, ...]:
    """The further names in `text`, and those beside these in turn: "Ганна / Anna Ivanova (Anna Roy)"."""
    names = set(_names_beside(text, known))
    if names:
        names |= set(_names_beside(text, Known((*known.names, *sorted(names)))))
    return tuple(sorted(names.difference(known.names)))


def _names_beside(text: str, known: Known) -> Iterator[str]:
    for match in _CUED.finditer(text):
        yield from _plausible(match["name"])
    for match in _ONCE.finditer(text):
        before = WORD.findall(text[max(0, match.start() - 40) : match.start()].rpartition("\n")[2])
        words = match["name"].split()
        has_initial = any(word.endswith(".") and latin(word[0]) in known.initials for word in words)
        ends_in_name = bool(before) and known.kind(before[-1]) is not None
        if any(map(known.kind, words)) or (len(words) > 1 and (has_initial or ends_in_name)):
            yield from _plausible(match["name"])
    # “Kate (Katherine)”, “Katherine (Kate)”, “Oluwaseun "Seun"”: each where the other is known.
    for match in _BRACKETED.finditer(text):
        before_it, inside = match["before"] or "", match["inside"].strip()
        words = inside.split()
        if before_it and known.kind(before_it) and len(words) <= _MOST_WORDS and _are_names(words):
            yield inside
        elif before_it and words and all(map(known.kind, words)) and _are_names([before_it]):
            yield before_it
    yield from _in_head(text, known)


def _plausible(name: str) -> Iterator[str]:
    """The words of a name that may be names; nothing if none may be."""
    if UNSPACED.match(name):
        yield name
        return
    words = [word.strip(".,'’") for word in name.split()]
    own = [word for word in words if kind_of(latin(word)) != "word" or len(words) > 1]
    if any(len(word) > 1 and kind_of(latin(word)) != "word" for word in own):
        # A letter alone is an initial, which is hidden beside the name.
        yield " ".join(word for word in own if len(word) > 1)


def _in_head(text: str, known: Known) -> Iterator[str]:
    """Names on the lines at the top that stand on one line with a known one, or share a word with it."""
    for line in [line for line in text[:2_000].splitlines() if WORD.search(line)][:_HEAD_LINES]:
        in_line = [word for word in WORD.findall(line) if known.kind(word)]
        in_other_script = any(name in line for name in known.unspaced) or not all(map(_LATIN.match, in_line))
        for piece in _SPLIT.split(line) if in_line or in_other_script else ():
            words = WORD.findall(piece)
            unspaced = " ".join(word for word in words if UNSPACED.match(word))
            spaced = [word for word in words if not UNSPACED.match(word) and not _INITIALS_OR_LETTER.fullmatch(word)]
            if unspaced and may_be_unspaced_name(unspaced) and not any(map(piece.__contains__, known.unspaced)):
                yield unspaced
            are_few = len(spaced) <= _MOST_FOREIGN
            is_foreign = are_few and any(not latin(word).isascii() for word in spaced)
            is_related = any(map(known.kind, spaced)) or (in_other_script and are_few)
            is_name = len(spaced) > 1 and is_related and not _DOTTED.search(piece)
            if (is_foreign and piece.strip() == " ".join(spaced)) or (
                is_name and _are_names(spaced, len(spaced) // 2 if in_other_script else 0)
            ):
                yield " ".join(spaced)


def _are_names(words: Iterable[str], most_common: int = 0) -> bool:
    """Whether the words may be a name: each with a capital at its head, and not more than so many common ones."""
    words = list(words)
    return sum(kind_of(latin(word)) == "word" for word in words) <= most_common and all(
        word[:1].isupper() or not latin(word).isascii() or UNSPACED.match(word) for word in words
    )


def other_places(text: str, known: Known, address: str) -> Iterator[Span]:
    """Where the name stands in another form: as initials alone, or in names of accounts and files. `address` is the
    local part of the person's e-mail address.
    """
    initials = {frozenset(name[0] for name in map(latin, names)) for names in known.name_words if len(names) > 1}
    for match in _INITIALS.finditer(text) if initials else ():
        if frozenset(small_letters(match.group())) in initials:
            yield match.start(), match.start() + len(match.group().rstrip())
    for match in (*_SIGNED.finditer(text), *_LISTED.finditer(text)) if initials else ():
        if frozenset(small_letters(match["letters"])) in initials:
            yield match.span("letters")
    handles = _handles(known, address)
    sounds = frozenset(map(sound, handles))
    tokens = {token for token in set(_TOKEN.findall(text)) if _is_account(token, known, handles, sounds)}
    yield from (match.span() for match in _TOKEN.finditer(text) if match.group() in tokens)
    for match in _SPACED_OUT.finditer(text):
        joined = bare_of("".join(PIECE.findall(match.group())))
        if any(handle in joined for handle in handles):
            yield match.span()


def _handles(known: Known, address: str) -> frozenset[str]:
    """Names of accounts made of such a name: "linmei", "mlin", "meil", and the local part of the address."""
    handles = {bare_of(piece) for piece in (*PIECE.findall(address), address)}
    for names in known.name_words:
        pieces = dict.fromkeys(piece for name in names for piece in (name, *APART.split(name)) if piece)
        bare = [bare_of(piece) for piece in pieces]
        for first, second in permutations(bare, 2):
            handles.add(first + second)
            handles |= {first[0] + second} if len(second) > SHORT else set()
            handles |= {first + second[0]} if len(first) > SHORT else set()
        for first in bare:
            handles.add("".join(name[0] for name in bare if name != first) + first)
        handles |= {"".join(bare), "".join(reversed(bare)), *bare}
    for name in known.names:
        words = [word for word in WORD.findall(name) if not UNSPACED.search(word)]
        full = [bare_of(word) for word in words]
        short = [bare[0] if word in PARTICLES else bare for word, bare in zip(words, full, strict=True)]
        if not PARTICLES.isdisjoint(words):  # "vandenberg", "zoevandenberg", "zoevdberg"
            handles |= {"".join(form[start:]) for form in (full, short) for start in range(len(form) - 1)}
    return frozenset(handle for handle in handles if len(handle) > SHORT and not is_common(handle))


def _is_account(token: str, known: Known, handles: frozenset[str], sounds: frozenset[str]) -> bool:
    def is_handle(piece: str) -> bool:
        is_alike = len(piece) >= _SOUNDS_FROM and sound(piece) in sounds and not is_common(piece)
        return (piece in handles or is_alike) and kind_of(piece) == "plain"

    if token.isalpha() and (token.islower() or token.istitle() or not token.isascii()):
        return token.lower() not in known.spelt and is_handle(token.lower())
    pieces = [bare_of(piece) for piece in PIECE.findall(token)]
    parts = [bare_of(part) for piece in PIECE.findall(token) for part in _CAMEL.split(piece)]
    # "MariaDB" is a thing, "maria_db" and "MariaGarcia" are accounts.
    joined = {"".join(parts[start:end]) for start, end in combinations(range(len(parts) + 1), 2) if end - start > 1}
    return not handles.isdisjoint(joined) or any(map(is_handle, pieces))
