"""A photo or logo made anew from its pixels. Runs inside the child: it hands bytes of strangers to decoders.

Their number is bounded before any pixel is decoded, and what they are decoded to is bounded by the memory of the child.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING

from portal.documents.limits import MEBIBYTE, STANDARD
from portal.documents.refusals import Reason, RefusedDocument

if TYPE_CHECKING:
    from portal.documents.limits import Limits

PHOTO = "photo"
"""The kind of such a file in the order to the child."""
MOST_PIXELS = 25_000_000  # about 100 MB once decoded
SIDE = 400  # pixels of the longer side as it is kept
FORMATS = ("JPEG", "PNG", "WEBP")
LIMITS = replace(STANDARD, memory_bytes=512 * MEBIBYTE)
LARGEST_RESULT = MEBIBYTE // 2  # bytes; in JSON
TOO_MANY = f"This image has more than {MOST_PIXELS // 1_000_000} million pixels. Make it smaller and try again."
NO_IMAGE = "This is no JPEG, PNG or WebP image, or it is damaged. Choose another file."
REFUSALS = {Reason.TOO_LARGE: f"This file is larger than {LIMITS.bytes // MEBIBYTE} MB. Choose a smaller one."}
REFUSALS |= dict.fromkeys((Reason.TOO_MUCH_MEMORY, Reason.TOO_SLOW), TOO_MANY)
"""Why a photo is not taken, by reason; for any other reason, `NO_IMAGE`."""


def reencoded(data: bytes, _limits: Limits) -> bytes:
    """A small WebP image of the same pixels, without anything else that the file holds.

    Raises:
        RefusedDocument: It is no image of `FORMATS`, is damaged, or has too many pixels.
    """
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS  # the process ends with this image
    warnings.simplefilter("error", Image.DecompressionBombWarning)
    try:
        with Image.open(BytesIO(data), formats=FORMATS) as image:
            image.draft("RGB", (SIDE, SIDE))  # a JPEG is decoded smaller
            upright = ImageOps.exif_transpose(image).convert("RGBA")
    except MemoryError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise RefusedDocument(Reason.TOO_MUCH_MEMORY, TOO_MANY) from None
    except Exception as error:  # whatever a decoder makes of a damaged file
        raise RefusedDocument(Reason.DAMAGED, NO_IMAGE) from error
    upright.thumbnail((SIDE, SIDE))
    clean = Image.new("RGB", upright.size, "white")  # so that a dark logo is seen in the dark theme
    clean.paste(upright, mask=upright)
    out = BytesIO()
    clean.save(out, "WEBP", quality=85)
    return out.getvalue()
