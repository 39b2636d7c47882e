"""What is typical of a lab: the terms that stand out in it, as it writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from portal.matching.surfaces import WrittenForm, written_forms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from portal.matching.segment import Segment
    from portal.matching.vocabulary import Vocabulary

_PHRASE_FAVOUR = 2.0
"""Two words say more to a reader than one; a pair's weight is spread thinner than a word's."""
_ENOUGH_WORKS = 4


class TypicalTerm(NamedTuple):
    """A term that stands out in a lab."""

    key: str
    form: WrittenForm


def typical(
    segment: Segment, position: int, vocabulary: Vocabulary, without: Collection[str] = ()
) -> Iterator[TypicalTerm]:
    """The lab's terms by how typical they are, no two sharing a word; keys in `without` are left out.

    A term of a single work is not typical of a lab with four works or more.
    """
    lab = segment.labs[position]
    forms = written_forms(lab)
    columns, values = segment.focus.row(position)
    weight = dict(zip(columns.tolist(), values.tolist(), strict=True))
    least = 2 if len(lab.works) >= _ENOUGH_WORKS else 1
    ranked = sorted(
        (
            (-weight[column] * (_PHRASE_FAVOUR if len(form.words) > 1 else 1.0), key)
            for key, form in forms.items()
            if form.texts >= least and (column := vocabulary.column(key)) is not None and column in weight
        ),
    )
    used: set[str] = set()
    for _, key in ranked:
        form = forms[key]
        if key in without or form.words & used:
            continue
        used |= form.words
        yield TypicalTerm(key, form)
