"""Ministries, institutes, clubs and scholarships go by how their names are made; things of the field stay."""

from __future__ import annotations

import pytest

from portal.matching import redact


@pytest.mark.parametrize(
    "employer",
    [
        "Ministry of Communications and Technology",
        "Tata Research Development and Design Centre",
        "Lady Reading Hospital",
    ],
)
def test_employers_go_by_how_their_names_are_made(employer: str) -> None:
    removed = redact(f"Served models\nWrote kernels with {employer}, and hashing.").removed
    assert {item.reason for item in removed} <= {"employer", "gender", "place"}
    assert redact(f"Served models\nWrote kernels with {employer}, and hashing.").text.split() == (
        ["Served", "models", "Wrote", "kernels", "with", ",", "and", "hashing."]
    )


def test_an_abbreviated_university_goes_within_a_sentence() -> None:
    assert redact("Served models\nat Shahid Beheshti U. under stress").text.split()[-3:] == ["at", "under", "stress"]


@pytest.mark.parametrize(
    "group",
    [
        "Shahid Beheshti U.",
        "Gymnasium am Stadtpark",
        "Girls Who Code",
        "Men in Computing",
        "Black in AI",
    ],
)
def test_clubs_scholarships_and_abbreviated_universities_go(group: str) -> None:
    assert redact(f"Served models\nWrote kernels: {group}, hashing").text.split() == (
        ["Served", "models", "Wrote", "kernels:", ",", "hashing"]
    )


@pytest.mark.parametrize(
    "text",
    [
        "Association Rules and Union Find",
        "Machine Learning Group; Robotics Club; Systems Society",
        "Large Foundation Models, Trust Region Policy Optimization and Zero Trust",
        "Data Centre Networking, Filter Bank, Certificate Authority, Cache Organization",
        "Web Service Chapter 3",
        "Wrote the Scheduling chapter of a book, Model Hub, Certificate Authority",
        "Conditional Branch, Symmetric Group, Disjoint Union",
        "Google Scholar",
        "deployed on AWS with Terraform",
        "a library called Kettle Graph",
        "Machine Learning summer school",
    ],
)
def test_things_of_the_field_that_are_called_alike_stay(text: str) -> None:
    assert redact(f"Served models\n{text}").removed == ()


@pytest.mark.parametrize("place", ["Bunkyo-ku", "Yuseong-gu"])
def test_towns_go_by_how_they_end_or_by_the_country_behind(place: str) -> None:
    assert not redact(f"Served models\n{place}").text.removeprefix("Served models").replace(",", "").strip()


def test_what_stands_in_a_list_before_a_country_stays() -> None:
    assert redact("Served models\nRust, Java, Georgia").text.split() == ["Served", "models", "Rust,", "Java,"]


@pytest.mark.parametrize(
    "address",
    [
        "No. 12, Velenjak St.",
        "Lindstedtsvägen 3b",
    ],
)
def test_streets_of_more_countries_go(address: str) -> None:
    removed = redact(f"Served models\nReach me: {address} | kernels").removed
    assert [(item.reason, item.text) for item in removed] == [("address", address)]


@pytest.mark.parametrize(
    "name",
    [
        "dr hab. inż. Tomasz Nowak",
        "prof. Jacek Nowak",
        "Prof.ssa Anna Russo",
        "Engr. Chukwuemeka Obi",
        "Assoc. Prof. Minh Triet",
        "Profa. Jussara Almeida",
    ],
)
def test_people_go_with_titles_of_many_countries(name: str) -> None:
    removed = redact(f"Served models\nWrote kernels with {name}, hashing").removed
    assert [(item.reason, item.text) for item in removed] == [("name", name)]


@pytest.mark.parametrize("degree", ["B.Eng. Mechanical Engineering", "M. Eng. Computer Engineering"])
def test_the_field_of_a_degree_is_no_name_with_a_title(degree: str) -> None:
    assert redact(f"{degree}\n\nWork\n- Served models").removed == ()


@pytest.mark.parametrize(
    "name",
    [
        "Siti Nurhaliza binti Ahmad",
    ],
)
def test_a_name_with_a_word_for_son_or_daughter_is_known_everywhere(name: str) -> None:
    assert redact(f"{name}\nnurhaliza served models").text.split() == ["served", "models"]


@pytest.mark.parametrize(
    "label",
    [
        "Nombre y apellidos",
        "Nome e cognome",
        "Nama",
        "Surname / First name",
        "Surname and given names",
        "Surname(s) / First name(s)",
        "| Name |",
        "Forenames",
        "الاسم",
    ],
)
def test_names_go_behind_labels_of_many_languages(label: str) -> None:
    colon = "" if label.endswith("|") else ":"
    text = f"Perfil de modelos de lenguaje\n{label}{colon} Xiaoming Park\nServed models. Park wrote kernels."
    assert "Park" not in redact(text).text


@pytest.mark.parametrize("rank", ["Associate Professor", "Assistant Prof.", "Adjunct Professor Dr."])
def test_a_rank_goes_with_the_name_of_who_has_it(rank: str) -> None:
    assert redact(f"Served models\nadvised by {rank} Te Taka Bello, hashing").text.split()[2:] == (
        ["advised", "by", ",", "hashing"]
    )


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("References: Candidate of Sciences Yerlan Bello, senior lecturer", ["References:"]),
        ("| Referee | Óscar Bello, Head of Laboratory | by mail |", ["|", "Referee", "|", "|", "by", "mail", "|"]),
        ("The reference: implementation of a cache", ["The", "reference:", "implementation", "of", "a", "cache"]),
        ("Languages: C++ (fluent), Rust", ["Languages:", "C++", "(fluent),", "Rust"]),
        ("Languages: Xhosali (native), English (fluent)", ["Languages:", "Xhosali", ","]),
        ("Work at Anadolu Veri A.Ş. on kernels", ["Work", "at", "on", "kernels"]),
    ],
)
def test_who_vouches_for_somebody_and_what_they_speak_goes(line: str, left: list[str]) -> None:
    assert redact(f"Served models\n{line}\n").text.split()[2:] == left
