"""What a page says of misspelt words: what they were read as, and the way to have them taken as typed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.matching.language.words import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.matching import Correction, LabIndex, Query

LONGEST_REPEATED = 120  # characters of a text that a sentence can repeat


@dataclass(frozen=True)
class Piece:
    """A stretch of a text; `changed` where it stands for a misspelt word."""

    text: str
    changed: bool


@dataclass(frozen=True)
class SpellingNote:
    """The misspelt words of a query. With `as_typed` they were taken as they stand, else as corrected.

    `read_as` is the whole text as it was read, where it is one short text; else empty.
    """

    corrections: Sequence[Correction]
    as_typed: bool
    read_as: Sequence[Piece] = ()

    @property
    def typed(self) -> str:
        """The misspelt words, as one would name them: “fedrated”, “lerning”."""
        return ", ".join(f"“{word}”" for word in dict.fromkeys(one.typed for one in self.corrections))

    @property
    def whole(self) -> str:
        """The text as it was read."""
        return "".join(piece.text for piece in self.read_as)


def spelling_note(index: LabIndex, query: Query) -> SpellingNote | None:
    """What to say of the spelling of `query`; None when no word is misspelt. The query itself stays as it is."""
    corrections = index.corrections(replace(query, correct_spelling=True, resume=""))
    if not corrections:
        return None
    texts = [*(topic.text for topic in query.topics if topic.weight > 0), query.statement]
    only = [text for text in texts if text.strip()]
    read_as = tuple(_read_as(only[0], corrections)) if len(only) == 1 else ()
    return SpellingNote(corrections, as_typed=not query.correct_spelling, read_as=read_as)


def _read_as(text: str, corrections: Sequence[Correction]) -> Iterator[Piece]:
    """The text with the corrected words in place; nothing where it is long, or a word was read in two ways."""
    used = {one.typed: one.used for one in corrections}
    if len(text) > LONGEST_REPEATED or len(used) < len(corrections):
        return
    done = 0
    for sentence in sentences(text):
        for word in sentence.words:
            meant = used.get(text[word.start : word.end])
            if meant is not None:
                if word.start > done:
                    yield Piece(text[done : word.start], changed=False)
                yield Piece(meant, changed=True)
                done = word.end
    if done < len(text):
        yield Piece(text[done:], changed=False)
