"""Sentences that a document holds beside its pages: which of them these do not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

WORDS_OF_A_SENTENCE = 3


def sentences_in(texts: Iterable[str], visible: str) -> str:
    """Those of the texts that are whole sentences of which most words stand nowhere in `visible`, one a line.

    Honest programs write a ligature, a hyphen or a box once more like this.
    """
    seen = set(visible.casefold().split())
    sentences = []
    for text in texts:
        words = text.casefold().split()
        unseen = sum(word not in seen for word in words)
        if len(words) >= WORDS_OF_A_SENTENCE and unseen > len(words) / 2:
            sentences.append(" ".join(text.split()))
    return "\n".join(sentences)
