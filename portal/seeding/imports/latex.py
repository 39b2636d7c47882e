"""TeX in a BibTeX field → plain text."""

from __future__ import annotations

import logging
import re
import unicodedata
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from portal.seeding.texts import visible

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text

# Silence the parsers' warnings: problems of a file are reported in its list of problems.
logging.getLogger("pylatexenc").setLevel(logging.CRITICAL)

_DEEPEST = 30
_ACCENTS_OF_A_LETTER = 2
_LONGEST = 50_000
_BRACES = re.compile(r"[{}]")
_TEX = re.compile(r"[\\$~]|--|``|''")
_IS_TEX = re.compile(r"\\[A-Za-z\"'`^~]|\$[^$]{0,80}[\\^_{}=()][^$]{0,80}\$|(?<!\w)\$\w\$(?!\w)|\{[A-Z][^{}]{0,40}\}")
_HARD = re.compile(r"[\\$]")
# Fast path for accents, symbols, quotes and dashes, for which the library takes a hundred times as long.
_ACCENT = re.compile(
    r"\\([\"'`^~=.]|[uvHckrhd](?![A-Za-z]))\s*(?:\{\s*\\?([^\W\d_])\s*\}|\\?([^\W\d_])(?![A-Za-z]*\{))"
)
_LETTER = re.compile(
    r"\\(aa|AA|ae|AE|oe|OE|ss|dj|DJ|ng|NG|th|TH|dh|DH|[oOlLij])(?:\{\}|(?![A-Za-z])(?:[ \t]+(?![A-Z]))?)"
)
_LETTERS = {
    "aa": "å", "AA": "Å", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "ss": "ß", "dj": "đ", "DJ": "Đ", "ng": "ŋ",
    "NG": "Ŋ", "th": "þ", "TH": "Þ", "dh": "ð", "DH": "Ð", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "i": "ı", "j": "ȷ",
}  # fmt: skip
_HORN = re.compile(r"\\([oOuU])(?:horn|HORN)(?:\{\}|(?![A-Za-z])[ \t]*)")
_HORNS = {"o": "ơ", "O": "Ơ", "u": "ư", "U": "Ư"}
_NAMED = re.compile(r"\\(textless|textgreater|textbar|texttimes|degree|LaTeX|BibTeX|TeX)(?:\{\}|(?![A-Za-z])\s*)")
_SIGNS = {"textless": "<", "textgreater": ">", "textbar": "|", "texttimes": "×", "degree": "°"}
# Commands without output in a title: sort keys, citations, remarks.
_UNPRINTED = re.compile(r"\\relax\s*|\\(?:noopsort|SortNoop|noop|footnote|thanks|cite[pt]?|label)\s*\{[^{}]*\}")
_IN_QUOTES = re.compile(r"\\(?:mkbibquote|enquote)\s*\{([^{}]*)\}")
_COMBINING = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304", ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a",
    "h": "\u0309", "d": "\u0323",
}  # fmt: skip
_FONT = re.compile(r"\\(?:emph|text(?:it|bf|sc|tt|rm|sf|up|normal)|mbox|mathrm)(?=\s*\{)")
_SIMPLE_MATH = re.compile(r"(?<!\\)\$([^$\\]{1,100})\$")
_SIGN = re.compile(r"\\([&%_#$])")
_TYPESET = (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”"), ("~", " "))
_COMMENT = re.compile(r"(?<!\\)%")
_URL = re.compile(r"\\url\s*\{([^{}]*)\}")
_LINK = re.compile(r"\\href\s*\{[^{}]*\}\s*\{([^{}]*)\}")
_COMMAND = re.compile(r"\\[A-Za-z]+\s*|\\.")
# Journals of astronomy: "\apj" is printed as APJ.
_JOURNAL = re.compile(r"\\([a-z]{2,8})")


def text_of(tex: str) -> str:
    """A value as plain text on one line: accents as letters, without commands and grouping braces."""
    if not tex.isascii() or _BRACES.search(tex) or _TEX.search(tex):
        return _decoded(tex[:_LONGEST])
    return " ".join(tex.split())


def title_of(text: str) -> str:
    """A title that may contain TeX, as in some databases, as plain text; "" if it has no word."""
    title = text_of(text) if _IS_TEX.search(text) else text
    return title if any(map(str.isalnum, title)) else ""


@lru_cache(maxsize=4096)
def _decoded(tex: str) -> str:
    journal = _JOURNAL.fullmatch(tex.strip("{} \n\t"))
    if journal:
        return journal[1].upper()
    text = tex
    if _TEX.search(tex):
        tex = _NAMED.sub(lambda sign: _SIGNS.get(sign[1], sign[1]), _IN_QUOTES.sub(r"“\1”", _UNPRINTED.sub("", tex)))
        easy = _SIMPLE_MATH.sub(r"\1", _FONT.sub("", tex))
        if "$" not in easy.replace(r"\$", ""):
            easy = _SIGN.sub(r"\1", with_letters(easy))
        if _HARD.search(easy):
            text = _printed(_LINK.sub(r"\1", _URL.sub(r"\1", _COMMENT.sub(r"\\%", _FONT.sub("", tex)))))
        else:
            text = easy
            for written, printed in _TYPESET:
                text = text.replace(written, printed)
    return " ".join(visible(_BRACES.sub("", text).replace("\xa0", " ")).split())


def with_letters(tex: str) -> str:
    """TeX with accent commands replaced by letters; braces and other commands stay."""
    if "\\" not in tex:
        return tex
    tex = _HORN.sub(lambda letter: _HORNS[letter[1]], tex)
    for _ in range(_ACCENTS_OF_A_LETTER):
        tex = _ACCENT.sub(lambda m: unicodedata.normalize("NFC", (m[2] or m[3]) + _COMBINING[m[1]]), tex)
    return _LETTER.sub(lambda letter: _LETTERS[letter[1]], tex)


def _printed(tex: str) -> str:
    depths = accumulate({"{": 1, "}": -1}.get(character, 0) for character in tex)
    if max(*depths, tex.count(r"\begin"), tex.count(r"\left")) <= _DEEPEST:
        try:
            printed = str(_converter().latex_to_text(tex))
            if "%s" in tex or "%s" not in printed:  # an unresolved placeholder of the library
                return printed
        except Exception:  # noqa: BLE001, S110 - the library raises anything on broken TeX
            pass
    return _COMMAND.sub("", tex).replace("$", "")


@lru_cache(maxsize=1)
def _converter() -> LatexNodes2Text:
    from pylatexenc.latex2text import LatexNodes2Text

    return LatexNodes2Text(math_mode="text", keep_comments=True, strict_latex_spaces=False)
