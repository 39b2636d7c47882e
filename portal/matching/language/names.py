"""Names of systems as terms of their own.

Many systems are named with ordinary words (Hydra, Symphony, Mars). In addition to the words of its texts, a work has
one more term for the name of each of its systems. A query has this term if it is nothing but the name, in any spelling,
or if it writes the name exactly as its authors do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.beside_names import is_version, telling_words
from portal.matching.language.spelling import is_common
from portal.matching.language.terms import compact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from portal.matching.language.words import Word
    from portal.matching.records import LabDoc
    from portal.matching.results import Span

_LONGEST_OWNER = 60
_OWNER = re.compile(rf"[\w.-]{{1,{_LONGEST_OWNER}}}/$")
"""The owner of a repository, before its name ("punica-ai/punica")."""
_CAPITALS_WITHIN = re.compile(r"[^\W_A-Z][A-Z]|[A-Z]{2}[a-z]")
_MARK = "\x1e"  # in no token, so that a name never collides with an ordinary term
_LONGEST_NAME = 6
_HEAD = 5
_FEW = 4
"""Up to so many other words, all from a work on the system, leave a text one that only names the system."""
_SOME = 2
"""Telling words beside a name that show whether it is meant."""
_SURELY_A_NAME = 3
"""Nobody writes so many words of a name in a row by chance."""


class NameMention(NamedTuple):
    """A system's name found in a text, with its span.

    `meant`: the writer means the system, because the text is nothing but names or spells the name exactly as its
    authors do. `certain`: no ordinary word is spelled like this ("FlexGen", but not "Hydra"). `alone`: the text has no
    words besides the name except those that go with the system. `telling` are the spans of the words among these that
    go with this system only.
    """

    key: str
    start: int
    end: int
    meant: bool
    certain: bool
    alone: bool = False
    telling: tuple[Span, ...] = ()

    def by_itself(self, telling: Iterable[Word] = ()) -> NameMention:
        """A copy for a text with no other words than these, which are `telling` of the system."""
        places = tuple([(word.start, word.end) for word in telling])
        return self._replace(meant=True, certain=True, alone=True, telling=places)


class Names(dict[str, frozenset[str]]):
    """Key → spellings of systems' names."""

    @cached_property
    def heads(self) -> frozenset[str]:
        """The beginnings of all names, of one to `_HEAD` letters. A word can begin a name only if its own is here."""
        return frozenset(key[1 : 1 + letters] for key in self for letters in range(1, _HEAD + 1))


class ManyNames(Mapping[str, frozenset[str]]):
    """Several tables of names as one."""

    def __init__(self, tables: Sequence[Names]) -> None:
        self._tables = tables

    def __getitem__(self, key: str) -> frozenset[str]:
        spellings = [table[key] for table in self._tables if key in table]
        if not spellings:
            raise KeyError(key)
        return frozenset().union(*spellings)

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

    def beginnings(self, words: Iterable[Word]) -> frozenset[str]:
        """The heads of those words with which a name may begin."""
        heads = {word.form[:_HEAD] for word in words}
        return frozenset().union(*(table.heads & heads for table in self._tables))


def name_key(name: str) -> str:
    """The key of the term that stands for the system `name`."""
    return _MARK + compact(name)


def compact_name(key: str) -> str:
    """The name with this key, folded and without spaces."""
    return key.removeprefix(_MARK)


def names_of(lab: LabDoc) -> dict[str, str]:
    """Key → spelling of every system of `lab`."""
    return {name_key(name): name for work in lab.works for name in work.systems if compact(name)}


def mentions(
    text: str,
    lines: Sequence[Sequence[Word]],
    names: ManyNames,
    is_said_of: Callable[[str, Sequence[str]], bool] | None = None,
    unused_and_unknown: Callable[[Sequence[str]], tuple[int, int]] | None = None,
) -> list[NameMention]:
    """Those of `names` that are in `text`, the longest at each place; `lines` are the words of its sentences.

    `is_said_of` takes the key of a name and some folded words, and returns whether a work on this system contains them
    all (apart from its authors and year). A text with only a few such words besides the name counts as one that only
    names the system. `unused_and_unknown` counts the folded words that no lab uses, and those of them that concepts do
    not know either: what else the text says shows whether a name that may mean something else is the system's.
    """
    named, others = _find_names(text, lines, names)
    telling: list[Word] = []
    if named and others:
        unmistakable = all(_is_unmistakable(names[name.key]) for name in named)
        ordinary = not unmistakable and any(_may_be_a_word(name, text) for name in named)
        telling = telling_words(others, is_unmistakable=unmistakable, is_ordinary=ordinary)
    if not telling:
        return [mention.by_itself() for mention in named]
    if is_said_of is None or len(telling) > _FEW:
        return named
    forms = [word.form for word in telling]
    unused, unknown = unused_and_unknown(forms) if unused_and_unknown else (len(forms), 0)
    return [
        mention.by_itself(telling)
        if len(telling) > _is_ordinary(mention, text) and is_said_of(mention.key, forms)
        else _beside(mention, text, len(forms), unused, unknown)
        for mention in named
    ]


def _beside(mention: NameMention, text: str, words: int, unused: int, unknown: int) -> NameMention:
    """A name as it is meant beside so many telling words.

    Two and more words of the labs leave no doubt about a name with a capital within the text ("to extend Hetu to new
    accelerators"). Where at least two, and half, are unknown, capitals may abbreviate something else ("VTC, Vocational
    Training Council").
    """
    if words < _SOME:
        return mention
    if mention.meant and not unused and mention.start:
        return mention._replace(certain=True)
    if _SOME <= unknown >= words / 2 and text[mention.start : mention.end].isupper():
        return mention._replace(meant=False, certain=False)
    return mention


def _find_names(text: str, lines: Sequence[Sequence[Word]], names: ManyNames) -> tuple[list[NameMention], list[Word]]:
    """The names in the sentences of `text`, and all other words without the owners of repositories."""
    named: list[NameMention] = []
    others: list[Word] = []
    beginnings = names.beginnings(chain.from_iterable(lines))
    for words in lines:
        position = 0
        while position < len(words):
            may_begin = words[position].form[:_HEAD] in beginnings
            name = _longest_name(words, position, names) if may_begin else None
            if name is None:
                others.append(words[position])
                position += 1
                continue
            key, length = name
            begin = words[position].start
            owner = _OWNER.search(text, max(0, begin - _LONGEST_OWNER - 1), begin)
            while owner and others and others[-1].start >= owner.start():
                others.pop()
            named.append(_mention(text, key, words[position : position + length], names[key]))
            position += length
    return named, others


def _longest_name(words: Sequence[Word], position: int, names: ManyNames) -> tuple[str, int] | None:
    """The key of the longest name that begins at `position`, and its number of words."""
    best: tuple[str, int] | None = None
    joined = _MARK
    for length, word in enumerate(words[position : position + _LONGEST_NAME], start=1):
        version = joined + "v" + word.form
        joined += word.form
        if joined in names:
            best = joined, length
        elif version in names and is_version(word.form):
            best = version, length
    return best


def _is_ordinary(mention: NameMention, text: str) -> bool:
    """Whether a name is an ordinary word and written like one ("parse")."""
    written = text[mention.start : mention.end]
    return written[1:].islower() and is_common(written.casefold())


def _may_be_a_word(mention: NameMention, text: str) -> bool:
    """Whether a name is an ordinary word, and no capital inside the text marks it as a name ("work on Symphony")."""
    return _is_ordinary(mention, text) and not (mention.start and text[mention.start].isupper())


def _is_unmistakable(spellings: Iterable[str]) -> bool:
    """Whether a name has capitals within a word ("AXLearn"), so that it can hardly be meant as an ordinary word."""
    return any(map(_CAPITALS_WITHIN.search, spellings))


def _mention(text: str, key: str, words: Sequence[Word], spellings: frozenset[str]) -> NameMention:
    start, end = words[0].start, words[-1].end
    written = text[start:end]
    ordinary = written.islower() or (written[:1].isupper() and written[1:].islower())
    meant = written in spellings
    certain = (meant and not ordinary) or len(words) >= _SURELY_A_NAME
    return NameMention(key, start, end, meant or certain, certain)
