"""Remarks on a document that was read, for the person who uploaded it."""

from __future__ import annotations

from enum import StrEnum


class Notice(StrEnum):
    """A remark on text that was read; it never refuses anything."""

    HIDDEN_TEXT = "hidden_text"
    CUT = "cut"
    VERY_SHORT = "very_short"
    MOSTLY_NOT_LETTERS = "mostly_not_letters"
    GARBLED = "garbled"
    NOT_UTF8 = "not_utf8"
    PICTURE_PAGES = "picture_pages"
    UNREAD_LETTERS = "unread_letters"

    @property
    def sentence(self) -> str:
        """The text for a page: what was noticed, and what to do."""
        return _SENTENCES[self]


_SENTENCES = {
    Notice.HIDDEN_TEXT: (
        "This file holds text that a reader cannot see (white, tiny, invisible or off the page). "
        "It is not used for matching and is shown apart."
    ),
    Notice.CUT: (
        "This file is longer than what can be kept; the end was cut off. Check that nothing important is missing."
    ),
    Notice.VERY_SHORT: (
        "Very little text was found. If your resume says more, upload another version or paste the text."
    ),
    Notice.MOSTLY_NOT_LETTERS: (
        "Most of what was found is not letters. Check the text; if it is wrong, paste your resume instead."
    ),
    Notice.GARBLED: (
        "Many words look garbled, as happens with unusual fonts. "
        "Check the text; if it is wrong, upload another version or paste the text."
    ),
    Notice.UNREAD_LETTERS: (
        "Some letters of this file have no meaning, as happens in PDFs made from PostScript, and are missing below. "
        "Check the text; if words are missing, upload a PDF exported from your editor, or paste the text."
    ),
    Notice.PICTURE_PAGES: (
        "At least one page is a picture or a drawing, such as a scan; text on it was not read. "
        "If it holds more than pictures, upload a PDF exported from your editor, or paste the text."
    ),
    Notice.NOT_UTF8: "The characters of this file had to be inferred (it is not UTF-8). Check that they are right.",
}
