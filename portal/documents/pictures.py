"""The first pages of a PDF as pictures: a page of the portal cannot embed the file itself, which opens in a sandbox.

`drawn` runs in the reading child only, with its limits.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pypdfium2 import PdfPage

PICTURES = "pictures"
"""What the order to the child names in place of the kind of a file."""
MOST_PAGES = 6
WIDEST, TALLEST = 1_000, 2_000  # pixels
QUALITY = 80  # of 100
PACKED_BYTES_AT_MOST = 16_000_000
"""More than six pictures of noise take."""


def drawn(data: bytes) -> list[bytes]:
    """The first pages as viewers show them, as WebP without metadata. Raises whatever a parser comes up with."""
    from pypdfium2 import PdfDocument

    document = PdfDocument(data)
    try:
        document.init_forms()
        return [_picture(document[number]) for number in range(min(len(document), MOST_PAGES))]
    finally:
        document.close()


def _picture(page: PdfPage) -> bytes:
    """The page, as large as both bounds permit."""
    bitmap = page.render(scale=min(WIDEST / page.get_width(), TALLEST / page.get_height()))
    file = BytesIO()
    bitmap.to_pil().convert("RGB").save(file, "WEBP", quality=QUALITY)
    bitmap.close()
    page.close()
    return file.getvalue()


def packed_pictures(pictures: Sequence[bytes]) -> bytes:
    """Pictures as one line of JSON, as they come from the child and are kept."""
    return json.dumps([b64encode(picture).decode() for picture in pictures]).encode()


def unpacked_pictures(found: object) -> list[bytes]:
    """The pictures of such a line, decoded, which may have been written by anybody.

    Raises:
        ValueError: it holds anything else.
    """
    match found:
        case list(texts) if all(isinstance(text, str) for text in texts):
            return [b64decode(text, validate=True) for text in texts]
    raise ValueError("These are no pictures.")
