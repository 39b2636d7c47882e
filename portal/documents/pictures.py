"""Pictures made in the reading child: the first pages of a PDF, and photos or logos anew from their pixels.

A page of the portal cannot embed a PDF itself, which opens in a sandbox. The pixels of a photo are counted before any
is decoded; what they are decoded to is bounded by the memory of the child.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING

from portal.documents.limits import MEBIBYTE, STANDARD
from portal.documents.refusals import Reason, RefusedDocument, refused

if TYPE_CHECKING:
    from collections.abc import Sequence

PAGES, PHOTO = "pages", "photo"
"""What the order to the child names in place of the kind of a file."""
MOST_PAGES = 6
WIDEST, TALLEST = 1_000, 2_000  # pixels
QUALITY, QUALITY_OF_A_PHOTO = 80, 85  # of 100
PACKED_BYTES_AT_MOST = 16_000_000
"""More than six pictures of noise take."""
MOST_PIXELS = 25_000_000  # about 100 MB once decoded
SIDE = 400  # pixels of the longer side of a photo as it is kept
PHOTO_LIMITS = replace(STANDARD, memory_bytes=512 * MEBIBYTE)
NO_IMAGE = "This is no JPEG, PNG or WebP image, or it is damaged. Choose another file."
PHOTO_REFUSALS = {
    Reason.TOO_LARGE: f"This file is larger than {PHOTO_LIMITS.bytes // MEBIBYTE} MB. Choose a smaller one.",
    **dict.fromkeys(
        (Reason.TOO_MUCH_MEMORY, Reason.TOO_SLOW),
        f"This image takes too much to read, as more than {MOST_PIXELS // 1_000_000} million pixels do. Make it "
        "smaller and try again.",
    ),
}
"""Why a photo is not taken, by reason; for any other reason, `NO_IMAGE`."""


def drawn(data: bytes) -> list[bytes]:
    """The first pages as viewers show them, as WebP without metadata. Raises whatever a parser comes up with."""
    from pypdfium2 import PdfDocument

    document = PdfDocument(data)
    try:
        document.init_forms()
        pictures = []
        for number in range(min(len(document), MOST_PAGES)):
            page, file = document[number], BytesIO()
            # As large as both bounds permit.
            bitmap = page.render(scale=min(WIDEST / page.get_width(), TALLEST / page.get_height()))
            bitmap.to_pil().convert("RGB").save(file, "WEBP", quality=QUALITY)
            bitmap.close()
            page.close()
            pictures.append(file.getvalue())
        return pictures
    finally:
        document.close()


def reencoded(data: bytes) -> bytes:
    """A small WebP image of the same pixels, without anything else that the file holds.

    Raises:
        RefusedDocument: It is no JPEG, PNG or WebP image, is damaged, or has too many pixels.
    """
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS // 2  # twice as many are an error; the process ends with this image
    try:
        with Image.open(BytesIO(data), formats=("JPEG", "PNG", "WEBP")) as image:
            small: Image.Image = image
            if image.mode == "I;16":  # grey of sixteen bits, which converting would cut at white
                small = image.point(lambda value: value / 256).convert("L")
            elif image.mode in {"1", "P"}:  # numbers of colours, which cannot be mixed
                small = image.convert("RGBA")
            small.thumbnail((SIDE, SIDE))  # a JPEG is decoded smaller
            upright = ImageOps.exif_transpose(small).convert("RGBA")
    except MemoryError:
        raise
    except Image.DecompressionBombError:
        raise refused(Reason.TOO_MUCH_MEMORY) from None
    except Exception as error:  # whatever a decoder makes of a damaged file
        raise RefusedDocument(Reason.DAMAGED, NO_IMAGE) from error
    clean = Image.new("RGB", upright.size, "white")  # so that a dark logo is seen in the dark theme
    clean.paste(upright, mask=upright)
    out = BytesIO()
    clean.save(out, "WEBP", quality=QUALITY_OF_A_PHOTO)
    return out.getvalue()


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
