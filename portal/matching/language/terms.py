"""Turns texts into terms: the one analyzer for works, profiles and queries.

A term is a Porter-stemmed word, or a pair of words that are neighbours within a sentence after removing stop words. The
key of a pair is the two words written together, so that "fine tuning" and "fine-tuning", or "Deja Vu" and "DejaVu",
share a key. C++, k-means++, GPT-3, 3D, non-iid (also i.i.d.), io_uring and A* are one word each. Scripts written
without spaces give pairs of characters, Chinese ones of simplified characters.

A stop word or a single letter that is written as a name (IT, Go, R) is a term of its own: its key is the word after an
equals sign.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache, partial
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, Literal, NamedTuple

from portal.matching.language.text import CHUNK, HARD_BREAK, JOINER, OTHER_BREAK, masked
from portal.matching.language.words import WordCache, cached_by_word, fold, simplified, stem, tail

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from portal.matching.results import Span

ANALYZER_VERSION = 7
"""Must be raised with every change that changes the terms of a text; saved with an index."""
LONGEST_KEY = 40
"""Bytes; longer keys end with a digest instead."""
LONGEST_SENTENCE = 90
"""Sentences of more words (lists, tables) are cut."""
NAME = "="
"""The first character of the key of a stop word or a letter that is a name."""

# First halves that are not words by themselves: "non-iid" is one word with the part "iid".
_PREFIXES = frozenset(
    "anti auto bi co cross cyber de hyper inter intra macro mega meta micro mini mis mono multi nano non "  # noqa: SIM905 - easier to read
    "over para peta poly post pre pseudo quasi re semi sub super tera trans tri ultra un under uni".split()
)
# Two words and one word for the same idea, which do not become equal by writing the two together.
_SAME_WORDS = {("key", "value"): "kv", ("wi", "fi"): "wifi", ("e", "mail"): "email", ("data", "set"): "dataset"}
_SECOND_HALVES = frozenset(second for _, second in _SAME_WORDS)
# Written without spaces: Han and kana, Thai, Lao, Myanmar, Khmer.
_UNSPACED = (
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u1049\u1780-\u17d3"
)
# Vowel signs and other marks inside words, which \w leaves out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0900-\u0963\u0966-\u0dff"
)
_LETTER = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}{JOINER}])"
_WORD = re.compile(
    rf"""
      (?P<unspaced>[{_UNSPACED}]++)
    | (?P<dotted>(?<![\w.])(?:[^\W\d_]\.){{1,8}}[^\W\d_](?!\w)\.?)
    | (?P<dotnet>(?<!\w)\.[nN][eE][tT](?!\w))
    | (?P<number>(?<!\w)[vV]?\d++(?:[.,]\d++)++{_LETTER}*+)
    | (?P<star>\b[A-Z]\*)
    | {_LETTER}++(?:[_'’]{_LETTER}++)*+(?:\+\+\d*+|(?<=\b[A-Za-z])\#)?
    """,
    re.VERBOSE,
)
_STOP_AT_END = re.compile(r"(?<![.!?])(?P<stop>[.!?]++)[\"'”’)\]]*+$")
_OPENS_SENTENCE = re.compile(r"[\"'“‘(\[]*[^\Wa-z_]")
_NOT_AN_END = re.compile(
    r"(?:\b(?:e\.g|i\.e|al|vs|cf|fig|eq|sec|no|dr|prof|mr|ms|st|approx|resp)|\b[A-Z])$", re.IGNORECASE
)
_LISTED_IN = Path("feature_extraction", "_stop_words.py")  # in scikit-learn's package

Kind = Literal["word", "part", "pair"]
_CONTENT, _STOP, _WEAK, _SCRIPT = range(4)
GOES_ON, MAY_END, ENDS = range(3)


class Term(NamedTuple):
    """One term in a text: its key, its place in the text, and whether it is a word, a pair or a part.

    A "part" is a word inside a longer one ("gpt" in "GPT-3", "iid" in "non-iid").
    """

    key: str
    start: int
    end: int
    kind: Kind


class Word(NamedTuple):
    """One word of a chunk: its folded form, its kind, its place in the chunk, and how it is written with a capital."""

    form: str
    kind: int
    start: int
    end: int
    capital: str = ""


class Chunk(NamedTuple):
    """A stretch without spaces: its words, whether a sentence ends with it, and whether it looks like a beginning.

    `forms` are those of its words that count if its neighbours do not matter, None if they do.
    """

    words: tuple[Word, ...]
    end: int
    opens: bool
    forms: tuple[str, ...] | None

    def places(self) -> list[Span]:
        """The places of `forms` in the chunk."""
        return [(start, end) for _, kind, start, end, _ in self.words if kind != _STOP]


class Unit(NamedTuple):
    """A word of a sentence that counts: its form, and where it begins and ends.

    `chunk` and `last` are the numbers of the first and the last chunk, `start` and `end` places in these.
    """

    form: str
    chunk: int
    start: int
    last: int
    end: int


class Sentence(NamedTuple):
    """A sentence: the numbers of its first chunk and of the one after its last, and the words that count."""

    first: int
    stop: int
    units: list[Unit]


class Facts(NamedTuple):
    """What a unit gives, wherever it stands: its terms, and what it adds to a pair as the first and the second word.

    `head` is empty if it forms no pairs.
    """

    terms: tuple[str, ...]
    head: str
    tail: str


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


def is_weak(form: str) -> bool:
    """Whether a form is a single letter or a number: not a term by itself, though "k means" and "GPT 3" are."""
    return (len(form) == 1 and form.isascii()) or is_number(form)


def is_number(form: str) -> bool:
    """Whether a folded word is a number."""
    return form.replace(".", "").isdigit()


def short_enough(key: str) -> str:
    """`key`, or its beginning and a digest if it is longer than `LONGEST_KEY`."""
    if len(key) <= LONGEST_KEY and key.isascii():
        return key
    encoded = key.encode("utf-8", "surrogatepass")
    if len(encoded) <= LONGEST_KEY:
        return key
    beginning = encoded[: LONGEST_KEY - 16].decode("utf-8", "ignore")
    return beginning + blake2b(encoded, digest_size=8).hexdigest()


# Chunks


def _chunk(text: str) -> Chunk:
    """The words of a stretch without spaces."""
    chain: list[tuple[str, str, int, int]] = []
    words: list[Word] = []
    clean = text if text.isascii() else unicodedata.normalize("NFKC", text)
    same_places = len(clean) == len(text)
    previous_end = -1
    for match in _WORD.finditer(clean):
        kind, written = match.lastgroup, match.group()
        raw = written.replace(JOINER, "")
        first, last = match.span() if same_places else (0, len(text))
        if len(raw) < len(written) and same_places:
            first += len(written) - len(written.lstrip(JOINER))
            last -= len(written) - len(written.rstrip(JOINER))
        if kind == "unspaced":
            words += _chain_words(chain)
            chain = []
            words += _characters(simplified(raw), first, last, whole=not same_places)
            previous_end = -1
            continue
        form = _form(kind, raw)
        if not form:
            continue
        gap = clean[previous_end : match.start()] if previous_end >= 0 else " "
        gap = gap.replace(JOINER, "")
        joined = gap in ("-", "\u2010") or (gap in ("/", "&") and len(form) == 1 and len(chain[-1][0]) == 1)
        if chain and not joined:
            words += _chain_words(chain)
            chain = []
        chain.append((form, raw, first, last))
        previous_end = match.end()
    words += _chain_words(chain)
    return Chunk(tuple(words), _sentence_end(clean), _OPENS_SENTENCE.match(clean) is not None, _forms(words))


def _forms(words: Sequence[Word]) -> tuple[str, ...] | None:
    """`Chunk.forms`."""
    if any(
        kind == _WEAK or (kind == _STOP and capital) or form in _SECOND_HALVES for form, kind, _, _, capital in words
    ):
        return None
    return tuple([f"{form}\u3000" if kind == _SCRIPT else form for form, kind, _, _, _ in words if kind != _STOP])


CHUNKS: WordCache[Chunk] = WordCache(_chunk, 262_144)


def _form(kind: str | None, raw: str) -> str:
    if kind == "dotnet":
        return "dotnet"
    if kind == "dotted":
        return raw.replace(".", "").casefold()
    if kind == "star":
        return raw.casefold()
    return fold(raw)


def _sentence_end(chunk: str) -> int:
    if chunk[-1:] in {"!", "?", ";"}:
        return ENDS
    match = _STOP_AT_END.search(chunk)
    if match is None or (match["stop"] == "." and _NOT_AN_END.search(chunk, 0, match.start())):
        return GOES_ON
    return MAY_END


def _characters(run: str, start: int, end: int, *, whole: bool) -> Iterator[Word]:
    """Pairs of characters of a script without spaces; a single character is itself a word."""
    for place in range(max(len(run) - 1, 1)):
        begin, stop = (start, end) if whole else (start + place, min(start + place + 2, end))
        yield Word(run[place : place + 2], _SCRIPT, begin, stop)


def _chain_words(chain: Sequence[tuple[str, str, int, int]]) -> Iterator[Word]:
    """The words of a run that hyphens join: "k-means" is one, "fine-tuning" two."""
    joined: list[tuple[str, str, int, int]] = []
    for word in chain:
        if joined and not (is_weak(word[0]) or _must_join(joined[-1][0])):
            yield _as_word(joined)
            joined = []
        joined.append(word)
    if joined:
        yield _as_word(joined)


def _must_join(form: str) -> bool:
    return is_weak(form) or form in _PREFIXES


def _as_word(joined: Sequence[tuple[str, str, int, int]]) -> Word:
    form, start, end = "-".join(part[0] for part in joined), joined[0][2], joined[-1][3]
    raw = joined[0][1]
    capital = raw if raw[:1].isupper() else ""
    kind = _CONTENT
    if len(joined) == 1:
        kind = _STOP if form in stop_words() else _WEAK if is_weak(form) else _CONTENT
    return Word(form, kind, start, end, capital)


# Units


@cached_by_word(524_288)
def facts(form: str) -> Facts:
    """What the word of a sentence gives; the form is as in `Unit`."""
    if form[0] == NAME:
        head = form[1:] if len(form) > len("=r") else ""
        return Facts((form,), head, head)
    first, _, second = form.partition(" ")
    if second:
        if is_weak(first):
            of_word = facts(second)
            return Facts((*of_word.terms, short_enough(stem(first + second))), of_word.head, of_word.tail)
        of_word = facts(first)
        return Facts((*of_word.terms, short_enough(of_word.terms[0] + second)), of_word.head, of_word.tail)
    if form[-1] == "\u3000":
        return Facts((form[:-1],), "", "")
    written, parts = _joined(form)
    key = short_enough(stem(written))
    return Facts((key, *(stem(part) for part in parts if part not in stop_words())), key, tail(written))


def _joined(form: str) -> tuple[str, list[str]]:
    """The form without hyphens, and the words in it that count by themselves."""
    written = form.replace("-", "")
    if written[-1] in "+#":
        base = written.rstrip("+#")
        return written, [base] if len(base) > 1 else []
    chain = form.split("-")
    if len(chain) == 1 or any(len(part) == 1 and part.isalpha() for part in chain):
        # "means" and "test" are not what "k-means" and "t-test" are about; "training" and "GPT" are ("pre-training").
        return written, []
    return written, [part for part in chain if len(part) > 1 and not _must_join(part)]


def read(text: str) -> tuple[list[Sentence], list[str]]:
    """The sentences of `text` with at least one word that counts, and all of its chunks (stretches without spaces)."""
    sentences: list[Sentence] = []
    chunks: list[str] = []
    for block in blocks(masked(text)):
        known = list(map(CHUNKS.__getitem__, block))
        for first, stop in _cuts(known):
            of_sentence = units(known[first:stop], len(chunks) + first)
            if of_sentence:
                sentences.append(Sentence(len(chunks) + first, len(chunks) + stop, of_sentence))
        chunks += block
    return sentences, chunks


def blocks(clean: str) -> Iterator[list[str]]:
    """The chunks of the parts of a masked text between hard breaks."""
    parts = clean.split("\n\n")
    is_plain = clean.isascii() and "\x0b" not in clean and "\x0c" not in clean
    if any("\n" in part for part in parts) or not (is_plain or OTHER_BREAK.search(clean) is None):
        parts = HARD_BREAK.split(clean)
    for part in parts:
        yield part.split()


def _cuts(chunks: Sequence[Chunk]) -> Iterator[Span]:
    """Where sentences begin and end."""
    first, count = 0, len(chunks)
    ends = [place for place, chunk in enumerate(chunks, start=1) if chunk.end]
    for stop in (*ends, count):
        if stop < count and chunks[stop - 1].end != ENDS and not chunks[stop].opens:
            continue
        while stop - first > LONGEST_SENTENCE:
            yield first, first + LONGEST_SENTENCE
            first += LONGEST_SENTENCE
        if stop > first:
            yield first, stop
        first = stop


def units(chunks: Sequence[Chunk], first: int = 0) -> list[Unit]:
    """The words of a sentence that count: without stop words, with numbers and letters joined to their neighbours.

    The first of its chunks has the number `first`.
    """
    words = [(word, place) for place, chunk in enumerate(chunks, start=first) for word in chunk.words]
    found: list[Unit] = []
    adjacent = False
    letter: tuple[Word, int] | None = None
    for position, (word, chunk) in enumerate(words):
        form, kind, start, end, capital = word
        if kind == _CONTENT:
            if letter is not None:
                found.append(_unit((f"{letter[0].form} {form}", letter[1], letter[0].start, chunk, end)))
                letter = None
            elif adjacent and form in _SECOND_HALVES and (found[-1].form, form) in _SAME_WORDS:
                half = found[-1]
                found[-1] = _unit((_SAME_WORDS[(half.form, form)], half.chunk, half.start, chunk, end))
                continue
            else:
                found.append(_unit((form, chunk, start, chunk, end)))
            adjacent = True
            continue
        if capital and kind != _SCRIPT and _is_name(word, words, position):
            found.append(_unit((NAME + form, chunk, start, chunk, end)))
        if kind == _SCRIPT:
            found.append(_unit((f"{form}\u3000", chunk, start, chunk, end)))
        was_adjacent, adjacent, previous_letter, letter = adjacent, False, letter, None
        if kind == _WEAK:
            if was_adjacent and previous_letter is None and is_number(form) and " " not in found[-1].form:
                before = found[-1]
                found[-1] = _unit((f"{before.form} {form}", before.chunk, before.start, chunk, end))
            elif form.isalpha():
                letter = (word, chunk)
    return found


_unit = partial(tuple.__new__, Unit)
"""The same as `Unit._make`, but entirely in C."""


def _is_name(word: Word, words: Sequence[tuple[Word, int]], position: int) -> bool:
    """Whether a stop word or a letter with a capital is written as a name: IT, R, and Go within a sentence.

    Capitals say nothing where the other words have them, too, as in a title or a line in capitals.
    """
    name = word.capital
    if name == "I":
        return False
    if name.isupper() and name != "A":
        return len(words) == 1 or not all(other.capital.isupper() for other, _ in words)
    others = [other.capital for other, _ in words[1:] if other is not word and not other.capital.isupper()]
    return position > 0 and others.count("") >= len(others) / 2


# Terms


def keys(texts: Iterable[str]) -> list[str]:
    """The keys of all terms of `texts`, with repetitions, for counting."""
    return [term.key for text in texts for term in terms(text)]


def terms(text: str) -> Iterator[Term]:
    """Every term of `text`, sentence by sentence, with its place in `text`."""
    sentences, _ = read(text)
    if not sentences:
        return
    starts = [match.start() for match in CHUNK.finditer(masked(text))]
    for sentence in sentences:
        yield from sentence_terms(sentence, starts)


def sentence_terms(sentence: Sentence, starts: Sequence[int]) -> Iterator[Term]:
    """Every term of one sentence; `starts` are the places of the text's chunks."""
    previous: tuple[str, int] | None = None
    for unit in sentence.units:
        start, end = unit_span(unit, starts)
        fact = facts(unit.form)
        for number, key in enumerate(fact.terms):
            yield Term(key, start, end, "part" if number else "word")
        if not fact.head:
            previous = None
            continue
        if previous is not None:
            yield Term(short_enough(previous[0] + fact.tail), previous[1], end, "pair")
        previous = fact.head, start


def unit_span(unit: Unit, starts: Sequence[int]) -> Span:
    """Where a unit stands in the text whose chunks begin at `starts`."""
    return starts[unit.chunk] + unit.start, starts[unit.last] + unit.end


def words_in(text: str) -> Iterator[Span]:
    """Where the words of `text` stand, whether they count or not."""
    clean = masked(text)
    for match in CHUNK.finditer(clean):
        for word in CHUNKS[match.group()].words:
            yield match.start() + word.start, match.start() + word.end
