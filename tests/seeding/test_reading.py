"""Small tasks that the parsers share: names, systems, repairs, and works that occur twice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from portal.seeding.names import looks_like_name, same_person, slug, split_authors, unique
from portal.seeding.pages import Ledger
from portal.seeding.records import Link, Origin, WorkRecord
from portal.seeding.same_works import join
from portal.seeding.systems import names_in_work, systems_of
from portal.seeding.text_pages import read_dspace
from portal.seeding.texts import links_in, sentences
from portal.seeding.topics import distinct, topics_in_prose
from portal.seeding.values import repaired
from tests.hanging import no_hanging


@pytest.mark.parametrize(
    ("title", "abstract", "names"),
    [
        ("Alpa: Automating Parallelism", "Alpa automates training. It beats Megatron and DeepSpeed.", ["Alpa"]),
        ("Attention: A Survey", "We survey attention. Attention is common.", []),
        ("Federated Learning: Challenges and Methods", "We study federated learning with PyTorch.", []),
        ("LLM Serving: The State of the Art", "", []),
        ("Real-Time Rendering: A Study", "", []),
        ("A Study", "We propose a new algorithm on top of TensorFlow, and compare it with Ray.", []),
        ("A Study", "This paper introduces a CUDA kernel for GPUs, and we present Transformers in detail.", []),
        ("A Study", "We design and implement JellyBean, a system for joins. JellyBean is fast.", ["JellyBean"]),
        ("A Study", "We propose the Virtual Token Counter (VTC), a fair scheduler. VTC is fair.", ["VTC"]),
        ("A Study", "We use the Virtual Token Counter (VTC), as others do. VTC is fair.", []),
        ("A Study", "We apply Hoplite to a popular framework, Ray. InstaHide is a scheme of others.", []),
        ("Deja Vu: Sparsity for Models", "We propose DejaVu, a system that predicts.", ["Deja Vu"]),
    ],
)
def test_systems_are_what_authors_present_and_nothing_else(title: str, abstract: str, names: list[str]) -> None:
    findings = names_in_work(WorkRecord("w", title, abstract=abstract))
    assert [finding.name for finding in findings] == names


@pytest.mark.parametrize(
    ("name", "other", "same"),
    [
        ("Quincy Davis, Jared", "Jared Quincy Davis", True),
        ("Christopher Ré", "Christopher Re", True),
        ("B. Yuan", "Binhang Yuan", True),
        ("J. Q. Davis", "Jared Davis", True),
        ("Bo Li", "Bo Liu", False),
        ("B. Li", "Wei Li", False),
        ("Li", "Bo Li", False),
        ("王小明", "王小明", True),
        ("", "Bo Li", False),
    ],
)
def test_spellings_of_one_person_are_told_from_other_people(name: str, other: str, same: bool) -> None:  # noqa: FBT001
    assert same_person(name, other) is same
    assert same_person(other, name) is same


def test_author_lists_are_split_in_the_usual_spellings() -> None:
    assert split_authors("A. One*, B. Two† and C. Three et al.") == (("A. One", "B. Two", "C. Three"), False)
    assert split_authors("Wang, J., Lu, Y.") == (("J. Wang", "Y. Lu"), True)
    assert split_authors("Saif Masood; Hong Min, Alex Sim") == (("Saif Masood", "Hong Min", "Alex Sim"), True)
    assert split_authors("") == ((), True)


@pytest.mark.parametrize(
    "text",
    ["Bo Li", "Christopher De Sa", "Ludwig van Beethoven", "R Matthew Barnett", "李明", "Deep Patel", "Emre Oral"],
)
def test_names_look_like_names(text: str) -> None:
    assert looks_like_name(text)


@pytest.mark.parametrize("text", ["", "We are hiring", "Hong Xu. NSDI", "ICML 2024", "see https://x.org", "A: B"])
def test_other_text_does_not_look_like_a_name(text: str) -> None:
    assert not looks_like_name(text)


def test_keys_are_ascii_short_and_different_for_different_names() -> None:
    assert slug("A Faster $k$-means++ Algorithm") == "a-faster-k-means-plus-plus-algorithm"
    assert slug("Danyang Zhuo’s lab") == "danyang-zhuos-lab"
    assert slug("李明") != slug("李华")
    assert slug("李明").isascii()
    assert len(slug("word " * 100)) <= 80
    assert slug("…") == "untitled"
    assert unique("a", ["a", "a-2"]) == "a-3"


def test_sentences_end_where_sentences_end() -> None:
    text = "I work with Prof. Ce Zhang. My Ph.D. thesis, etc. is done. J. Wang helped. Is it? Yes."
    assert sentences(text) == [
        "I work with Prof. Ce Zhang.",
        "My Ph.D. thesis, etc. is done.",
        "J. Wang helped.",
        "Is it?",
        "Yes.",
    ]


def test_addresses_in_a_text_lose_the_punctuation_behind_them() -> None:
    assert links_in("Code (github.com/a/b). See https://www.x.org/p, https://x.org/p?a=1.") == (
        Link("code", "https://github.com/a/b"),
        Link("x.org", "https://www.x.org/p"),
        Link("x.org", "https://x.org/p?a=1"),
    )


def test_wrong_decoding_is_undone_line_by_line_and_noted() -> None:
    ledger = Ledger("p")
    text = repaired(ledger, "plain\nâ€œquotedâ€ text\nArtiï¬cial\nRÃ© done\n“kept” as is\nğŸxx")
    assert text == "plain\n“quoted” text\nArtificial\nRé done\n“kept” as is\nğŸxx"
    assert [(note.line, note.outcome) for note in ledger.notes] == [
        (2, "lossy"),
        (3, "lossy"),
        (4, "repaired"),
        (6, "lossy"),
    ]


TITLED = WorkRecord("t", "Fast Joins on Slow Disks", authors=("Bo Li", "Wei Wu", "Al Ng"), venue="ICML", year=2023)
UNTITLED = WorkRecord(
    "u",
    "",
    authors=("Bo Li", "Wei Wu"),
    authors_complete=False,
    venue="Proceedings of the 40th International Conference on Machine Learning",
    year=2023,
    abstract="Disks are slow. We make joins on slow disks fast.",
)


def work_named(key: str, title: str, abstract: str) -> WorkRecord:
    return WorkRecord(key, title, abstract=abstract, origins=(Origin("page.txt", 1),))


FULL = replace(TITLED, venue_full="International Conference on Machine Learning (pp. 1-9)")


def test_a_work_without_a_title_joins_by_people_year_venue_and_words() -> None:
    works, joined = join([FULL], [UNTITLED])
    assert (len(works), [pair[1].key for pair in joined]) == (1, ["t"])
    assert (works[0].title, works[0].authors, works[0].abstract) == (FULL.title, FULL.authors, UNTITLED.abstract)


@pytest.mark.parametrize(
    "other",
    [
        replace(UNTITLED, authors=("Bo Li", "Xi Xu")),
        replace(UNTITLED, year=2020),
        replace(UNTITLED, venue="Journal of Machine Learning Research"),
        replace(UNTITLED, abstract="Patients with stroke were followed for years."),
        replace(UNTITLED, authors=()),
    ],
)
def test_a_work_that_differs_in_one_of_them_stays_apart(other: WorkRecord) -> None:
    assert len(join([FULL], [other])[0]) == 2


def test_one_title_is_one_work_unless_year_and_venue_both_differ() -> None:
    preprint = replace(TITLED, key="p", title="Fast joins on slow disks", venue="", year=2021)
    journal = replace(TITLED, key="j", venue="Journal of Joins", year=2025)
    works, _ = join([TITLED], [preprint, journal])
    assert [work.key for work in works] == ["t", "j"]


def test_of_two_works_only_one_joins_a_work_that_is_there() -> None:
    works, joined = join([FULL], [UNTITLED, replace(UNTITLED, key="v")])
    assert ([work.key for work in works], len(joined)) == (["t", "v"], 1)


def test_whoever_asks_to_be_written_to_names_no_topic() -> None:
    asked = "Please contact me if you are interested in databases. My interests include compilers, kernels."
    assert topics_in_prose(asked) == ("compilers", "kernels")


def test_a_work_that_names_a_system_once_is_no_evidence_for_it() -> None:
    presents = work_named("a", "FlexGen: Serving on one GPU", "We present FlexGen.")
    once = work_named("b", "Fast joins", "We run it on FlexGen.")
    twice = work_named("c", "Slow joins", "We run it on FlexGen. FlexGen is slow.")
    (system,) = systems_of([presents, once, twice])
    assert (system.name, system.works) == ("FlexGen", ("a", "c"))


def test_people_are_told_apart_by_semicolons_or_by_commas() -> None:
    assert split_authors("Ann Lee, Bo Kim, Cy Day") == (("Ann Lee", "Bo Kim", "Cy Day"), True)
    assert split_authors("Lee, Ann") == (("Ann Lee",), True)
    assert split_authors("Lee, Ann; Kim, Bo; et al.") == (("Ann Lee", "Bo Kim"), False)


def test_a_sentence_alone_below_the_people_of_a_listing_is_no_venue() -> None:
    listing = (
        "Ann Lee\n1 - 2 of 2\n• Lee, Ann; Kim, Bo (2021)\nWe make joins fast.\n• Lee, Ann (2022)\nVLDB\nWe sort.\n"
    )
    works = read_dspace("listing.txt", listing).draft.works
    assert [(work.venue, work.abstract) for work in works] == [("", "We make joins fast."), ("VLDB", "We sort.")]


def test_topics_lose_conjunctions_at_their_edges_and_no_end_of_a_word() -> None:
    whole = ("Vector databases", "Quantum processor", "Understand")
    assert distinct([*whole, "compilers, and", "storage, etc.", "and kernels ;", "the or"]) == (
        *whole,
        *("compilers", "storage", "kernels"),
    )


def test_a_topic_with_a_long_run_of_commas_is_read_at_once() -> None:
    topic = f"x{',' * 20_000}x"
    with no_hanging():
        assert distinct([topic]) == (topic,)
