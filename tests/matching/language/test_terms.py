from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from portal.matching.language.terms import ANALYZER_VERSION, keys, stop_words, terms
from portal.matching.language.words import stem

DIGEST_OF_VERSION = {7: "5a0b50b30eaf2c00"}  # of the terms of the seed pages


def keys_of(text: str) -> set[str]:
    return {term.key for term in terms(text)}


def written(text: str) -> list[str]:
    return [text[term.start : term.end] for term in terms(text) if term.kind == "word"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("C++", ["C++"]),
        ("C# and F#", ["C#", "F#"]),
        ("k-means++", ["k-means++"]),
        ("GPT-3", ["GPT-3"]),
        ("GPT-3.5", ["GPT-3.5"]),
        ("3D", ["3D"]),
        ("non-iid", ["non-iid"]),
        ("non-i.i.d. data", ["non-i.i.d.", "data"]),
        ("io_uring", ["io_uring"]),
        ("A/B tests", ["A/B", "tests"]),
        (".NET", [".NET"]),
        ("the 1.5B model", ["1.5B", "model"]),
        ("4-bit", ["4-bit"]),
    ],
)
def test_technical_words_stay_whole(text: str, whole: list[str]) -> None:
    assert written(text) == whole


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("KV-cache", "KV cache"),
        ("KV cache", "key-value cache"),
        ("key value caches", "KVCache"),
        ("DejaVu", "Deja Vu"),
        ("Déjà Vu", "deja-vu"),
        ("fine-tuning", "finetuning"),
        ("fine tuned", "fine-tuning"),
        ("non-IID", "non-i.i.d."),
        ("non iid", "non-IID"),
        ("pre-training", "pretraining"),
        ("k means", "k-means"),
        ("GPT 3", "GPT-3"),
        ("io_uring", "io uring"),
        ("3-D", "3D"),
        ("LLMs", "LLM"),
        ("LLM's", "LLM"),
        ("decentralised", "decentralized"),
        ("behaviour", "behavior"),
        ("programmes", "programs"),
        ("programms", "program"),
        ("data set", "datasets"),
        ("ﬁne-tuning", "fine-tuning"),
        ("ｆｉｎｅ-tuning", "fine-tuning"),
        ('M\\"uller', "Müller"),
        ("$k$-means", "k-means"),
        ("\\textbf{hashing}", "hashing"),
        ("**hashing**", "hashing"),
        ("soft\u00adware", "software"),
    ],
)
def test_spellings_of_one_idea_share_a_term(first: str, second: str) -> None:
    assert keys_of(first) & keys_of(second)
    shorter = min((keys_of(first), keys_of(second)), key=len)
    assert shorter <= keys_of(first) | keys_of(second)


def test_spellings_of_the_same_words_have_the_same_terms() -> None:
    assert keys_of("KV-cache") == keys_of("key-value cache") == keys_of("KV caches")
    assert keys_of("fine-tuning") == keys_of("fine tuning")


def test_different_technical_words_stay_apart() -> None:
    assert not keys_of("C++") & keys_of("C#")
    assert not keys_of("GPT-3") & keys_of("BERT-3")
    assert "c" not in keys_of("C")


def test_words_with_the_porter_stem_of_another_word_have_their_own() -> None:
    words = ["one", "ones", "on", "engineer", "engineers", "engineering"]
    assert list(map(stem, words)) == ["one", "one", "on", "engineer", "engineer", "engin"]


def test_pairs_do_not_cross_a_sentence() -> None:
    assert "learnsparse" not in keys_of("We study learning. Sparse models are small.")
    assert "learnspars" in keys_of("We study learning sparse models.")


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    assert "raidask" not in keys_of("We use Ray. Dask is slower.")
    assert "raidask" in keys_of("We use Ray, e.g. Dask.")


def test_chinese_gives_pairs_of_characters() -> None:
    assert [term.key for term in terms("大模型推理")] == ["大模", "模型", "型推", "推理"]
    assert keys_of("推理系统") & keys_of("大模型推理") == {"推理"}


def test_markup_and_addresses_give_no_terms() -> None:
    text = "See [the paper](https://a.example/x), \\cite{hidden} <b>bold</b> at me@mail.example. $\\alpha^2 + y$"
    assert written(text) == ["paper", "bold"]


def test_spans_lead_back_to_the_text_as_written() -> None:
    text = "We \\textbf{compress} the “KV‑cache” of Erd\\H{o}s’s ﬁne models."
    assert written(text) == ["compress", "KV", "cache", "Erd\\H{o}s’s", "ﬁne", "models"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("We write it in Go, R and C.", {"=go", "=r", "=c"}),
        ("The IT department", {"=it"}),
        ("IT", {"=it"}),
        ("It is what we do.", set()),
        ("Attention Is All You Need", set()),
        ("I am A student", {"=a"}),
        ("IT IS WHAT WE DO", set()),
        ("T cell receptors", {"=t"}),
    ],
)
def test_an_everyday_word_or_letter_written_as_a_name_is_a_term(text: str, names: set[str]) -> None:
    assert {key for key in keys_of(text) if key.startswith("=")} == names


def test_technical_words_of_one_letter_share_a_term_with_their_other_spellings() -> None:
    for first, second in (("T cells", "T-cell"), ("O-RAN", "ORAN"), ("A* search", "the A* algorithm")):
        assert keys_of(first) & keys_of(second)
    assert "a*" in keys_of("A* search")


def test_a_key_of_any_length_is_short_and_tells_words_apart() -> None:
    first, second = "x" * 80, "x" * 79 + "y"
    assert keys_of(first) != keys_of(second)
    assert all(len(key.encode()) <= 40 for key in keys_of(f"{first} {second}"))


@pytest.mark.parametrize("place", ["feature_extraction/_stop_words.py", "moved/elsewhere.py"])
def test_the_stop_words_are_those_of_scikit_learn(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    monkeypatch.setattr("portal.matching.language.terms._LISTED_IN", Path(place))
    assert stop_words.__wrapped__() == ENGLISH_STOP_WORDS


def test_a_change_of_terms_raises_the_version_of_the_analyzer() -> None:
    pages = sorted(Path(__file__).parents[3].joinpath("seeds/pages").iterdir())
    texts = [page.read_text(encoding="utf-8") for page in pages]
    digest = sha256("\n".join(keys((*texts, "programme", "programm", "engineer", "機器學習"))).encode()).hexdigest()[
        :16
    ]
    assert {ANALYZER_VERSION: digest} == DIGEST_OF_VERSION
