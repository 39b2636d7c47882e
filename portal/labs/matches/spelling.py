"""The note about misspelt words on a page: how they were read, and a link to take them as typed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.matching.language.words import sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.matching import Correction, LabIndex, Query

LONGEST_REPEATED = 120  # characters; longer texts are not repeated in a sentence


@dataclass(frozen=True)
class Piece:
    """A piece of a text; `changed` if it replaces a misspelt word."""

    text: str
    changed: bool


@dataclass(frozen=True)
class SpellingNote:
    """The misspelt words of a query; with `as_typed` they were left alone, otherwise corrected.

    `read_as` is the whole corrected text if it is one short text, otherwise empty.
    """

    corrections: Sequence[Correction]
    as_typed: bool
    read_as: Sequence[Piece] = ()

    @property
    def typed(self) -> str:
        """The misspelt words in a sentence: “fedrated”, “lerning”."""
        return ", ".join(f"“{word}”" for word in dict.fromkeys(correction.typed for correction in self.corrections))


def spelling_note(index: LabIndex, query: Query) -> SpellingNote | None:
    """The note on the spelling of `query`, which is not changed; None if no word is misspelt."""
    corrections = index.corrections(replace(query, correct_spelling=True, resume=""))
    if not corrections:
        return None
    texts = [*(topic.text for topic in query.topics if topic.weight > 0), query.statement]
    only = [text for text in texts if text.strip()]
    read_as = tuple(_read_as(only[0], corrections)) if len(only) == 1 else ()
    return SpellingNote(corrections, as_typed=not query.correct_spelling, read_as=read_as)


def _read_as(text: str, corrections: Sequence[Correction]) -> Iterator[Piece]:
    """The corrected text; empty if it is long, or if a word was corrected in two ways."""
    replacement_of = {correction.typed: correction.used for correction in corrections}
    if len(text) > LONGEST_REPEATED or len(replacement_of) < len(corrections):
        return
    done = 0
    for sentence in sentences(text):
        for word in sentence.words:
            replacement = replacement_of.get(text[word.start : word.end])
            if replacement is not None:
                if word.start > done:
                    yield Piece(text[done : word.start], changed=False)
                yield Piece(replacement, changed=True)
                done = word.end
    if done < len(text):
        yield Piece(text[done:], changed=False)
