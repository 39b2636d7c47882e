"""Words that Word writes before the items of a list."""

from __future__ import annotations

import pytest

from portal.documents.docx.text import read_docx
from portal.documents.limits import STANDARD
from tests.documents.docxs import NAMESPACES, paragraph, repacked, resume_docx


def level(number: int, label: str, form: str = "decimal", more: str = "") -> str:
    written = f'<w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{label}"/>{more}'
    return f'<w:lvl w:ilvl="{number}">{written}</w:lvl>'


def item(text: str, place: int = 0, number: int = 7, run: str = "") -> str:
    return paragraph(text, run, f'<w:numPr><w:ilvl w:val="{place}"/><w:numId w:val="{number}"/></w:numPr>')


def read(levels: str, items: str, *, style: str = "", override: str = "") -> tuple[list[str], str]:
    """The first lines of a document with one list (7), and one that continues or restarts it (8); its hidden text."""
    numbering = (
        f'<w:numbering {NAMESPACES}><w:abstractNum w:abstractNumId="1">{levels}</w:abstractNum>'
        '<w:num w:numId="7"><w:abstractNumId w:val="1"/></w:num>'
        f'<w:num w:numId="8"><w:abstractNumId w:val="1"/>{override}</w:num></w:numbering>'
    )
    data = repacked(
        resume_docx(),
        {"word/numbering.xml": numbering.encode()},
        replaced={
            b"<w:body>": f"<w:body><w:sdt {NAMESPACES}><w:sdtContent>{items}</w:sdtContent></w:sdt>".encode(),
            b"</w:styles>": f"{style}</w:styles>".encode(),
        },
    )
    raw = read_docx(data, STANDARD)
    lines = [line for line in raw.visible.split("\n") if line]
    return lines[: lines.index("Resume")], raw.hidden.strip()


def test_words_before_items_are_read_with_their_numbers() -> None:
    levels = level(0, "Project %1:") + level(1, "Part %2 of %1", "upperRoman")
    items = item("Robot") + item("Arm", 1) + item("Eye", 1) + item("Drone") + item("Wing", 1)
    assert read(levels, items)[0] == [
        "Project 1: Robot",
        "Part I of 1 Arm",
        "Part II of 1 Eye",
        "Project 2: Drone",
        "Part I of 2 Wing",
    ]


@pytest.mark.parametrize("label", ["%1.", "•", "%1)", "o", "§ %1"])
def test_bullets_and_numbers_without_words_are_left_out(label: str) -> None:
    assert read(level(0, label), item("Robot"))[0] == ["Robot"]


@pytest.mark.parametrize(
    ("override", "number"),
    [("", "2"), ('<w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride>', "5")],
)
def test_a_second_use_of_a_list_goes_on_unless_it_begins_anew(override: str, number: str) -> None:
    lines, _ = read(level(0, "Project %1:"), item("Robot") + item("Drone", number=8), override=override)
    assert lines == ["Project 1: Robot", f"Project {number}: Drone"]


@pytest.mark.parametrize(
    ("form", "start", "number"),
    [
        ("lowerRoman", "3999", "mmmcmxcix"),
        ("lowerRoman", "4000", "4000"),
        ("upperRoman", "4000000000", "4000000000"),
        ("upperRoman", "0", "0"),
        ("upperLetter", "27", "AA"),
        ("lowerLetter", "4000000000", "v" * 9),
        ("decimalZero", "7", "07"),
    ],
)
def test_a_number_of_any_size_is_written_in_a_few_letters(form: str, start: str, number: str) -> None:
    override = f'<w:lvlOverride w:ilvl="0"><w:startOverride w:val="{start}"/></w:lvlOverride>'
    lines, _ = read(level(0, "Project %1:", form), item("Drone", number=8), override=override)
    assert lines == [f"Project {number}: Drone"]


def test_words_before_items_are_cut_where_they_are_very_long() -> None:
    ((line,), _) = read(level(0, "Project " * 40), item("Robot"))
    assert line == f"{('Project ' * 40)[:200]} Robot"


def test_a_style_may_number_its_paragraphs() -> None:
    style = '<w:style w:type="paragraph" w:styleId="P"><w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr></w:style>'
    styled = paragraph("Graphs", "", '<w:pStyle w:val="P"/>') + paragraph("", "", '<w:pStyle w:val="P"/>')
    assert read(level(0, "Chapter %1", "lowerLetter"), styled * 2, style=style)[0] == [
        "Chapter a Graphs",
        "Chapter c Graphs",
    ]


@pytest.mark.parametrize("look", ["<w:vanish/>", '<w:color w:val="FFFFFF"/>', '<w:sz w:val="2"/>'])
def test_words_that_nobody_sees_are_hidden(look: str) -> None:
    assert read(level(0, "secret words", more=f"<w:rPr>{look}</w:rPr>"), item("Robot")) == (["Robot"], "secret words")
