"""A school's name goes wherever its line breaks; a work in the line above it stays."""

from __future__ import annotations

import pytest

from portal.matching import redact


@pytest.mark.parametrize(
    "text",
    [
        "my compilers for Databases\nUniversity of Toronto",
        "my B.Sc. in Mathematics\nRoyal College Colombo",
        "my kernels and Operating Systems\nTechnical University of Munich",
        "my work on Machine Learning\nCollege of Engineering",
        "my Institute for\nData Science",
        "Compilers\nUniversité Paris-Saclay",
        "Compilers\nHuazhong\nUniversity",
        "Compilers\nTrinity\nCollege Dublin",
    ],
)
def test_a_work_in_the_line_above_a_whole_name_stays(text: str) -> None:
    above = text.partition("\n")[0]
    assert redact(text).text.startswith(above)


@pytest.mark.parametrize(
    "school",
    [
        "Mohamed bin Zayed University of Artificial Intelligence",
        "National University of Computer and Emerging Sciences",
        "VU Amsterdam",
        "St. Oswin's College",
    ],
)
@pytest.mark.parametrize(
    ("before", "behind"),
    [("education\n", "\nbuilt compilers"), ("as a student at ", " he built kernels"), ("m.sc., ", ", 2021")],
)
def test_a_school_goes_whole_wherever_it_stands(school: str, before: str, behind: str) -> None:
    other = redact(f"{before}University of Toronto{behind}").text
    left = redact(f"{before}{school}{behind}").text
    assert left.replace(",", " ").split() == other.replace(",", " ").split()


@pytest.mark.parametrize(
    "text",
    [
        "Machine Learning Institute notes",
        "compilers for a Smart Campus with sensors",
        "an Institute for Data Science",
    ],
)
def test_a_field_beside_a_word_for_a_school_stays(text: str) -> None:
    assert redact(text).text == text
