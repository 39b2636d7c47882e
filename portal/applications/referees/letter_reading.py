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
from portal.web.extensions import settings_of

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.datastructures import FileStorage


logger = logging.getLogger(__name__)
FAILED_HERE = (
    "We cannot read files just now; the fault is on our side. Paste the text instead, or try again later. If it fails "
    "again, tell the administrators."
)
EMPTY = "Write the letter below, or choose a file."


class LetterRefused(Exception):
    """The letter was not taken; the text says why and what to do."""


def read_letter(app: Flask, text: str, upload: FileStorage | None) -> Letter:
    """The letter from a file, from the text, or from both: the typed text goes before the text read from the file.

    Raises:
        LetterRefused: There is neither, or it cannot be read.
    """
    settings = settings_of(app)
    limits = Limits(bytes=settings.upload_bytes)
    file = upload if upload is not None and upload.filename else None
    try:
        written = pasted(text, limits=limits) if text.strip() else None
        if file is None:
            if written is None:
                raise LetterRefused(EMPTY)
            return Letter(written.text, str(written.kind))
        data = file.read()
        extracted = extract(data, slots=Slots(settings.instance / "slots", settings.extraction_slots), limits=limits)
    except (RefusedDocument, Busy) as refusal:
        raise LetterRefused(refusal.message) from None
    except ReaderFailed:
        logger.exception("The child process that reads letters cannot work")
        raise LetterRefused(FAILED_HERE) from None
    full_text = f"{written.text}\n\n{extracted.text}" if written is not None else extracted.text
    return Letter(full_text, str(extracted.kind), data, shown_filename(file.filename or ""))
