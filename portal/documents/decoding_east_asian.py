"""Chinese, Japanese and Korean text without a mark: which two-byte encoding it is, if one is clear."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

# Chinese: in real text nearly all characters are frequent ones. GB 2312 puts its frequent characters (level 1) into
# rows B0–D7, Big5 into A4–C6, and both their punctuation into A1–A3. Most other encodings read as one of
# these land all over the table. Korean (EUC-KR) does not, but it almost never spells the commonest words.
_PUNCTUATION = range(0xA1, 0xA4)
_SECOND_OF_FOUR = range(0x30, 0x3A)
CLEARLY = 0.9
ENOUGH_PAIRS = 8
COMMONEST_SHARE = 0.08


@dataclass(frozen=True)
class _Table:
    """What distinguishes one two-byte encoding from the others."""

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


# Japanese is a mixture of kana and kanji in every sentence; what is no Japanese reads as half-width kana or as none.
_HIRAGANA = range(0x3041, 0x3097)
_HALF_WIDTH = range(0xFF61, 0xFFA0)
HIRAGANA_SHARE = 0.1
HALF_WIDTH_SHARE = 0.1
_HANGUL = range(0xAC00, 0xD7A4)
HANGUL_SHARE = 0.6
_COMMON_HANGUL = frozenset("이다는의에을를고하가지로서한은사자대기과학교연구정")
COMMON_HANGUL_SHARE = 0.15


# By what begins a text its encoding is told.
SAMPLE = 262_144  # bytes


def east_asian(data: bytes) -> tuple[str, str] | None:
    """The text and the name of its encoding; None when it is none of these, or not clearly so."""
    head = data[:SAMPLE]
    found = _japanese(head) or _chinese(head) or _korean(head)
    if found is None or len(data) <= SAMPLE:
        return found
    try:
        return data.decode(found[1]), found[1]
    except UnicodeDecodeError:
        return None


def _japanese(data: bytes) -> tuple[str, str] | None:
    candidates: list[tuple[float, str, str]] = []
    for encoding in ("cp932", "euc_jp"):
        text = _decoded(data, encoding)
        non_ascii = _non_ascii(text)
        if len(non_ascii) < ENOUGH_PAIRS:
            continue
        kana = sum(ord(character) in _HIRAGANA for character in non_ascii) / len(non_ascii)
        half_width = sum(ord(character) in _HALF_WIDTH for character in non_ascii) / len(non_ascii)
        if kana >= HIRAGANA_SHARE and half_width <= HALF_WIDTH_SHARE:
            candidates.append((kana, text, encoding))
    return max(candidates)[1:] if candidates else None


def _korean(data: bytes) -> tuple[str, str] | None:
    text = _decoded(data, "cp949")
    non_ascii = _non_ascii(text)
    hangul = [character for character in non_ascii if ord(character) in _HANGUL]
    if len(non_ascii) < ENOUGH_PAIRS or len(hangul) < HANGUL_SHARE * len(non_ascii):
        return None
    common = sum(character in _COMMON_HANGUL for character in hangul)
    return (text, "cp949") if common >= COMMON_HANGUL_SHARE * len(hangul) else None


def _decoded(data: bytes, encoding: str) -> str:
    """The text, without a character that is cut at its end, or nothing when it is not in this encoding."""
    is_cut = len(data) == SAMPLE
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data, final=not is_cut)
    except UnicodeDecodeError:
        return ""


def _non_ascii(text: str) -> list[str]:
    return [character for character in text if not character.isascii()]


def _chinese(data: bytes) -> tuple[str, str] | None:
    """The likelier of GB 18030 and Big5, if one of them is clear."""
    candidates: list[tuple[float, str, str]] = []
    for table in _TABLES:
        text = _decoded(data, table.encoding)
        share = _frequent_share(data, table)
        if share >= CLEARLY and _commonest_share(text, table) >= COMMONEST_SHARE:
            candidates.append((share, text, table.encoding))
    return max(candidates)[1:] if candidates else None


def _frequent_share(data: bytes, table: _Table) -> float:
    """Share of two-byte characters that are frequent or punctuation; 0 when there are too few to tell."""
    pairs = hits = position = 0
    while position < len(data):
        lead = data[position]
        if lead < 0x80:  # noqa: PLR2004 - ASCII
            position += 1
            continue
        trail = data[position + 1] if position + 1 < len(data) else 0
        # Bullets and other signs that GB 2312 has none of are written with four bytes; they tell neither way.
        if trail in _SECOND_OF_FOUR and table.encoding == "gb18030":
            position += 4
            continue
        pairs += 1
        hits += trail in table.trails and (lead in table.frequent_leads or lead in _PUNCTUATION)
        position += 2
    return hits / pairs if pairs >= ENOUGH_PAIRS else 0.0


def _commonest_share(text: str, table: _Table) -> float:
    """Share of the commonest characters among those beyond ASCII."""
    non_ascii = _non_ascii(text)
    return sum(character in table.commonest for character in non_ascii) / len(non_ascii) if non_ascii else 0.0
