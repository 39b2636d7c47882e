"""Reads a query: its parts, the terms of each with their weights, and what is added to them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from portal.matching.columns import Columns
from portal.matching.language.spelling import Correction, is_common
from portal.matching.language.terms import NAME, facts, is_weak, read, short_enough, stop_words, unit_span
from portal.matching.language.text import CHUNK, masked
from portal.matching.language.words import cached_by_word, fold, stem, tail
from portal.matching.privacy.redacting import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from portal.matching.additions import Additions
    from portal.matching.fitting import Weights
    from portal.matching.language.spelling import Speller
    from portal.matching.layers import Alternatives, State
    from portal.matching.records import Query
    from portal.matching.results import Source

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

MOST_WORDS_WITH_CONCEPTS = 120
"""Concepts are for what somebody says of a wish; in longer texts, some phrase of some concept always occurs."""
MOST_TIMES = 5
"""Times that a word of a resume counts."""
_QUOTED = re.compile(r"[\"“”]([^\"“”\s]{1,30})[\"“”]")
_SHORTEST_HALF = 3


class Form(NamedTuple):
    """One way to write a word or a phrase: its pairs of words, what it adds to a pair in front and behind."""

    keys: tuple[str, ...]
    head: str
    tail: str


class QueryWord(NamedTuple):
    """A word of a part, or a long form: where it stands, and the ways to write it; `used` corrects what was typed."""

    start: int
    end: int
    ways: tuple[Form, ...]
    more: tuple[str, ...] = ()
    via: str = ""
    used: str = ""

    def written(self, text: str) -> str:
        """The word as it is shown: as it is in the text, or the one that was used instead."""
        return self.used or " ".join(text[self.start : self.end].split())


class _Found(NamedTuple):
    """A term in a part: the ways to write it, and its place; `used` if it is not shown as it is there."""

    ways: Alternatives
    start: int
    end: int
    via: str = ""
    used: str = ""
    is_word: bool = False

    def written(self, text: str) -> str:
        """The term as it is shown."""
        return self.used or " ".join(text[self.start : self.end].split())


_found = partial(tuple.__new__, _Found)
"""The same as `_Found._make`, but entirely in C."""


class PartTerm(NamedTuple):
    """A term of one part: its place among the query's terms, as written, and its weight in the part."""

    term: int
    text: str
    weight: float
    via: str
    is_word: bool


@dataclass(slots=True)
class Part:
    """A topic, the statement or the resume, as it is read; `share` is its weight in the query.

    `sentences` are places in the text, `places` those of terms, including added ones at the words that these stand for:
    a row for each with the number of the sentence, beginning, end, and term. `missing` is the squared weight of all
    words of a resume that no lab has. `left_out` are everyday words that labs use as names ("Go") and that the part
    does not mark as such.
    """

    source: Source
    text: str
    share: float
    terms: list[PartTerm] = field(default_factory=list)
    added: list[PartTerm] = field(default_factory=list)
    sentences: list[tuple[int, int]] = field(default_factory=list)
    places: Ints = field(default_factory=lambda: np.zeros((0, 4), dtype=np.int64))
    missing: float = 0.0
    corrections: list[Correction] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """A query as it is read.

    `terms` are the coordinates of its vectors: `own` of what the person wrote, of length 1, and `added` of what
    concepts add. `needs` has a row for each part, with what its terms count when a lab must have enough of them to fit:
    words their squared weights, all pairs of words together as much as the mean word.
    A term of a part weighs as much as it does there, times the share of the part, by `lengths` of the own words and of
    what is added.
    """

    parts: tuple[Part, ...]
    terms: tuple[Alternatives, ...]
    own: Floats
    added: Floats
    needs: Floats
    lengths: tuple[float, float]


class Reader:
    """Reads queries for one state of an index."""

    def __init__(self, weights: Weights, state: State, additions: Additions, speller: Speller) -> None:
        self._weights = weights
        self._state = state
        self._additions = additions
        self._speller = speller

    def read(self, query: Query) -> Reading:
        """The reading of a query."""
        parts = [
            *(Part("topic", topic.text, topic.weight) for topic in query.topics),
            Part("statement", query.statement, 1.0),
            Part("resume", redact(query.resume).text if query.resume_weight else "", query.resume_weight),
        ]
        terms: dict[Alternatives, int] = {}
        for part in parts:
            if part.share > 0 and part.text.strip():
                self._read_part(part, terms, correct=query.correct_spelling and part.source != "resume")
        return _mixed([part for part in parts if part.terms or part.left_out], tuple(terms))

    def uses(self, keys: Sequence[str]) -> list[bool]:
        """Whether some lab has each of some terms."""
        used = np.zeros(len(keys), dtype=bool)
        for layer in self._state.layers:
            used |= layer.columns(keys) >= 0
        return used.tolist()

    def _read_part(self, part: Part, terms: dict[Alternatives, int], *, correct: bool) -> None:
        is_resume = part.source == "resume"
        sentences = self._corrected(self._sentences(part), part) if correct else self._sentences(part)
        text = part.text
        counts: dict[Alternatives, int] = {}
        first: dict[Alternatives, _Found] = {}
        in_sentences = [self._terms(self._with_forms(words, text), text) for words in sentences]
        for found in in_sentences:
            for term in found:
                counts[term.ways] = counts.get(term.ways, 0) + 1
                first.setdefault(term.ways, term)
        if not counts:
            return
        idf, used = self._idf(list(counts))
        weights = []
        for (ways, count), of_term, is_used in zip(counts.items(), idf, used, strict=True):
            times = min(count, MOST_TIMES) if is_resume else count
            weight = (1 + math.log(times)) * of_term
            if is_resume and not is_used:
                part.missing += weight**2 if first[ways].is_word and first[ways].written(text).islower() else 0.0
                weight = 0.0
            weights.append(weight)
        length = math.sqrt(math.fsum(weight * weight for weight in weights))
        if not length:
            return
        part.missing /= length**2
        part.terms = [
            PartTerm(terms.setdefault(ways, len(terms)), term.written(text), weight / length, term.via, term.is_word)
            for (ways, term), weight in zip(first.items(), weights, strict=True)
            if weight
        ]
        places = [
            (number, term.start, term.end, term_number)
            for number, found in enumerate(in_sentences)
            for term in found
            if (term_number := terms.get(term.ways)) is not None
        ]
        if not is_resume:
            places += self._add_concepts(part, sentences, terms)
        part.places = np.array(places, dtype=np.int64).reshape(-1, 4)

    # Words

    def _sentences(self, part: Part) -> list[list[QueryWord]]:
        """The words of a part, by sentence."""
        text = part.text
        sentences, chunks = read(text)
        starts = [match.start() for match in CHUNK.finditer(masked(text))] if chunks else []
        found = [[_word(unit.form, *unit_span(unit, starts)) for unit in sentence.units] for sentence in sentences]
        ends = [starts[sentence.stop - 1] + len(chunks[sentence.stop - 1]) for sentence in sentences]
        part.sentences = [(starts[sentence.first], end) for sentence, end in zip(sentences, ends, strict=True)]
        if part.source != "resume":
            self._add_names(part, found, chunks, starts)
        return found

    def _add_names(self, part: Part, found: list[list[QueryWord]], chunks: list[str], starts: list[int]) -> None:
        """Everyday words and letters that are meant as names: in quotation marks, or where there is nothing else.

        What is left out although some lab has it as a name is noted.
        """
        quoted = {fold(word) for word in _QUOTED.findall(part.text)}
        have = {key for words in found for word in words for way in word.ways for key in way.keys}
        small: dict[str, tuple[int, int]] = {}
        for chunk, start in zip(chunks, starts, strict=True):
            written = chunk.strip("\"“”'.,;:!?()[]")
            form = fold(written) if written else ""
            if form and (form in stop_words() or (is_weak(form) and form.isalpha())) and NAME + form not in have:
                begin = start + chunk.index(written)
                small.setdefault(form, (begin, begin + len(written)))
        if not small:
            return
        alone = not any(found)
        for (form, span), is_used in zip(small.items(), self.uses([NAME + form for form in small]), strict=True):
            if is_used and (alone or form in quoted):
                found.append([_word(NAME + form, *span)])
                part.sentences.append(span)
            elif alone or (is_used and _may_be_a_name(part, span)):
                part.left_out.append(part.text[slice(*span)])

    def _corrected(self, sentences: list[list[QueryWord]], part: Part) -> list[list[QueryWord]]:
        """The sentences with misspelt words replaced by words of the corpus, which the part then lists."""
        all_words = [word for words in sentences for word in words]
        keys = list(dict.fromkeys(key for word in all_words for key in word.ways[0].keys))
        # Pairs, which are looked up next, are found in the same go through the terms, most of which is the way there.
        pairs = [
            key for words in sentences for each in pairwise(words) for key in _pair(*(word.ways[0] for word in each))
        ]
        used = dict(zip(keys, self.uses(keys + pairs), strict=False))
        if all(used.values()):
            return sentences
        corrected: list[list[QueryWord]] = []
        for apart in sentences:
            words = self._joined(apart, used, part.text)
            new: list[QueryWord] = []
            for place, word in enumerate(words):
                replacement = None if used[word.ways[0].keys[0]] else self._correction(words, place, new, part.text)
                if replacement is None:
                    new.append(word)
                    continue
                typed = part.text[word.start : word.end]
                part.corrections.append(Correction(typed, " ".join(replacement)))
                new += [_word(form, word.start, word.end)._replace(via=typed, used=form) for form in replacement]
            corrected.append(new)
        return corrected

    def _correction(
        self, words: Sequence[QueryWord], place: int, before: Sequence[QueryWord], text: str
    ) -> tuple[str, ...] | None:
        """The words that were meant instead of an unknown one; None if it may be right."""
        word = words[place]
        form = fold(text[word.start : word.end]).replace("-", "")
        if not (form.isascii() and form.isalpha()) or self._additions.concepts.knows(stem(form)):
            return None
        halves = self._halves(form)
        if halves is not None:
            return halves
        sure = self._speller.candidates(form)
        candidates = sure or self._speller.one_slip_away(form)
        if not candidates:
            return None
        head = before[-1].ways[0].head if before else ""
        after = words[place + 1].ways[0].tail if place + 1 < len(words) else ""
        pairs = [(head + tail(used) if head else "", stem(used) + after if after else "") for used in candidates]
        known = self.uses([short_enough(key) for pair in pairs for key in pair])
        votes = [known[2 * number] + known[2 * number + 1] for number in range(len(candidates))]
        neighbours = bool(head) + bool(after)
        # A word that may be right is another one only if that forms a pair that labs have with each neighbour.
        if sure or (neighbours and max(votes) == neighbours):
            return (candidates[votes.index(max(votes))],)
        return None

    def _joined(self, words: Sequence[QueryWord], used: dict[str, bool], text: str) -> list[QueryWord]:
        """The words, with two of which labs do not use one joined if labs write them so ("Flex Gen")."""
        joined: list[QueryWord] = []
        for word in words:
            before = joined[-1] if joined else None
            key = word.ways[0].keys[0]
            if before is not None and not (used[key] and used.get(before.ways[0].keys[0], True)):
                form = fold(text[before.start : before.end]) + fold(text[word.start : word.end])
                if form.isalnum() and self.uses([stem(form)])[0]:
                    joined[-1] = _word(form, before.start, word.end)
                    used[stem(form)] = True
                    continue
            joined.append(word)
        return joined

    def _halves(self, form: str) -> tuple[str, str] | None:
        """The two words of the labs that were run together, if labs have them in this order."""
        if is_common(form):
            return None
        cuts = range(_SHORTEST_HALF, len(form) - _SHORTEST_HALF + 1)
        pairs = [(form[:cut], form[cut:]) for cut in cuts]
        known = self.uses([short_enough(stem(first) + tail(second)) for first, second in pairs])
        frequency = self._speller.frequency
        for (first, second), is_known in zip(pairs, known, strict=True):
            if is_known and first in frequency and second in frequency:
                return first, second
        return None

    def _with_forms(self, words: Sequence[QueryWord], text: str) -> list[QueryWord]:
        """The words with both forms of abbreviated terms; the words of a long form are one."""
        forms = self._additions.forms
        keys = [word.ways[0].keys[0] for word in words]
        joined: list[QueryWord] = []
        place = 0
        while place < len(words):
            word = words[place]
            length, short = forms.longest_at(keys, place)
            if length:
                way = _phrase([each.ways[0] for each in words[place : place + length]])
                ways = (way, *(_form_of(forms.spelt[(key,)]) for key in short))
                if any(self._is_together(each) for each in ways):
                    parts = words[place : place + length]
                    via = next((forms.spelt[(key,)] for key in short if (key,) in forms.spelt), "")
                    used = " ".join(part.written(text) for part in parts) if any(part.used for part in parts) else ""
                    joined.append(QueryWord(word.start, parts[-1].end, _sorted(ways), (), via, used))
                    place += length
                    continue
            long = forms.long_forms(keys[place], text[word.start : word.end])
            if long:
                ways = (word.ways[0], *(_form_of(forms.spelt[each]) for each in long))
                word = word._replace(ways=_sorted(ways), via=forms.spelt.get(long[0], ""))
            joined.append(word)
            place += 1
        return joined

    def _is_together(self, way: Form) -> bool:
        """Whether some work or profile has all keys of a form."""
        return any(Columns(layer, ((way.keys,),)).is_anywhere(0) for layer in self._state.layers)

    def _terms(self, words: Sequence[QueryWord], text: str) -> list[_Found]:
        """The terms of a sentence, words and pairs."""
        found: list[_Found] = []
        previous: QueryWord | None = None
        for word in words:
            start, end, of_word, more, via, used = word
            found.append(_found((tuple([way.keys for way in of_word]), start, end, via, used, True)))
            found += [_Found(((key,),), start, end, "", used) for key in more]
            if previous is not None and previous.ways[0].head and of_word[0].head and previous.end <= start:
                ways = [_pair(before, behind) for before in previous.ways for behind in of_word]
                shown = f"{previous.written(text)} {word.written(text)}" if previous.used or used else ""
                several = tuple(sorted(set(ways))) if len(ways) > 1 else tuple(ways)
                found.append(_found((several, previous.start, end, "", shown, False)))
            previous = word
        return found

    # Weights

    def _idf(self, terms: Sequence[Alternatives]) -> tuple[list[float], list[bool]]:
        """The weight of each term, and whether some lab has it.

        The weight is the idf of the most frequent way to write it. A long form weighs as much as its words together
        would if each had this idf, whichever of the ways is written.
        """
        keys = list(dict.fromkeys([key for ways in terms for way in ways for key in way]))
        of_keys, of_labs = self._idf_of(keys).tolist(), self.uses(keys)
        if all(len(ways) == 1 == len(ways[0]) for ways in terms):
            return of_keys, of_labs
        idf, used = dict(zip(keys, of_keys, strict=True)), dict(zip(keys, of_labs, strict=True))
        of_terms, are_used = [], []
        for ways in terms:
            if len(ways) == 1 and len(ways[0]) == 1:
                of_terms.append(idf[ways[0][0]])
                are_used.append(used[ways[0][0]])
            else:
                lowest = min(max(idf[key] for key in way) for way in ways)
                of_terms.append(math.sqrt(_words_in(ways)) * lowest)
                are_used.append(any(all(used[key] for key in way) for way in ways))
        return of_terms, are_used

    def _idf_of(self, keys: Sequence[str]) -> Floats:
        columns = self._state.layers[0].columns(keys)  # the layer that was fitted, as the weights were
        if not len(self._weights.idf):
            return np.full(len(keys), self._weights.unknown)
        return np.where(columns >= 0, self._weights.idf[columns], self._weights.unknown)

    # Concepts

    def _add_concepts(
        self, part: Part, sentences: Sequence[Sequence[QueryWord]], terms: dict[Alternatives, int]
    ) -> list[tuple[int, int, int, int]]:
        """Add what concepts say for the words of a part, with weights in proportion to these words; says where."""
        added_places: list[tuple[int, int, int, int]] = []
        words = [word for sentence in sentences for word in sentence]
        in_sentence = [number for number, sentence in enumerate(sentences) for _ in sentence]
        if not words or len(words) > MOST_WORDS_WITH_CONCEPTS:
            return added_places
        keys = [word.ways[0].keys[0] for word in words]
        of_concepts = self._additions.concepts.added(keys)
        if not of_concepts:
            return added_places
        idf = self._idf_of(keys)
        length = float(np.sqrt(np.square(idf).sum())) or 1.0
        weights: defaultdict[Alternatives, float] = defaultdict(float)
        texts: dict[Alternatives, tuple[str, str]] = {}
        traces: defaultdict[Alternatives, dict[int, None]] = defaultdict(dict)
        for text, strength, places in of_concepts:
            stands_for = float(np.sqrt(np.square(idf[list(places)]).sum())) / length
            via = " … ".join(part.text[words[place].start : words[place].end] for place in places)
            added = [
                term
                for sentence in _plain_sentences(text)
                for term in self._terms(self._with_forms(sentence, text), text)
            ]
            of_terms, used = self._idf([term.ways for term in added])
            norm = math.sqrt(math.fsum(weight * weight for weight in of_terms)) or 1.0
            for term, weight, is_used in zip(added, of_terms, used, strict=True):
                if is_used:
                    weights[term.ways] += strength * stands_for * weight / norm
                    texts.setdefault(term.ways, (term.written(text), via))
                    traces[term.ways] |= dict.fromkeys(places)
        own = {term.term for term in part.terms}
        for ways, weight in weights.items():
            number = terms.setdefault(ways, len(terms))
            if number not in own:
                text, via = texts[ways]
                part.added.append(PartTerm(number, text, weight, via, is_word=False))
                added_places += [(in_sentence[place], *words[place][:2], number) for place in traces[ways]]
        return added_places


def _may_be_a_name(part: Part, span: tuple[int, int]) -> bool:
    """Whether an everyday word among others may be meant as a name: in prose it hardly is, nor is an article."""
    written = part.text[slice(*span)]
    return part.source == "topic" and (len(written) > 1 or (written.isupper() and span[0] > 0))


def _word(form: str, start: int, end: int) -> QueryWord:
    return QueryWord(start, end, *_ways(form))


@cached_by_word(65_536)
def _ways(form: str) -> tuple[tuple[Form, ...], tuple[str, ...]]:
    fact = facts(form)
    return (Form(fact.terms[:1], fact.head, fact.tail),), fact.terms[1:]


def _phrase(ways: Sequence[Form]) -> Form:
    """Words in a row as one form: all of their pairs must be there."""
    if len(ways) == 1:
        return ways[0]
    pairs = [short_enough(first.head + second.tail) for first, second in pairwise(ways)]
    return Form(tuple(pairs), ways[-1].head, ways[0].tail)


def _words_in(ways: Alternatives) -> int:
    """The words of the longest way to write a term that has several."""
    return max(map(len, ways)) + 1 if len(ways) > 1 else 1


@lru_cache(maxsize=4_096)
def _form_of(text: str) -> Form:
    """A short form, or a long form as a phrase."""
    return _phrase([word.ways[0] for sentence in _plain_sentences(text) for word in sentence])


def _pair(before: Form, behind: Form) -> tuple[str, ...]:
    """The keys of two words or phrases that are neighbours."""
    return (*_inner(before), short_enough(before.head + behind.tail), *_inner(behind))


def _inner(way: Form) -> tuple[str, ...]:
    """The pairs of a phrase; a single word is in the pair that it forms with its neighbour."""
    return () if len(way.keys) == 1 and way.keys[0] == way.head else way.keys


def _sorted(ways: Iterable[Form]) -> tuple[Form, ...]:
    """Both forms of a term give the same term, in whichever order they were found."""
    return tuple(sorted(dict.fromkeys(ways)))


def _plain_sentences(text: str) -> list[list[QueryWord]]:
    sentences, _ = read(text)
    starts = [match.start() for match in CHUNK.finditer(masked(text))]
    return [[_word(unit.form, *unit_span(unit, starts)) for unit in sentence.units] for sentence in sentences]


def _mixed(parts: Sequence[Part], terms: tuple[Alternatives, ...]) -> Reading:
    """The parts mixed by their shares, and the result scaled to length 1."""
    own, added = np.zeros(len(terms)), np.zeros(len(terms))
    needs: list[Floats] = []
    heaviest = max((part.share for part in parts if part.terms), default=1.0)
    for part in parts:
        share = part.share / heaviest
        numbers = [term.term for term in part.terms]
        own[numbers] += share * np.array([term.weight for term in part.terms])
        for term in part.added:
            added[term.term] += share * term.weight
        if part.terms:
            needs.append(_needs(part, len(terms)))
    length = math.sqrt(own @ own) or 1.0
    of_added = max(length, math.sqrt(added @ added))
    return Reading(
        tuple(parts),
        terms,
        own / length,
        added / of_added,
        np.array(needs).reshape(len(needs), len(terms)),
        (heaviest * length, heaviest * of_added),
    )


def _needs(part: Part, terms: int) -> Floats:
    """What each term of a part counts of 1, if labs should have it."""
    needs = np.zeros(terms)
    squares = [term.weight**2 for term in part.terms]
    words = [square for term, square in zip(part.terms, squares, strict=True) if term.is_word]
    of_pairs = math.fsum(squares) - math.fsum(words)
    factor = math.fsum(words) / len(words) / of_pairs if words and of_pairs > 0 else 1.0
    for term, square in zip(part.terms, squares, strict=True):
        needs[term.term] = square if term.is_word else factor * square
    needs /= needs.sum() + part.missing
    return needs
