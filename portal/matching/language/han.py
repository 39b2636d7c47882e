"""Chinese characters in one of their two ways of writing, so that 機器學習 and 机器学习 are the same words."""

from __future__ import annotations

import re
from functools import cache

_HAN = range(0x3400, 0xA000)
_ANY = re.compile(f"[{chr(_HAN[0])}-{chr(_HAN[-1])}]")


def simplified(text: str) -> str:
    """`text` with simplified characters in place of traditional ones, each for one, so that spans stay right.

    Characters alone do not tell when one stands for several (乾 for 干 in some words only); which one is taken does not
    matter as long as it is always the same.
    """
    return text if text.isascii() or not _ANY.search(text) else text.translate(_simplified_of())


@cache
def _simplified_of() -> dict[int, str]:
    """The simplified character for each traditional one, by its code point."""
    from opencc import OpenCC

    characters = list(map(chr, _HAN))
    converted = OpenCC("t2s").convert("\n".join(characters)).split("\n")
    pairs = zip(characters, converted, strict=True)
    return {ord(written): simple for written, simple in pairs if simple != written and len(simple) == 1}
