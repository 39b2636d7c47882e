"""What was read from a document, and how it passes through the pipe from the child."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.documents.cleaning import clean
from portal.documents.kinds import Kind
from portal.documents.notices import Notice, notices_about
from portal.documents.refusals import Reason, refused

if TYPE_CHECKING:
    from portal.documents.limits import Limits


@dataclass(frozen=True)
class Extracted:
    """The text of a document: as a parser found it and, after `finish`, ready to be shown and confirmed, never empty.

    `hidden` is text in the file that a reader does not see; `pages` of Word documents are as last laid out by Word,
    None for kinds without pages.
    """

    text: str
    kind: Kind
    pages: int | None = None
    warnings: tuple[Notice, ...] = ()
    hidden: str = ""


def finish(found: Extracted, limits: Limits) -> Extracted:
    """Clean, cut and judge what a parser found.

    Raises:
        RefusedDocument: there is far too much text, or none that a reader could see.
    """
    if len(found.text) + len(found.hidden) > limits.raw_characters:
        raise refused(Reason.TOO_MUCH_TEXT, limit=limits.characters)
    text, is_cut = clean(found.text, limits.characters)
    hidden, _ = clean(found.hidden, limits.hidden_characters)
    if not any(map(str.isalnum, text)):
        raise refused(Reason.NO_TEXT, name=found.kind.label)
    noticed = ((Notice.HIDDEN_TEXT, bool(hidden)), (Notice.CUT, is_cut))
    warnings = (*found.warnings, *(notice for notice, applies in noticed if applies), *notices_about(text))
    return replace(found, text=text, hidden=hidden, warnings=warnings)


def packed_bytes_at_most(limits: Limits) -> int:
    """The most bytes of JSON in ASCII: a character may need twelve (two escaped halves)."""
    return 12 * (limits.characters + limits.hidden_characters) + 65_536


def unpacked(fields: object) -> Extracted:
    """What was read, of its fields as they come out of JSON, which may have been written by anybody.

    Raises:
        ValueError: something is missing, of another type or unknown.
    """
    match fields:
        case {"text": str(text), "kind": str(kind), "pages": int() | None as pages, **others}:
            match others:
                case {"warnings": list(warnings), "hidden": str(hidden)}:
                    return Extracted(text, Kind(kind), pages, tuple(Notice(warning) for warning in warnings), hidden)
    raise ValueError("This is not what a reader writes.")
