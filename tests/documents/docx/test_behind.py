from __future__ import annotations

import pytest

from portal.documents.docx.text import read_docx
from portal.documents.limits import STANDARD
from tests.documents.docxs import paragraph, with_body_xml

WHITE = '<w:color w:val="FFFFFF"/>'
SECRET = paragraph("secret", WHITE)
LINES = paragraph("a line between") * 12


def rectangle(
    inside: str = "", fill: str = "", place: tuple[int, int] = (0, 0), size: tuple[int, int] = (200, 700)
) -> str:
    """A shape of a drawing, in points."""
    left, top, width, height = (12_700 * points for points in (*place, *size))
    solid = f'<a:solidFill><a:srgbClr val="{fill}"/></a:solidFill>' if fill else "<a:noFill/>"
    box = f"<wps:txbx><w:txbxContent>{inside}</w:txbxContent></wps:txbx>" if inside else ""
    form = f'<a:xfrm><a:off x="{left}" y="{top}"/><a:ext cx="{width}" cy="{height}"/></a:xfrm>'
    return f"<wps:wsp><wps:spPr>{form}{solid}</wps:spPr>{box}</wps:wsp>"


def drawn(
    shapes: str,
    height: int = 700,
    top: int = 0,
    origin: str = "paragraph",
    behind: int = 1,
    width: int = 200,
    left: int = 0,
) -> str:
    """A run with a floating drawing, in points."""
    return (
        f'<w:r><w:drawing><wp:anchor behindDoc="{behind}"><wp:positionH relativeFrom="column"><wp:posOffset>'
        f'{12_700 * left}</wp:posOffset></wp:positionH><wp:positionV relativeFrom="{origin}"><wp:posOffset>'
        f'{12_700 * top}</wp:posOffset></wp:positionV><wp:extent cx="{12_700 * width}" cy="{12_700 * height}"/>'
        f"<wp:wrapNone/><a:graphic><a:graphicData>{shapes}</a:graphicData></a:graphic></wp:anchor></w:drawing></w:r>"
    )


def grouped(shapes: str) -> str:
    return f"<wpg:wgp>{shapes}</wpg:wgp>"


BLUE = rectangle(fill="1F3864")


@pytest.mark.parametrize(
    ("xml", "is_seen"),
    [
        (f"<w:p>{drawn(BLUE)}</w:p>{SECRET}", True),
        (f"<w:p>{drawn(BLUE)}</w:p>{LINES}{SECRET}", True),
        (f"<w:p>{drawn(BLUE, origin='page')}</w:p>{LINES}{SECRET}", True),
        (f"<w:p>{drawn(BLUE, height=20)}</w:p>{LINES}{SECRET}", False),
        (f"<w:p>{drawn(BLUE, top=600)}</w:p>{SECRET}", False),
        (f"<w:p>{drawn(rectangle(fill='FFFFFF'))}</w:p>{SECRET}", False),
        (f"<w:p>{drawn(BLUE, behind=0, height=30)}</w:p>{SECRET}", False),
        (f"<w:p>{drawn(grouped(BLUE + rectangle(SECRET)))}</w:p>", True),
        (f"<w:p>{drawn(grouped(BLUE + rectangle(SECRET, place=(300, 0))))}</w:p>", False),
        (f"<w:p>{drawn(BLUE)}{drawn(rectangle(SECRET), behind=0)}</w:p>", True),
        (f"<w:p>{drawn(BLUE)}{drawn(rectangle(SECRET), top=900, behind=0)}</w:p>", False),
        (f"<w:p>{drawn(rectangle(SECRET), behind=0)}</w:p>", False),
    ],
    ids=[
        "on a sidebar",
        "further down on it",
        "on a sidebar of the page",
        "far below a banner",
        "far above a banner",
        "on a white shape",
        "under a shape",
        "in a box on a shape of its group",
        "in a box beside it",
        "in a box on a shape",
        "in a box below it",
        "in a box on nothing",
    ],
)
def test_white_text_is_seen_where_a_coloured_shape_lies_behind_it(xml: str, *, is_seen: bool) -> None:
    raw = read_docx(with_body_xml(xml), STANDARD)
    assert ("secret" in raw.visible, raw.hidden.strip()) == (is_seen, "" if is_seen else "secret")


@pytest.mark.parametrize(
    ("xml", "is_seen"),
    [
        (drawn(rectangle(fill="FFFFFF"), behind=0, width=400), False),
        (drawn(rectangle(fill="FFFFFF"), behind=0, width=400) + "<w:r><w:t>own </w:t></w:r>", False),
        (drawn(rectangle(fill="FFFFFF"), behind=0, width=400, top=300), True),
        (drawn(rectangle(fill="FFFFFF"), behind=0, width=400, height=40), True),
        (drawn(rectangle(fill="FFFFFF"), behind=1, width=400), True),
        (drawn(rectangle(fill="1F3864"), behind=0, width=400), False),
        (drawn(rectangle(), behind=0, width=400), True),
        (drawn(rectangle(paragraph("title"), fill="FFFFFF"), behind=0, width=400), False),
        (drawn(rectangle(fill="FFFFFF"), behind=0), False),
        (drawn(rectangle(fill="FFFFFF"), behind=0, left=150), True),
    ],
    ids=[
        "under a cover",
        "with text beside its anchor",
        "far above one",
        "below a low one",
        "on one",
        "under a coloured one",
        "in a frame",
        "under a box with text",
        "under a narrow one",
        "beside one",
    ],
)
def test_text_is_hidden_under_a_shape_that_lets_nothing_through(xml: str, *, is_seen: bool) -> None:
    raw = read_docx(with_body_xml(f"<w:p>{xml}</w:p>" + paragraph("first") * 2 + paragraph("secret")), STANDARD)
    assert ("secret" in raw.visible, "secret" in raw.hidden) == (is_seen, not is_seen)


@pytest.mark.parametrize(("fill", "is_seen"), [('fillcolor="#1F3864"', True), ('filled="f"', False), ("", False)])
def test_white_text_of_the_older_drawing_language_is_seen_on_a_coloured_shape_of_its_group(
    fill: str, *, is_seen: bool
) -> None:
    box = f'<v:shape filled="f"><v:textbox><w:txbxContent>{SECRET}</w:txbxContent></v:textbox></v:shape>'
    xml = f"<w:p><w:r><w:pict><v:group><v:rect {fill}/>{box}</v:group></w:pict></w:r></w:p>"
    raw = read_docx(with_body_xml(xml), STANDARD)
    assert ("secret" in raw.visible, "secret" in raw.hidden) == (is_seen, not is_seen)
