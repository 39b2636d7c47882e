"""Texts that are read together, against each by itself."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from portal.matching.counting import counted
from portal.matching.language.sentences import SentenceReader
from portal.matching.language.terms import keys, read, unit_span
from portal.matching.language.text import CHUNK, masked

PIECES = st.sampled_from(
    "graph neural GPT-3 GPT 3 k means k-means++ state-of-the-art IT Go. R A* key value Wi-Fi e-mail data set. the of "  # noqa: SIM905 - easier to read
    "$x$ $k$-means https://a.b/c **bold** (LLMs) 機器學習。 系统；推理？ 。 ไทย naïve non-iid, C++; 7. «Ça» - • "
    "<b>in</b> &amp; "
    "Unusually-long-words-that-are-joined-by-hyphens-until-no-key-has-room-for-them".split()
)
SPACES = st.sampled_from([" ", " ", " ", "", "  ", "\n", "\n\n", "\n \n", "\n- ", "\x0c"])
TEXTS = st.lists(st.lists(st.tuples(PIECES, SPACES), max_size=30).map(lambda pairs: "".join(map("".join, pairs))))


@given(TEXTS)
def test_texts_read_together_have_the_sentences_of_each(texts: list[str]) -> None:
    reader = SentenceReader()
    for text in texts:
        reader.add(text)
    found = reader.read()
    for number, text in enumerate(texts):
        sentences, chunks = read(text)
        first, stop = found.first_sentence[number : number + 2].tolist()
        assert stop - first == len(sentences)
        places = [match.span() for match in CHUNK.finditer(masked(text))]
        assert len(places) == len(chunks)
        for sentence, place in zip(sentences, range(first, stop), strict=True):
            begin, end = found.first_word[place : place + 2].tolist()
            assert [found.forms[word] for word in found.words[begin:end].tolist()] == [
                unit.form for unit in sentence.units
            ]
            begins, ends = places[sentence.first][0], places[sentence.stop - 1][1]
            assert found.ends[place].tolist() == [begins, ends]
            starts = [start for start, _ in places]
            spans = [
                (start - begins, end - begins) for start, end in (unit_span(unit, starts) for unit in sentence.units)
            ]
            lengths = zip(found.starts[begin:end].tolist(), found.lengths[begin:end].tolist(), strict=True)
            assert [(start, start + length) for start, length in lengths] == spans


@given(TEXTS)
def test_terms_counted_together_are_those_of_each_text(texts: list[str]) -> None:
    reader = SentenceReader()
    for text in texts:
        reader.add(text)
    found = counted(reader.read())
    names = [name.decode("utf-8") for name in found.terms.tolist()]
    assert names == sorted(names, key=str.encode)
    for number, text in enumerate(texts):
        row = found.counts[[number]]
        assert {
            names[column]: count for column, count in zip(row.indices.tolist(), row.data.tolist(), strict=True)
        } == (Counter(keys([text])))
