"""Text under shapes and pictures of a Word document, and text that only seems to be."""

from __future__ import annotations

import io
import re

import pytest
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml

from portal.documents.docx.pictures import is_opaque
from portal.documents.docx.text import read_docx
from portal.documents.limits import Limits
from tests.documents.docx.test_behind import drawn, grouped, rectangle
from tests.documents.docxs import NAMESPACES, paragraph, resume_document, saved
from tests.documents.pictures import png

MANY_PAGES = Limits(pages=200)
ON_A_NEW_PAGE = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
OWN = "<w:r><w:t>{word}</w:t></w:r>"
CLEAR = '<a:srgbClr val="FFFF00"><a:alpha val="40000"/></a:srgbClr>'
CORNERS = ((0, 0), (9, 0), (9, 9), (0, 9))


def before(shape: str, wrap: str = "<wp:wrapNone/>", height: int = 30, width: int = 300, **place: int | str) -> str:
    """A run with a shape that is drawn after the text."""
    origin, top, left = str(place.get("origin", "paragraph")), int(place.get("top", 0)), int(place.get("left", 0))
    run = drawn(shape, height=height, width=width, behind=0, origin=origin, top=top, left=left)
    return run.replace("<wp:wrapNone/>", wrap)


def cover(fill: str = "1F3864", form: str = '<a:prstGeom prst="rect"/>') -> str:
    return rectangle(fill=fill, size=(300, 30)).replace("</a:xfrm>", f"</a:xfrm>{form}")


def own_form(points: tuple[tuple[int, int], ...]) -> str:
    """A shape of another form than those that have a name."""
    lines = "".join(f'<a:lnTo><a:pt x="{x}" y="{y}"/></a:lnTo>' for x, y in points)
    return cover(form=f'<a:custGeom><a:pathLst><a:path w="9" h="9">{lines}</a:path></a:pathLst></a:custGeom>')


def picture(name: str) -> str:
    fill = f'<pic:blipFill><a:blip r:embed="{name}"/></pic:blipFill>'
    return f'<pic:pic>{fill}<pic:spPr><a:prstGeom prst="rect"/></pic:spPr></pic:pic>'


def older(style: str, attributes: str = 'fillcolor="#1f3864"', inside: str = "") -> str:
    place = "position:absolute;margin-left:0;margin-top:0;width:300pt;height:30pt"
    return f'<w:r><w:pict><v:rect style="{place};{style}" {attributes}>{inside}</v:rect></w:pict></w:r>'


def tight(size: int) -> str:
    points = "".join(f'<wp:lineTo x="{size * x}" y="{size * y}"/>' for x, y in CORNERS)
    return f"<wp:wrapTight><wp:wrapPolygon>{points}</wp:wrapPolygon></wp:wrapTight>"


def row(*cells: str) -> str:
    grid = '<w:tblGrid><w:gridCol w:w="3300"/><w:gridCol w:w="5000"/></w:tblGrid>'
    return f"<w:tbl>{grid}<w:tr>{''.join(f'<w:tc>{cell}</w:tc>' for cell in cells)}</w:tr></w:tbl>"


FILLER = paragraph("") * 6
PARAGRAPH = "<w:p>{cover}" + OWN + "</w:p>"
BLUE = cover()
BOX = rectangle(paragraph("{word}"), size=(300, 30))
# Each on a page of its own.
COVERED = {
    "shape": PARAGRAPH.replace("{cover}", before(BLUE)),
    "whiteshape": PARAGRAPH.replace("{cover}", before(cover("FFFFFF"))),
    "group": PARAGRAPH.replace("{cover}", before(grouped(BLUE))),
    "rounded": PARAGRAPH.replace("{cover}", before(cover(form='<a:prstGeom prst="roundRect"/>'))),
    "polygon": PARAGRAPH.replace("{cover}", before(own_form(CORNERS))),
    "speakingbox": PARAGRAPH.replace("{cover}", before(rectangle(paragraph("title"), "1F3864", size=(300, 30)))),
    "tinypolygon": PARAGRAPH.replace("{cover}", before(BLUE, tight(9))),
    "opaquepicture": PARAGRAPH.replace("{cover}", before(picture("opaque"))),
    "oldershape": PARAGRAPH.replace("{cover}", older("z-index:9")),
    "olderpicture": PARAGRAPH.replace("{cover}", older("z-index:9", "", '<v:imagedata r:id="opaque"/>')),
    "nextparagraph": f"<w:p>{before(BLUE, top=12)}{OWN.format(word='caption')}</w:p>" + paragraph("{word}") + FILLER,
    "onthepage": paragraph("{word}") + f"<w:p>{before(BLUE, height=90, top=60, origin='page', left=-20)}</w:p>",
    "cell": row(paragraph("left"), PARAGRAPH.replace("{cover}", before(BLUE))),
    "centred": PARAGRAPH.replace("<w:p>", '<w:p><w:pPr><w:jc w:val="center"/></w:pPr>').replace(
        "{cover}", before(BLUE, width=440)
    ),
    "box": f"<w:p>{before(BOX)}{before(BLUE, height=34, top=-2)}</w:p>",
}
UNCOVERED = {
    "behindshape": PARAGRAPH.replace("{cover}", drawn(BLUE, height=30, width=300)),
    "outline": PARAGRAPH.replace("{cover}", before(cover(""))),
    "marker": PARAGRAPH.replace("{cover}", before(cover("FFFF00").replace('<a:srgbClr val="FFFF00"/>', CLEAR))),
    "swoosh": PARAGRAPH.replace("{cover}", before(own_form(CORNERS[1:]))),
    "line": PARAGRAPH.replace("{cover}", before(BLUE, height=2, top=8)),
    "underline": PARAGRAPH.replace("{cover}", before(BLUE, height=5, top=13)),
    "photo": PARAGRAPH.replace("{cover}", before(picture("opaque"), width=90, height=110, left=330)),
    "signature": PARAGRAPH.replace("{cover}", before(picture("clear"))),
    "square": PARAGRAPH.replace("{cover}", before(BLUE, "<wp:wrapSquare/>")),
    "abovebelow": PARAGRAPH.replace("{cover}", before(BLUE, "<wp:wrapTopAndBottom/>")),
    "widepolygon": PARAGRAPH.replace("{cover}", before(BLUE, tight(2_400))),
    "shapebelow": PARAGRAPH.replace("{cover}", before(BLUE, top=40)),
    "shapeabove": PARAGRAPH.replace("{cover}", before(BLUE, top=-40)),
    "olderbehind": PARAGRAPH.replace("{cover}", older("z-index:-9")),
    "oldersquare": PARAGRAPH.replace("{cover}", older("z-index:9", inside='<w10:wrap type="square"/>')),
    "secondcell": row(f"<w:p>{before(BLUE, width=150, height=90)}</w:p>", paragraph("{word}")),
    "besidebar": PARAGRAPH.replace("<w:p>", '<w:p><w:pPr><w:ind w:left="3300"/></w:pPr>').replace(
        "{cover}", before(BLUE, width=150, height=300, top=-20)
    ),
    "higherbox": f"<w:p>{before(BLUE, height=34, top=-2)}{before(BOX)}</w:p>",
    "banner": f"<w:p>{before(BLUE, width=612, height=60, origin='page', left=-90)}</w:p>" + paragraph("{word}"),
}


@pytest.fixture(scope="module")
def read() -> tuple[set[str], set[str]]:
    """The words of all cases that are seen, and those that are not."""
    document = resume_document()
    names = {"opaque": png(b"\x28\x3c\x5a\xff"), "clear": png(b"\x28\x3c\x5a\x3c")}
    relations = {name: document.part.get_or_add_image(io.BytesIO(data))[0] for name, data in names.items()}
    cases = {**COVERED, **UNCOVERED}
    xml = "".join(ON_A_NEW_PAGE + case.replace("{word}", word) for word, case in cases.items())
    for name, relation in relations.items():
        xml = xml.replace(f'"{name}"', f'"{relation}"')
    # What is drawn later lies higher.
    for number in range(xml.count("<wp:anchor ")):
        xml = re.sub(r"<wp:anchor (?=behindDoc)", f'<wp:anchor relativeHeight="{number}" ', xml, count=1)
    body = parse_xml(f'<w:body {NAMESPACES} xmlns:w10="urn:schemas-microsoft-com:office:word">{xml}</w:body>')
    for block in body.iterchildren():
        document.element.body.find(qn("w:sectPr")).addprevious(block)
    raw = read_docx(saved(document), MANY_PAGES)
    return set(raw.visible.split()), set(raw.hidden.split())


@pytest.mark.parametrize("word", COVERED)
def test_text_under_a_shape_or_picture_is_hidden(word: str, read: tuple[set[str], set[str]]) -> None:
    seen, unseen = read
    assert (word in seen, word in unseen) == (False, True)


@pytest.mark.parametrize("word", UNCOVERED)
def test_text_that_a_shape_leaves_legible_is_seen(word: str, read: tuple[set[str], set[str]]) -> None:
    seen, unseen = read
    assert (word in seen, word in unseen) == (True, False)


def test_no_other_word_is_hidden(read: tuple[set[str], set[str]]) -> None:
    assert read[1] == set(COVERED)


@pytest.mark.parametrize("method", range(5))
def test_a_picture_is_opaque_however_its_rows_are_filtered(method: int) -> None:
    assert is_opaque(png(b"\x28\x3c\x5a\xff", method=method))
    assert not is_opaque(png(b"\x28\x3c\x5a\x80", method=method))


@pytest.mark.parametrize(
    ("picture", "expected"),
    [
        (b"\xff\xd8\xff\xe0", True),
        (png(b"\x28\x3c\x5a"), True),
        (png(b"\x28\x3c\x5a", clear=b"\x00\x28\x00\x3c\x00\x5a"), False),
        (png(b"\x28\xff"), True),
        (png(b"\x28\x00"), False),
        (png(b"\x28\x3c\x5a\xff")[:40], False),
        (b"<svg/>", False),
    ],
    ids=["JPEG", "no channel", "a colour that is clear", "grey", "clear grey", "cut off", "a drawing"],
)
def test_a_picture_is_opaque_if_it_surely_is(picture: bytes, *, expected: bool) -> None:
    assert is_opaque(picture) == expected
