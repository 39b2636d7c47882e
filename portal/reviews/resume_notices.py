"""What a reviewer should know of how a resume was read, in words for somebody who did not upload it."""

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
    Notice.PICTURE_PAGES: (
        "At least one page of this file is a picture or a drawing, such as a scan. "
        "Text on it was not read and did not count in the match."
    ),
    Notice.NOT_UTF8: (
        "The characters of this text file had to be inferred. Where accents or signs look odd, they were read wrongly."
    ),
}


def reading_notices(warnings: Iterable[str]) -> Sequence[str]:
    """The sentences for the stored notices of a resume, but for hidden text, which has its own place on the page."""
    return [SENTENCES[notice] for notice in map(Notice, warnings) if notice is not Notice.HIDDEN_TEXT]
