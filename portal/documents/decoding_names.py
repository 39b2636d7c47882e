"""A Chinese, Japanese or Korean name in a text that is otherwise ASCII: which two-byte encoding it is in.

A few characters are too few to count, and as Western letters they may look fair. But most names begin with one of few
family names, and stand apart from Latin letters.
"""

from __future__ import annotations

import re
import unicodedata

MOST_BYTES = 200
LARGEST_SHARE = 0.25
LETTERS_OF_A_NAME = range(2, 7)
_ASCII = bytes(range(0x80))
_CHINESE = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩邓冯曹彭曾肖田董潘袁蔡蒋余于杜叶程魏苏吕丁任卢姚沈钟姜崔"
    "谭陆范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛段雷龙黎史陶贺毛郝顾龚邵万武钱戴严莫孔向常汤康易乔赖文欧施洪温庄"
)
_TRADITIONAL = (
    "王李張劉陳楊黃趙吳周徐孫馬朱胡郭何林高羅鄭梁謝宋唐許韓鄧馮曹彭曾蕭田董潘袁蔡蔣余于杜葉程魏蘇呂丁任盧姚沈鍾姜崔"
    "譚陸范汪廖石金韋賈夏方鄒熊白孟秦邱侯江尹薛段雷龍黎史陶賀毛郝顧龔邵萬武錢戴嚴莫孔向常湯康易喬賴文歐施洪溫莊簡"
)
_KOREAN = "김이박최정강조윤장임한오서신권황안송류홍전고문손양배백허유남심노하곽성차주우구민진지엄채원천방공현함변염"
_JAPANESE = (
    *("佐藤", "鈴木", "高橋", "田中", "伊藤", "渡辺", "山本", "中村", "小林", "加藤", "吉田", "山田", "佐々", "山口"),
    *("松本", "井上", "木村", "清水", "山崎", "池田", "橋本", "阿部", "石川", "山下", "中島", "石井", "小川", "前田"),
    *("岡田", "長谷", "藤田", "後藤", "近藤", "村上", "遠藤", "青木", "坂本", "斉藤", "福田", "太田", "西村", "藤井"),
    *("金子", "岡本", "藤原", "三浦", "中野", "中川", "原田", "松田", "竹内", "小野", "田村", "中山", "和田", "石田"),
)
_FAMILY_NAMES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("gb18030", tuple(_CHINESE)),
    ("big5", tuple(_TRADITIONAL)),
    ("cp949", tuple(_KOREAN)),
    ("cp932", _JAPANESE),
    ("euc_jp", _JAPANESE),
)
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


def of_names(data: bytes) -> tuple[str, str] | None:
    """The text and the name of its encoding; None when what it has beyond ASCII is not names and signs alone."""
    count = len(data.translate(None, _ASCII))
    if not 0 < count <= min(MOST_BYTES, LARGEST_SHARE * len(data)):
        return None
    for encoding, family_names in _FAMILY_NAMES:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        stretches = [found for found in _BEYOND_ASCII.finditer(text) if any(map(str.isalpha, found[0]))]
        are_apart = all(_is_apart(found, text) for found in stretches)
        if are_apart and any(found[0].startswith(family_names) for found in stretches):
            return text, encoding
    return None


def _is_apart(found: re.Match[str], text: str) -> bool:
    """Whether a stretch is as long as a name, of full-width letters, and no part of a Latin word."""
    letters = [letter for letter in found[0] if letter.isalpha()]
    beside = text[max(0, found.start() - 1) : found.start()] + text[found.end() : found.end() + 1]
    are_wide = all(unicodedata.east_asian_width(letter) == "W" for letter in letters)
    return are_wide and len(letters) in LETTERS_OF_A_NAME and not any(letter.isalnum() for letter in beside)
