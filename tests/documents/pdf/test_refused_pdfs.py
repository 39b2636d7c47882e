"""What of a PDF is refused, and what is noticed of pages that are pictures."""

from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD, Limits
from portal.documents.notices import Notice
from portal.documents.pdf.text import read_pdf
from portal.documents.refusals import Reason, RefusedDocument
from tests.documents.pdfs import RESUME_LINES, Pdf, encrypted_pdf, lines, pdf_of_pages, resume_pdf, scanned_pdf, shown


def refusal_of(data: bytes, limits: Limits = STANDARD) -> Reason:
    with pytest.raises(RefusedDocument) as caught:
        read_pdf(data, limits)
    return caught.value.reason


@pytest.mark.parametrize("pages", [21, 1_000])
def test_too_many_pages_are_refused(pages: int) -> None:
    assert refusal_of(pdf_of_pages(pages)) == Reason.TOO_MANY_PAGES


@pytest.mark.parametrize(
    "text",
    [b"", shown("Page 1"), shown("Ada Lovelace, application for the autumn of 2026, curriculum vitae, page 1 of 2")],
    ids=["bare", "with a page number", "with a header"],
)
def test_a_scan_is_refused_as_a_scan(text: bytes) -> None:
    assert refusal_of(scanned_pdf(text)) == Reason.SCANNED_ONLY


def test_a_scan_with_a_recognised_text_is_read_with_a_warning() -> None:
    recognised = b"".join(shown(line, y=700 - 20 * place, before="3 Tr") for place, line in enumerate(RESUME_LINES))
    raw = read_pdf(scanned_pdf(recognised), STANDARD)
    assert (raw.text.split("\n"), raw.hidden, raw.warnings) == (list(RESUME_LINES), "", (Notice.RECOGNISED_TEXT,))


def test_letters_that_are_drawn_as_shapes_are_refused_like_a_scan() -> None:
    pdf = Pdf()
    pdf.add_page(b"".join(b"%d %d 3 7 re f " % (50 + 7 * (n % 70), 700 - 16 * (n // 70)) for n in range(1_400)))
    assert refusal_of(pdf.data) == Reason.SCANNED_ONLY


def test_a_scanned_page_among_pages_of_text_is_noticed() -> None:
    pdf = Pdf()
    pdf.add_page(lines())
    picture = pdf.add_stream(
        bytes(range(256)) * 40,
        b"/Type/XObject/Subtype/Image/Width 64/Height 160/ColorSpace/DeviceGray/BitsPerComponent 8",
    )
    pdf.add_page(b"q 612 0 0 792 0 0 cm /Im1 Do Q", resources=b"/XObject<</Im1 %d 0 R>>" % picture)
    raw = read_pdf(pdf.data, STANDARD)
    assert (raw.warnings, RESUME_LINES[0] in raw.text) == ((Notice.PICTURE_PAGES,), True)


def test_a_nearly_empty_page_with_bands_and_frames_is_no_picture() -> None:
    pdf = Pdf()
    pdf.add_page(lines())
    pdf.add_page(b"0.2 0.3 0.5 rg 0 0 180 792 re f 0 G 200 100 300 300 re S " + shown("References on request", x=250))
    raw = read_pdf(pdf.data, STANDARD)
    assert (raw.warnings, "References on request" in raw.text) == ((), True)


def test_a_picture_as_background_is_no_scan() -> None:
    assert RESUME_LINES[0] in read_pdf(scanned_pdf(b"1 g 0 0 612 792 re f 0 g " + lines()), STANDARD).text


@pytest.mark.parametrize("password", [b"secret", b""], ids=["to open", "of the owner only"])
def test_protected_files_are_refused(password: bytes) -> None:
    assert refusal_of(encrypted_pdf(password)) == Reason.ENCRYPTED


@pytest.mark.parametrize(
    "data",
    [
        resume_pdf()[:900],
        resume_pdf()[:-40],
        b"%PDF-1.7\nstartxref\n0\n%%EOF",
        b"%PDF-1.7\n" + bytes(range(256)) * 40 + b"startxref",
        Pdf().data,
        resume_pdf().replace(b"/Type/Page/", b"/Type/Nope/").replace(b"/Pages 2 0 R", b"/Pages 9 0 R"),
    ],
    ids=["half", "no end", "nothing inside", "garbage", "no page", "no page tree"],
)
def test_files_that_cannot_be_followed_are_called_damaged(data: bytes) -> None:
    assert refusal_of(data) == Reason.DAMAGED


def test_more_text_than_can_be_read_is_refused_before_it_is_read() -> None:
    assert refusal_of(resume_pdf(), Limits(raw_characters=100)) == Reason.TOO_MUCH_TEXT
