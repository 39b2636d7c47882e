"""Content controls that Word fills from custom XML or from the properties of the document."""

from __future__ import annotations

import pytest
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml.parser import parse_xml

from portal.documents.docx.text import read_docx
from portal.documents.limits import STANDARD, Limits
from portal.documents.refusals import RefusedDocument
from tests.documents.docxs import NAMESPACES, paragraph, resume_document, saved
from tests.documents.pdfs import RESUME_LINES

_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DATA = "http://schemas.openxmlformats.org/officeDocument/2006/customXml"
_STORE = "{0A1B2C3D-0000-4000-8000-00000000ABCD}"
_CORE = "{6C3C8BC8-F283-45AE-878A-BAB7291924A1}"
_CORE_PREFIXES = (
    "xmlns:ns0='http://purl.org/dc/elements/1.1/' "
    "xmlns:ns1='http://schemas.openxmlformats.org/package/2006/metadata/core-properties'"
)
HELD = "what the control holds"
VALUES = (
    "<r xmlns='urn:r'><a>bound value</a><empty/><deep><b>x</b></deep><c kind='an attribute'/><day>2026-11-27</day></r>"
)
PREFIX = "xmlns:r='urn:r'"
PLAIN = "<w:text/>"
CHOICES = '<w:{0}><w:listItem w:displayText="shown choice" w:value="bound value"/></w:{0}>'


def with_control(
    path: str = "/r:r[1]/r:a[1]",
    *,
    kind: str = PLAIN,
    held: str = HELD,
    store: str = _STORE.lower(),
    prefixes: str = PREFIX,
    values: str = VALUES,
    content: str = "",
) -> bytes:
    """The resume with a bound control at the top, and the XML that it is bound to."""
    document = resume_document()
    document.core_properties.author = "Ada Author"
    package = document.part.package
    data = Part(PackURI("/customXml/item7.xml"), "application/xml", values.encode(), package)
    about = f"<ds:datastoreItem xmlns:ds='{_DATA}' ds:itemID='{_STORE}'/>"
    data.relate_to(
        Part(PackURI("/customXml/itemProps7.xml"), "application/xml", about.encode(), package),
        f"{_RELATIONS}/customXmlProps",
    )
    document.part.relate_to(data, f"{_RELATIONS}/customXml")
    binding = f'<w:dataBinding w:prefixMappings="{prefixes}" w:xpath="{path}" w:storeItemID="{store}"/>'
    control = (
        f"<w:sdt {NAMESPACES}><w:sdtPr>{binding}{kind}</w:sdtPr>"
        f"<w:sdtContent>{content or paragraph(held)}</w:sdtContent></w:sdt>"
    )
    document.element.body.insert(0, parse_xml(control))
    return saved(document)


def told(data: bytes) -> tuple[str, str]:
    """The visible text before the resume, and what is hidden."""
    raw = read_docx(data, STANDARD)
    assert RESUME_LINES[0] in raw.text
    return " ".join(raw.text.split("Resume")[0].split()), raw.hidden


def test_a_bound_value_is_read_in_place_of_what_the_control_holds() -> None:
    assert told(with_control()) == ("bound value", "")


def test_the_name_in_a_template_of_word_comes_from_its_properties() -> None:
    path = "/ns1:coreProperties[1]/ns0:creator[1]"
    assert told(with_control(path, store=_CORE, prefixes=_CORE_PREFIXES, held="Your Name")) == ("Ada Author", "")


@pytest.mark.parametrize(
    ("path", "kind", "shown"),
    [
        ("/r:r/r:c/@kind", PLAIN, "an attribute"),
        ("/r:r/r:empty", PLAIN, ""),
        ("/r:r/r:a", CHOICES.format("dropDownList"), "shown choice"),
        ("/r:r/r:c/@kind", CHOICES.format("comboBox"), "an attribute"),
    ],
    ids=["attribute", "empty", "choice", "typed choice"],
)
def test_what_word_replaces_is_not_seen(path: str, kind: str, shown: str) -> None:
    assert told(with_control(path, kind=kind)) == (shown, "")


@pytest.mark.parametrize(
    "data",
    [
        with_control(kind=""),
        with_control(kind="<w:richText/>"),
        with_control("/r:r/r:nowhere"),
        with_control("/r:r/r:deep"),
        with_control("/r:r["),
        with_control("count(/r:r)"),
        with_control("/unknown:r"),
        with_control(store="{0A1B2C3D-0000-4000-8000-000000000000}"),
        with_control("/r:r/r:c/@kind", kind=CHOICES.format("dropDownList")),
        with_control("/r:r/r:empty", kind=f"<w:showingPlcHdr/>{PLAIN}"),
        with_control(values="<r"),
    ],
    ids=[
        "untyped",
        "rich",
        "no such element",
        "elements in it",
        "no path",
        "no element",
        "unknown prefix",
        "no such part",
        "no such choice",
        "request",
        "broken",
    ],
)
def test_what_a_control_holds_is_seen_where_word_leaves_it(data: bytes) -> None:
    assert told(data) == (HELD, "")


def test_a_date_in_words_is_the_date_that_is_stored() -> None:
    assert told(with_control("/r:r/r:day", kind="<w:date/>", held="27 November 2026")) == ("27 November 2026", "")


def test_a_binding_without_a_part_looks_into_all_of_them() -> None:
    assert told(with_control(store="")) == ("bound value", "")


def test_a_control_that_holds_its_value_already_keeps_its_paragraphs() -> None:
    held = paragraph("bound") + paragraph(" value")
    lines = read_docx(with_control(content=held), STANDARD).text.split("\n")
    assert [line.strip() for line in lines if line.strip()][:2] == ["bound", "value"]


def test_a_value_in_a_look_that_nobody_sees_is_hidden() -> None:
    white = paragraph("held", '<w:color w:val="FFFFFF"/>')
    assert told(with_control(content=white)) == ("", "bound value")


def test_values_count_like_other_text() -> None:
    with pytest.raises(RefusedDocument, match="text"):
        read_docx(with_control(values=VALUES.replace("bound", "bound " * 200)), Limits(raw_characters=1_000))
