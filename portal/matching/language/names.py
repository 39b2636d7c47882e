"""Names of systems as terms of their own.

Many systems bear ordinary words as names (Hydra, Symphony, Mars). Beside its ordinary words a system gives
its work one further term, the name itself; a query has that term when it is the bare name, in any spelling,
or when it writes the name exactly as its authors do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.beside_names import is_version, saying_something
from portal.matching.language.spelling import is_common
from portal.matching.language.terms import compact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from portal.matching.language.words import Word
    from portal.matching.records import LabDoc
    from portal.matching.results import Span

_LONGEST_OWNER = 60
_OWNER = re.compile(rf"[\w.-]{{1,{_LONGEST_OWNER}}}/$")
"""Whose a repository is, before its name ("punica-ai/punica")."""
_CAPITALS_WITHIN = re.compile(r"[^\W_A-Z][A-Z]|[A-Z]{2}[a-z]")
_MARK = "\x1e"  # no token holds it, so a name never collides with an ordinary term
_LONGEST_NAME = 6
_HEAD = 5
_FEW = 4
"""Words of a work on a system, beside its name."""
_SURELY_A_NAME = 3
"""Words: nobody writes so many of a name in a row by chance."""


class NameMention(NamedTuple):
    """A system's name found in a text, with its span.

    `meant` tells that the writer means the system: the text is nothing but names, or spells the name exactly
    as its authors do. `certain` tells that no ordinary word is spelt so ("FlexGen" is, "Hydra" is not). `alone` tells
    that there is nothing beside the name but what goes with the system; `telling` are the places of what of that is of
    this system, not of any.
    """

    key: str
    start: int
    end: int
    meant: bool
    certain: bool
    alone: bool = False
    telling: tuple[Span, ...] = ()

    def by_itself(self, telling: Iterable[Word] = ()) -> NameMention:
        """The same with nothing beside it but what is `telling` of the system."""
        places = tuple([(word.start, word.end) for word in telling])
        return self._replace(meant=True, certain=True, alone=True, telling=places)


class Names(dict[str, frozenset[str]]):
    """The keys of systems' names with how they are written."""

    @cached_property
    def heads(self) -> frozenset[str]:
        """With what names begin: a first word has its first letters, or all, in common with one of these."""
        return frozenset(key[1 : 1 + length] for key in self for length in range(1, _HEAD + 1))


class ManyNames(Mapping[str, frozenset[str]]):
    """Several tables of names as one."""

    def __init__(self, tables: Sequence[Names]) -> None:
        self._tables = tables

    def __getitem__(self, key: str) -> frozenset[str]:
        found = [table[key] for table in self._tables if key in table]
        if not found:
            raise KeyError(key)
        return frozenset().union(*found)

    def __contains__(self, key: object) -> bool:
        return any(key in table for table in self._tables)

    def __iter__(self) -> Iterator[str]:
        return iter({key: None for table in self._tables for key in table})

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return bool(self._tables)

    def may_begin(self, forms: Iterable[str]) -> bool:
        """Whether a name may begin with one of the folded words."""
        heads = [form[:_HEAD] for form in forms]
        return not all(table.heads.isdisjoint(heads) for table in self._tables)


def name_key(name: str) -> str:
    """The key of the term that stands for the system `name`."""
    return _MARK + compact(name)


def compact_name(key: str) -> str:
    """The name with the key `key`, folded and written together."""
    return key.removeprefix(_MARK)


def names_of(lab: LabDoc) -> dict[str, str]:
    """Key → spelling of every system of `lab`."""
    return {name_key(name): name for work in lab.works for name in work.systems if compact(name)}


def mentions(
    text: str,
    lines: Iterable[Sequence[Word]],
    spellings: Mapping[str, frozenset[str]],
    is_said_of: Callable[[str, Sequence[str]], bool] | None = None,
) -> list[NameMention]:
    """The systems that sentences of `text` name, the longest name at each place; `lines` are the words of each.

    `spellings` maps the keys of names to how they are written. `is_said_of` tells whether a work on the system with
    a key says all of some folded words itself, but for who wrote it and when; a few such words leave the name a
    bare one.
    """
    if not spellings:
        return []
    found: list[NameMention] = []
    others: list[Word] = []
    for words in lines:
        position = 0
        while position < len(words):
            name = _longest_name(words, position, spellings)
            if name is None:
                others.append(words[position])
                position += 1
                continue
            key, length = name
            begin = words[position].start
            owner = _OWNER.search(text, max(0, begin - _LONGEST_OWNER - 1), begin)
            while owner and others and others[-1].start >= owner.start():
                others.pop()
            found.append(_mention(text, key, words[position : position + length], spellings[key]))
            position += length
    rest: list[Word] = []
    if found and others:
        unmistakable = all(_is_unmistakable(spellings[name.key]) for name in found)
        ordinary = not unmistakable and any(_may_be_a_word(name, text) for name in found)
        rest = saying_something(others, is_unmistakable=unmistakable, is_ordinary=ordinary)
    if not rest:
        return [mention.by_itself() for mention in found]
    if is_said_of is None or len(rest) > _FEW:
        return found
    forms = [word.form for word in rest]
    return [
        mention.by_itself(rest)
        if len(rest) > _is_ordinary(mention, text) and is_said_of(mention.key, forms)
        else mention
        for mention in found
    ]


def _longest_name(
    words: Sequence[Word], position: int, spellings: Mapping[str, frozenset[str]]
) -> tuple[str, int] | None:
    best: tuple[str, int] | None = None
    joined = _MARK
    for length, word in enumerate(words[position : position + _LONGEST_NAME], start=1):
        version = joined + "v" + word.form
        joined += word.form
        if joined in spellings:
            best = joined, length
        elif version in spellings and is_version(word.form):
            best = version, length
    return best


def _is_ordinary(mention: NameMention, text: str) -> bool:
    """Whether a name is written like an ordinary word and is one ("parse")."""
    written = text[mention.start : mention.end]
    return written[1:].islower() and is_common(written.casefold())


def _may_be_a_word(mention: NameMention, text: str) -> bool:
    """Whether a name is an ordinary word, and no capital within a text tells that it is meant ("work on Symphony")."""
    return _is_ordinary(mention, text) and not (mention.start and text[mention.start].isupper())


def _is_unmistakable(spellings: Iterable[str]) -> bool:
    """Whether a name has capitals within a word, so that whoever writes it hardly means a word ("AXLearn")."""
    return any(map(_CAPITALS_WITHIN.search, spellings))


def _mention(text: str, key: str, words: Sequence[Word], spellings: frozenset[str]) -> NameMention:
    start, end = words[0].start, words[-1].end
    written = text[start:end]
    ordinary = written.islower() or (written[:1].isupper() and written[1:].islower())
    meant = written in spellings
    certain = (meant and not ordinary) or len(words) >= _SURELY_A_NAME
    return NameMention(key, start, end, meant or certain, certain)
