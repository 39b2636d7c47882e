"""Notices on how a resume was read, worded for reviewers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.notices import Notice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SENTENCES = {
    Notice.CUT: ("This resume is longer than what is kept. Its end is missing below and did not count in the match."),
    Notice.VERY_SHORT: "Very little text was found in this resume, so that the match says little about it.",
    Notice.MOSTLY_NOT_LETTERS: (
        "Most of what was read from this resume is not letters. The match may miss what it says."
    ),
    Notice.GARBLED: (
        "Many words of this resume came out garbled, as happens with unusual fonts. The match may miss what it says."
    ),
    Notice.UNREAD_LETTERS: (
        "Some letters of this file could not be read. Words may be missing below and did not count in the match."
    ),
    Notice.PICTURE_PAGES: (
        "At least one page of this file is a picture or a drawing, such as a scan. "
        "Text on it was not read and did not count in the match."
    ),
    Notice.NOT_UTF8: (
        "The characters of this text file had to be inferred. Where accents or signs look odd, they were read wrongly."
    ),
}


def reading_notices(warnings: Iterable[str]) -> Sequence[str]:
    """The sentences for a resume's stored notices, except hidden text, which the page shows elsewhere."""
    return [SENTENCES[notice] for notice in map(Notice, warnings) if notice is not Notice.HIDDEN_TEXT]
