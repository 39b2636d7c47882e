"""One reader per kind. Runs in the reading child only, apart from tests on files they made themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from portal.documents import refusals
from portal.documents.decoding import decode
from portal.documents.extracted import Raw
from portal.documents.kinds import Kind
from portal.documents.notices import Notice

if TYPE_CHECKING:
    from portal.documents.limits import Limits


# No encoding has more for one.
BYTES_OF_A_CHARACTER = 4


class Reader(Protocol):
    """Turns bytes of one kind into raw text."""

    def __call__(self, data: bytes, limits: Limits) -> Raw:
        """Raises `RefusedDocument`, or anything a parser comes up with."""


def reader_of(kind: Kind) -> Reader:
    """The reader for `kind`, its parser imported.

    Raises:
        ValueError: text that was pasted is not read from bytes.
    """
    if kind is Kind.PDF:
        from portal.documents.pdf.text import read_pdf

        return read_pdf
    if kind is Kind.DOCX:
        from portal.documents.docx.text import read_docx

        return read_docx
    if kind is Kind.TXT:
        return read_txt
    raise ValueError(f"Only pdf, docx and txt are read from bytes, not {kind}.")


def read_txt(data: bytes, limits: Limits) -> Raw:
    """A text file in one of the encodings that can be told with certainty.

    Raises:
        RefusedDocument: the encoding is none of them, or there is too much text.
    """
    if len(data) > BYTES_OF_A_CHARACTER * limits.raw_characters:
        raise refusals.too_much_text(limits.characters)
    decoded = decode(data)
    if len(decoded.text) > limits.raw_characters:
        raise refusals.too_much_text(limits.characters)
    return Raw(visible=decoded.text, notices=() if decoded.certain else (Notice.NOT_UTF8,))
