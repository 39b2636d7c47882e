from __future__ import annotations

from typing import TYPE_CHECKING

import docx
import pytest
from docx.shared import Pt, RGBColor

from portal.documents.docx.text import read_docx
from portal.documents.limits import STANDARD, Limits
from portal.documents.refusals import Reason, RefusedDocument
from tests.documents.docxs import paragraph, repacked, resume_document, resume_docx, saved, with_body_xml
from tests.documents.pdfs import RESUME_LINES

if TYPE_CHECKING:
    from portal.documents.extracted import Extracted

LAID_OUT, BY_HAND = "<w:lastRenderedPageBreak/>", '<w:br w:type="page"/>'  # breaks between pages
WHITE = '<w:color w:val="FFFFFF"/>'
BOX = (
    '<w:p xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">'
    "<w:r><w:t>before </w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wp:inline>"
    "<a:graphic><a:graphicData><wps:wsp><wps:spPr>{fill}</wps:spPr><wps:txbx><w:txbxContent>{inside}</w:txbxContent>"
    "</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline></w:drawing></mc:Choice>"
    "<mc:Fallback><w:pict><w:txbxContent>{inside}</w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    "<w:r><w:t>after</w:t></w:r></w:p>"
)


def in_cell(inner: str, cell: str = "", table: str = "") -> str:
    return f"<w:tbl><w:tblPr>{table}</w:tblPr><w:tr><w:tc><w:tcPr>{cell}</w:tcPr>{inner}</w:tc></w:tr></w:tbl>"


def read(data: bytes) -> Extracted:
    return read_docx(data, STANDARD)


def lines_of(data: bytes) -> list[str]:
    """The visible lines that are not empty."""
    return [line for line in read(data).text.split("\n") if line.strip()]


def test_headings_and_paragraphs_are_lines() -> None:
    assert lines_of(resume_docx()) == ["Resume", *RESUME_LINES]


def test_tables_are_read_where_they_stand_also_inside_each_other() -> None:
    document = docx.Document()
    document.add_paragraph("above")
    table = document.add_table(rows=1, cols=2)
    table.cell(0, 0).text = "left"
    table.cell(0, 1).add_table(rows=1, cols=1).cell(0, 0).text = "inner"
    document.add_paragraph("below")
    assert lines_of(saved(document)) == ["above", "left", "inner", "below"]


@pytest.mark.parametrize(("size", "first"), [(24, ["Ada Lovelace", "skills"]), (12, ["skills", "Ada Lovelace"])])
def test_a_title_beside_a_column_comes_first_behind_the_header(size: int, first: list[str]) -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "every page"
    left, right = document.add_table(rows=1, cols=2).rows[0].cells
    left.text = "skills"
    right.paragraphs[0].add_run("Ada Lovelace").font.size = Pt(size)
    for line in RESUME_LINES:
        right.add_paragraph(line)
    assert lines_of(saved(document)) == ["every page", *first, *RESUME_LINES]


def test_headers_come_first_and_footers_last_each_once() -> None:
    document = resume_document()
    for section in (document.sections[0], document.add_section()):
        section.header.is_linked_to_previous = False
        section.header.paragraphs[0].text = "Wang Xiaoming – resume"
        section.footer.paragraphs[0].text = "wang@example.com"
    lines = lines_of(saved(document))
    assert (lines[0], lines[1], lines[-1]) == ("Wang Xiaoming – resume", "Resume", "wang@example.com")
    assert lines.count("Wang Xiaoming – resume") == 1


@pytest.mark.parametrize(
    ("xml", "lines"),
    [
        (f"<w:sdt><w:sdtPr/><w:sdtContent>{paragraph('in a control')}</w:sdtContent></w:sdt>", ["in a control"]),
        ("<w:p><w:hyperlink><w:r><w:t>linked</w:t></w:r></w:hyperlink></w:p>", ["linked"]),
        ("<w:p><w:ins><w:r><w:t>added</w:t></w:r></w:ins></w:p>", ["added"]),
        ("<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>left</w:t></w:r></w:p>", ["left"]),
        ("<w:p><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:r><w:t>left</w:t></w:r></w:p>", ["left"]),
        ("<w:p><w:r><w:instrText>HYPERLINK</w:instrText></w:r><w:r><w:t>shown</w:t></w:r></w:p>", ["shown"]),
        ("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>", ["a\tb", "c"]),
        ("<w:p><w:r><w:t>a</w:t><w:noBreakHyphen/><w:t>b</w:t></w:r></w:p>", ["a-b"]),
        (BOX.format(fill="", inside=paragraph("in a box")), ["before after", "in a box"]),
        (
            '<w:p><w:r><w:pict><v:shape><v:textpath string="letters as art"/></v:shape></w:pict></w:r></w:p>',
            ["letters as art"],
        ),
        (
            paragraph("a") + in_cell(paragraph("gone"), "<w:cellDel/>") + in_cell(paragraph("left"), "<w:cellIns/>"),
            ["a", "left"],
        ),
        (
            "<w:p><w:r><a:p><a:r><a:t>of a </a:t></a:r><a:r><a:t>slide</a:t></a:r></a:p></w:r></w:p>",
            ["of a slide"],
        ),
        (paragraph("phone ☎", '<w:rFonts w:ascii="Font Awesome 6 Free"/>'), ["      ☎"]),
        ("<w:p><w:r><w:t>\nset in\nlines</w:t></w:r></w:p>", [" set in lines"]),
        ("<!-- a comment --><?pi?>" + paragraph("王小明"), ["王小明"]),
    ],
    ids=[
        "control",
        "link",
        "insertion",
        "deletion",
        "move",
        "field",
        "tab and break",
        "hyphen",
        "text box",
        "word art",
        "deleted cell",
        "slide",
        "icon",
        "indented file",
        "comment",
    ],
)
def test_text_is_found_wherever_word_shows_it(xml: str, lines: list[str]) -> None:
    assert lines_of(with_body_xml(xml)) == [*lines, "Resume", *RESUME_LINES]


def shade(fill: str) -> str:
    return f'<w:shd w:val="clear" w:color="auto" w:fill="{fill}"/>'


OUTLINED = paragraph(
    "secret", WHITE + '<w14:textOutline><w14:solidFill><w14:srgbClr w14:val="{}"/></w14:solidFill></w14:textOutline>'
)
SOLID = '<a:solidFill><a:srgbClr val="{}"/></a:solidFill>'
HIDDEN = {
    "hidden by Word": paragraph("secret", "<w:vanish/>"),
    "white": paragraph("secret", WHITE),
    "nearly white": paragraph("secret", '<w:color w:val="F8F8FA"/>'),
    "one point": paragraph("secret", '<w:sz w:val="2"/>'),
    "black on black": paragraph("secret", '<w:color w:val="000000"/>' + shade("000000")),
    "blue on blue highlight": paragraph("secret", '<w:color w:val="0000FF"/><w:highlight w:val="blue"/>'),
    "as the cell": in_cell(paragraph("secret", '<w:color w:val="1F3864"/>'), shade("1F3864")),
    "as the style of its table": in_cell(
        paragraph("secret", '<w:color w:val="112233"/>'), "", '<w:tblStyle w:val="EvenTable"/>'
    ),
    "white in a plain cell": in_cell(paragraph("secret", WHITE)),
    "white in a white box": BOX.format(fill=SOLID.format("FFFFFF"), inside=paragraph("secret", WHITE)),
    "white in a box without fill": BOX.format(fill="<a:noFill/>", inside=paragraph("secret", WHITE)),
    "by its style": paragraph("secret", '<w:rStyle w:val="Ghost"/>'),
    "by the style of its style": paragraph("secret", '<w:rStyle w:val="Heir"/>'),
    "by the style of its paragraph": paragraph("secret", "", '<w:pStyle w:val="GhostParagraph"/>'),
    "piled up": paragraph("secret", '<w:spacing w:val="-400"/>'),
    "white with a white outline": OUTLINED.format("FFFFFF"),
    "without any fill": (
        '<w:p xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml">'
        "<w:r><w:rPr><w14:textFill><w14:noFill/></w14:textFill></w:rPr><w:t>secret</w:t></w:r></w:p>"
    ),
}
VISIBLE = {
    "explicitly not hidden": paragraph("secret", '<w:rStyle w:val="Ghost"/><w:vanish w:val="0"/>' + shade("000000")),
    "white on a dark run": paragraph("secret", WHITE + shade("1F3864")),
    "white on a dark paragraph": paragraph("secret", WHITE, shade("1F3864")),
    "white in a dark cell": in_cell(paragraph("secret", WHITE), shade("1F3864")),
    "white in a dark table": in_cell(paragraph("secret", WHITE), "", shade("1F3864")),
    "white in a styled table": in_cell(paragraph("secret", WHITE), "", '<w:tblStyle w:val="DarkTable"/>'),
    "white in an evenly dark table": in_cell(paragraph("secret", WHITE), "", '<w:tblStyle w:val="EvenTable"/>'),
    "white in a dark box": BOX.format(fill=SOLID.format("1F3864"), inside=paragraph("secret", WHITE)),
    "white in a box of the theme": BOX.format(
        fill='<a:solidFill><a:schemeClr val="accent1"/></a:solidFill>', inside=paragraph("secret", WHITE)
    ),
    "automatic on black": paragraph("secret", '<w:color w:val="auto"/>' + shade("000000")),
    "grey": paragraph("secret", '<w:color w:val="808080"/>'),
    "a little closer": paragraph("secret", '<w:spacing w:val="-20"/>'),
    "a little higher": paragraph("secret", '<w:position w:val="6"/>'),
    "six points": paragraph("secret", '<w:sz w:val="12"/>'),
}
STYLES = (
    b'<w:style w:type="character" w:styleId="Ghost"><w:rPr><w:vanish/><w:color w:val="FFFFFF"/></w:rPr></w:style>'
    b'<w:style w:type="character" w:styleId="Heir"><w:basedOn w:val="Ghost"/></w:style>'
    b'<w:style w:type="character" w:styleId="Snake"><w:basedOn w:val="Tail"/></w:style>'
    b'<w:style w:type="character" w:styleId="Tail"><w:basedOn w:val="Snake"/></w:style>'
    b'<w:style w:type="paragraph" w:styleId="GhostParagraph"><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>'
    b'<w:style w:type="table" w:styleId="DarkTable"><w:tblStylePr w:type="firstRow"><w:tcPr>'
    b'<w:shd w:val="clear" w:fill="1F3864"/></w:tcPr></w:tblStylePr></w:style>'
    b'<w:style w:type="table" w:styleId="EvenTable"><w:tcPr><w:shd w:val="clear" w:fill="112233"/></w:tcPr></w:style>'
    b"</w:styles>"
)


def styled(xml: str) -> bytes:
    return repacked(with_body_xml(xml), replaced={b"</w:styles>": STYLES})


@pytest.mark.parametrize("xml", HIDDEN.values(), ids=HIDDEN.keys())
def test_runs_that_a_reader_does_not_see_are_set_apart(xml: str) -> None:
    raw = read(styled(xml))
    assert (raw.hidden, "secret" in raw.text, RESUME_LINES[0] in raw.text) == ("secret", False, True)


@pytest.mark.parametrize("xml", VISIBLE.values(), ids=VISIBLE.keys())
def test_runs_that_a_reader_sees_are_not_accused(xml: str) -> None:
    raw = read(styled(xml))
    assert (raw.hidden, "secret" in raw.text) == ("", True)


def test_formatting_set_through_word_itself_is_understood() -> None:
    document = docx.Document()
    line = document.add_paragraph("seen ")
    line.add_run("white").font.color.rgb = RGBColor(255, 255, 255)
    line.add_run("tiny").font.size = Pt(1)
    line.add_run("vanished").font.hidden = True
    raw = read(saved(document))
    assert (raw.text.strip(), raw.hidden) == ("seen", "whitetinyvanished")


def test_styles_that_are_based_on_each_other_in_a_circle_end() -> None:
    assert "shown" in read(styled(paragraph("shown", '<w:rStyle w:val="Snake"/>'))).text


def test_pages_are_those_of_the_last_layout_or_those_broken_by_hand_where_there_are_more() -> None:
    assert read(resume_docx()).pages == 1
    laid_out, by_hand = (f"<w:p><w:r>{mark}</w:r></w:p>" for mark in (LAID_OUT, BY_HAND))
    assert read(with_body_xml(laid_out * 19)).pages == 20
    assert read(with_body_xml(laid_out * 5 + by_hand * 3)).pages == 6
    assert read(with_body_xml(laid_out * 3 + by_hand * 5)).pages == 6


@pytest.mark.parametrize("mark", [LAID_OUT, BY_HAND])
def test_too_many_pages_are_refused(mark: str) -> None:
    with pytest.raises(RefusedDocument) as caught:
        read(with_body_xml(f"<w:p><w:r>{mark}</w:r></w:p>" * 20))
    assert caught.value.reason == Reason.TOO_MANY_PAGES


def test_more_text_than_can_be_read_is_refused() -> None:
    with pytest.raises(RefusedDocument) as caught:
        read_docx(resume_docx(), Limits(raw_characters=100))
    assert caught.value.reason == Reason.TOO_MUCH_TEXT
