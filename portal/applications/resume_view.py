"""A resume as pages show it to its owner."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from portal.applications.stated import one_line
from portal.documents.kinds import Kind
from portal.documents.limits import MEBIBYTE
from portal.documents.notices import Notice
from portal.matching import redact

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from portal.matching import Redacted
    from portal.models import Resume

LONGEST_FILENAME = 150  # characters

KINDS_OF_REMOVED = {
    "name": "Names",
    "address": "E-mail and web addresses",
    "telephone": "Telephone numbers",
    "school": "Schools",
    "employer": "Employers",
    "place": "Countries and cities",
    "date": "Dates",
    "gender": "Gendered words",
}

_UNSAFE = re.compile(r'[\x00-\x1f\x7f"<>:|?*/\\\u200e\u200f\u202a-\u202e\u2066-\u2069]')


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a text, and whether matching leaves it out."""

    text: str
    left_out: bool


@dataclass(frozen=True, slots=True)
class ResumeView:
    """What was handed in and read. `size` is in words; empty for pasted text.

    `stretches` are the text in order; `removed` are kinds of what matching leaves out, each with its different
    words as they stand in the text.
    """

    title: str
    kind: str
    size: str
    pages: int | None
    stretches: tuple[Stretch, ...]
    removed: tuple[tuple[str, tuple[str, ...]], ...]
    hidden_text: str
    warnings: tuple[str, ...]
    sha256: str
    has_file: bool
    uploaded_at: datetime
    confirmed_at: datetime | None


def resume_view(resume: Resume) -> ResumeView:
    """Finished values for a page."""
    redacted = redact(resume.text)
    return ResumeView(
        title=resume.filename or "Pasted text",
        kind=Kind(resume.kind).label,
        size=_in_words(resume.size) if resume.size else "",
        pages=resume.pages,
        stretches=tuple(_stretches(resume.text, redacted)),
        removed=tuple(_by_kind(redacted)),
        hidden_text=resume.hidden_text,
        warnings=tuple(Notice(warning).sentence for warning in resume.warnings),
        sha256=resume.sha256,
        has_file=bool(resume.storage_key),
        uploaded_at=resume.uploaded_at,
        confirmed_at=resume.confirmed_at,
    )


def _stretches(text: str, redacted: Redacted) -> Iterator[Stretch]:
    position = 0
    for item in redacted.removed:
        if item.start > position:
            yield Stretch(text[position : item.start], left_out=False)
        yield Stretch(text[item.start : item.end], left_out=True)
        position = item.end
    if position < len(text):
        yield Stretch(text[position:], left_out=False)


def _by_kind(redacted: Redacted) -> Iterator[tuple[str, tuple[str, ...]]]:
    for reason, kind in KINDS_OF_REMOVED.items():
        words = tuple(dict.fromkeys(one_line(item.text) for item in redacted.removed if item.reason == reason))
        if words:
            yield kind, words


def shown_filename(name: str) -> str:
    """The last part of a file's name as its owner gave it, without what could mislead a reader or a shell."""
    basename = PurePosixPath(name.replace("\\", "/")).name
    cleaned = one_line(_UNSAFE.sub(" ", basename)).strip(". ")
    if len(cleaned) <= LONGEST_FILENAME:
        return cleaned
    stem, ending = cleaned[: LONGEST_FILENAME - 8], PurePosixPath(cleaned).suffix[:8]
    return f"{stem}{ending}"


def download_name(resume: Resume) -> str:
    """The name under which the owner's own file is saved; its ending says what the file truly is."""
    stem = PurePosixPath(resume.filename).stem or "resume"
    return f"{stem}.{resume.kind}"


def _in_words(size: int) -> str:
    if size < MEBIBYTE:
        return f"{max(1, round(size / 1024)):,} KB"
    return f"{size / MEBIBYTE:.1f} MB"
