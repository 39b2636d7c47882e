"""What Word shows of a document, and what a document holds that Word does not show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from docx.opc.constants import CONTENT_TYPE as CT
from docx.opc.constants import RELATIONSHIP_TYPE as RT

from portal.documents.docx.text import read_docx
from portal.documents.limits import STANDARD
from tests.documents.docxs import NAMESPACES, paragraph, repacked, resume_document, saved, with_body_xml, with_part
from tests.documents.pdfs import RESUME_LINES

if TYPE_CHECKING:
    from collections.abc import Callable

    from docx.section import Section

WHITE = '<w:color w:val="FFFFFF"/>'
WORDS = paragraph("some words")


def told(data: bytes) -> tuple[bool, str]:
    """Whether “some words” are seen, and the hidden text."""
    raw = read_docx(data, STANDARD)
    assert RESUME_LINES[0] in raw.text
    return "some words" in " ".join(raw.text.split()), " ".join(raw.hidden.split())


SEEN = (True, "")
HIDDEN = (False, "some words")
NOT_THERE = (False, "")


def anchored(inside: str, *, attributes: str = "", before: str = "") -> str:
    """A paragraph with a text box, in the newer drawing language and once more in the older one."""
    return (
        f"<w:p><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wp:anchor {attributes}>{before}"
        f"<a:graphic><a:graphicData><wps:wsp><wps:spPr/><wps:txbx><w:txbxContent>{inside}</w:txbxContent></wps:txbx>"
        "</wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice>"
        f"<mc:Fallback>{older_box(inside)}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )


def older_box(inside: str, attributes: str = "", style: str = "width:200pt;height:50pt") -> str:
    return (
        f'<w:pict><v:shape style="{style}" {attributes}><v:textbox><w:txbxContent>{inside}</w:txbxContent></v:textbox>'
        "</v:shape></w:pict>"
    )


def in_run(xml: str) -> str:
    return f"<w:p><w:r>{xml}</w:r></w:p>"


def placed(horizontally: int, width: int = 2_000_000) -> str:
    return (
        f'<wp:positionH relativeFrom="page"><wp:posOffset>{horizontally}</wp:posOffset></wp:positionH>'
        f'<wp:extent cx="{width}" cy="500000"/>'
    )


def field(code: str, result: str) -> str:
    def mark(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    runs = [f"<w:r><w:t>{text}</w:t></w:r>" for text in (code, result)]
    return f"<w:p>{mark('begin')}{runs[0]}{mark('separate')}{runs[1]}{mark('end')}</w:p>"


def filled(colour: str) -> str:
    fill = f"<w14:textFill><w14:solidFill>{colour}</w14:solidFill></w14:textFill>"
    return paragraph("some words", fill)


CASES = {
    "a box in both languages": (anchored(WORDS), SEEN),
    "a hidden box": (anchored(WORDS, attributes='hidden="1"'), HIDDEN),
    "a box that its name hides": (anchored(WORDS, before='<wp:docPr id="7" name="x" hidden="1"/>'), HIDDEN),
    "a box at the edge of the page": (anchored(WORDS, before=placed(-100_000)), SEEN),
    "a box without extent": (anchored(WORDS, before=placed(0, 0)), HIDDEN),
    "an older box": (in_run(older_box(WORDS)), SEEN),
    "white in an older box": (in_run(older_box(paragraph("some words", WHITE))), HIDDEN),
    "white in a dark older box": (in_run(older_box(paragraph("some words", WHITE), 'fillcolor="#1F3864"')), SEEN),
    "white in an older box of many colours": (
        in_run(
            older_box(paragraph("some words", WHITE)).replace("<v:textbox>", '<v:fill type="gradient"/><v:textbox>')
        ),
        SEEN,
    ),
    "an older box that is not shown": (in_run(older_box(WORDS, style="visibility:hidden")), HIDDEN),
    "a drawing that Word does not know": (
        in_run(
            "<mc:AlternateContent><mc:Choice xmlns:z='urn:z' Requires='z'><w:t>other</w:t></mc:Choice>"
            "<mc:Fallback><w:t>some words</w:t></mc:Fallback></mc:AlternateContent>"
        ),
        SEEN,
    ),
    "a group of drawings": (
        in_run(f"<w:drawing><wp:inline><wpg:wgp><wps:wsp>{WORDS}</wps:wsp></wpg:wgp></wp:inline></w:drawing>"),
        SEEN,
    ),
    "the description of a drawing": (
        in_run('<w:drawing><wp:inline><wp:docPr id="3" name="x" descr="some words"/></wp:inline></w:drawing>'),
        NOT_THERE,
    ),
    "white on half black": (
        paragraph("some words", WHITE + '<w:shd w:val="pct50" w:color="auto" w:fill="auto"/>'),
        SEEN,
    ),
    "white on a little black": (
        paragraph("some words", WHITE + '<w:shd w:val="pct5" w:color="000000" w:fill="FFFFFF"/>'),
        HIDDEN,
    ),
    "white on stripes": (
        paragraph("some words", WHITE + '<w:shd w:val="diagStripe" w:color="000000" w:fill="FFFFFF"/>'),
        SEEN,
    ),
    "a deletion with ordinary text": (
        '<w:p><w:del w:id="2" w:author="x"><w:r><w:t>some words</w:t></w:r></w:del></w:p>',
        NOT_THERE,
    ),
    "lines without height": (
        paragraph("some words", "", '<w:spacing w:line="1" w:lineRule="exact"/>'),
        HIDDEN,
    ),
    "a text at the right of an indent": (
        paragraph("some words", "", '<w:ind w:left="-18000"/><w:jc w:val="right"/>'),
        SEEN,
    ),
    "an indent into the margin": (paragraph("some words", "", '<w:ind w:left="-720"/>'), SEEN),
    "a frame that begins left of the page": (
        paragraph("some words", "", '<w:framePr w:w="2000" w:hAnchor="page" w:x="-900"/>'),
        SEEN,
    ),
    "a frame in the margin": (paragraph("some words", "", '<w:framePr w:w="900" w:hAnchor="text" w:x="-1900"/>'), SEEN),
    "a frame": (paragraph("some words", "", '<w:framePr w:w="2000" w:hSpace="180"/>'), SEEN),
    "letters squeezed to a line": (paragraph("some words", '<w:w w:val="1"/>'), HIDDEN),
    "pale yellow": (paragraph("some words", '<w:color w:val="FFFFDC"/>'), HIDDEN),
    "yellow": (paragraph("some words", '<w:color w:val="FFE600"/>'), SEEN),
    "white by the theme": (paragraph("some words", '<w:color w:val="auto" w:themeColor="background1"/>'), HIDDEN),
    "white that the theme makes black": (
        paragraph("some words", '<w:color w:val="FFFFFF" w:themeColor="text1"/>'),
        SEEN,
    ),
    "a darker white": (
        paragraph("some words", '<w:color w:val="7F7F7F" w:themeColor="background1" w:themeShade="7F"/>'),
        SEEN,
    ),
    "white on the black of the theme": (
        paragraph("some words", WHITE + '<w:shd w:val="clear" w:fill="auto" w:themeFill="text1"/>'),
        SEEN,
    ),
    "letters filled with white": (filled('<w14:srgbClr w14:val="FFFFFF"/>'), HIDDEN),
    "letters filled with white by the theme": (filled('<w14:schemeClr w14:val="bg1"/>'), HIDDEN),
    "letters that let all through": (
        filled('<w14:srgbClr w14:val="000000"><w14:alpha w14:val="100000"/></w14:srgbClr>'),
        HIDDEN,
    ),
    "hidden by the style of its table": (
        f'<w:tbl><w:tblPr><w:tblStyle w:val="Ghosts"/></w:tblPr><w:tr><w:tc>{WORDS}</w:tc></w:tr></w:tbl>',
        HIDDEN,
    ),
    "the code of a field": (field("some words", "result"), HIDDEN),
    "the result of a field": (field("code", "some words"), (True, "code")),
    "a formula": ("<w:p><m:oMath><m:r><m:t>some words</m:t></m:r></m:oMath></w:p>", SEEN),
    "a word of several runs": (
        '<w:p><w:r><w:t xml:space="preserve">some wo</w:t></w:r><w:proofErr/><w:r><w:t>rds</w:t></w:r></w:p>',
        SEEN,
    ),
    "a word with a soft hyphen": ("<w:p><w:r><w:t>some wor</w:t><w:softHyphen/><w:t>ds</w:t></w:r></w:p>", SEEN),
    "an icon of a font": (
        '<w:p><w:r><w:sym w:font="Wingdings" w:char="F028"/><w:t>some words</w:t></w:r></w:p>',
        SEEN,
    ),
    "choices of a list": (
        (
            '<w:sdt><w:sdtPr><w:dropDownList><w:listItem w:displayText="some words"/></w:dropDownList></w:sdtPr>'
            f"<w:sdtContent>{paragraph('chosen')}</w:sdtContent></w:sdt>"
        ),
        NOT_THERE,
    ),
}


@pytest.mark.parametrize(("xml", "expected"), CASES.values(), ids=CASES.keys())
def test_words_are_seen_where_word_shows_them(xml: str, expected: tuple[bool, str]) -> None:
    ghosts = b'<w:style w:type="table" w:styleId="Ghosts"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>'
    assert told(repacked(with_body_xml(xml), replaced={b"</w:styles>": ghosts})) == expected


def test_a_box_is_read_once() -> None:
    assert read_docx(with_body_xml(anchored(WORDS)), STANDARD).text.count("some words") == 1


def first(section: Section) -> None:
    section.first_page_header.is_linked_to_previous = False
    section.first_page_header.paragraphs[0].text = "some words"


def even(section: Section) -> None:
    section.even_page_header.is_linked_to_previous = False
    section.even_page_header.paragraphs[0].text = "some words"


@pytest.mark.parametrize("fill", [first, even])
def test_headers_of_pages_that_have_none_are_hidden(fill: Callable[[Section], None]) -> None:
    document = resume_document()
    fill(document.sections[0])
    assert told(saved(document)) == HIDDEN


def test_headers_of_first_and_even_pages_are_seen_where_they_are_told_apart() -> None:
    document = resume_document()
    first(document.sections[0])
    document.sections[0].different_first_page_header_footer = True
    assert told(saved(document)) == SEEN
    document = resume_document()
    even(document.sections[0])
    document.settings.odd_and_even_pages_header_footer = True
    assert told(saved(document)) == SEEN


@pytest.mark.parametrize(
    ("number", "look", "expected"),
    [("2", b"", SEEN), ("3", b"", HIDDEN), ("2", b"<w:rPr><w:vanish/></w:rPr>", HIDDEN)],
    ids=["referred to", "not referred to", "by a mark that nobody sees"],
)
def test_a_footnote_is_seen_where_the_text_refers_to_it(number: str, look: bytes, expected: tuple[bool, str]) -> None:
    notes = (
        f"<w:footnotes {NAMESPACES}>"
        '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:t>other</w:t></w:r></w:p></w:footnote>'
        f'<w:footnote w:id="{number}">{WORDS}</w:footnote></w:footnotes>'
    )
    document = with_part("/word/footnotes.xml", CT.WML_FOOTNOTES, notes, RT.FOOTNOTES)
    reference = b'<w:body><w:p><w:r>%b<w:footnoteReference w:id="2"/></w:r></w:p>' % look
    assert told(repacked(saved(document), replaced={b"<w:body>": reference})) == expected


def test_a_comment_is_not_part_of_the_text() -> None:
    document = resume_document()
    document.add_comment(document.paragraphs[1].runs, text="some words", author="x", initials="x")
    assert told(saved(document)) == NOT_THERE
