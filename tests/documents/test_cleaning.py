from __future__ import annotations

import pytest

from portal.documents.cleaning import MARKS_ON_ONE_LETTER, clean


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("a\r\nb\rc\x85d\u2028e\x0cf", "a\nb\nc\nd\ne\nf"),
        ("  a \t b\u00a0\u3000c  \n  d  ", "a b c\nd"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("ﬁne ﬂow eﬃcient oﬀer", "fine flow efficient offer"),
        ("e\u0301tude", "\u00e9tude"),
        ("a\x00b\x07c\x1bd\ufeffe\u200bf\u202eg\U000e0041h", "abcdefgh"),
        ("\uf0b7 Skills", "Skills"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        ("\ud800lone", "lone"),
        ("王 小明\n简历", "王 小明\n简历"),
        ("⼤语⾔模型", "大语言模型"),
        ("\ufee3\ufeae\ufea3\ufe92\ufe8e", "\u0645\u0631\u062d\u0628\u0627"),
        ("key\u2011value and state\u2010of\u2010the\u2010art", "key-value and state-of-the-art"),
        ("資格\u2027免許\ufe11\u53d6\u5f97\ufe12", "資格・免許、取得。"),
        ("2020年9月 \u2012 2023年6月", "2020年9月 \u2013 2023年6月"),
        ("Grades A B C D of a class", "Grades A B C D of a class"),
        ("\U0001f469\u200d\U0001f393 student", "\U0001f469\u200d\U0001f393 student"),
    ],
)
def test_what_shows_nothing_is_taken_out_and_what_is_written_stays(raw: str, text: str) -> None:
    assert clean(raw, 1_000)[0] == text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("an exper-\niment on caches", "an experiment\non caches"),
        ("an exper\u2010\niment on caches", "an experiment\non caches"),
        ("an exper\u00ad\niment", "an experiment"),
        ("ex\u00adperi\u00adment", "experiment"),
        ("a finite-\nstate check of exper\u2010\niments", "a finite-state\ncheck of experiments"),
        ("a finite\u2010state check of exper\u2010\niments", "a finite-state check of experiments"),
        ("state-of-the-\nart", "state-of-the-art"),
        ("large-\nscale training", "large-scale\ntraining"),
        ("key-value store, key-\nvalue cache", "key-value store, key-value\ncache"),
        ("largest, so large-\nst of all", "largest, so largest\nof all"),
        ("GPT-\n4 and 2019-\n2021", "GPT-4\nand 2019-2021"),
        ("2019 -\n2021", "2019 -\n2021"),
        ("- item -\n- item", "- item -\n- item"),
        ("(exper-\niment)", "(experiment)"),
        ("inter-\nna-\ntional", "international"),
        ("e-\ncommerce and k-\nmeans", "e-commerce\nand k-means"),
        ("data that are driven, data-\ndriven", "data that are driven, data-driven"),
        ("memory off-\nloading, off-\npolicy", "memory offloading,\noff-policy"),
        ("in-\nference and in-\ncontext", "inference\nand in-context"),
        ("long-\nest, long-\nterm", "longest,\nlong-term"),
        ("the sisters of the-\nsis", "the sisters of thesis"),
        ("locality-\nsensitive, data-\ndriven", "locality-sensitive,\ndata-driven"),
        ("hyper-\nsensitive, in-\nsensitive", "hypersensitive,\ninsensitive"),
        ("locality-sensit-\nive hashing", "locality-sensitive\nhashing"),
        ("KV-\ncache, GPU-\nbased, GPT-\n4o", "KV-cache,\nGPU-based,\nGPT-4o"),
        ("RESEARCH EXPERI-\nENCE and CPU-\nGPU", "RESEARCH EXPERIENCE\nand CPU-GPU"),
        ("KENNTNIS-\nSE, UMIEJĘT-\nNOŚCI", "KENNTNISSE,\nUMIEJĘTNOŚCI"),
        ("für C++-\nBibliotheken", "für C++-Bibliotheken"),
        ("Pallas, PAL-\nLAS", "Pallas, PALLAS"),
        ("zero-\ninflated, zero-\ning", "zero-inflated,\nzeroing"),
        ("heavy-\ntailed noise, de-\ntailed", "heavy-tailed\nnoise, detailed"),
        ("peer-\nreviewed key-\nvalue co-\nauthors", "peer-reviewed\nkey-value\nco-authors"),
        ("- 2 -\nSpark and\n-2-\nRust", "- 2 -\nSpark and\n-2-\nRust"),
        ("gRPC, LLVM/\nMLIR and C+\n+ too", "gRPC, LLVM/MLIR\nand C++\ntoo"),
        ("sharing in C+\n+20 and Rust", "sharing in C++20\nand Rust"),
        ("my final-\nyear thesis", "my final-year\nthesis"),
        ("a thirty-\nbillion-parameter model", "a thirty-billion-parameter\nmodel"),
        ("a sixteen-\ngigabyte card", "a sixteen-gigabyte\ncard"),
        ("write to ada@example.\norg today", "write to ada@example.org\ntoday"),
        ("pp. 113–\n128, client–\nserver", "pp. 113–128,\nclient–server"),
        ("2021–\nResearch\n2020–\n2017–2019 Study", "2021–\nResearch\n2020–\n2017–2019 Study"),
        ("Compilers A-\nNetworks B+", "Compilers A-\nNetworks B+"),
        ("Compilers\nA-\nNetworks\nB", "Compilers\nA-\nNetworks\nB"),
        ("the B-\nspline and vitamin D-\nresistant", "the B-spline\nand vitamin D-resistant"),
        ("Ada –\nengineer\nC+\n+49 781", "Ada –\nengineer\nC+\n+49 781"),
    ],
)
def test_words_broken_at_a_line_end_are_put_together(raw: str, text: str) -> None:
    assert clean(raw, 1_000)[0] == text


def test_a_long_text_is_cut_after_a_word_and_says_so() -> None:
    cleaned = clean("one two three", 9)
    assert cleaned == ("one two", True)


def test_a_long_text_without_spaces_is_cut_where_the_limit_is() -> None:
    cleaned = clean("字" * 500, 300)
    assert cleaned == ("字" * 300, True)


def test_a_text_of_exactly_the_limit_is_whole() -> None:
    cleaned = clean("12345", 5)
    assert cleaned == ("12345", False)


def test_towers_of_marks_on_one_letter_are_cut_down() -> None:
    assert clean("a" + "\u0316\u0301" * 50_000 + "b", 1_000)[0] == "\u00e1" + "\u0316" * 3 + "\u0301" * 2 + "b"


@pytest.mark.parametrize("between", ["\u200b", "\x01", "\ufffe", "\u302e"])
def test_no_sign_between_the_marks_of_a_tower_keeps_it_high(between: str) -> None:
    text = clean("a" + f"\u0316\u0301\u0316\u0301{between}" * 1_000 + "b", 10_000)[0]
    assert text.startswith("\u00e1\u0316")
    assert len(text) == len("ab") + MARKS_ON_ONE_LETTER - 1  # one of them is part of the letter


@pytest.mark.parametrize(
    "raw",
    [
        "a-\n" * 50_000,
        "a" * 150_000,
        "-\n" * 75_000,
        "\u0301" * 150_000,
        "A " * 75_000,
        "A  B-\n" * 25_000,
        " \n" * 75_000,
    ],
)
def test_hostile_text_is_cleaned_in_linear_work(raw: str) -> None:
    # Quadratic work on any of these would take minutes.
    assert len(clean(raw, 100)[0]) <= 100


def test_cleaning_clean_text_changes_nothing() -> None:
    once = clean("Résumé of  Wang-\nli\n\n\n— ﬁrst\tpart", 1_000)[0]
    assert clean(once, 1_000)[0] == once


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("网⻚ ⻔户 ⾃然 ⻓期", "网页 门户 自然 长期"),
        ("⺁⺰⻳", "厂纟龟"),
        ("客⼾端漂移，⾭年", "客户端漂移，青年"),
        ("客⼾端與個體", "客戶端與個體"),
        ("江⼾の研究", "江戸の研究"),
    ],
)
def test_radicals_are_the_characters_that_the_page_shows(raw: str, text: str) -> None:
    assert clean(raw, 100)[0] == text
