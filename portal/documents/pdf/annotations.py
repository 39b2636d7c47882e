"""Form fields and notes that a PDF page shows beside its content, and anything that acts. In the child only."""

from __future__ import annotations

import ctypes
import io
import re
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

from portal.documents.appearance import WORDS_OF_A_SENTENCE

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

_HEX_IN_NAME = re.compile(rb"#([0-9A-Fa-f]{2})")
_ACTIONS = rb"/(?:JavaScript|Launch|ImportData|SubmitForm|Rendition|GoToE|RichMediaExecute)(?![A-Za-z0-9])"
# "/S /JavaScript" is an action; "JavaScript" alone is a word in many a resume. A type may also stand in an
# object of its own ("7 0 obj /JavaScript endobj") that the action refers to.
_ACTIVE = re.compile(
    rb"/S\s*" + _ACTIONS + rb"|\bobj\s*" + _ACTIONS + rb"|/EF\s*(?:<<|\d+\s+\d+\s+R)"
    rb"|/Subtype\s*/(?:FileAttachment|RichMedia)(?![A-Za-z0-9])"
)
_XFA_FORMS = (pdfium.FORMTYPE_XFA_FULL, pdfium.FORMTYPE_XFA_FOREGROUND)
# Notes that only paper shows count as well: applicants and reviewers read on screens.
_UNSEEN = pdfium.FPDF_ANNOT_FLAG_HIDDEN | pdfium.FPDF_ANNOT_FLAG_NOVIEW
# Links say where they lead, fields and typed texts are painted; all else opens with a click.
_NOT_OPENED = frozenset({pdfium.FPDF_ANNOT_LINK, pdfium.FPDF_ANNOT_WIDGET, pdfium.FPDF_ANNOT_FREETEXT})


def is_active(document: PdfDocument, data: bytes) -> bool:
    """Whether the PDF holds scripts, actions that start or send something, attached files or an XFA form.

    Objects may be packed into compressed streams and their names written in hexadecimal, so the document is
    looked at as pdfium writes it: every object it knows, unpacked and in one spelling. The bytes as uploaded
    are looked at too, for what other readers might find in them.
    """
    if pdfium.FPDFDoc_GetJavaScriptActionCount(document) > 0 or pdfium.FPDFDoc_GetAttachmentCount(document) > 0:
        return True
    if pdfium.FPDF_GetFormType(document) in _XFA_FORMS or _mentions_actions(data):
        return True
    rewritten = io.BytesIO()
    document.save(rewritten)
    return _mentions_actions(rewritten.getbuffer())


def _mentions_actions(data: bytes | memoryview) -> bool:
    spelled_out = _HEX_IN_NAME.sub(lambda match: bytes.fromhex(match[1].decode("ascii")), data)
    return _ACTIVE.search(spelled_out) is not None


def put_fields_on_the_page(page: PdfPage) -> list[str]:
    """Make what was filled into a form, and notes written on the page, part of its content, as far as they show.

    Takes effect when the page is opened again. Returns sentences in fields and notes that a page on a screen does not
    show, or not before somebody opens them.
    """
    sentences: list[str] = []
    is_painted = False
    for number in reversed(range(pdfium.FPDFPage_GetAnnotCount(page))):
        annotation = pdfium.FPDFPage_GetAnnot(page, number)
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        is_removed = bool(pdfium.FPDFAnnot_GetFlags(annotation) & _UNSEEN)
        is_unseen = is_removed or _has_no_room(annotation, kind)
        keys = ((b"V",) if is_unseen else ()) + ((b"Contents",) if is_unseen or kind not in _NOT_OPENED else ())
        texts = (_string(annotation, key) for key in keys)
        # Forms have many fields that stay hidden and say "Off".
        sentences[:0] = [text for text in texts if len(text.split()) >= WORDS_OF_A_SENTENCE]
        # A link mostly paints nothing; and painting loses the fonts that a page has from the document.
        is_painted |= not is_removed and (kind != pdfium.FPDF_ANNOT_LINK or _has_painting(annotation))
        pdfium.FPDFPage_CloseAnnot(annotation)
        if is_removed:
            pdfium.FPDFPage_RemoveAnnot(page, number)
    if is_painted:
        # Drawing makes pdfium paint the fields that come without a painting of their own.
        page.render(scale=0.05).close()
        bounds = page.get_bbox()
        pdfium.FPDFPage_Flatten(page, pdfium.FLAT_NORMALDISPLAY)
        # It forgets bounds that a page has from the document, as those of TeX have, and makes it a letter sheet.
        page.set_mediabox(*bounds)
        page.set_cropbox(*bounds)
    return list(dict.fromkeys(sentences))


def _has_no_room(annotation: object, kind: int) -> bool:
    """Whether a field is a point or a line: nothing of it is painted."""
    room = pdfium.FS_RECTF()
    is_known = pdfium.FPDFAnnot_GetRect(annotation, room)
    is_flat = room.left == room.right or room.top == room.bottom
    return bool(is_known and kind == pdfium.FPDF_ANNOT_WIDGET and is_flat)


def _has_painting(annotation: object) -> bool:
    painting = pdfium.FPDFAnnot_GetAP(annotation, pdfium.FPDF_ANNOT_APPEARANCEMODE_NORMAL, None, 0)
    return bool(painting > len("\0".encode("utf-16-le")))


def _string(annotation: object, key: bytes) -> str:
    size = pdfium.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    buffer = (ctypes.c_ushort * (size // 2))()
    pdfium.FPDFAnnot_GetStringValue(annotation, key, buffer, size)
    return bytes(buffer).decode("utf-16-le", "replace").rstrip("\0").strip()
