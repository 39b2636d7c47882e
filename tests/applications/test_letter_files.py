"""A letter of reference as a file with words beside it: both are the letter."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from werkzeug.datastructures import FileStorage

from portal.applications.referees.letter_reading import LetterRefused, read_letter

if TYPE_CHECKING:
    from flask import Flask

LETTER = b"Ada built our serving system and wrote its paper with great care. " * 4


def file(data: bytes) -> FileStorage:
    return FileStorage(BytesIO(data), "letter.txt")


def test_what_is_written_beside_a_file_is_not_lost(app: Flask) -> None:
    both = read_letter(app, "One more thing: call me.", file(LETTER))
    alone = read_letter(app, " ", file(LETTER))
    assert both.text == f"One more thing: call me.\n\n{alone.text}"
    assert (both.kind, both.data, alone.text.split()[:2]) == ("txt", LETTER, ["Ada", "built"])


def test_no_letter_at_all_is_refused(app: Flask) -> None:
    for upload in (None, FileStorage(BytesIO(b""), "")):
        with pytest.raises(LetterRefused, match="Write the letter below"):
            read_letter(app, " ", upload)
