"""Small pages and files from the field are read as a person reads them, by both commands where both read the kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from portal.seeding.imports.imported import ImportRefused
from portal.seeding.pages import UnreadablePage
from portal.seeding.reader import read_import, seed_from
from portal.seeding.records import LabRecord

FIELD = Path(__file__).parent / "field"
PEOPLE = ("Marta Rossi", "Oskar Lindqvist", "Yui Tanaka", "Ida Weber", "Ada Okafor")
Reader = Callable[[str], LabRecord]


def imported(name: str) -> LabRecord:
    (path,) = FIELD.glob(name)
    return read_import(path.read_bytes(), filename=path.name).draft


def seeded(name: str) -> LabRecord:
    (path,) = FIELD.glob(name)
    (lab,) = seed_from(path).labs
    return lab


BOTH = pytest.mark.parametrize("read", [imported, seeded])


def authors(lab: LabRecord) -> list[str]:
    return [", ".join(work.authors) for work in lab.works]


def venues(lab: LabRecord) -> list[tuple[str, int | None]]:
    return [(work.venue, work.year) for work in lab.works]


def titles(lab: LabRecord) -> list[str]:
    return [work.title for work in lab.works]


def test_marks_beside_names_of_bibtex_are_no_part_of_them() -> None:
    lab = imported("01*/refs.bib")
    assert [set(work.authors) <= set(PEOPLE) for work in lab.works] == [True] * 4
    assert lab.works[3].authors == PEOPLE


def test_a_badge_before_the_people_is_the_venue() -> None:
    lab = imported("02*/pub.html")
    assert authors(lab) == [
        "M. Rossi, O. Lindqvist, Y. Tanaka, I. Weber",
        "O. Lindqvist, I. Weber",
        "Y. Tanaka, M. Rossi, A. Okafor",
    ]
    assert venues(lab) == [("CVPR", 2026), ("ICML", 2025), ("NeurIPS", 2025)]


@BOTH
def test_a_linked_title_may_stand_on_two_lines(read: Reader) -> None:
    lab = read("05*/about.md")
    assert titles(lab) == [
        "Physics-Informed Scaling via Simulation-Calibrated Machine Learning",
        "Sketches for Squares",
    ]
    assert authors(lab) == ["Oskar Lindqvist, Yui Tanaka, Marta Rossi", "Ida Weber, Marta Rossi"]


@BOTH
def test_styles_and_scripts_in_markdown_are_never_text(read: Reader) -> None:
    lab = read("06*/about.md")
    assert lab.about == "I am an assistant professor at Example University. I work on serving language models."


def test_a_middle_dot_parts_people_from_their_journal() -> None:
    lab = imported("07*/pub.html")
    assert authors(lab) == [
        "Wanki Rossi, Chan Lindqvist, Yui Kook Tanaka, Ida Weber",
        "Uhj Lindqvist, Yui Kook Tanaka, Dong T. Rossi",
        "Uhj Lindqvist, Seo Weber, Myung Okafor, Yui Kook Tanaka",
    ]
    assert venues(lab) == [("Applied Physics Letters", 2025), ("JKPS", 2020), ("Nature Communications", 2024)]


@BOTH
def test_a_name_in_another_script_behind_a_name_leaves_no_half_bracket(read: Reader) -> None:
    lab = read("08*/about.md")
    assert authors(lab) == [
        "Zhiming Wu, Oskar Lindqvist, Kai Rossi, Ida Weber",
        "Kai Rossi, Zhiming Wu, Yui Tanaka",
        "Zhiming Wu, Kai Rossi",
    ]
    assert titles(lab)[2] == "Immune algorithms for multitask optimization problems"


@BOTH
def test_a_venue_in_a_heading_is_that_of_the_works_below(read: Reader) -> None:
    lab = read("09*/about.md")
    assert venues(lab) == [("OOPSLA", 2026), ("ISSTA", 2026), ("S&P", 2024)]
    assert authors(lab) == [
        "Henrik Rossi, Zhen Lindqvist",
        "Mei Tanaka, Xi Weber, Henrik Rossi, Ada Okafor",
        "Henrik Rossi, Mathias Lindqvist",
    ]
    assert lab.leader == "Henrik Rossi"


def test_a_comma_missing_in_a_list_of_people_parts_no_title() -> None:
    lab = imported("10*/pub.md")
    assert titles(lab) == [
        "Variable Effects of Resolution on Modeling of Oxides",
        "Towards fine horizontal resolution in global simulations",
    ]
    assert [len(work.authors) for work in lab.works] == [7, 8]
    assert lab.works[1].authors[2] == "R. Y-W. Chang"


@pytest.mark.parametrize(("name", "years"), [("pub", [2018, 2018, 2007]), ("pub2", [2007, 2006])])
def test_a_heading_is_no_work_and_an_issn_no_year(name: str, years: list[int]) -> None:
    lab = imported(f"12*/{name}.html")
    assert [work.year for work in lab.works] == years
    assert ("International Journal of Computing and ICT Research", 2007) in venues(lab)


def test_a_list_that_the_site_generator_fills_in_is_refused_by_both() -> None:
    message = "its lists are filled in by the site generator"
    with pytest.raises(ImportRefused, match=message):
        imported("13*/publications.md")
    with pytest.raises(UnreadablePage, match=message):
        seeded("13*/publications.md")


def test_people_below_alumni_are_former_in_korean_too() -> None:
    people = [(member.name, member.role, member.current, member.now) for member in imported("14*/people.html").members]
    assert people == [
        ("Uhjin Lindqvist", "phd_student", True, ""),
        ("Hyun Weber", "member", True, ""),
        ("김동건", "member", False, "Acme Electronics"),
        ("문동환", "member", False, "Sample Research Institute"),
    ]


def test_roles_beside_names_are_read_in_chinese() -> None:
    lab = imported("15*/team.html")
    assert (lab.leader, lab.name) == ("马慧", "智能图像实验室")
    assert [(member.name, member.role, member.interests) for member in lab.members] == [
        ("马慧", "leader", ""),
        ("陈建", "member", ""),
        ("余伟", "phd_student", "对抗鲁棒性"),
        ("梁晨", "phd_student", "Object Detection"),
        ("赵基", "mphil_student", "AIGC"),
    ]


@BOTH
def test_a_conference_that_news_link_to_is_no_work(read: Reader) -> None:
    lab = read("16*/about.md")
    assert (titles(lab), [item.kind for item in lab.activities]) == ([], ["news", "news"])
    assert "twofold" not in lab.topics


def test_accents_in_all_their_spellings_are_letters() -> None:
    assert authors(imported("17*/refs.bib")) == [
        "Claudia Bedran de Magalhães, Renée Kirk",
        "Abel Szőlő, Baker Szőlő, Jan Hajič, Michał Woźniak, Ana Kovačić",
        "Julián Zapata, Martín Darío Arango, François Meeûs, Gökçe Çelik, Åse Ørsted, Jørgen Sørensen",
        "Bảo Châu Ngô, Văn Nguyễn, Yuliya Ivanova, X Nguyê n",
        "Michał Woźniak, Jan Hajič",
    ]


def test_markup_of_publishers_in_titles_is_text() -> None:
    assert titles(imported("22*/refs.bib")) == [
        "Mixed-Signal Circuits for X- and γ-Ray Spectroscopy",
        "An O(n) Algorithm for Graphs",
        "Growth of E. coli at CO2 levels & heat",
        "Search for B→K decays",
    ]
