"""Other pages of each kind than the seed pages are read as well."""

from __future__ import annotations

import pytest

from portal.seeding.corrections import Corrections
from portal.seeding.reader import parse_page, seed_texts
from portal.seeding.records import LabRecord, Link
from portal.seeding.values import leftover_reason
from tests.seeding.other_pages import DSPACE, HOME, PAPERS, SCRAPED, STUDENT_HOME, TEMPLATE_HOME


def one_lab(*texts: str) -> LabRecord:
    (lab,) = seed_texts([(f"{index}.txt", text) for index, text in enumerate(texts)], Corrections()).labs
    return lab


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (HOME, "jekyll_home"),
        (STUDENT_HOME, "jekyll_home"),
        (TEMPLATE_HOME, "academic_pages"),
        (DSPACE, "dspace_listing"),
        (PAPERS, "paper_listing"),
        (SCRAPED, "scraped_profile"),
    ],
)
def test_the_kind_is_told_by_the_content(text: str, kind: str) -> None:
    assert parse_page("anything.bin", text).kind == kind


def test_a_home_page_in_another_order_gives_the_same_parts() -> None:
    lab = one_lab(HOME)
    assert (lab.key, lab.name, lab.leader) == (
        "analytical-engines-laboratory",
        "Analytical Engines Laboratory",
        "Ada Lovelace",
    )
    assert (lab.leader_title, lab.department, lab.institution, lab.place) == (
        "Associate Professor",
        "Department of Computer Science",
        "University of Toronto",
        "Toronto",
    )
    assert lab.topics == ("query optimization", "learned indexes", "serverless databases")
    (opening,) = lab.openings
    assert opening.degree == "phd"
    assert lab.contact == "Please email me your CV."


def test_members_under_bold_headings_and_alumni_are_told_apart() -> None:
    people = {member.name: member for member in one_lab(HOME).members}
    assert [(name, member.role, member.current) for name, member in people.items()] == [
        ("Ada Lovelace", "leader", True),
        ("Grace Hopper", "phd_student", True),
        ("李明", "phd_student", True),
        ("Barbara Liskov", "member", True),
        ("Edsger Dijkstra", "phd_student", False),
    ]
    assert (people["Grace Hopper"].co_supervisor, people["Grace Hopper"].homepage) == (
        "Alan Turing",
        "https://hopper.example.org",
    )
    assert (people["Edsger Dijkstra"].degrees, people["Edsger Dijkstra"].now) == (("PhD 2021",), "TU Eindhoven")
    assert people["李明"].degrees == ("B.Sc. from Fudan University",)
    assert people["李明"].key.isascii()


def test_titles_are_found_with_other_quotes_and_without_any() -> None:
    works = one_lab(HOME).works
    assert [(work.title, work.venue, work.year) for work in works] == [
        ("QueryFlow: Fast Plans for Slow Disks", "VLDB", 2024),
        ("Learned Indexes for Everyone and Everything", "SIGMOD", 2024),
        ("Goto-free query plans considered useful", "Journal of Data Management", 2023),
        ("Serverless Joins at Scale", "ICDE", 2023),
    ]
    assert [work.authors[-1] for work in works] == ["Ada Lovelace", "Ada Lovelace", "A. Lovelace", "Ada Lovelace"]
    assert [work.authors_complete for work in works] == [True, True, False, True]
    assert works[0].links == (Link("pdf", "https://x.example/p.pdf"), Link("code", "https://github.com/ael/queryflow"))
    assert works[1].awards == ("Best Paper Award",)


def test_a_listing_joins_the_lab_its_person_leads() -> None:
    lab = one_lab(HOME, DSPACE)
    queryflow = lab.works[0]
    assert (queryflow.abstract[:16], queryflow.origins[1].page) == ("Slow disks make ", "1.txt")
    assert [(work.venue, bool(work.question)) for work in lab.works[4:]] == [("ICDE", False), ("The Lancet", True)]
    assert [(system.name, system.works) for system in lab.systems] == [("QueryFlow", (queryflow.key,))]


def test_a_listing_without_a_home_page_makes_a_lab_of_its_own() -> None:
    lab = one_lab(DSPACE)
    assert (lab.key, lab.name, lab.leader, len(lab.works)) == (
        "ada-lovelace-lab",
        "Ada Lovelace’s lab",
        "Ada Lovelace",
        3,
    )
    assert [work.question for work in lab.works] == ["", "", ""]


def test_a_students_page_makes_the_advisers_lab_and_merges_news_with_publications() -> None:
    lab = one_lab(STUDENT_HOME)
    assert (lab.key, lab.leader, lab.institution) == ("hong-xu-group", "Hong Xu", "Chinese University of Hong Kong")
    assert [(member.name, member.role) for member in lab.members] == [("Bo Li", "phd_student")]
    assert [(work.title, work.authors, work.venue, work.year) for work in lab.works] == [
        ("NetCachePro: In-Network Caching for LLM Serving", ("Bo Li", "Hong Xu"), "NSDI", 2025),
        ("Congestion Control for Fun: A Survey", ("Bo Li", "Wei Chen", "Hong Xu"), "ACM Computing Surveys", 2024),
    ]
    assert [system.name for system in lab.systems] == ["NetCachePro"]


def test_real_paper_boxes_stay_and_the_sample_goes() -> None:
    result = seed_texts([("t.md", TEMPLATE_HOME)], Corrections())
    (lab,) = result.labs
    assert (lab.name, lab.leader, lab.place) == ("Vision Lab", "Jane Roe", "Nanjing")
    assert [(work.title, work.authors, work.venue, work.year) for work in lab.works] == [
        ("SeeMore: Looking Twice at Images", ("Jane Roe", "Wei Chen"), "CVPR", 2023),
        ("A Plain Entry of the List", ("Wei Chen", "Jane Roe"), "ECCV", 2022),
    ]
    assert [item.title for item in lab.activities] == ["Best Teacher Award"]
    rejected = [problem.said.partition(" L")[0] for problem in result.notes if problem.outcome == "problem"]
    assert rejected == ['{% assign url = "x" %}', "Deep Residual", "2021.10"]


def test_another_authors_page_is_read() -> None:
    lab = one_lab(PAPERS)
    assert lab.figures == (("h-index", 12), ("papers", 2), ("citations", 340))
    assert [(work.subject, work.date, work.year, work.authors_complete) for work in lab.works] == [
        ("cs.CV", "Jan 3, 2024", 2024, True),
        ("RO", "Mar 7", None, False),
    ]
    assert [(system.name, system.url) for system in lab.systems] == [("RoboGrip", "https://gitlab.com/jqd/robogrip")]


def test_another_scraped_page_with_titles_is_read() -> None:
    lab = one_lab(SCRAPED)
    assert (lab.leader, lab.department, lab.institution) == (
        "Torsten Hoefler",
        "Department of Computer Science",
        "ETH Zurich",
    )
    assert [(member.name, member.role) for member in lab.members] == [("Maria Rossi", "phd_student")]
    assert lab.topics == ("high-performance computing", "sparse tensors", "compilers")
    assert [(work.title, work.authors, work.venue) for work in lab.works] == [
        ("Fast Sparse Tensors on Slow Machines", ("Maria Rossi", "Torsten Hoefler"), "SC"),
        ("Second Paper About Compilers", ("Hans Muster", "Maria Rossi"), "PLDI"),
    ]


def test_two_leaders_of_one_name_at_two_places_have_two_labs() -> None:
    elsewhere = HOME.replace("University of Toronto", "Rice University").replace(
        "Analytical Engines", "Difference Engines"
    )
    labs = seed_texts([("a", HOME), ("b", elsewhere)], Corrections()).labs
    assert [lab.name for lab in labs] == ["Analytical Engines Laboratory", "Difference Engines Laboratory"]


def test_the_same_page_twice_gives_one_lab_with_each_item_once() -> None:
    lab = one_lab(HOME, HOME)
    assert [len(part) for part in (lab.works, lab.members, lab.activities, lab.openings)] == [4, 5, 3, 1]


def test_a_chinese_leader_has_a_usable_key() -> None:
    page = "---\nauthor: 王小明\n---\n\n# Publications\n\n- 王小明, 李华. “A Paper Written in English”. ICML 2023.\n"
    lab = one_lab(page)
    assert (lab.leader, lab.works[0].authors) == ("王小明", ("王小明", "李华"))
    assert lab.key.isascii()
    assert lab.key.startswith("lab-")


@pytest.mark.parametrize(
    "text",
    [
        'Your Name, You. (2010). "Paper Title Number 2." Journal 1. 1(2).',
        "An example conference paper. Nelson Bighetti, Robert Ford. Source Themes Conference.",
        "A. Einstein, B. Podolsky. Can Quantum-Mechanical Description of Physical Reality Be Considered Complete?",
        "Talk 1 on Relevant Topic in Your Field. UC San Francisco, March 2012",
    ],
)
def test_samples_of_templates_are_left_out(text: str) -> None:
    assert leftover_reason(text) == "sample entry of the page's template"


def test_a_work_about_such_words_stays() -> None:
    assert leftover_reason("A. Holt. The theory of Brownian movement before 1905. History of Physics, 2019.") == ""
    assert leftover_reason("J. Roe. Learning from an example: conference paper reviews. ICML 2020.") == ""
