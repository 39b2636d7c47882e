from __future__ import annotations

import os
import random
import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from portal.matching import compiled
from portal.matching.language import chunks
from portal.matching.language.chunk_table import LONGEST
from portal.matching.language.chunks import Chunks
from portal.matching.language.counting import Forms, occurrences
from portal.matching.language.hashing import all_mixed, mixed, polynomial, power, term_number, term_numbers
from portal.matching.language.terms import keys

PIECES = [
    "federated",
    "learning",
    "Learning.",
    "the",
    "key",
    "value",
    "key-value",
    "data",
    "Data",
    "set",
    "set.",
    "e-mail",
    "Wi-Fi",
    "wi",
    "fi;",
    "k",
    "means",
    "k-means++",
    "GPT",
    "3",
    "GPT-3.5",
    "i.i.d.",
    "e.g.",
    "et",
    "al.",
    "Smith",
    "U.S.",
    "C++,",
    "C#",
    "A/B",
    "state-of-the-art",
    "non-IID",
    "(LLMs)",
    '"Quoted"',
    "don't",
    "what?!",
    "So",
    "–",
    "•",
    "大模型推理。",
    "推理",
    "GPU。LLM",
    "naïve",
    "$k$-means",
    "\\emph{x}",
    "www.example.org",
    "ﬁne-tuning",
    "\n",
    "\n\n",
    "\n- ",
    "\x00",
    "\x0b",
    "½",
    "v1.5",
    "x" * 30,
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=6)), max_size=40).flatmap(
    lambda pieces: st.sampled_from([" ", "  ", "\n", "-"]).map(lambda between: between.join(pieces))
)


def counted(rows: list[list[str]]) -> list[Counter[int]]:
    batch = occurrences(rows)
    return [Counter(batch.numbers[batch.rows == row].tolist()) for row in range(len(rows))]


@given(st.lists(st.lists(texts, max_size=3), max_size=4))
def test_many_texts_at_once_have_the_terms_that_each_has_word_by_word(rows: list[list[str]]) -> None:
    assert counted(rows) == [Counter(map(term_number, keys(row))) for row in rows]


@pytest.mark.usefixtures("kernels")
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(texts, max_size=3), max_size=4), st.booleans())
def test_kernels_find_the_same_terms(rows: list[list[str]], forgets: bool) -> None:  # noqa: FBT001 - drawn
    if forgets:
        chunks._forget()
    compiled.use(True)
    by_kernels = counted(rows), occurrences(rows).chunk_ids.tolist()
    compiled.use(False)
    assert by_kernels == (counted(rows), occurrences(rows).chunk_ids.tolist())
    assert by_kernels[0] == [Counter(map(term_number, keys(row))) for row in rows]


@pytest.mark.usefixtures("kernels")
def test_kernels_find_chunks_of_any_length_between_spaces_of_any_kind() -> None:
    longest = "x" * (LONGEST - 1)
    written = [
        "a",
        "\0",
        "a\0",
        "\0a",
        longest,
        f"{longest}y",
        f"{longest}é",
        f"{longest}yz",
        "大" * 7,
        "大" * 8,
        "\ud800",
        "\x1b" * 9,
        "x" * 8 + "\x01" + "y" * 8,
        *("x" * length for length in (7, 8, 9, 15, 16, 17)),
    ]
    all_chunks = Chunks()
    for first, second in zip(written, [*written[1:], "b"], strict=True):
        compiled.use(True)
        pieces = [f" {first}\u3000{second}\x1f{first} ", "", "\x85\t", second, f"{first}"]
        by_kernels = [column.tolist() for column in all_chunks.split(pieces)]
        compiled.use(False)
        assert by_kernels == [column.tolist() for column in all_chunks.split(pieces)]
    assert all_chunks.written == list(all_chunks)
    assert sorted(all_chunks) == sorted([*written, "b"])


@pytest.mark.usefixtures("kernels")
def test_chunks_that_many_threads_meet_at_once_get_one_number_each() -> None:
    all_chunks = Chunks()
    every = [f"word{number}" for number in range(20_000)]

    def split(seed: int) -> None:
        dice = random.Random(seed)  # noqa: S311 - the same words in every run
        for _ in range(40):
            drawn = dice.choices(every, k=400)
            ids, counts = all_chunks.split([" ".join(drawn[:100]), " ".join(drawn[100:])])
            assert counts.tolist() == [100, 300]
            assert [all_chunks.written[number] for number in ids.tolist()] == drawn

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(split, range(8)))
    assert all_chunks == {text: number for number, text in enumerate(all_chunks.written)}


@pytest.mark.parametrize("words", [89, 90, 91, 180, 400])
@pytest.mark.parametrize("between", [" ", " – ", "-"])
def test_long_sentences_are_cut_at_the_same_places(words: int, between: str) -> None:
    row = [between.join(f"word{number} graph" for number in range(words // 2)) + " end"]
    assert counted([row]) == [Counter(map(term_number, keys(row)))]


def test_words_are_counted_by_how_often_they_occur(monkeypatch: pytest.MonkeyPatch) -> None:
    forms = Forms()
    forms.add(occurrences([["graph of graphs"]]))
    monkeypatch.setattr(chunks, "_MOST_CHARACTERS", 0)
    forms.add(occurrences([["Graph neural-network"]]))
    assert forms.counted() == {"graph": 2, "of": 1, "graphs": 1, "neural": 1, "network": 1, "neuralnetwork": 1}


def test_a_forked_process_does_not_wait_for_words_that_a_thread_was_reading() -> None:
    chunks_of_parent = chunks.known_chunks()
    with chunks_of_parent._adding:  # as a thread may hold it while the process forks
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            batch = occurrences([["words that were not met before forking zqxj"]])
            os._exit(0 if len(batch.numbers) > 5 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert chunks.known_chunks() is chunks_of_parent


def test_many_keys_have_the_numbers_that_each_has() -> None:
    many = [f"{'x' * length}é大\ud800{length}" for length in range(300)]
    assert term_numbers(many).tolist() == [term_number(key) for key in many]
    assert term_numbers(["", *many]).tolist() == [term_number(""), *map(term_number, many)]


def test_no_text_has_no_terms() -> None:
    assert counted([[], [""], [" \n"]]) == [Counter(), Counter(), Counter()]


@given(st.text(max_size=12), st.text(max_size=12))
def test_the_number_of_two_strings_together_follows_from_both(first: str, second: str) -> None:
    joined = (polynomial(first) * power(len(second)) + polynomial(second)) % 2**64
    assert joined == polynomial(first + second)
    assert all_mixed(np.array([joined], dtype=np.uint64)).tolist() == [mixed(joined)] == [term_number(first + second)]
