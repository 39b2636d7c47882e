"""Turns words into terms: the one analyzer for works, profiles and queries.

A term is a Porter-stemmed word, or a pair of words that are neighbours within a sentence after removing stop words. The
key of a pair is the two words written together, so that "fine tuning", "fine-tuning" and "finetuning", or "Deja Vu" and
"DejaVu", share a key.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, Literal, NamedTuple

from portal.matching.language.stemming import stem, tail
from portal.matching.language.word_cache import LONGEST_WORD, cached_by_word
from portal.matching.language.words import Sentence, Word, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ANALYZER_VERSION = 6
"""Must be raised with every change that changes the terms of a text; saved with an index."""

# First halves that are not words by themselves: "non-iid" is one word with the part "iid".
_PREFIXES = (
    "anti auto bi co cross cyber de hyper inter intra macro mega meta micro mini mis mono multi nano non "
    "over para peta poly post pre pseudo quasi re semi sub super tera trans tri ultra un under uni"
)
BOUND_PREFIXES = frozenset(_PREFIXES.split())
# Two words and one word for the same idea, which do not become equal by writing the two together.
SAME_WORDS = {("key", "value"): "kv", ("wi", "fi"): "wifi", ("e", "mail"): "email", ("data", "set"): "dataset"}
SAME_SECOND_HALVES = frozenset(second for _, second in SAME_WORDS)

# The list of stop words in scikit-learn's package.
_LISTED_IN = Path("feature_extraction", "_stop_words.py")

Kind = Literal["word", "part", "pair"]


class Term(NamedTuple):
    """One term in a text: its key, its place in the original text, and whether it is a word, a pair or a part.

    A "part" is a word inside a longer one ("gpt" in "GPT-3", "iid" in "non-iid").
    """

    key: str
    start: int
    end: int
    kind: Kind


class PlacedWord(NamedTuple):
    """A word of a phrase: its key and its place in the original text."""

    key: str
    start: int
    end: int


class Unit(NamedTuple):
    """A word after joining. Pairs are formed with `form`; `parts` are additional terms."""

    form: str
    start: int
    end: int
    parts: tuple[str, ...] = ()
    unspaced: bool = False


class UnitFacts(NamedTuple):
    """The properties of a unit that do not depend on its place.

    `key` and `tail` are its contributions to a pair as the first and as the last word, `parts` the keys of the
    additional terms in it.
    """

    kind: int
    key: str
    tail: str
    parts: tuple[str, ...]
    form: str


_WORD, _STOP, _WEAK, _UNSPACED = range(4)
PlacedUnit = tuple[UnitFacts, int, int]
"""A unit with its start and end in the original text."""
PlainTerm = tuple[str, int, int, Kind]
"""The fields of a `Term`, in order."""


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """scikit-learn's English stop words.

    Only the file that lists them is run, since importing the whole package takes a second. The package is imported
    where it has no such file.
    """
    package = find_spec("sklearn")
    listed = Path(str(package and package.origin)).parent / _LISTED_IN
    if listed.is_file():
        return frozenset(run_path(str(listed))["ENGLISH_STOP_WORDS"])
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return frozenset(ENGLISH_STOP_WORDS)


def terms(text: str) -> Iterator[Term]:
    """Every term of `text`, sentence by sentence; spans refer to `text`."""
    for sentence in sentences(text):
        yield from sentence_terms(sentence)


def keys(texts: Iterable[str]) -> list[str]:
    """The keys of all terms of `texts`, with repetitions, for counting."""
    return [term.key for text in texts for term in terms(text)]


def sentence_terms(sentence: Sentence) -> list[Term]:
    """Every term of one sentence: words, their parts, and pairs."""
    return list(map(Term._make, placed_terms(map(placed, units(sentence.words)))))


def placed(unit: Unit) -> PlacedUnit:
    """A unit with its properties."""
    form, start, end, parts, unspaced = unit
    facts = unit_facts if len(form) <= LONGEST_WORD else facts_of
    return facts(form, parts, unspaced), start, end


def facts_of(form: str, parts: tuple[str, ...] = (), unspaced: bool = False) -> UnitFacts:  # noqa: FBT001, FBT002 - a key
    """The properties of a unit."""
    if unspaced:
        return UnitFacts(_UNSPACED, stem(form), "", (), form)
    stop = stop_words()
    return word_facts(form, stem(form), tail(form), tuple(stem(part) for part in parts if part not in stop))


unit_facts = lru_cache(maxsize=32_768)(facts_of)
"""`facts_of`, cached: for units of the usual length."""


def word_facts(form: str, key: str, tail_key: str, parts: tuple[str, ...] = ()) -> UnitFacts:
    """The properties of a unit that is a word with spaces around it; `parts` are the keys of those that count."""
    if form in stop_words():
        return UnitFacts(_STOP, key, "", (), form)
    if is_weak(form):
        return UnitFacts(_WEAK, key, tail_key, (), form)
    return UnitFacts(_WORD, key, tail_key, parts, form)


def placed_terms(sentence_units: Iterable[PlacedUnit]) -> list[PlainTerm]:
    """Every term of the units of a sentence, as plain tuples: a resume has hundreds."""
    found_terms: list[PlainTerm] = []
    add = found_terms.append
    previous: UnitFacts | None = None
    previous_start, previous_key = 0, ""
    adjacent = weak_before = False
    for unit, start, end in sentence_units:
        kind, key, tail_key, parts, _ = unit
        if kind == _STOP:
            adjacent = False
            continue
        if kind == _UNSPACED:
            found_terms += character_pairs(Unit(unit.form, start, end))
            previous = None
            continue
        if kind == _WORD:
            add((key, start, end, "word"))
            for part in parts:
                add((part, start, end, "part"))
        if previous is not None and (
            (kind == _WORD and not weak_before) or _makes_pair(previous.form, unit.form, adjacent=adjacent)
        ):
            add((previous_key + tail_key, previous_start, end, "pair"))
        previous, previous_start, previous_key, weak_before, adjacent = unit, start, key, kind == _WEAK, True
    return found_terms


def compact(text: str) -> str:
    """`text` folded and without spaces, for comparing names: "Deja Vu" and "DejaVu" give "dejavu"."""
    return "".join(word.form for sentence in sentences(text) for word in sentence.words)


@cached_by_word(65_536)
def is_weak(form: str) -> bool:
    """Whether a form is a single letter or a number: not a term by itself, though "k means" and "GPT 3" are."""
    return (len(form) == 1 and form.isascii()) or is_number(form)


def is_number(form: str) -> bool:
    """Whether a folded word is a number."""
    return form.replace(".", "").isdigit()


def _makes_pair(first: str, second: str, *, adjacent: bool) -> bool:
    if is_weak(first):
        return adjacent and first.isalpha() and not is_weak(second)
    if is_weak(second):
        return adjacent and is_number(second)
    return True


def units(words: tuple[Word, ...]) -> list[Unit]:
    """Join words that cannot stand alone, and unify the spellings of one idea."""
    joined: list[Unit] = []
    for unit in _joined(words):
        if joined and unit.form in SAME_SECOND_HALVES:
            joined_form = SAME_WORDS.get((joined[-1].form, unit.form))
            if joined_form is not None:
                joined[-1] = Unit(joined_form, joined[-1].start, unit.end)
                continue
        joined.append(unit)
    return joined


def _joined(words: tuple[Word, ...]) -> Iterator[Unit]:
    position, count = 0, len(words)
    while position < count:
        end = position + 1
        while end < count and words[end].joined:
            end += 1
        if end == position + 1:
            form, first, last, _, unspaced = words[position]
            base = form.rstrip("+#") if form[-1] in "+#" else ""
            yield Unit(form, first, last, (base,) if len(base) > 1 else (), unspaced)
        else:
            yield from _join_chain(words[position:end])
        position = end


def _join_chain(chain: tuple[Word, ...]) -> Iterator[Unit]:
    """The units of words joined by hyphens: "k-means" is one, "fine-tuning" two."""
    joined: list[Word] = []
    for word in chain:
        if joined and not (is_weak(word.form) or _must_join(joined[-1].form)):
            yield _as_unit(joined)
            joined = []
        joined.append(word)
    yield _as_unit(joined)


def _must_join(form: str) -> bool:
    return is_weak(form) or form in BOUND_PREFIXES


def _as_unit(joined: list[Word]) -> Unit:
    form = "".join(word.form for word in joined)
    parts: tuple[str, ...] = ()
    if len(joined) > 1:
        # "means" and "test" are not what "k-means" and "t-test" are about; "training" and "GPT" are ("pre-training").
        has_letter = any(len(word.form) == 1 and word.form.isalpha() for word in joined)
        free_words = [word.form for word in joined if not _must_join(word.form)]
        parts = () if has_letter and not form.endswith("+") else tuple(free_words)
    if form.endswith("+"):
        parts = (form.rstrip("+"),)
    return Unit(form, joined[0].start, joined[-1].end, tuple(part for part in parts if len(part) > 1))


def character_pairs(unit: Unit) -> Iterator[Term]:
    """Bigrams of characters for scripts without spaces; a single character is itself a term."""
    form, begin, end, *_ = unit
    for ordinal in range(max(len(form) - 1, 1)):
        yield Term(form[ordinal : ordinal + 2], *place_of_pair(ordinal, len(form), begin, end), "word")


def place_of_pair(ordinal: int, length: int, begin: int, end: int) -> tuple[int, int]:
    """Where a pair of characters stands within a run of `length` that goes from `begin` to `end`.

    If it is longer or shorter there, cleaning has changed it, and nobody knows more than where all of it stands.
    """
    return (begin + ordinal, min(begin + ordinal + 2, end)) if end - begin == length else (begin, end)
