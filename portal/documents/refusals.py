"""Why a document, a resume or a letter, cannot be read, in words the person who uploaded it can act on."""

from __future__ import annotations

import math
from enum import StrEnum

PASTE = "paste the text instead"


class Reason(StrEnum):
    """What is in the way; stable names for tests, logs and the API."""

    EMPTY = "empty"
    TOO_LARGE = "too_large"
    TOO_MANY_PAGES = "too_many_pages"
    ENCRYPTED = "encrypted"
    MACROS = "macros"
    SCANNED_ONLY = "scanned_only"
    DAMAGED = "damaged"
    UNKNOWN_KIND = "unknown_kind"
    TOO_SLOW = "too_slow"
    TOO_MUCH_MEMORY = "too_much_memory"
    TOO_MUCH_TEXT = "too_much_text"
    NO_TEXT = "no_text"


_MESSAGES = {
    Reason.EMPTY: f"This file is empty. Choose one that holds the text, or {PASTE}.",
    Reason.TOO_MANY_PAGES: "This document has {pages:,} pages; at most {limit} can be read. Upload a shorter "
    f"version, or {PASTE}.",
    Reason.ENCRYPTED: "This {name} is protected with a password or with restrictions. Save a copy without "
    f"protection and upload that, or {PASTE}.",
    Reason.SCANNED_ONLY: "We could not read this PDF: its pages are pictures of text (a scan) or letters drawn as "
    f"shapes. Upload a PDF exported from your editor, or {PASTE}.",
    Reason.DAMAGED: "We could not read this {name}: the file seems to be damaged or incomplete. Open it on your "
    f"computer, save it again and upload the new file, or {PASTE}.",
    Reason.UNKNOWN_KIND: "This is {found}. What can be read is a PDF, a Word document (.docx) or a plain text file. "
    f"Save it as one of these and upload that, or {PASTE}.",
    Reason.TOO_SLOW: "Reading this file took too long, so we stopped. Upload a simpler version, for example printed to "
    f"a new PDF, or {PASTE}.",
    Reason.TOO_MUCH_MEMORY: "This file unpacks to far more than its size, more than we can read. Upload a simpler "
    f"version, for example without pictures, or {PASTE}.",
    Reason.TOO_MUCH_TEXT: "This file holds too much text: at most {limit:,} characters can be kept. Upload a shorter "
    f"version, or {PASTE}.",
    Reason.NO_TEXT: "We found no text in this {name} that a reader could see. Check that it is the right file and "
    f"upload it again, or {PASTE}.",
}
ACTIVE_PDF = (
    "This PDF contains scripts, form actions, attached files or files on other computers, which a reader should not "
    f"open. Print it to a new PDF and upload that, or {PASTE}."
)
ACTIVE_DOCX = (
    "This Word document contains macros, active controls or parts on other computers, which a reader should not open. "
    f"Save it as “Word document (.docx)” without them or as PDF and upload that, or {PASTE}."
)
UNKNOWN_ENCODING = (
    "This is not a PDF, a Word document (.docx) or a text file whose characters we can read with certainty. "
    f"If it is plain text, save it with the encoding UTF-8 and upload that, or {PASTE}."
)
NOTHING_PASTED = "There is no text here yet. Paste the text, or upload a file."


class RefusedDocument(Exception):
    """This document will not be read, however often it is tried; the message says why, and what to do."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


class Busy(Exception):
    """Too many documents are being read right now; the same document may pass a minute later."""

    def __init__(self) -> None:
        self.message = (
            f"We are reading many files right now and did not get to this one. Choose it again in a minute, or {PASTE}."
        )
        super().__init__(self.message)


class ReaderFailed(RuntimeError):
    """The child process could not start its work: the installation is at fault, not the document."""


def refused(reason: Reason, **facts: object) -> RefusedDocument:
    """The refusal for a reason; `facts` are what its sentence names, such as `name="PDF"`."""
    return RefusedDocument(reason, _MESSAGES[reason].format(**facts))


def too_large(size: int, limit: int) -> RefusedDocument:
    """The file has `size` bytes, `limit` are allowed; 0 where its size is unknown, as when it arrives in pieces."""
    # Rounded up to a tenth of 1,024² bytes, so that a file over the limit never shows as the limit.
    shown, most = (f"{math.ceil(bytes_ / 1024**2 * 10) / 10:g}" for bytes_ in (size, limit))
    has = f"has {shown} MB" if size else "is too large"
    return RefusedDocument(
        Reason.TOO_LARGE,
        f"This file {has}; at most {most} MB can be read. "
        f"Make it smaller, for example by leaving out pictures, or {PASTE}.",
    )


def too_much_pasted(characters: int, limit: int) -> RefusedDocument:
    """Pasted text of `characters` characters where `limit` are allowed."""
    return RefusedDocument(
        Reason.TOO_MUCH_TEXT,
        f"This text has {characters:,} characters; at most {limit:,} can be kept. Shorten it and try again.",
    )
