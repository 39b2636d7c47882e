"""What was read from a document, and how it passes through the pipe from the child."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from portal.documents.cleaning import clean
from portal.documents.kinds import Kind
from portal.documents.notices import Notice, notices_about
from portal.documents.refusals import Reason, refused

if TYPE_CHECKING:
    from portal.documents.limits import Limits


@dataclass(frozen=True)
class Raw:
    """What a parser found, before cleaning: what a reader of the document sees and does not see."""

    visible: str
    hidden: str = ""
    pages: int | None = None
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class Extracted:
    """The text of a document, cleaned and ready to be shown and confirmed; `text` is never empty.

    `hidden` is text in the file that a reader does not see; `pages` of Word documents are as last laid out by Word,
    None for kinds without pages.
    """

    text: str
    kind: Kind
    pages: int | None
    warnings: tuple[Notice, ...]
    hidden: str


def finish(raw: Raw, kind: Kind, limits: Limits) -> Extracted:
    """Clean, cut and judge what a parser found.

    Raises:
        RefusedDocument: there is far too much text, or none that a reader could see.
    """
    if len(raw.visible) + len(raw.hidden) > limits.raw_characters:
        raise refused(Reason.TOO_MUCH_TEXT, limit=limits.characters)
    visible = clean(raw.visible, limits.characters)
    hidden = clean(raw.hidden, limits.hidden_characters).text
    if not any(character.isalnum() for character in visible.text):
        raise refused(Reason.NO_TEXT, name=kind.label)
    warnings = [*raw.notices]
    if hidden:
        warnings.append(Notice.HIDDEN_TEXT)
    if visible.cut:
        warnings.append(Notice.CUT)
    return Extracted(visible.text, kind, raw.pages, (*warnings, *notices_about(visible.text)), hidden)


def packed(extracted: Extracted) -> bytes:
    """One line of JSON, ASCII only."""
    return json.dumps(asdict(extracted)).encode("ascii")


def packed_bytes_at_most(limits: Limits) -> int:
    """The most bytes `packed` can give: a character may need twelve (two escaped halves)."""
    return 12 * (limits.characters + limits.hidden_characters) + 65_536


def unpacked(fields: object) -> Extracted:
    """The inverse of `packed`, for fields that may have been written by anybody.

    Raises:
        ValueError: something is missing, of another type or unknown.
    """
    match fields:
        case {"text": str(text), "kind": str(kind), "pages": int() | None as pages, **others}:
            match others:
                case {"warnings": list(warnings), "hidden": str(hidden)}:
                    return Extracted(text, Kind(kind), pages, tuple(Notice(warning) for warning in warnings), hidden)
    raise ValueError("This is not what a reader writes.")
