"""A letter of reference as it is handed in: a file that is read in a closed process, or text."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from portal.applications.referees.service import Letter
from portal.applications.resume_view import shown_filename
from portal.documents.extraction import extract, pasted
from portal.documents.limits import Limits
from portal.documents.refusals import Busy, ReaderFailed, RefusedDocument
from portal.documents.slots import Slots

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.datastructures import FileStorage

    from portal.config import Settings

logger = logging.getLogger(__name__)
FAILED_HERE = "We cannot read files just now; the fault is on our side. Paste the text instead, or try again later."
EMPTY = "Write the letter below, or choose a file."


class LetterRefused(Exception):  # noqa: N818  (an answer to a person)
    """The letter was not taken; the text says why and what to do."""


def read_letter(app: Flask, text: str, upload: FileStorage | None) -> Letter:
    """The letter in a file, in the text, or in both: what was written stands before what was read from the file.

    Raises:
        LetterRefused: There is neither, or it cannot be read.
    """
    settings: Settings = app.config["PORTAL"]
    limits = Limits(bytes=settings.upload_bytes)
    chosen = upload if upload is not None and upload.filename else None
    try:
        written = pasted(text, limits=limits) if text.strip() else None
        if chosen is None:
            if written is None:
                raise LetterRefused(EMPTY)
            return Letter(written.text, str(written.kind))
        data = chosen.read()
        read = extract(data, slots=Slots(settings.instance / "slots", settings.extraction_slots), limits=limits)
    except (RefusedDocument, Busy) as refusal:
        raise LetterRefused(refusal.message) from None
    except ReaderFailed:
        logger.exception("The child process that reads letters cannot work")
        raise LetterRefused(FAILED_HERE) from None
    whole = f"{written.text}\n\n{read.text}" if written is not None else read.text
    return Letter(whole, str(read.kind), data, shown_filename(chosen.filename or ""))
