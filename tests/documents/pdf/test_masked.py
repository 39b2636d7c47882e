"""Letters that are the edge of what is painted, with a text beside them that has no colour."""

from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf.text import read_pdf
from tests.documents.pdfs import RESUME_LINES, Pdf, lines

CLEAR = b"/ExtGState<</G0<</ca 0>>>>"
RED, WHITE = "1 0 0 rg", "1 1 1 rg"


def edge(text: str, paint: str = RED) -> bytes:
    """A rectangle that is painted within the letters of a text only."""
    return f"q BT 7 Tr /F1 20 Tf 50 300 Td ({text}) Tj ET {paint} 40 290 400 40 re f Q\n".encode()


def clear(text: str) -> bytes:
    """A text without any colour."""
    return f"q /G0 gs BT /F1 20 Tf 50 300 Td ({text}) Tj ET Q\n".encode()


def read(operators: bytes) -> tuple[list[str], str]:
    """The lines below the resume, and the hidden text."""
    pdf = Pdf()
    pdf.add_page(lines() + operators, resources=CLEAR)
    raw = read_pdf(pdf.data, STANDARD)
    return raw.visible.splitlines()[len(RESUME_LINES) :], raw.hidden


@pytest.mark.parametrize(
    "operators", [edge("Experience"), edge("Experience") + clear("Experience")], ids=["edge", "edge and text"]
)
def test_letters_that_are_the_edge_of_a_colour_are_seen(operators: bytes) -> None:
    assert read(operators) == (["Experience"], "")


@pytest.mark.parametrize(
    "operators",
    [
        edge("keywords", WHITE),
        clear("keywords"),
        clear("keywords") + b"0.5 g 40 290 400 40 re f 0 g\n",
        b"0.5 g 40 290 400 40 re f 0 g\n" + clear("keywords"),
    ],
    ids=["white", "nothing", "below a shape", "on a shape"],
)
def test_letters_that_are_the_edge_of_nothing_are_hidden(operators: bytes) -> None:
    assert read(operators) == ([], "keywords")


def test_other_letters_at_the_same_place_do_not_show_a_text() -> None:
    visible, hidden = read(edge("Experience") + clear("HMMWB gqkww"))
    assert set("".join(visible)) <= set("Experience")
    assert "HMMWB" in hidden
