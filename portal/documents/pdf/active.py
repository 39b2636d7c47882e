"""Whether a PDF contains anything that acts, such as scripts. Runs in the reading child only."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_HEX_IN_NAME = re.compile(rb"#([0-9A-Fa-f]{2})")
_ACTIONS = rb"/(?:JavaScript|Launch|ImportData|SubmitForm|Rendition|GoToE|RichMediaExecute)(?![A-Za-z0-9])"
# "/S /JavaScript" is an action; "JavaScript" alone is a word in many a resume. A type may also stand in an
# object of its own ("7 0 obj /JavaScript endobj") that the action refers to.
_ACTIVE = re.compile(
    rb"/S\s*" + _ACTIONS + rb"|\bobj\s*" + _ACTIONS + rb"|/EF\s*(?:<<|\d+\s+\d+\s+R)"
    rb"|/Subtype\s*/(?:FileAttachment|RichMedia)(?![A-Za-z0-9])"
)
_XFA_FORMS = (pdfium.FORMTYPE_XFA_FULL, pdfium.FORMTYPE_XFA_FOREGROUND)


def is_active(document: PdfDocument, data: bytes) -> bool:
    """Whether the PDF holds scripts, actions that start or send something, attached files or an XFA form.

    Objects may be packed into compressed streams and their names written in hexadecimal, so the document is
    looked at as pdfium writes it: every object it knows, unpacked and in one spelling. The bytes as uploaded
    are looked at too, for what other readers might find in them.
    """
    if pdfium.FPDFDoc_GetJavaScriptActionCount(document) > 0 or pdfium.FPDFDoc_GetAttachmentCount(document) > 0:
        return True
    if pdfium.FPDF_GetFormType(document) in _XFA_FORMS:
        return True
    rewritten = io.BytesIO()
    document.save(rewritten)
    return _mentions_actions(rewritten.getvalue()) or _mentions_actions(data)


def _mentions_actions(data: bytes) -> bool:
    spelled_out = _HEX_IN_NAME.sub(lambda match: bytes.fromhex(match[1].decode("ascii")), data)
    return _ACTIVE.search(spelled_out) is not None
