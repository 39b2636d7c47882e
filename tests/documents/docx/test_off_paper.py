"""Text of a Word document off the paper, cut off, or in the colour of what is behind it; and text that is not."""

from __future__ import annotations

import pytest
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml

from portal.documents.docx.text import read_docx
from portal.documents.limits import Limits
from tests.documents.docx.test_behind import drawn, grouped, rectangle
from tests.documents.docxs import NAMESPACES, paragraph, resume_document, saved

MANY_PAGES = Limits(pages=200)
ON_A_NEW_PAGE = '<w:p><w:r><w:br w:type="page"/></w:r></w:p>'
WORD = paragraph("{word}")
WHITE = '<w:color w:val="FFFFFF"/>'
WIDE = '<w:pgSz w:w="16838" w:h="11906"/><w:pgMar w:left="1440" w:right="1440" w:top="1440" w:bottom="1440"/>'
STYLES = """
<w:style w:type="paragraph" w:styleId="Far"><w:pPr><w:ind w:left="14000"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Flat"><w:pPr><w:spacing w:line="20" w:lineRule="exact"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Flatter"><w:basedOn w:val="Flat"/></w:style>
<w:style w:type="paragraph" w:styleId="Ghost"><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="Part"><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="character" w:styleId="Shade"><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="table" w:styleId="Head"><w:tblStylePr w:type="firstRow"><w:rPr><w:color w:val="FFFFFF"/></w:rPr>
<w:tcPr><w:shd w:val="clear" w:fill="1F3864"/></w:tcPr></w:tblStylePr></w:style>
<w:style w:type="table" w:styleId="Pale"><w:tblStylePr w:type="firstRow"><w:rPr><w:color w:val="FFFFFF"/></w:rPr>
</w:tblStylePr></w:style>
<w:style w:type="table" w:styleId="Bands"><w:tblStylePr w:type="band1Horz"><w:tcPr><w:shd w:val="clear"
w:fill="203864"/></w:tcPr></w:tblStylePr></w:style>
"""


def placed(properties: str) -> str:
    return paragraph("{word}", "", properties)


def looking(properties: str) -> str:
    return paragraph("{word}", properties)


def box(inside: str = WORD, left: int = 0, top: int = 0, origin: str = "paragraph") -> str:
    shape = rectangle(inside, "FFFFFF", size=(200, 30))
    return f"<w:p>{drawn(shape, 30, top, origin, 0, 200, left)}</w:p>"


def table(*rows: tuple[str, ...], properties: str = "", widths: tuple[int, ...] = (), of_row: str = "") -> str:
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
    lines = (
        f"<w:tr><w:trPr>{of_row}</w:trPr>{''.join(f'<w:tc>{cell}</w:tc>' for cell in cells)}</w:tr>" for cells in rows
    )
    return f"<w:tbl><w:tblPr>{properties}</w:tblPr><w:tblGrid>{grid}</w:tblGrid>{''.join(lines)}</w:tbl>"


def styled(name: str, *cells: str, first_row: int = 1) -> str:
    look = f'<w:tblStyle w:val="{name}"/><w:tblLook w:firstRow="{first_row}" w:firstColumn="0" w:noVBand="1"/>'
    return table(*((cell,) for cell in cells), properties=look)


def heading(name: str, collapsed: str = "") -> str:
    return paragraph(name, "", f'<w:pStyle w:val="Part"/>{collapsed}')


def gradient(*colours: str) -> str:
    stops = "".join(f'<w14:gs w14:pos="0"><w14:srgbClr w14:val="{colour}"/></w14:gs>' for colour in colours)
    return looking(f"<w14:textFill><w14:gradFill><w14:gsLst>{stops}</w14:gsLst></w14:gradFill></w14:textFill>")


def themed(share: int) -> str:
    colour = f'<w14:schemeClr w14:val="bg1"><w14:lumMod w14:val="{share}"/></w14:schemeClr>'
    return looking(f"<w14:textFill><w14:solidFill>{colour}</w14:solidFill></w14:textFill>")


FIXED = '<w:tblLayout w:type="fixed"/>'
LINES = paragraph("line") * 9
LOW_ROW = '<w:trHeight w:val="400" w:hRule="exact"/>'
FLAT = '<w:spacing w:line="20" w:lineRule="exact"/>'
PALE = looking(WHITE)
HIDDEN = {
    "indented": placed('<w:ind w:left="14000"/>'),
    "bystyle": placed('<w:pStyle w:val="Far"/>'),
    "rightwards": placed('<w:ind w:right="-14000"/><w:jc w:val="right"/>'),
    "frameright": placed('<w:framePr w:w="2000" w:hAnchor="page" w:x="13000" w:y="200"/>'),
    "framebelow": placed('<w:framePr w:w="2000" w:vAnchor="page" w:x="200" w:y="18000"/>'),
    "boxright": box(left=600),
    "boxbelow": box(origin="page", top=850),
    "groupright": f"<w:p>{drawn(grouped(rectangle(WORD, place=(900, 0))), behind=0)}</w:p>",
    "tableright": table((WORD,), properties=f'<w:tblInd w:w="12000"/>{FIXED}', widths=(5000,)),
    "tableleft": table((WORD,), properties=f'<w:tblInd w:w="-10000"/>{FIXED}', widths=(5000,)),
    "cellright": table((paragraph("left"), WORD), properties=FIXED, widths=(12_000, 5_000)),
    "floating": table((WORD,), properties='<w:tblpPr w:horzAnchor="page" w:tblpX="12500" w:tblpY="100"/>'),
    "tinypaper": placed('<w:sectPr><w:pgSz w:w="200" w:h="200"/></w:sectPr>'),
    "flatstyle": placed('<w:pStyle w:val="Flatter"/>'),
    "threepoints": placed('<w:spacing w:line="60" w:lineRule="exact"/>'),
    "belowbox": box(LINES + WORD),
    "belowrow": table((LINES + WORD,), of_row=LOW_ROW),
    "innertable": table((LINES + table((WORD,)) + LINES,), of_row=LOW_ROW),
    "collapsed": heading("part", "<w15:collapsed/>") + WORD + heading("next"),
    "vanishedbox": box().replace("<w:r>", "<w:r><w:rPr><w:vanish/></w:rPr>", 1),
    "unshaded": styled("Head", paragraph("head"), PALE),
    "palehead": styled("Pale", WORD, paragraph("body")),
    "otherband": styled("Bands", paragraph("head"), paragraph("band"), PALE),
    "nearlywhite": themed(95_000),
    "palegradient": gradient("FFFFFF", "FEFEFE"),
    "joinedtiny": looking('<w:rtl/><w:sz w:val="22"/><w:szCs w:val="2"/>'),
    "pressed": looking('<w:fitText w:val="10"/>'),
    "loweredtiny": looking('<w:sz w:val="6"/><w:vertAlign w:val="subscript"/>'),
}
SEEN = {
    "indentedalittle": placed('<w:ind w:left="5000"/>'),
    "noroom": placed('<w:ind w:right="20000"/>'),
    "framebeside": placed('<w:framePr w:w="3000" w:hAnchor="page" w:x="8500" w:y="200"/>'),
    "boxinmargin": box(left=-60),
    "boxhalfoff": box(left=430),
    "tableout": table((WORD,), properties='<w:tblInd w:w="-115"/>', widths=(5000,)),
    "autofitted": table((paragraph("left"), WORD), widths=(12_000, 5_000)),
    "landscape": placed(f"<w:ind w:left='12000'/><w:sectPr>{WIDE}</w:sectPr>"),
    "onflatline": box().replace("<w:p>", f"<w:p><w:pPr>{FLAT}</w:pPr>", 1),
    "inlowrow": table((box(),), of_row='<w:trHeight w:val="1" w:hRule="exact"/>'),
    "ninepoints": placed('<w:spacing w:line="180" w:lineRule="exact"/>'),
    "growingbox": box(LINES + WORD).replace("</wps:wsp>", "<wps:bodyPr><a:spAutoFit/></wps:bodyPr></wps:wsp>"),
    "linkedbox": box(LINES + WORD).replace("<wps:txbx>", '<wps:txbx id="1">'),
    "growingrow": table((LINES + WORD,), of_row=LOW_ROW.replace("exact", "atLeast")),
    "open": heading("part", '<w15:collapsed w:val="0"/>') + WORD,
    "afterwards": heading("part", "<w15:collapsed/>") + heading("next") + WORD,
    "shadedhead": styled("Head", WORD, paragraph("body")),
    "nohead": styled("Pale", WORD, paragraph("body"), first_row=0),
    "band": styled("Bands", paragraph("head"), PALE),
    "grey": themed(50_000),
    "gradient": gradient("FFFFFF", "203864"),
    "usualsize": looking('<w:sz w:val="22"/><w:szCs w:val="2"/>'),
    "fitted": looking('<w:fitText w:val="1500"/>'),
    "raised": looking('<w:sz w:val="16"/><w:vertAlign w:val="superscript"/>'),
    "shownagain": paragraph("{word}", '<w:rStyle w:val="Shade"/>', '<w:pStyle w:val="Ghost"/>'),
    "onlyinbrowsers": looking("<w:webHidden/>"),
}


@pytest.fixture(scope="module")
def read() -> tuple[set[str], set[str]]:
    """The words of all cases that are seen, and those that are not."""
    document = resume_document()
    for style in parse_xml(f"<w:styles {NAMESPACES}>{STYLES}</w:styles>"):
        document.styles.element.append(style)
    cases = {**HIDDEN, **SEEN}
    portrait = '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>'
    start = f"<w:p><w:pPr>{portrait}</w:pPr></w:p>"
    xml = "".join(
        f"{start if 'sectPr' in case else ON_A_NEW_PAGE}{case.replace('{word}', word)}" for word, case in cases.items()
    )
    body = parse_xml(f"<w:body {NAMESPACES}>{xml}</w:body>")
    for block in body.iterchildren():
        document.element.body.find(qn("w:sectPr")).addprevious(block)
    raw = read_docx(saved(document), MANY_PAGES)
    return set(raw.visible.split()), set(raw.hidden.split())


@pytest.mark.parametrize("word", HIDDEN)
def test_what_no_reader_sees_is_hidden(word: str, read: tuple[set[str], set[str]]) -> None:
    seen, unseen = read
    assert (word in seen, word in unseen) == (False, True)


@pytest.mark.parametrize("word", SEEN)
def test_what_a_reader_sees_is_not(word: str, read: tuple[set[str], set[str]]) -> None:
    seen, unseen = read
    assert (word in seen, word in unseen) == (True, False)


def test_no_other_word_is_hidden(read: tuple[set[str], set[str]]) -> None:
    assert read[1] - {"line"} == set(HIDDEN)
