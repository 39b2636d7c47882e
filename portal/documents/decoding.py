"""Bytes of a text file to characters, only where the encoding is certain."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from portal.documents import refusals

# In real text nearly all characters are frequent ones. GB 2312 puts its frequent characters (level 1) into
# rows B0–D7, Big5 into A4–C6, and both their punctuation into A1–A3. Most other encodings read as one of
# these land all over the table. Korean (EUC-KR) does not, but it almost never spells the commonest words.
_PUNCTUATION = range(0xA1, 0xA4)
CLEARLY = 0.9
ENOUGH_PAIRS = 8
COMMONEST_SHARE = 0.08


@dataclass(frozen=True)
class _Table:
    """What tells one two-byte encoding from the others."""

    encoding: str
    frequent_leads: range
    trails: range
    commonest: frozenset[str]


_TABLES = (
    _Table(
        "gb18030",
        range(0xB0, 0xD8),
        range(0xA1, 0xFF),
        frozenset(
            "的一是不了在人有我他这中大来上国个到说们为和地出道时年得就那要下以生会自着去之过家学对可里后小么心多天"
            "而能好都然没日于起还发成事只作当想看文无开手用主行方又如前所本见经头面公同三已老从动两长知研究系统习工程"
            "计算机业与等月实验项目数据模论科技法院士获奖及高教育姓名电话址"
        ),
    ),
    _Table(
        "big5",
        range(0xA4, 0xC7),
        range(0x40, 0xFF),
        frozenset(
            "的一是不了在人有我他這中大來上國個到說們為和地出道時年得就那要下以生會自著去之過家學對可裡後小麼心多天"
            "而能好都然沒日於起還發成事只作當想看文無開手用主行方又如前所本見經頭面公同三已老從動兩長知研究系統習工程"
            "計算機業與等月實驗項目數據模論科技法院士獲獎及高教育姓名電話址"
        ),
    ),
)


@dataclass(frozen=True)
class Decoded:
    """Characters and how sure their encoding is.

    Attributes:
        text: the characters.
        encoding: name of the encoding, as Python knows it.
        certain: whether the bytes say so themselves (UTF-8, or a byte order mark); otherwise inferred.
    """

    text: str
    encoding: str
    certain: bool


def decode(data: bytes) -> Decoded:
    """Decode a text file: UTF-8, UTF-16 with a byte order mark, or GB 18030 and Big5 when clearly so.

    Raises:
        RefusedDocument: none of these fits, or the result holds characters no text has.
    """
    decoded = _by_mark_or_utf8(data) or _chinese(data)
    if decoded is None or "\x00" in decoded.text:
        raise refusals.unknown_encoding()
    return decoded


def _by_mark_or_utf8(data: bytes) -> Decoded | None:
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    encoding = "utf-16" if marked else "utf-8-sig"
    try:
        return Decoded(data.decode(encoding), encoding, certain=True)
    except UnicodeDecodeError:
        return None


def _chinese(data: bytes) -> Decoded | None:
    """The likelier of GB 18030 and Big5, if one of them is clear."""
    clear: list[tuple[float, Decoded]] = []
    for table in _TABLES:
        try:
            text = data.decode(table.encoding)
        except UnicodeDecodeError:
            continue
        share = _frequent_share(data, table)
        if share >= CLEARLY and _commonest_share(text, table) >= COMMONEST_SHARE:
            clear.append((share, Decoded(text, table.encoding, certain=False)))
    return max(clear, key=lambda candidate: candidate[0])[1] if clear else None


def _frequent_share(data: bytes, table: _Table) -> float:
    """Share of two-byte characters that are frequent or punctuation; 0 when there are too few to tell."""
    pairs = hits = position = 0
    while position < len(data):
        lead = data[position]
        if lead < 0x80:  # noqa: PLR2004 - ASCII
            position += 1
            continue
        trail = data[position + 1] if position + 1 < len(data) else 0
        pairs += 1
        hits += trail in table.trails and (lead in table.frequent_leads or lead in _PUNCTUATION)
        position += 2
    return hits / pairs if pairs >= ENOUGH_PAIRS else 0.0


def _commonest_share(text: str, table: _Table) -> float:
    """Share of the commonest characters among those beyond ASCII."""
    beyond = [character for character in text if not character.isascii()]
    return sum(character in table.commonest for character in beyond) / len(beyond) if beyond else 0.0
