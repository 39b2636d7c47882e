"""The first pages of a PDF as pictures: whole, bounded, without metadata, and never from outside the child."""

from __future__ import annotations

import json
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from portal.documents.extraction import draw
from portal.documents.limits import Limits
from portal.documents.pictures import MOST_PAGES, TALLEST, WIDEST, packed_pictures, unpacked_pictures
from portal.documents.refusals import Reason, RefusedDocument
from tests.documents.pdfs import Pdf, pdf_of_pages, resume_pdf, shown, slow_pdf

if TYPE_CHECKING:
    from portal.documents.limits import Slots


def opened(picture: bytes) -> Image.Image:
    image = Image.open(BytesIO(picture))
    assert image.format == "WEBP"
    return image


def test_a_page_is_drawn_as_it_is_seen_and_nothing_goes_with_it(slots: Slots) -> None:
    (picture,) = draw(resume_pdf(), slots=slots)
    image = opened(picture)
    assert image.size == (1_000, 1_295)
    assert {name for name in image.info if name in {"exif", "xmp", "icc_profile"}} == set()
    greys = image.convert("L").histogram()
    assert sum(greys[:60]) > 0 < sum(greys[240:])  # ink on paper


def test_only_the_first_pages_are_drawn(slots: Slots) -> None:
    assert len(draw(pdf_of_pages(MOST_PAGES + 3), slots=slots)) == MOST_PAGES


@pytest.mark.parametrize(("box", "size"), [("0 0 14400 72", (1_000, 5)), ("0 0 72 14400", (10, 2_000))])
def test_a_page_of_any_shape_stays_within_the_bounds(slots: Slots, box: str, size: tuple[int, int]) -> None:
    pdf = Pdf(of_all_pages=f"/MediaBox[{box}]".encode())
    pdf.add_page(shown("A banner", y=30))
    (picture,) = draw(pdf.data, slots=slots)
    assert opened(picture).size == size
    assert size[0] <= WIDEST
    assert size[1] <= TALLEST


def test_what_cannot_be_drawn_in_time_or_at_all_is_refused(slots: Slots) -> None:
    with pytest.raises(RefusedDocument) as damaged:
        draw(b"%PDF-1.7 and no more", slots=slots)
    assert damaged.value.reason is Reason.DAMAGED
    with pytest.raises(RefusedDocument) as slow:
        draw(slow_pdf(), slots=slots, limits=Limits(seconds=1.5, cpu_seconds=1))
    assert slow.value.reason is Reason.TOO_SLOW


def test_pictures_come_back_as_they_were_packed_and_nothing_else_passes() -> None:
    pictures = [b"one", b"\x00\xff" * 9]
    assert unpacked_pictures(json.loads(packed_pictures(pictures))) == pictures
    wrongs: tuple[object, ...] = ({}, "one", [1], ["%"], None)
    for wrong in wrongs:
        with pytest.raises(ValueError, match=r"These are no pictures|base64|padded|padding"):
            unpacked_pictures(wrong)
