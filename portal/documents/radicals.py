"""Radicals of Chinese writing that fonts paint with the glyph of a whole character: PDFs mistake one for the other.

Unicode normalisation leaves the block "CJK Radicals Supplement" as it is. Source of the pairs: the property
Equivalent_Unified_Ideograph of the Unicode Character Database (EquivalentUnifiedIdeograph.txt).
"""

from __future__ import annotations

_FIRST = 0x2E80
# From U+2E80 on; a full stop where the block has no character, or none that is a character by itself.
_CHARACTERS = (
    ".厂乛乚乙亻冂.刀刂卜㔾小小兀尣尢.巳幺彑.忄心扌攵.旡日月歺母民氵氺灬爫爫丬牛犭王.目示礻."
    "糹纟罓罒㓁冗.羊..耂肀聿肉.艹艹艹虎衤覀西见角.讠贝.车辶辶辶邑钅長镸长门.阝雨青韦页风飞食.飠饣."
    "马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟"
)
CHARACTER_OF_RADICAL = {_FIRST + place: character for place, character in enumerate(_CHARACTERS) if character != "."}
"""By the code of a radical the character that is written like it."""
