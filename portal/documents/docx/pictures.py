"""Whether pictures and fills of a Word document let through what is behind them. Runs in the reading child only."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from portal.documents.docx.names import DRAWING, qn

if TYPE_CHECKING:
    from docx.opc.rel import Relationships
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

_PNG = b"\x89PNG\r\n\x1a\n"
_OPAQUE = (b"\xff\xd8\xff", b"BM")
# Of the kinds of PNG files those with a channel for how much they let through, and how many channels these have.
_CHANNELS = {4: 2, 6: 4}
_PALETTE = 3
# Of 255 and of 100,000: less hides what is behind.
LEAST_OPAQUE, LEAST_OPAQUE_FILL = 242, 95_000
# What lets through may take that share of a picture without showing a word.
MOST_CLEAR_SHARE = 0.05
# A larger picture is not looked into, nor one that is not plain in more pixels than that.
MOST_PICTURE_BYTES = 64_000_000
MOST_RECKONED_PIXELS = 400_000
_CHANGES = ("alphaModFix", "alphaMod", "alphaBiLevel", "alphaRepl", "alphaInv", "clrChange")


def is_opaque_fill(properties: Element | None, relations: Relationships | None, *, of_style: bool) -> bool:
    """Whether the inside of a shape hides what is behind it.

    Args:
        properties: the `spPr` of the shape.
        relations: of the part it is in.
        of_style: whether its style fills it where its properties do not say.
    """
    if properties is None:
        return of_style
    for fill in properties.iterchildren("{*}*"):
        kind = fill.tag.removeprefix(DRAWING)
        if kind in {"noFill", "grpFill"}:
            return False
        if kind in {"solidFill", "gradFill", "pattFill"}:
            return len(fill) > 0 and all(
                (alpha.get("val") or "").isdecimal() and int(alpha.get("val")) >= LEAST_OPAQUE_FILL
                for alpha in fill.iter(f"{DRAWING}alpha")
            )
        if kind == "blipFill":
            return is_opaque_blip(fill, relations)
    return of_style


def is_opaque_blip(fill: Element | None, relations: Relationships | None) -> bool:
    """Whether a `blipFill` shows a picture that hides what is behind it."""
    blip = fill.find(f"{DRAWING}blip") if fill is not None else None
    if (
        fill is None
        or blip is None
        or any(next(blip.iter(f"{DRAWING}{change}"), None) is not None for change in _CHANGES)
    ):
        return False
    area = next(fill.iter(f"{DRAWING}fillRect"), None)
    if area is not None and any(
        not (inset or "0").startswith("-") and inset not in {"0", None} for inset in area.attrib.values()
    ):
        return False
    return is_opaque_relation(blip.get(qn("r:embed")), relations)


def is_opaque_relation(name: str | None, relations: Relationships | None) -> bool:
    """Whether the picture behind a relation hides what is behind it."""
    relation = relations.get(name or "") if relations is not None else None
    return relation is not None and not relation.is_external and is_opaque(relation.target_part.blob)


def is_opaque(picture: bytes) -> bool:
    """Whether a picture hides what is behind it; kinds that cannot be told do not."""
    if picture.startswith(_OPAQUE):
        return True
    if not picture.startswith(_PNG):
        return False
    chunks = _chunks(picture)
    header = next((content for kind, content in chunks if kind == b"IHDR"), b"")
    if len(header) != struct.calcsize(">IIBBBBB"):
        return False
    width, height, depth, colours, _, _, interlaced = struct.unpack(">IIBBBBB", header)
    if colours not in _CHANNELS:
        clear = next((content for kind, content in chunks if kind == b"tRNS"), b"")
        # Which parts have the colours of a palette that let through is left open.
        return min(clear, default=255) >= LEAST_OPAQUE if colours == _PALETTE else not clear
    if depth != 8 or interlaced or width * height * _CHANNELS[colours] > MOST_PICTURE_BYTES:  # noqa: PLR2004 - bits
        return False
    packed = b"".join(content for kind, content in chunks if kind == b"IDAT")
    return _hides(packed, width, height, _CHANNELS[colours])


def _chunks(picture: bytes) -> list[tuple[bytes, bytes]]:
    chunks: list[tuple[bytes, bytes]] = []
    place = len(_PNG)
    while place + 8 <= len(picture):
        length, kind = struct.unpack(">I4s", picture[place : place + 8])
        chunks.append((kind, picture[place + 8 : place + 8 + length]))
        place += length + 12
    return chunks


def _hides(packed: bytes, width: int, height: int, channels: int) -> bool:
    """Whether hardly a pixel of a picture, eight bits a channel, lets through what is behind."""
    stride = width * channels
    try:
        rows = zlib.decompressobj().decompress(packed, (stride + 1) * height)
    except zlib.error:
        return False
    if not rows or not width:
        return False
    above = bytes(width)
    clear = reckoned = 0
    for start in range(0, len(rows), stride + 1):
        # A row is filtered channel by channel, so that the others need not be known.
        method, row = rows[start], rows[start + channels : start + stride + 1 : channels]
        if row == _filtered_full(method, above):
            above = b"\xff" * width
            continue
        reckoned += width
        if reckoned > MOST_RECKONED_PIXELS:
            return False
        above = _unfiltered(method, row, above)
        clear += sum(value < LEAST_OPAQUE for value in above)
    return clear <= MOST_CLEAR_SHARE * width * height


def _filtered_full(method: int, above: bytes) -> bytes | None:
    """How a row that lets nothing through looks in a file, below one that does not either; None where it varies."""
    width = len(above)
    is_first, is_full = not any(above), above == b"\xff" * width
    if method == 0:
        return b"\xff" * width
    if method == 1 or (method == 4 and is_first):  # noqa: PLR2004 - "Paeth" in the standard
        return b"\xff" + bytes(width - 1)
    return bytes(width) if method in {2, 4} and is_full else None


def _unfiltered(method: int, row: bytes, above: bytes) -> bytes:
    if method == 0:
        return row
    if method == 2:  # noqa: PLR2004 - "up" in the standard
        return bytes((value + over) & 0xFF for value, over in zip(row, above, strict=False))
    values = bytearray()
    left = corner = 0
    for value, over in zip(row, above, strict=False):
        if method == 1:
            guess = left
        elif method == 3:  # noqa: PLR2004 - "average" in the standard
            guess = (left + over) // 2
        else:
            guess = min((left, over, corner), key=lambda near: abs(left + over - corner - near))
        left, corner = (value + guess) & 0xFF, over
        values.append(left)
    return bytes(values)
