"""Schools go in whatever language and script they are written, and the work beside them stays."""

from __future__ import annotations

import pytest

from portal.matching import redact

EMPLOYERS = (
    "Acme Oy",
    "Bar S.r.l.",
    "Baz s.r.o.",
)


@pytest.mark.parametrize("employer", EMPLOYERS)
def test_an_employer_goes_by_the_form_of_its_name(employer: str) -> None:
    left = redact(f"compilers\n{employer}, 2021\nkernels").text
    assert left.split() in (["compilers", ",", "kernels"], ["compilers", ".,", "kernels"])


@pytest.mark.parametrize(
    "text",
    [
        "university course timetabling",
        "a college admission problem",
        "blood of type AB and Vision Transformers AB ablations",
        "we used SAS and R",
        "M.Sc. in Computer Science, thesis on Robotics",
        "Protokoll, cole and kool caches",
    ],
)
def test_a_work_that_sounds_like_a_school_or_an_employer_stays(text: str) -> None:
    assert redact(text).removed == ()


@pytest.mark.parametrize("subject", ["Computer Science", "Machine Learning", "Robotics", "Applied Physics"])
def test_what_was_studied_in_a_country_is_no_town(subject: str) -> None:
    assert redact(f"Ph.D. in {subject}, Germany").text.split() == f"Ph.D. in {subject},".split()


@pytest.mark.parametrize(
    "date",
    [
        "Q3 2022",
        "H1 2021",
    ],
)
def test_quarters_and_years_of_accounts_are_dates(date: str) -> None:
    left = redact(f"compilers {date} kernels on Q3 and H100").text
    assert " ".join(left.split()) == "compilers kernels on Q3 and H100"


def test_areas_of_the_states_are_places() -> None:
    assert redact("compilers, Bay Area and Silicon Valley").text.split() == ["compilers,", "and"]


@pytest.mark.parametrize(
    "text",
    [
        "Ingénieur logiciel chez {}, compilers",
        "Stage chez {}: compilers",
        "Werkstudent bei {}, compilers",
        "Tirocinio presso {} | compilers",
        "Prácticas en {}, compilers",
        "Stagiair bij {}, compilers",
    ],
)
def test_an_employer_goes_behind_the_word_for_at(text: str) -> None:
    left = [redact(text.format(name)).text for name in ("Wirecard", "Neue Kernel Werke")]
    assert left[0].split() == left[1].split()
    assert "compilers" in left[0]


@pytest.mark.parametrize(
    "text", ["Praktikum en compilers", "forscht bei Compilern", "Stage chez soi", "Werkstudent bei Machine Learning"]
)
def test_a_work_behind_the_word_for_at_stays(text: str) -> None:
    assert [one.text for one in redact(text).removed if one.reason == "employer"] == []


@pytest.mark.parametrize(
    "told",
    [
        "verheiratet",
        "ledig",
    ],
)
def test_what_tells_of_a_family_or_a_gender_goes(told: str) -> None:
    assert redact(f"compilers, {told}, kernels").text.split() == ["compilers,", ",", "kernels"]
