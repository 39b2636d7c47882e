"""Titles, people, venues and years are told apart in the styles in which lists of publications are really written."""

from __future__ import annotations

import pytest

from portal.seeding.citation_titles import leading_people
from portal.seeding.names import split_authors
from portal.seeding.reader import read_import

PEOPLE = ("A. Lee", "B.-C. Kim", "D. van den Berg")
IN_FULL = ("Ann Lee", "Bo Kim", "Dan van den Berg")
TITLE = "A Study of 2,000 Clusters, 1990 to 2015"


def works_in(body: str, name: str = "page.html") -> list[tuple[str, tuple[str, ...], int | None]]:
    page = body if name.endswith(".md") else f"<html><body><h2>Publications</h2>{body}</body></html>"
    return [(work.title, work.authors, work.year) for work in read_import(page.encode(), filename=name).draft.works]


@pytest.mark.parametrize(
    ("entry", "people"),
    [
        (f"Lee, A., Kim, B.-C. & van den Berg, D. {TITLE}. <em>J Things</em> <b>12</b>, 34-56 (2024).", PEOPLE),
        (f"<b>Lee A</b>*, Kim B-C, van den Berg D. {TITLE}. <em>J Things</em>. 2024;12(3):34-56.", PEOPLE),
        (f"Lee A, Kim B-C, van den Berg D. {TITLE}[J]. Journal of Things, 2024: 34-56.", PEOPLE),
        (f"Lee, Ann; Kim, Bo; van den Berg, Dan: {TITLE}. In: Journal of Things, 2024, S. 1-2.", IN_FULL),
        (f"Lee, Ann, Bo Kim, and Dan van den Berg. 2024. “{TITLE}.” <em>J Things</em> 3.", IN_FULL),
        (f"Ann Lee, Bo Kim et Dan van den Berg, « {TITLE} », <i>J Things</i>, 2024.", IN_FULL),
        (f"Ann Lee, Bo Kim und Dan van den Berg: „{TITLE}“, Journal of Things, 2024.", IN_FULL),
        (f"Ann Lee, Bo Kim, Dan van den Berg，{TITLE}，Journal of Things，2024年", IN_FULL),
        (f"2024. Ann Lee, Bo Kim and Dan van den Berg. {TITLE}. Journal of Things.", IN_FULL),
        (f"<b>{TITLE}</b> by Ann Lee, Bo Kim, and Dan van den Berg. Journal of Things, 2024.", IN_FULL),
        (f"<b>{TITLE}</b><br>Ann Lee*, Bo Kim*, Dan van den Berg (* equal contribution)<br><em>JT 2024</em>", IN_FULL),
        (f"Ann Lee, Bo Kim, Dan van den Berg: <b>{TITLE}.</b> JT 2024: 1-9", IN_FULL),
        (f"<b>{TITLE}</b><br><em>JT 2024</em><br>Ann Lee, Bo Kim, Dan van den Berg", IN_FULL),
        (f"Lee, A., Kim, B.-C. and van den Berg, D., 2024. {TITLE}. <i>J Things</i>, 1-2.", PEOPLE),
        (f"A. Lee, B.-C. Kim e D. van den Berg. {TITLE}. In Journal of Things, pagine 1-9, 2024.", PEOPLE),
        (f"<font>Ann Lee, Bo Kim and Dan van den Berg</font>, <i>&quot;{TITLE}&quot;</i>, J Things, 2024.", IN_FULL),
        (f"<b>{TITLE}</b><br>With Ann Lee, Bo Kim, Dan van den Berg.<br>JT 2024.", IN_FULL),
        (f"<a href='x'>{TITLE}</a> — Ann Lee, Bo Kim, Dan van den Berg — <i>JT 2024</i>", IN_FULL),
        (f"<strong>{TITLE}</strong> | Ann Lee, Bo Kim, Dan van den Berg | Journal of Things | 2024", IN_FULL),
        (f"Ann Lee, Bo Kim, Dan van den Berg. In JT 2024. <a href='https://x.org/'>{TITLE}</a>.", IN_FULL),
        (f"<b>{TITLE}</b><br><a>Ann Lee</a> | <a>Bo Kim</a> | <a>Dan van den Berg</a><br>J Things (2024)", IN_FULL),
        (f"<h3>{TITLE}</h3>Journal of Things<br>2024 | Article<br>Contributors: {'; '.join(IN_FULL)}", IN_FULL),
        (f"<p>2024</p><b>{TITLE}</b><p>Lee, A., Kim, B.-C., van den Berg, D., 1 Jul 2024, In: J Things.</p>", PEOPLE),
    ],
)  # fmt: skip
def test_a_style_is_read(entry: str, people: tuple[str, ...]) -> None:
    assert works_in(f"<ul><li>{entry}</li></ul>") == [(TITLE, people, 2024)]


@pytest.mark.parametrize(
    ("entry", "title", "year"),
    [
        ("Ann Lee, Bo Kim, Cy Wu, Dan Ho. <a href='https://x.org/'>HexGen: Things at Scale</a>. ICML 2024.",
         "HexGen: Things at Scale", 2024),
        ("Ann Lee, Bo Kim. Odd Things in One Style. arXiv:2010.01234, pp. 2031-2039.",
         "Odd Things in One Style", None),
        ("<b>Towards Self-Driving Databases</b>, Ann Lee, Bo Kim, Cy Wu, Dan Ho, ICDE, 2021",
         "Towards Self-Driving Databases", 2021),
        ("<b>Odd Things in One Style (2021)</b><br>Journal of Things", "Odd Things in One Style", 2021),
        ("<b><small>[TDSC]</small> Odd Things in One Style</b><br>Ann Lee, Bo Kim<br><i>Journal of Things</i>, 2021",
         "Odd Things in One Style", 2021),
        ("Ann Lee, Ş. Yılmaz, Bo Kim. Odd Things in One Style. ICML, 2021.", "Odd Things in One Style", 2021),
        ("A. Lee, B. Kim, Vision Transformers, Registers, and Artifacts, J Things 1, 2021.",
         "Vision Transformers, Registers, and Artifacts", 2021),
        ("Odd Things in One Style，IEEE Access，2021年，第一作者", "Odd Things in One Style", 2021),
        ("Lee, Ann; Kim, Bo (2021): 3D Things without Any Supervision. <i>J Things</i>, 1-9.",
         "3D Things without Any Supervision", 2021),
        ("Ann Lee and Bo Kim. mmWave Sensing Meets Language. ICML, 2021.", "mmWave Sensing Meets Language", 2021),
        ("Ann Lee; Bo Kim; Cy Wu: Odd Things in One Style, Journal of Things, 2021", "Odd Things in One Style", 2021),
        ("<b>Ann Lee</b>, Bo Kim, Odd Things in One Style, <b><em>Under Revision at J Things</em></b>, 2021.",
         "Odd Things in One Style", 2021),
        ("ICML'2021: <a href='https://x.org/'>Odd Things in One Style</a>", "Odd Things in One Style", 2021),
        ("Ann Lee, Bo Kim, Memory, Time, and Energy: What is Left, IEEE Trans. Things, 2021",
         "Memory, Time, and Energy: What is Left", 2021),
        ("张伟, 李娜。一种高效的数据库索引方法。计算机学报, 2021。", "一种高效的数据库索引方法", 2021),
    ],
)  # fmt: skip
def test_a_title_and_its_year_are_told_from_the_rest(entry: str, title: str, year: int | None) -> None:
    assert [(found, when) for found, _, when in works_in(f"<ul><li>{entry}</li></ul>")] == [(title, year)]


def test_a_row_that_begins_with_its_number_is_read_by_sentences() -> None:
    row = "<tr><td>[24]</td><td>A. Lee, and B. Kim. Odd Things in One Style. In <em>J Things</em>, 2021.</td></tr>"
    assert works_in(f"<table>{row}</table>") == [("Odd Things in One Style", ("A. Lee", "B. Kim"), 2021)]


def test_the_year_of_a_badge_is_not_that_of_a_title() -> None:
    box = (
        "<li><div><abbr class='badge'>JT</abbr></div><div class='title'>Lessons from 1990 to 2015</div>"
        "<div class='author'>Ann Lee, Bo Kim</div><div class='periodical'>In <em>J Things</em>, 2017</div></li>"
    )
    assert works_in(f"<ol>{box}</ol>") == [("Lessons from 1990 to 2015", ("Ann Lee", "Bo Kim"), 2017)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Lee, Ann; Kim, Bo", ("Ann Lee", "Bo Kim")),
        ("Lee, Ann and Kim, Bo", ("Ann Lee", "Bo Kim")),
        ("Lee, Ann, Bo Kim, and Cy Wu", ("Ann Lee", "Bo Kim", "Cy Wu")),
        ("Lee A, Kim BC", ("A. Lee", "B. C. Kim")),
        ("Ann Lee et Bo Kim", ("Ann Lee", "Bo Kim")),
        ("张伟, 李娜", ("张伟", "李娜")),
        ("Ann Lee, Bo Kim; Cy Wu, Dan Ho", ("Ann Lee", "Bo Kim", "Cy Wu", "Dan Ho")),
    ],
)
def test_lists_of_people_are_split(text: str, names: tuple[str, ...]) -> None:
    assert split_authors(text) == (names, True)


def test_words_that_look_like_initials_are_none() -> None:
    assert leading_people("Vision AI. A Title of Something.") is None
    assert leading_people("Lee A, et al. A Title of Something.") == ("A. Lee et al.", 13)
