"""Ministries, institutes, clubs and scholarships go by how their names are made; things of the field stay."""

from __future__ import annotations

import pytest

from portal.matching import redact


@pytest.mark.parametrize(
    "group",
    [
        "Gymnasium am Stadtpark",
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
        "prof. Jacek Nowak",
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


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("The reference: implementation of a cache", ["The", "reference:", "implementation", "of", "a", "cache"]),
        ("Languages: C++ (fluent), Rust", ["Languages:", "C++", "(fluent),", "Rust"]),
    ],
)
def test_who_vouches_for_somebody_and_what_they_speak_goes(line: str, left: list[str]) -> None:
    assert redact(f"Served models\n{line}\n").text.split()[2:] == left
