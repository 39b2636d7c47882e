"""Pictures, byte by byte."""

from __future__ import annotations

import struct
import zlib

SIDE = 8
# Kinds of PNG files by their number of channels, of eight bits each.
_KINDS = {1: 0, 2: 4, 3: 2, 4: 6}


def png(pixel: bytes, *, method: int = 0, clear: bytes = b"") -> bytes:
    """A square of one colour.

    Args:
        pixel: the colour, a byte for each channel.
        method: how its rows are filtered: 0 not at all, 1 by the pixel at the left … as in the standard.
        clear: the colour that lets through what is behind.
    """
    above = bytes(SIDE * len(pixel))
    rows = b""
    for _ in range(SIDE):
        row = pixel * SIDE
        rows += bytes((method,)) + _filtered(row, above, len(pixel), method)
        above = row
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, _KINDS[len(pixel)], 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    if clear:
        chunks.insert(1, (b"tRNS", clear))
    return b"\x89PNG\r\n\x1a\n" + b"".join(map(_chunk, *zip(*chunks, strict=True)))


def _filtered(row: bytes, above: bytes, channels: int, method: int) -> bytes:
    values = bytearray()
    for place, value in enumerate(row):
        left = row[place - channels] if place >= channels else 0
        corner = above[place - channels] if place >= channels else 0
        over = above[place]
        nearest = min((left, over, corner), key=lambda near: abs(left + over - corner - near))
        values.append((value - (0, left, over, (left + over) // 2, nearest)[method]) & 0xFF)
    return bytes(values)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
