"""Home pages and tables of labs: visible content is read, hidden content never is, and no entry is lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from portal.seeding.home_page import split_front_matter
from portal.seeding.imports.imported import ImportRefused
from portal.seeding.imports.planning import plan_import
from portal.seeding.reader import read_import, seed_from
from tests.seeding.export_pages import BOXES, HTML, MARKDOWN, PARAGRAPHS, TABLES
from tests.seeding.exports import LABS

if TYPE_CHECKING:
    from portal.seeding.pages import Reading


SEEDS = Path(__file__).parents[2] / "seeds"


def read(text: str, name: str) -> Reading:
    return read_import(text.encode(), filename=name)


def test_a_home_page_in_html_is_a_profile() -> None:
    imported = read(HTML, "home.html")
    draft = imported.draft
    assert (imported.kind, imported.subject, draft.name, draft.institution) == (
        "html_page",
        "Jane Q. Doe",
        "Fast Data Lab",
        "University of Zurich",
    )
    assert [(m.name, m.role, m.current, m.now) for m in draft.members] == [
        ("Jane Q. Doe", "leader", True, ""),
        ("Ann Lee", "phd_student", True, ""),
        ("Bob Müller", "phd_student", True, ""),
        ("Carl Moser", "member", False, "Google"),
    ]
    assert [(work.title, work.authors, work.venue, work.year) for work in draft.works] == [
        ("Sparse Attention at Scale for Long Documents", ("Jane Q. Doe", "Ann Lee", "Bob Müller"), "ICML", 2024),
        ("Learned Query Plans in Practice Today", ("A. Lee", "J. Doe"), "VLDB", 2023),
    ]
    assert [link.url for link in draft.works[0].links] == ["https://arxiv.org/abs/2401.00001"]
    assert [opening.degree for opening in draft.openings] == ["phd"]
    assert [(entry.line, entry.said) for entry in imported.problems] == [(22, "something else")]
    assert draft.works[1].origins[0].line == 21


def test_scripts_styles_and_hidden_text_never_become_text() -> None:
    page = HTML.replace(
        "<h2>Teaching</h2>",
        '<div class="sr-only">Hidden A</div><p style="font-size:0px">Hidden B</p><div aria-hidden="true">Hidden C</div>'
        '<p style="position:absolute;left:-9999px">Hidden D</p><template><li>Hidden E</li></template>'
        "<!-- Hidden F --><h2>Teaching</h2>",
    )
    imported = read(page, "home.html")
    content = f"{imported.draft} {imported.entries}"
    assert "idden" not in content
    assert "CS101" in content


def test_publications_in_tables_paragraphs_and_boxes_are_found() -> None:
    assert [(work.title, work.authors, work.venue, work.year) for work in read(TABLES, "t.html").draft.works] == [
        ("Nerfs Everywhere All at Once", ("Max Muster", "Jill Hill"), "CVPR", 2024),
        ("Depth from Nothing at All Times", ("Jill Hill", "Max Muster"), "ICCV", 2023),
    ]
    assert [(work.title, work.year) for work in read(PARAGRAPHS, "p.html").draft.works] == [
        ("A study of fast things in the wild", 2019),
        ("Another study of slow things", 2018),
        ("Round things and where to find them", 2013),
        ("Flat things and where to put them", 2012),
        ("Sharp things and whom to give them", 2011),
        ("On the length of short things", 2017),
        ("Tiny things of all the world", 2015),
        ("Huge things of all the world", 2014),
    ]


def test_menus_and_feet_are_left_out_and_lines_are_put_to_what_they_belong_to() -> None:
    imported = read(BOXES, "boxes.html")
    draft = imported.draft
    assert (draft.leader_title, draft.department, draft.institution) == (
        "Associate Professor",
        "Department of Computer Science",
        "Fudan University",
    )
    assert [(work.title, work.authors, work.venue) for work in draft.works] == [
        ("An example of a paper", ("Wei Zhang", "Robert Ford"), "ICML"),
        ('Abstract interpretation of "lazy" programs', ("G. Rossi", "M. Verdi"), "SAS"),
    ]
    assert [link.url for link in draft.works[0].links] == [
        "https://wei.example/p/1",
        "https://wei.example/one.pdf",
        "https://doi.org/10.1000/abc",
    ]
    assert [(m.name, m.role, m.homepage) for m in draft.members] == [
        ("Wei Zhang", "leader", ""),
        ("Alice Wu", "phd_student", "https://a.example"),
        ("Karl Benz", "phd_student", ""),
    ]
    assert "Home" not in draft.about
    assert "generated" not in str(imported.entries)


@pytest.mark.parametrize(
    ("works", "people", "text"),
    [
        ("论文", "博士生", "教学"),
        ("Veröffentlichungen", "Doktoranden", "Lehre"),
        ("논문", "박사과정", "강의"),
    ],
)
def test_headings_in_other_languages_are_known(works: str, people: str, text: str) -> None:
    page = (
        f"<html><body><h1>李明</h1><h2>{works}</h2>"
        "<ul><li>李明, 王芳. Learned Query Plans in Practice. VLDB, 2023.</li></ul>"
        f"<h2>{people}</h2><ul><li>王芳</li></ul><h2>{text}</h2><ul><li>Databases (2024)</li></ul></body></html>"
    )
    draft = read(page, "page.html").draft
    assert [(work.title, work.authors) for work in draft.works] == [
        ("Learned Query Plans in Practice", ("李明", "王芳")),
    ]
    assert [(m.name, m.role) for m in draft.members] == [("李明", "leader"), ("王芳", "phd_student")]
    assert [(item.kind, item.title) for item in draft.activities] == [("course", "Databases")]


def test_a_markdown_page_that_is_cut_off_is_read_as_far_as_it_goes() -> None:
    cut = MARKDOWN[: MARKDOWN.index("2024 (") + 6]
    imported = read(cut, "home.md")
    assert (imported.kind, imported.draft.leader) == ("markdown_page", "Jill Hill")
    assert [(work.title, work.origins[0].line) for work in imported.draft.works] == [
        ("Depth from Nothing at All Times", 6),
        ("Nerfs Everywhere All at Once", 7),
    ]


@pytest.mark.parametrize("page", sorted((SEEDS / "pages").iterdir()), ids=lambda path: path.name[:3])
def test_a_page_that_a_lab_was_seeded_from_proposes_nothing_to_that_lab(page: Path) -> None:
    labs = seed_from(SEEDS / "pages", SEEDS / "corrections.toml").labs
    imported = read_import(page.read_bytes(), filename=page.name)
    assert min(len(plan_import(lab, imported)) for lab in labs) == 0
    assert imported.kind == ("markdown_page" if page.name[:3] in ("000", "004") else "seed_page")


def test_the_page_of_a_lab_as_its_site_shows_it_in_html_proposes_nothing_either() -> None:
    labs = {lab.key: lab for lab in seed_from(SEEDS / "pages", SEEDS / "corrections.toml").labs}
    page = next((SEEDS / "pages").glob("000_*"))
    _, body, _ = split_front_matter(page.name, page.read_text(encoding="utf-8"))
    shown = MarkdownIt("commonmark", {"html": True}).render(body)
    imported = read(f"<html><body>{shown}</body></html>", "home.html")
    assert (imported.kind, imported.problems) == ("html_page", ())
    assert [entry.reason for entry in imported.ignored] == ["a section that is not part of a lab profile"]
    assert [proposal.path for proposal in plan_import(labs["relaxed-system-lab"], imported)] == []


def test_every_entry_of_every_list_is_in_exactly_one_place() -> None:
    lists = {
        "Publications": ["A. Lee. A title of some length here. ICML 2020.", "nothing", "x " * 3000, "Read me"],
        "PhD Students": ["Ann Lee", "nobody in particular, today"],
        "Awards": ["Best Paper Award, ICDE 2019", "2020"],
        "My cats": ["Tom", "Felix"],
        "Service": ["Conferences<ul><li>ICML 2020</li><li>ICDE 2021</li></ul>"],
    }
    sections = "".join(
        f"\n<h2>{name}</h2>\n<ul>\n" + "\n".join(f"<li>{item}</li>" for item in items) + "</ul>"
        for name, items in lists.items()
    )
    imported = read(f"<html><body><h1>Jane Doe</h1>{sections}</body></html>", "home.html")
    assert [(entry.said.split()[0], entry.outcome) for entry in imported.entries] == [
        ("Jane", "taken"),
        ("A", "taken"),
        ("nothing", "problem"),
        ("x", "problem"),
        ("Read", "problem"),
        ("Ann", "taken"),
        ("nobody", "problem"),
        ("Best", "taken"),
        ("2020", "ignored"),
        ("My", "ignored"),
        ("ICML", "taken"),
        ("ICDE", "taken"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<html><body><div id=root></div><script>run()</script></body></html>", "the page shows no text"),
        ("<html><body><h1>Cake</h1><p>Take flour.</p></body></html>", "the page has no section of a home page"),
        ("# Cake\n\n- flour\n- eggs\n", "the page has no section of a home page"),
        ("Dear all,\n\nplease find the minutes attached.\n", "the kind of the file is not known"),
    ],
)
def test_pages_that_are_no_home_pages_are_refused(text: str, message: str) -> None:
    with pytest.raises(ImportRefused, match=message):
        read(text, "page.txt")


# Tables of labs


def test_a_table_of_labs_is_one_draft_per_row() -> None:
    imported = read(LABS, "labs.csv")
    assert [(entry.line, entry.outcome) for entry in imported.entries] == [
        (2, "taken"),
        (3, "taken"),
        (4, "problem"),
        (5, "problem"),
        (6, "merged"),
    ]
    first, second = imported.labs
    assert (first.name, first.leader, first.institution) == ("Fast; Data Lab", "Jane Doe", "University of Zurich")
    assert first.topics == ("databases", "joins")
    assert [(opening.degree, opening.seats) for opening in first.openings] == [("phd", 2), ("postdoc", 1)]
    assert (second.name, second.openings) == ("Max Muster’s lab", ())
    assert [remark.said for remark in imported.remarks] == ["Colour"]


@pytest.mark.parametrize(
    "text",
    [
        "HOMEPAGE,Principal Investigator,lab name\nhttps://a.example,Jane Doe,Fast Lab\n",
        "Homepage ;PI;Group\nhttps://a.example;Jane Doe;Fast Lab\n",
        'Website\tProfessor\tLab\n\n"https://a.example"\tJane Doe\t"Fast Lab"\n',
        "Url|leader|name\na.example|Jane Doe|Fast Lab\n",
    ],
)
def test_columns_are_known_in_any_order_case_and_with_any_mark(text: str) -> None:
    (lab,) = read(text, "labs.csv").labs
    assert (lab.name, lab.leader, lab.homepage) == ("Fast Lab", "Jane Doe", "https://a.example")
