"""Odd forms that services, programs and people really write are read as they are meant."""

from __future__ import annotations

import pytest

from portal.seeding.imports.bibtex import people_of
from portal.seeding.imports.latex import text_of, title_of
from portal.seeding.reader import read_import
from portal.seeding.venues import short_venue


@pytest.mark.parametrize(
    ("tex", "names"),
    [
        ("Dean, Jo, III and Ann Lee, Jr. and Doe, J., Jr.", ["Jo Dean III", "Ann Lee Jr.", "J. Doe Jr."]),
        (r"Lee, Ann and \"{O}zg\"ur, \c{C}a\u{g}r\i", ["Ann Lee", "Çağrı Özgür"]),
        (r"Nguy\~{\^{e}}n, H{\`o}a", ["Hòa Nguyễn"]),
        ('Yang Liu 0005 and M{\\"u}ller, Jo 0002', ["Yang Liu", "Jo Müller"]),
        ("Lee, Ann; Kim, Bo", ["Ann Lee", "Bo Kim"]),
        ("Ann Lee, Bo Kim, Cy Wu", ["Ann Lee", "Bo Kim", "Cy Wu"]),
        (r"Ann Lee, Bo Kim \& Cy Wu", ["Ann Lee", "Bo Kim", "Cy Wu"]),
        (r"{\noopsort{a}}Zhang, Wei and Procter & Gamble", ["Wei Zhang", "Procter & Gamble"]),
        (r"Ann Lee\textsuperscript{1} and Bo Kim$^{2,*}$", ["Ann Lee", "Bo Kim"]),
    ],
)
def test_people_are_read_however_they_are_written(tex: str, names: list[str]) -> None:
    assert people_of(tex) == (tuple(names), True)


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"p {\textless} 0.05\footnote{all}", "p < 0.05"),
        (r"A\textsubscript{2} and \texttt{snake\_case} \enquote{Names}", "A2 and snake_case “Names”"),
        (r"\LaTeX{} of J\o{}rgen", "LaTeX of Jørgen"),
    ],
)
def test_tex_prints_all_that_it_says(tex: str, text: str) -> None:
    assert text_of(tex) == text


def test_tex_in_titles_of_databases_is_read_and_prices_stay() -> None:
    assert title_of(r"Sorting in $O(n^2)$ with \textbf{Care}") == "Sorting in O(n^2) with Care"
    assert title_of("* * *") == ""
    assert title_of("From $5 to $6: a study") == "From $5 to $6: a study"


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("Advances in Neural Information Processing Systems 30: Annual Conference, Long Beach", "NeurIPS"),
        ("International Conference on Machine Learning Technologies", ""),
        ("ACM Trans. Comput. Syst.", ""),
        ("Proceedings of the IEEE", ""),
    ],
)
def test_venues_are_short_only_where_that_is_sure(long: str, short: str) -> None:
    assert short_venue(long) == (short or long)


def test_patents_are_left_out() -> None:
    text = """@inproceedings{a, booktitle={Conference on Things}, date={2020-06}, author={Ann Lee}, title={With Data}}
@misc{b, title={A Method}, author={Lee, Ann}, note={US Patent 9,999}}
"""
    imported = read_import(text.encode(), filename="a.bib")
    assert [(work.title, work.venue_full or work.venue, work.date) for work in imported.draft.works] == [
        ("With Data", "Conference on Things", "2020-06")
    ]
    assert [entry.line for entry in imported.ignored] == [2]


def test_an_entry_that_inherits_the_editor_of_its_volume_is_a_work() -> None:
    text = """@inproceedings{a, crossref={v}, title={A Paper of the Volume}}
@book{v, editor={Lee, Ann}, title={A Volume on Things}, year={2020}}
"""
    imported = read_import(text.encode(), filename="a.bib")
    assert [(work.title, work.year) for work in imported.draft.works] == [("A Paper of the Volume", 2020)]
    assert [entry.line for entry in imported.ignored] == [2]


def test_a_list_that_a_browser_saved_as_a_page_is_read() -> None:
    page = b"<!DOCTYPE html><html><body><pre>\n@misc{x, title={One &amp; Two}}\n</pre></body></html>"
    imported = read_import(page, filename="dblp.bib")
    assert [(work.title, entry.line) for work, entry in zip(imported.draft.works, imported.taken, strict=True)] == [
        ("One & Two", 2)
    ]


def works_on(body: str, name: str = "page.html") -> list[tuple[str, tuple[str, ...], str, int | None]]:
    imported = read_import(body.encode(), filename=name)
    return [(work.title, work.authors, work.venue, work.year) for work in imported.draft.works]


@pytest.mark.parametrize(
    ("entry", "authors"),
    [
        ("Lee A, Kim BC. Odd things in one style. J Things. 2021;11(2):100-10.", ("A. Lee", "B. C. Kim")),
        ("Ann Lee, Bo Kim. 2021. Odd things in one style. In <i>J Things</i>. ACM, 1–12.", ("Ann Lee", "Bo Kim")),
        ("Lee, A. and Kim, B. (2021) Odd things in one style. J Things 66(1), 12-14.", ("A. Lee", "B. Kim")),
        ("A. Lee and B. Kim, <i>Odd things in one style</i>, J Things, 2021. [PS]", ("A. Lee", "B. Kim")),
        ("<b>1.</b><span>&nbsp; </span>A. Lee, B. Kim, “Odd things in one style,” <i>J Things</i> (2021).",
         ("A. Lee", "B. Kim")),
        ("A. Lee, B. Kim. Odd things in one style. In <i>J Things</i>, 2021. <b>(Acceptance rate: 20%)</b>",
         ("A. Lee", "B. Kim")),
        ("Lee, Ann; Kim, Bo (2021): Odd things in one style. In: J Things 4.", ("Ann Lee", "Bo Kim")),
        ("<a href='a'>Odd things in one style</a>, A. Lee and B. Kim. <i>J Things</i>, 2021.", ("A. Lee", "B. Kim")),
        ("Odd things in one style, A. Lee, and B. Kim. <i>J Things</i>, 2021.", ("A. Lee", "B. Kim")),
    ],
)  # fmt: skip
def test_titles_are_found_in_the_styles_of_other_fields(entry: str, authors: tuple[str, ...]) -> None:
    page = f"<html><body><h2>Publications</h2><ul><li>{entry}</li></ul></body></html>"
    assert works_on(page) == [("Odd things in one style", authors, "J Things", 2021)]


def test_a_card_names_rank_and_place_and_feet_of_pages_are_no_entries() -> None:
    page = """<html><head><title>Zoe Park</title></head><body><h1>Zoe Park</h1>
<p>Assistant Professor, School of Computing, University of Somewhere</p><p>Before, I was advised by Ann Lee.</p>
<h2>Publications</h2><p>Zoe Park. <b>Odd Things in $O(n^2)$ Time</b>. CoT 2020.</p>
<p>(* equal contribution)</p><p>Last updated: May 2024</p></body></html>"""
    imported = read_import(page.encode(), filename="page.html")
    draft = imported.draft
    assert (draft.leader, draft.leader_title, draft.institution, draft.department) == (
        "Zoe Park", "Assistant Professor", "University of Somewhere", "School of Computing"
    )  # fmt: skip
    assert [work.title for work in draft.works] == ["Odd Things in O(n^2) Time"]
    assert [entry.reason for entry in imported.ignored] == ["a line about the page itself"] * 2
