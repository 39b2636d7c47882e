"""Large initials at the beginning of paragraphs, and large letters that are none."""

from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import RESUME_LINES, Pdf, lines, shown


def read(*operators: bytes) -> list[str]:
    """The lines of a page below those of a short resume."""
    pdf = Pdf()
    pdf.add_page(lines() + b"".join(operators))
    raw = read_pdf(pdf.data, STANDARD)
    text = raw.visible.splitlines()
    assert raw.hidden == ""
    assert set(RESUME_LINES) <= set(text)
    return [line for line in text if line not in RESUME_LINES]


def paragraph(first: str, *, x: float = 75, top: float = 500) -> bytes:
    return shown(first, x=x, y=top) + shown("in clusters", x=x, y=top - 14) + shown("of many sites.", x=50, y=top - 28)


def initial(letter: str, *, base: float = 484, x: float = 50) -> bytes:
    return shown(letter, x=x, y=base, size=33)


@pytest.mark.parametrize(
    ("letter", "first", "expected"),
    [
        ("P", "ipelines are scheduled", "Pipelines are scheduled"),
        ("A", "daptive batches", "Adaptive batches"),
        ("A", "scheduler for a", "A scheduler for a"),
        ("2", "020 models", "2020 models"),
    ],
)
@pytest.mark.parametrize("comes_first", [True, False])
def test_a_large_initial_is_part_of_the_first_word(
    letter: str, first: str, expected: str, *, comes_first: bool
) -> None:
    parts = [initial(letter), paragraph(first, x=70)]
    told = read(*(parts if comes_first else parts[::-1]))
    assert told == [expected, "in clusters", "of many sites."]


def test_an_initial_on_the_line_itself_is_part_of_the_word() -> None:
    assert read(initial("P", base=500), paragraph("ipelines run", x=75)) == [
        "Pipelines run",
        "in clusters",
        "of many sites.",
    ]


def test_a_large_letter_with_a_space_behind_it_is_a_word() -> None:
    line = b"BT /F1 18 Tf 50 500 Td (O) Tj /F1 12 Tf ( canal de rede) Tj ET"
    assert read(line) == ["O canal de rede"]
    assert read(line.replace(b"( canal", b"(canal")) == ["Ocanal de rede"]


def test_an_initial_on_the_foot_of_the_last_line_begins_the_first() -> None:
    texts = [shown(text, x=75, y=500 - 12 * place) for place, text in enumerate(("ipelines are", "put on", "clusters"))]
    letter = initial("P", base=476)
    for parts in ([letter, *texts], [*texts[:2], letter, texts[2]], [*texts, letter]):
        assert read(*parts) == ["Pipelines are", "put on", "clusters"]


def test_an_initial_is_no_part_of_the_line_above_it() -> None:
    heading = shown("Profile", x=50, y=514)
    assert read(heading + initial("P", base=500), shown("ipelines run", x=74, y=500)) == ["Profile", "Pipelines run"]


def test_an_initial_may_lie_on_its_paragraph() -> None:
    text = shown("ipelines run", x=50, y=500)
    assert read(text, initial("P", base=484)) == ["Pipelines run"]


def test_an_initial_on_the_first_line_is_no_part_of_the_second_beside_it() -> None:
    text = shown("ipelines run", x=50, y=500) + shown("clusters of many", x=75, y=486)
    assert read(initial("P", base=485), text) == ["Pipelines run", "clusters of many"]


@pytest.mark.parametrize(
    "letter",
    [
        initial("P", x=20),  # far from the paragraph
        initial("P", base=430),  # below it
        shown("P", y=500, x=57),  # as large as the rest
    ],
)
def test_other_letters_stay_apart(letter: bytes) -> None:
    told = " ".join(read(letter, paragraph("ipelines run", x=75))).split()
    assert "P" in told
    assert "ipelines" in told
