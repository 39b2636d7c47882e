from __future__ import annotations

import pytest

from portal.documents.limits import STANDARD
from portal.documents.pdf.text import read_pdf
from portal.documents.refusals import Reason, RefusedDocument
from tests.documents.pdfs import RESUME_LINES, Pdf, lines, pdf_with_object_stream, resume_pdf, shown


def attached() -> bytes:
    pdf = Pdf()
    pdf.add_page(lines())
    content = pdf.add_stream(b"attachment", b"/Type/EmbeddedFile")
    named = pdf.add(b"<</Type/Filespec/F(a.exe)/EF<</F %d 0 R>>>>" % content)
    pdf.catalog = b"/Names<</EmbeddedFiles<</Names[(a.exe) %d 0 R]>>>>" % named
    return pdf.data


def with_object(content: bytes, catalog: bytes) -> bytes:
    pdf = Pdf()
    pdf.add_page(lines())
    number = pdf.add(content)
    pdf.catalog = catalog % number
    return pdf.data


ACTIVE = {
    "script on opening": resume_pdf(catalog=b"/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>"),
    "script in hexadecimal": resume_pdf(catalog=b"/OpenAction<</#53/#4aava#53cript/J#53(app.alert\\(1\\))>>"),
    "script in an object of its own": with_object(b"<</S /JavaScript /JS (x)>>", b"/OpenAction %d 0 R"),
    "type in an object of its own": with_object(b"/JavaScript", b"/OpenAction<</S %d 0 R/JS(x)>>"),
    "script in a packed object": pdf_with_object_stream(b"<</S/JavaScript/JS(x)>>", b"/OpenAction 6 0 R"),
    "script by name": resume_pdf(catalog=b"/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(x)>>]>>>>"),
    "script on a page": resume_pdf(entries=b"/AA<</O<</S/JavaScript/JS(x)>>>>"),
    "program on opening": resume_pdf(catalog=b"/OpenAction<</S/Launch/F(cmd.exe)>>"),
    "program on a link": resume_pdf(
        entries=b"/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S /Launch /Win<</F(cmd.exe)>>>>>>]"
    ),
    "form that is sent": resume_pdf(catalog=b"/OpenAction<</S/SubmitForm/F(http://example.com)>>"),
    "attached file": attached(),
    "attached file on a page": with_object(b"<</Type/Annot/Subtype/FileAttachment/Rect[0 0 9 9]>>", b"/Extra %d 0 R"),
    "file inside a file": resume_pdf(catalog=b"/OpenAction<</S/GoToE/T<</R/C/N(a.pdf)>>>>"),
    "file on another computer": resume_pdf(catalog=rb"/OpenAction<</S/GoToR/F(\\\\host\\a.pdf)/D[0/Fit]>>"),
    "file on another computer, spelt otherwise": resume_pdf(
        catalog=rb"/OpenAction<</S/GoToR/F(\134\134host\134a.pdf)>>"
    ),
    "file on another computer in hexadecimal": resume_pdf(catalog=b"/OpenAction<</S/GoToR/UF<FEFF005C005c0068>>>"),
    "file on another computer by an object": with_object(rb"(\\\\host\\a.pdf)", b"/OpenAction<</S/GoToR/F %d 0 R>>"),
    "script that only other readers find": resume_pdf().replace(
        b"xref\n0", b"99 0 obj\n<</S/JavaScript/JS(x)>>\nendobj\nxref\n0", 1
    ),
    "dynamic form": resume_pdf(catalog=b"/AcroForm<</Fields[]/XFA(x)>>"),
}


@pytest.mark.parametrize("data", ACTIVE.values(), ids=ACTIVE.keys())
def test_a_pdf_that_does_something_is_refused(data: bytes) -> None:
    with pytest.raises(RefusedDocument) as caught:
        read_pdf(data, STANDARD)
    assert caught.value.reason == Reason.MACROS


HARMLESS = {
    "script as a word": resume_pdf(shown("Skills: HTML/CSS/JavaScript, /Launch, /S /Python", y=300)),
    "script as a word in a title": with_object(b"<</Title(Frontend/JavaScript/Launch)>>", b"/Info2 %d 0 R"),
    "web link": resume_pdf(
        entries=b"/Annots[<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://example.com)>>>>]"
    ),
    "jump to a file beside it": resume_pdf(catalog=b"/OpenAction<</S/GoToR/F(list.pdf)/D[0/Fit]>>"),
    "jump to a page": pdf_with_object_stream(b"<</S/GoTo/D[4 0 R/Fit]>>", b"/OpenAction 6 0 R"),
}


@pytest.mark.parametrize("data", HARMLESS.values(), ids=HARMLESS.keys())
def test_a_pdf_that_only_mentions_such_things_is_read(data: bytes) -> None:
    assert RESUME_LINES[0] in read_pdf(data, STANDARD).text
