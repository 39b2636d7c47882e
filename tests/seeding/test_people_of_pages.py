"""People of lab pages are found with their roles, however a page lists them."""

from __future__ import annotations

import pytest

from portal.seeding.reader import read_import

PHD = ("Jun Sato", "Li-Wei Chen", "Rafael de la Cruz")
LISTS = {
    "a heading each": "<h4>{}</h4><p>A student (2021–present)</p><p>Works on storage. Before, at Example Corp.</p>",
    "a heading each and links": "<div><h4>{}</h4><ul><li><a href='mailto:a@x.edu'>email</a></li></ul></div>",
}


def people_on(body: str) -> list[tuple[str, str, bool]]:
    page = f"<html><head><title>Okafor Lab</title></head><body><h1>Okafor Lab</h1>{body}</body></html>"
    members = read_import(page.encode(), filename="people.html").draft.members
    return [(member.name, member.role, member.current) for member in members]


@pytest.mark.parametrize("form", LISTS)
def test_people_are_found_in_a_list_with(form: str) -> None:
    items = "".join(LISTS[form].format(name) for name in PHD)
    assert people_on(f"<h2>People</h2><h3>PhD Students</h3>{items}") == [(name, "phd_student", True) for name in PHD]


@pytest.mark.parametrize(
    "paragraph",
    [
        "<h3>PhD Students</h3><p>Jun Sato, Li-Wei Chen, Rafael de la Cruz</p>",
        "<h3>PhD Students</h3><p><a href='a'>Jun Sato</a><br>Li-Wei Chen<br>Rafael de la Cruz</p>",
        "<p><b>Ph.D. Students:</b> Jun Sato (2021, MIT), Li-Wei Chen (2022-) and Rafael de la Cruz</p>",
        "<p><b>Current Ph.D. students and candidates</b></p><p>Jun Sato</p><p>Li-Wei Chen</p><p>Rafael de la Cruz</p>",
        "<li>Jun Sato (Ph.D. student)</li><li>Li-Wei Chen (PhD candidate)</li><li>Rafael de la Cruz, PhD student</li>",
    ],
)  # fmt: skip
def test_people_and_their_role_are_found_in(paragraph: str) -> None:
    assert people_on(f"<h2>People</h2>{paragraph}") == [(name, "phd_student", True) for name in PHD]


def test_postdocs_are_no_students_and_one_in_a_box_is_found() -> None:
    box = "<figure><img src='a.jpg'><figcaption>Ann Lee<br>Postdoc</figcaption></figure>"
    assert people_on(f"<h2>People</h2><h3>Postdoctoral Researchers</h3>{box}") == [("Ann Lee", "member", True)]


def test_people_of_other_languages_have_their_role_and_no_heading_becomes_the_leader() -> None:
    german = (
        "<h2>Mitarbeiter</h2><h3>Postdoktoranden</h3><ul><li>Ann Lee</li></ul><h3>Masterstudierende</h3><li>Bo Kim</li>"
    )
    assert people_on(german) == [("Ann Lee", "member", True), ("Bo Kim", "mphil_student", True)]
    chinese = "<h2>团队成员</h2><p>博士生：张伟、李娜</p><p>硕士生：赵云（2021级）</p><p>毕业生：孙悟空</p>"
    imported = read_import(f"<html><body>{chinese}</body></html>".encode(), filename="a.html")
    assert [(member.name, member.role, member.current) for member in imported.draft.members] == [
        ("张伟", "phd_student", True),
        ("李娜", "phd_student", True),
        ("赵云", "mphil_student", True),
        ("孙悟空", "member", False),
    ]


def test_a_page_that_a_word_processor_laid_out_in_a_table_is_read() -> None:
    menu = "<p><b><a href='https://x.org/'>Home</a></b></p><p><b><a href='https://x.org/p'>Papers</a></b></p>" * 3
    people = "<p><b>Faculty</b></p><p><a href='https://x.org/a'>Ann Lee</a></p><p><b>Graduated Ph.D.\n students</b></p>"
    alumni = "<p>Bo Kim, Ph.D. 2003<br>First employment: Example Labs</p><p>Cy Wu, Ph.D. 2000</p>"
    assert people_on(f"<table><tr><td>{menu}</td><td>{people}{alumni}</td></tr></table>") == [
        ("Ann Lee", "leader", True),
        ("Bo Kim", "phd_student", False),
        ("Cy Wu", "phd_student", False),
    ]


def test_a_heading_about_the_page_is_no_name_and_what_is_next_is_where_one_went() -> None:
    page = """# Short Bios\n\nI am a professor at the University of X.\n\n## Publications\n
- **[[Talk video]](https://x.org/v) A Title of Things** (Best Paper Award)\n  **Ann Lee**, Bo Kim\n  *ICML*, 2021
- **Another Title of Things** [[Paper]](https://x.org/p)\n  **Ann Lee**, Cy Wu\n  *KDD*, 2020\n
## News\n\n- (2021/05)**[Paper]** Our paper “A Title of Things” has been selected as the best paper in ICML 2021.\n
## Alumni\n\n- Cy Wu (2019-2020, next position: PhD at MIT)\n"""
    draft = read_import(page.encode(), filename="page.md").draft
    assert draft.leader == "Ann Lee"
    assert [(work.title, work.authors, work.venue) for work in draft.works] == [
        ("A Title of Things", ("Ann Lee", "Bo Kim"), "ICML"),
        ("Another Title of Things", ("Ann Lee", "Cy Wu"), "KDD"),
    ]
    assert [member.now for member in draft.members if member.name == "Cy Wu"] == ["PhD at MIT"]
    assert [activity.title[:9] for activity in draft.activities if activity.kind == "news"] == ["Our paper"]


def test_bold_lines_part_a_list_of_publications() -> None:
    works = "<p><b>Ph.D. Theses</b></p><p><a href='https://x.org/'>A Title of Odd Things</a>, Ann Lee, 2000.</p>"
    page = f"<html><body><p><b>Lab Publications</b></p>{works}</body></html>"
    imported = read_import(page.encode(), filename="pubs.html")
    assert [(work.title, work.authors, work.year) for work in imported.draft.works] == [
        ("A Title of Odd Things", ("Ann Lee",), 2000)
    ]
    assert not imported.problems


@pytest.mark.parametrize(
    ("title", "lab", "leader"),
    [
        ("The Rivera Lab – Computational Neuroscience", "The Rivera Lab", ""),
        ("Lehrstuhl für Verteilte Systeme – Universität X", "Lehrstuhl für Verteilte Systeme", ""),
        ("智能系统实验室", "智能系统实验室", ""),
        ("Ann Lee – Databases", "", "Ann Lee"),
    ],
)
def test_a_title_names_a_lab_or_a_person_and_no_field(title: str, lab: str, leader: str) -> None:
    page = f"<html><head><title>{title}</title></head><body><h2>Alumni</h2><ul><li>Bo Kim</li></ul></body></html>"
    draft = read_import(page.encode(), filename="a.html").draft
    assert (draft.name, draft.leader) == (lab, leader)


def test_people_behind_current_and_former_are_found_and_a_head_by_her_titles() -> None:
    students = (
        "<li>Current: Jun Sato (Ph.D., 2021-), Lin Chen (Ph.D., 2022-)</li><li>Former: Bo Li (now at Huawei)</li>"
    )
    assert people_on(f"<h2>Students</h2><ul>{students}</ul>") == [
        ("Jun Sato", "member", True), ("Lin Chen", "member", True), ("Bo Li", "member", False),
    ]  # fmt: skip
    assert people_on("<h2>Leitung</h2><h3>Prof. Dr.-Ing. Anna Müller</h3><p>Raum 3.014</p>") == [
        ("Anna Müller", "leader", True)
    ]


def test_samples_of_a_template_and_notes_on_people_are_left_out() -> None:
    page = "<h1>Ann Lee</h1><p>I am a professor at the University of X.</p><p>555 your office number</p>"
    works = "<p>[1] Wei Zhang, Ming Li(通讯作者). Graph Learning at Scale[C]//Proceedings of SIGMOD. 2021: 88-101.</p>"
    awards = "<h3>获奖情况</h3><p>2022年 优秀青年学者奖</p>"
    draft = read_import(
        f"<html><body>{page}<h3>论文</h3>{works}{awards}</body></html>".encode(), filename="a.html"
    ).draft
    assert draft.about == "I am a professor at the University of X."
    assert [(work.title, work.authors, work.year) for work in draft.works] == [
        ("Graph Learning at Scale", ("Wei Zhang", "Ming Li"), 2021)
    ]
    assert [(activity.title, activity.when) for activity in draft.activities] == [("优秀青年学者奖", "2022")]
