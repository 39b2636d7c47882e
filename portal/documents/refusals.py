"""Why a document, a resume or a letter, cannot be read, in words the person who uploaded it can act on."""

from __future__ import annotations

import math
from enum import StrEnum

from portal.documents.limits import MEBIBYTE

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


class RefusedDocument(Exception):
    """This document will not be read, however often it is tried.

    Attributes:
        reason: which rule it met.
        message: what a page shows: why, and what to do.
    """

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


def empty() -> RefusedDocument:
    """The file or the pasted text has no content at all."""
    return RefusedDocument(Reason.EMPTY, f"This file is empty. Choose one that holds the text, or {PASTE}.")


def nothing_pasted() -> RefusedDocument:
    """Pasted text without a visible character."""
    return RefusedDocument(Reason.EMPTY, "There is no text here yet. Paste the text, or upload a file.")


def too_large(size: int, limit: int) -> RefusedDocument:
    """The file has `size` bytes, `limit` are allowed; 0 where its size is unknown, as when it arrives in pieces."""
    has = f"has {_mebibytes(size)} MB" if size else "is too large"
    return RefusedDocument(
        Reason.TOO_LARGE,
        f"This file {has}; at most {_mebibytes(limit)} MB can be read. "
        f"Make it smaller, for example by leaving out pictures, or {PASTE}.",
    )


def too_many_pages(pages: int, limit: int) -> RefusedDocument:
    """The document has `pages` pages, `limit` are allowed."""
    return RefusedDocument(
        Reason.TOO_MANY_PAGES,
        f"This document has {pages:,} pages; at most {limit} can be read. Upload a shorter version, or {PASTE}.",
    )


def encrypted(name: str) -> RefusedDocument:
    """The document, named like "PDF", is protected by a password or by restrictions."""
    return RefusedDocument(
        Reason.ENCRYPTED,
        f"This {name} is protected with a password or with restrictions. "
        f"Save a copy without protection and upload that, or {PASTE}.",
    )


def active_pdf() -> RefusedDocument:
    """A PDF that carries scripts, starts programs or contains other files."""
    return RefusedDocument(
        Reason.MACROS,
        "This PDF contains scripts, form actions or attached files, which a reader should not open. "
        f"Print it to a new PDF and upload that, or {PASTE}.",
    )


def active_docx() -> RefusedDocument:
    """A Word document that carries macros or controls."""
    return RefusedDocument(
        Reason.MACROS,
        "This Word document contains macros or active controls, which a reader should not open. "
        f"Save it as “Word document (.docx)” without them or as PDF and upload that, or {PASTE}.",
    )


def scanned_only() -> RefusedDocument:
    """A PDF whose pages are pictures or drawings of text."""
    return RefusedDocument(
        Reason.SCANNED_ONLY,
        "We could not read this PDF: its pages are pictures of text (a scan) or letters drawn as shapes. "
        f"Upload a PDF exported from your editor, or {PASTE}.",
    )


def damaged(name: str) -> RefusedDocument:
    """A document, named like "PDF", that its parser cannot follow."""
    return RefusedDocument(
        Reason.DAMAGED,
        f"We could not read this {name}: the file seems to be damaged or incomplete. "
        f"Open it on your computer, save it again and upload the new file, or {PASTE}.",
    )


def unknown_kind(found: str) -> RefusedDocument:
    """A file that is something else; `found` says what, with its article: "a PNG picture"."""
    return RefusedDocument(
        Reason.UNKNOWN_KIND,
        f"This is {found}. What can be read is a PDF, a Word document (.docx) or a plain text file. "
        f"Save it as one of these and upload that, or {PASTE}.",
    )


def unknown_encoding() -> RefusedDocument:
    """Text whose bytes are in none of the encodings that can be told apart with certainty."""
    return RefusedDocument(
        Reason.UNKNOWN_KIND,
        "This is not a PDF, a Word document (.docx) or a text file whose characters we can read with certainty. "
        f"If it is plain text, save it with the encoding UTF-8 and upload that, or {PASTE}.",
    )


def too_slow() -> RefusedDocument:
    """The parser did not come to an end in time."""
    return RefusedDocument(
        Reason.TOO_SLOW,
        "Reading this file took too long, so we stopped. "
        f"Upload a simpler version, for example printed to a new PDF, or {PASTE}.",
    )


def too_much_memory() -> RefusedDocument:
    """The document unpacks to more than can be held."""
    return RefusedDocument(
        Reason.TOO_MUCH_MEMORY,
        "This file unpacks to far more than its size, more than we can read. "
        f"Upload a simpler version, for example without pictures, or {PASTE}.",
    )


def too_much_text(limit: int) -> RefusedDocument:
    """The document holds more text than a resume or letter could; at most `limit` characters are kept of any."""
    return RefusedDocument(
        Reason.TOO_MUCH_TEXT,
        f"This file holds too much text: at most {limit:,} characters can be kept. "
        f"Upload a shorter version, or {PASTE}.",
    )


def too_much_pasted(characters: int, limit: int) -> RefusedDocument:
    """Pasted text of `characters` characters where `limit` are allowed."""
    return RefusedDocument(
        Reason.TOO_MUCH_TEXT,
        f"This text has {characters:,} characters; at most {limit:,} can be kept. Shorten it and try again.",
    )


def no_text(name: str) -> RefusedDocument:
    """A document, named like "PDF", without a character that a reader could see."""
    return RefusedDocument(
        Reason.NO_TEXT,
        f"We found no text in this {name} that a reader could see. "
        f"Check that it is the right file and upload it again, or {PASTE}.",
    )


def _mebibytes(size: int) -> str:
    """Bytes in MB of 1,024², rounded up to a tenth so that a file over the limit never shows as the limit."""
    return f"{math.ceil(size / MEBIBYTE * 10) / 10:g}"
