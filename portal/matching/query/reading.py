"""Reads a text of the query into terms, correcting misspelt words."""

from __future__ import annotations

from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING

from portal.matching.language.spelling import Correction
from portal.matching.language.stretches import Layout
from portal.matching.language.terms import PlacedWord, Term, placed, placed_terms, terms, units
from portal.matching.language.text import clean
from portal.matching.language.words import sentences, words_between
from portal.matching.query.scaffolding import are_of_pages
from portal.matching.query.sorted_spans import SortedSpans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from portal.matching.language.terms import PlacedUnit, PlainTerm
    from portal.matching.language.words import Word
    from portal.matching.query.lexicon import Lexicon
    from portal.matching.results import Span

    Mended = tuple[Span, Correction]


_BETWEEN_SEGMENTS = frozenset("|·•»›/\n")


class Reading:
    """A text after reading.

    `units` holds the units of each sentence, `forms` what all of them are, `found` all terms as plain tuples,
    `corrected` the spans of misspelt words with their corrections. Words are assembled on demand.
    """

    def __init__(
        self,
        text: str,
        units: Sequence[Sequence[PlacedUnit]],
        words: Layout | list[tuple[Word, ...]],
        corrected: Sequence[Mended] = (),
    ) -> None:
        self.text = text
        self.units = units
        self.corrected = corrected
        self.forms: list[str] = [unit[0].form for of_sentence in units for unit in of_sentence]
        self.found: list[PlainTerm] = []
        for of_sentence in units:
            self.found += placed_terms(of_sentence)
        self._words = words

    @cached_property
    def lines(self) -> list[tuple[Word, ...]]:
        """The corrected words of each sentence."""
        return self._words.lines() if isinstance(self._words, Layout) else self._words

    @cached_property
    def terms(self) -> list[Term]:
        """All terms."""
        return list(map(Term._make, self.found))

    def has_pair(self, uses: Callable[[str], bool]) -> bool:
        """Whether some lab has two words of the text together, as `uses` says of keys."""
        return any(kind == "pair" and uses(key) for key, _, _, kind in self.found)

    @cached_property
    def places_of_terms(self) -> SortedSpans:
        """The span of each of `terms`."""
        return SortedSpans([(term[1], term[2]) for term in self.found])

    @cached_property
    def key_at(self) -> Mapping[int, str]:
        """The key of the word that begins at a place."""
        return {word.start: word.key for word in self.words}

    @cached_property
    def words(self) -> list[PlacedWord]:
        """All words, for looking up phrases."""
        return [PlacedWord(unit.key, start, end) for of_sentence in self.units for unit, start, end in of_sentence]

    def segments(self) -> Iterable[list[str]]:
        """The folded words of each sentence, and of each passage between bars or on a line of its own."""
        if not _BETWEEN_SEGMENTS.isdisjoint(self.text):
            return self._passages()
        if len(self.units) == 1:
            return [self.forms]
        return [[unit.form for unit, _, _ in sentence] for sentence in self.units]

    def _passages(self) -> Iterator[list[str]]:
        for sentence in self.units:
            forms: list[str] = []
            before = 0
            for unit, start, end in sentence:
                gap = self.text[before:start]
                if forms and gap != "/" and not _BETWEEN_SEGMENTS.isdisjoint(gap):
                    yield forms
                    forms = []
                forms.append(unit.form)
                before = end
            yield forms

    def as_typed(self, first: int, last: int) -> str:
        """A passage as written, extended to include misspelt words as a whole."""
        first, last = self._whole(first, last)
        return " ".join(self.text[first:last].split())

    def as_read(self, key: str, first: int, last: int) -> str:
        """The spelling of the term `key` of a passage, with misspelt words corrected."""
        first, last = self._whole(first, last)
        written = self.text[first:last]
        for place in reversed(self._places_of_corrected.within(first, last)):
            (start, end), correction = self.corrected[place]
            written = written[: start - first] + correction.used + written[end - first :]
        # If one word was corrected to several, the term may contain only some of them.
        own = next((written[term.start : term.end] for term in terms(written) if term.key == key), written)
        return " ".join(own.split())

    def is_corrected(self, first: int, last: int) -> bool:
        """Whether a passage contains a misspelt word."""
        return any(_meet(self.corrected[place][0], (first, last)) for place in self._corrected_near(first, last))

    @cached_property
    def _places_of_corrected(self) -> SortedSpans:
        return SortedSpans([span for span, _ in self.corrected])

    def _corrected_near(self, first: int, last: int) -> Sequence[int]:
        return self._places_of_corrected.near(first, last) if self.corrected else ()

    def _whole(self, first: int, last: int) -> Span:
        for place in self._corrected_near(first, last):
            span = self.corrected[place][0]
            if _meet(span, (first, last)):
                first, last = min(first, span[0]), max(last, span[1])
        return first, last


def _meet(whole: Span, part: Span) -> bool:
    """Whether two passages overlap, or the second one, which may be empty, lies in the first."""
    return (whole[0] < part[1] and part[0] < whole[1]) or whole[0] <= part[0] <= part[1] <= whole[1]


def read(text: str, lexicon: Lexicon | None = None) -> Reading:
    """Read `text`; given a `lexicon`, correct misspelt words."""
    layout = Layout.of(clean(text))
    if layout is not None:
        reading = Reading(text, layout.units, layout)
        if lexicon is None:
            return reading
        lexicon.look_up([term[0] for term in reading.found])
        if lexicon.are_right(layout.stretches):
            return reading
    lines = layout.lines() if layout is not None else [sentence.words for sentence in sentences(text)]
    corrected: list[Mended] = []
    if lexicon is not None and are_of_pages(([word.form for word in words] for words in lines), lexicon.uses) == "no":
        count = sum(map(len, lines))
        for place, words in enumerate(lines):
            lines[place], mended = _mended(text, words, lexicon, count)
            corrected += mended
    return Reading(text, [list(map(placed, units(words))) for words in lines], lines, corrected)


def terms_by_sentence(text: str) -> list[tuple[Span, list[PlainTerm]]]:
    """The sentences of `text` that contain at least one word, each with its terms."""
    layout = Layout.of(clean(text))
    if layout is None:
        sentence_units = ((sentence, map(placed, units(sentence.words))) for sentence in sentences(text))
        return [
            ((sentence.start, sentence.end), placed_terms(units_of_sentence))
            for sentence, units_of_sentence in sentence_units
        ]
    return [
        (span, placed_terms(sentence_units))
        for span, sentence_units in zip(layout.spans(), layout.units, strict=True)
        if sentence_units
    ]


def _mended(text: str, words: tuple[Word, ...], lexicon: Lexicon, count: int) -> tuple[tuple[Word, ...], list[Mended]]:
    """The words of a sentence with misspelt ones replaced, and the replacements. The text has `count` words."""
    words, mended = _joined(text, words, lexicon)
    meant = _meant(text, words, lexicon, count)
    read_as: list[Word] = []
    for place, word in enumerate(words):
        if place not in meant:
            read_as.append(word)
            continue
        # The corrected word may form one word with the word before it ("auto scalling").
        last = read_as[-1] if place and place - 1 not in meant else None
        whole = last and _whole(text, last, word, meant[place], lexicon)
        if last and whole and not (mended and mended[-1][0][1] == last.end):
            read_as[-1] = last._replace(form=whole, end=word.end)
            mended.append(((last.start, word.end), Correction(text[last.start : word.end], whole)))
            continue
        read_as += _in_place_of(word, meant[place])
        mended.append(((word.start, word.end), Correction(text[word.start : word.end], meant[place])))
    return tuple(read_as), sorted(mended, key=itemgetter(0))


def _meant(text: str, words: tuple[Word, ...], lexicon: Lexicon, count: int) -> dict[int, str]:
    """The corrections of the misspelt words of a sentence, by their places."""
    forms = ["", *(word.form for word in words), ""]
    meant: dict[int, str] = {}
    for place, word in enumerate(words):
        if word.unspaced:
            continue
        written = text[word.start : word.end]
        used = lexicon.spelt_out(forms[place], word.form, forms[place + 2], written, count=count)
        used = used or lexicon.correct(*forms[place : place + 3], count=count)
        if used is not None:
            meant[place] = used
    # The correction of one word may help to correct its neighbours ("piplene paralelism").
    beside = {place + step for place in meant for step in (-1, 1)}
    for place in sorted(beside - meant.keys()):
        if 0 <= place < len(words) and not words[place].unspaced:
            before = meant.get(place - 1, forms[place]).rsplit(maxsplit=1)[-1:]
            after = meant.get(place + 1, forms[place + 2]).split(maxsplit=1)[:1]
            used = lexicon.correct("".join(before), words[place].form, "".join(after), count=count)
            if used is not None:
                meant[place] = used
    return {place: used for place, used in meant.items() if not _may_be_a_name(text, words, place, meant, lexicon)}


def _may_be_a_name(text: str, words: Sequence[Word], place: int, meant: Mapping[int, str], lexicon: Lexicon) -> bool:
    """Whether a misspelt word may be part of a person's name ("Baocheng Sun" is not about batching).

    That is, it and a neighbour have a capital, the neighbour is neither a word of the labs nor misspelt, and the
    correction in `meant` forms no known pair.
    """
    used = meant[place]
    if not _is_capitalised(text, words[place]) or " " in used or lexicon.is_name(used):
        return False
    beside = [at for at in (place - 1, place + 1) if 0 <= at < len(words) and _is_capitalised(text, words[at])]
    if all(at in meant or lexicon.is_known(words[at].form) for at in beside):
        return False
    forms = [meant.get(at, words[at].form) if 0 <= at < len(words) else "" for at in (place - 1, place + 1)]
    return not lexicon.forms_pair(forms[0].rpartition(" ")[2], used, forms[1].partition(" ")[0])


def _is_capitalised(text: str, word: Word) -> bool:
    written = text[word.start : word.end]
    return len(written) > 1 and written[0].isupper() and written[1:].islower()


def _whole(text: str, before: Word, word: Word, meant: str, lexicon: Lexicon) -> str | None:
    """The word of the labs that `before` and `meant`, the correction of `word`, form together; None if they do not."""
    is_apart = not before.unspaced and text[before.end : word.start] == " "
    return lexicon.joined(before.form, meant) if is_apart else None


def _in_place_of(word: Word, used: str) -> Iterator[Word]:
    """The words of `used` in place of `word`, each with its own part of the span, so that their order is defined."""
    words = list(words_between(used, 0, len(used)))
    length = word.end - word.start
    cuts = [word.start + place * length // len(words) for place in range(len(words) + 1)]
    for place, new_word in enumerate(words):
        joined = new_word.joined if place else word.joined
        yield word._replace(form=new_word.form, start=cuts[place], end=cuts[place + 1], joined=joined)


def _joined(text: str, words: tuple[Word, ...], lexicon: Lexicon) -> tuple[tuple[Word, ...], list[Mended]]:
    """The words of a sentence, joining words that were written apart, and what was joined."""
    joined: list[Word] = []
    mended: list[Mended] = []
    for word in words:
        if joined and not word.joined and not word.unspaced and text[joined[-1].end : word.start] == " ":
            pair = joined[-1].form, word.form
            used = lexicon.joined(*pair) or lexicon.misspelt_name(*pair)
            if used is not None:
                before = joined.pop()
                joined.append(before._replace(form=used, end=word.end))
                mended.append(((before.start, word.end), Correction(text[before.start : word.end], used)))
                continue
        joined.append(word)
    return tuple(joined), mended
