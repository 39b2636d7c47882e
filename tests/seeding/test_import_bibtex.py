"""BibTeX as programs and people write it: good entries become works, broken ones are listed with line and reason."""

from __future__ import annotations

import pytest

from portal.seeding.imports.imported import ImportRefused
from portal.seeding.imports.latex import text_of
from portal.seeding.reader import read_import
from portal.seeding.records import Link
from tests.seeding.exports import BIBTEX, DIALECTS


def test_every_entry_of_a_messy_file_is_taken_merged_reported_or_left_out() -> None:
    imported = read_import(BIBTEX.encode(), filename="refs.bib")
    assert [(entry.line, entry.outcome) for entry in imported.entries] == [
        (7, "taken"),
        (17, "taken"),
        (25, "merged"),
        (31, "problem"),
        (37, "problem"),
        (43, "problem"),
        (45, "ignored"),
        (46, "taken"),
        (48, "taken"),
        (49, "taken"),
    ]
    assert [problem.reason for problem in imported.problems] == [
        "a closing brace “}” is missing in lines 31–35; add it and import the file again",
        (
            "a closing brace too many: the entry ends before its field “author”; "
            "remove the brace and import the file again"
        ),
        "the entry has no title; add one, or enter the work by hand",
    ]
    assert imported.merged[0].reason == "the same work as at line 7 (by title and people); what it adds was taken"
    assert [(remark.line, remark.reason) for remark in imported.remarks] == [
        (17, "a comma was missing and was added"),
        (48, "the macro “unknownmacro” is not defined in the file; its name was used instead"),
    ]


def test_names_macros_accents_identifiers_and_notes_are_read() -> None:
    first, second, child, *_ = read_import(BIBTEX.encode(), filename="refs.bib").draft.works
    assert first.title == "Sparse Attention for LLMs & Long Documents"
    assert first.authors == ("Jane Doe", "Ayşe Ünal", "The LAB Team", "Jan van der Berg Jr.")
    assert first.authors_complete is False
    assert (first.venue, first.year, first.date) == ("ICML", 2024, "July 2024")
    assert (
        first.venue_full == "Proceedings of the 41st International Conference on Machine Learning (ICML 2024), pp. 1–12"
    )
    assert first.links == (
        Link("DOI", "https://doi.org/10.1145/3600000.3600001"),
        Link("arXiv", "https://arxiv.org/abs/2301.00001"),
    )
    assert first.awards == ("Best Paper Award",)
    assert (second.title, second.authors, second.venue) == (
        "A Study of k-means with élan",
        ("R. Roe", "Wei Li"),
        "VLDB",
    )
    assert (child.venue, child.year, child.authors) == ("WOT", 2020, ("Jane Doe",))


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_the_same_work_from_any_program_is_one_title_and_the_same_people(dialect: str) -> None:
    (work,) = read_import(DIALECTS[dialect].encode(), filename="export.bib").draft.works
    assert (work.title.casefold(), work.authors, work.year) == ("learned joins", ("Jane Doe", "Richard Roe"), 2021)
    assert work.venue == ("MNRAS" if dialect == "ads" else "ICDE")


def test_all_programs_together_tell_of_one_work() -> None:
    together = "\n".join(text for name, text in DIALECTS.items() if name != "ads")
    imported = read_import(together.encode(), filename="all.bib")
    assert (len(imported.taken), len(imported.merged)) == (1, 4)
    assert imported.draft.works[0].abstract == "We join 100% of <tables>."


@pytest.mark.parametrize(
    ("encoded", "is_guessed"),
    [
        (BIBTEX.replace("\n", "\r\n").encode("utf-8-sig"), False),
        (BIBTEX.encode("utf-16"), False),
        (BIBTEX.replace("最后", "").replace("王小明", "Wang Müller").encode("cp1252"), True),
    ],
)
def test_line_ends_and_encodings_change_nothing(encoded: bytes, *, is_guessed: bool) -> None:
    imported = read_import(encoded, filename="refs.bib")
    assert [entry.line for entry in imported.problems] == [31, 37, 43]
    assert imported.draft.works[0].authors[1] == "Ayşe Ünal"
    assert imported.remarks[0].reason.startswith("the file is not UTF-8") == is_guessed


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"G\"{o}del, Erd\H{o}s, {\c{c}} \c c \'{\i} \v{S} \r{a} {\ss} {\O} \L{}", "Gödel, Erdős, ç ç í Š å ß Ø Ł"),
        (r"100% of \& 50\% --- ``x''", "100% of & 50% — “x”"),
        (r"$\alpha$-\emph{stable} and $O(n^2)$", "α-stable and O(n^2)"),
        ("{A {Deeply {Nested}} One}~too", "A Deeply Nested One too"),
        ("{" * 500 + r"\'e" + "}" * 500, "é"),
        (r"\frac{1", "1"),
        (r"\href{http://x", ""),
    ],
)
def test_tex_is_read_as_it_prints(tex: str, text: str) -> None:
    assert text_of(tex) == text or (text in text_of(tex) and "\\" not in text_of(tex))


@pytest.mark.parametrize(
    ("text", "titles", "message"),
    [
        (
            '@ARTICLE (k, title = {In (round) brackets})\n@misc {k2 , title = "Spaces"}',
            ["In (round) brackets", "Spaces"],
            "",
        ),
        ("@misc{a, title={One}} @misc{b, title={Two}}", ["One", "Two"], ""),
        ("@misc{a,\n % a remark\n title={Behind a remark}, year={2021}}", ["Behind a remark"], ""),
        ("@comment{\n@misc{old, title={Inside a comment}}\n}", ["Inside a comment"], ""),
        ("@misc{a, title={An e-mail at\n@acm.org}}\nFarewell.\n", ["An e-mail at @acm.org"], ""),
        ("@misc{smith, 2020, title={A Comma in the Key}}\n@misc{x, title={After}}", ["After"], "Expected a “=”"),
        ("@misc{a, title={Never closed}, author={A", [], "a closing brace “}” is missing in line 1"),
        ("@misc{a, title={Never closed}, author={A}", [], "a closing brace “}” is missing in line 1; add it"),
        ("@misc{a, title=No Braces}\n@misc{x, title={After}}", ["After"], "a comma is missing in “No Braces”"),
    ],
)
def test_odd_ways_of_writing_are_read_or_told(text: str, titles: list[str], message: str) -> None:
    imported = read_import(text.encode(), filename="refs.bib")
    assert [work.title for work in imported.draft.works] == titles
    assert len(imported.problems) == bool(message)
    assert all(message in problem.reason for problem in imported.problems)


def test_macros_that_grow_without_end_are_a_problem_of_their_entry_alone() -> None:
    bomb = "".join(f"@string{{m{n + 1} = {' # '.join([f'm{n}'] * 10)}}}\n" for n in range(12))
    text = '@string{m0 = "xxxxxxxxxx"}\n' + bomb + "@misc{a, title = m12}\n@misc{b, title = {A Good One}}\n"
    imported = read_import(text.encode(), filename="bomb.bib")
    assert [work.title for work in imported.draft.works][-1] == "A Good One"
    assert any("characters" in problem.reason for problem in imported.problems)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"% only a comment\n@comment{x}\n", "there is no BibTeX entry in the file"),
        (b"%PDF-1.7\n...", "the file is a PDF, which cannot be imported"),
        (b"TY  - JOUR\nTI  - A\nER  - \n", "the file is a RIS file, which cannot be imported"),
        (b'<?xml version="1.0"?>\n<record:record path="/0000" xmlns:record="http://www.orcid.org/ns/record">', "XML"),
        (bytes(range(256)) * 8, "the encoding of the file cannot be determined"),
        (b"@misc{a,\x00\x01}" * 99, "control characters"),
    ],
)
def test_what_is_no_list_is_refused_with_one_sentence(data: bytes, message: str) -> None:
    with pytest.raises(ImportRefused) as refused:
        read_import(data, filename="refs.bib")
    assert message in str(refused.value)
    assert str(refused.value).startswith("refs.bib: ")
    assert "\n" not in str(refused.value)
