"""Turns the characters that a parser gives into text as a person would have typed it.

Every step is linear in the length of the text, whatever the text is: pasted text is cleaned in the server
itself.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from portal.documents.compounds import keeps_hyphen

# More marks than this on one letter occur in no writing, and normalising long runs of them is quadratic.
MARKS_ON_ONE_LETTER = 6

_LINE_ENDS = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_BLANK_LINES = re.compile(r"\n{3,}")
# Characters that show what another one says: ligatures, radicals where fonts have one glyph for both (the text of
# many Chinese PDFs is full of them), letters of Arabic in the form they have inside of a word.
_FORMS = (
    *(range(0x2E80, 0x2FE0), range(0xF900, 0xFB50), range(0xFB50, 0xFDFE), range(0xFE70, 0xFEFD)),
    # Signs as they stand in lines from top to bottom.
    *(range(0xFE10, 0xFE1A), range(0xFE30, 0xFE45)),
)
_REPLACEMENTS = {
    code: replacement
    for block in _FORMS
    for code in block
    if (replacement := unicodedata.normalize("NFKC", chr(code)).strip()) and replacement != chr(code)
}
# Normalisation leaves the block "CJK Radicals Supplement" as it is. Source of the pairs: the property
# Equivalent_Unified_Ideograph of the Unicode Character Database; a full stop where a radical is no character by itself.
_SUPPLEMENT = (
    ".厂乛乚乙亻冂.刀刂卜㔾小小兀尣尢.巳幺彑.忄心扌攵.旡日月歺母民氵氺灬爫爫丬牛犭王.目示礻."
    "糹纟罓罒㓁冗.羊..耂肀聿肉.艹艹艹虎衤覀西见角.讠贝.车辶辶辶邑钅長镸长门.阝雨青韦页风飞食.飠饣."
    "马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟"
)
_REPLACEMENTS |= {0x2E80 + place: letter for place, letter in enumerate(_SUPPLEMENT) if letter != "."}
# Fonts paint these radicals as the character of their own country; which country a text is of, its other letters say.
_REPLACEMENTS |= {0x2FAD: "青"}
_DOOR = "\u2f3e"
_TRADITIONAL = frozenset("們這個國學業習發語書電關數長開戰計劃實驗總經過對時說與為來會機")
_KANA = re.compile(r"[\u3041-\u30ff]")
# The hyphens of typesetters: one more name for "-", and one that does not end a line.
_REPLACEMENTS |= {0x2010: "-", 0x2011: "-"}
# Fonts for Chinese and Japanese draw the dash of figures and that of ranges as one, and programs name the first.
_REPLACEMENTS |= {0x2012: "–"}
# The same fonts draw the dot between Japanese words as that between syllables.
_REPLACEMENTS |= {0x2027: "・"}
# Fonts draw these as Greek letters are drawn, and programs name either; in a Greek word they are Greek.
_LIKE_GREEK = str.maketrans("\u0269\u00b5\u2206\u2126", "\u03b9\u03bc\u0394\u03a9")
_LIKE_GREEK_IN_WORD = re.compile(
    r"(?<=[\u0370-\u03ff\u1f00-\u1fff])[\u0269\u00b5\u2206\u2126]|[\u0269\u00b5\u2206\u2126](?=[\u0370-\u03ff\u1f00-\u1fff])"
)
_SOFT_HYPHEN_AT_LINE_END = "\u00ad\n"
# Programs that break words paint another hyphen there than the one people type, if the font has it.
_BREAKING_HYPHEN_AT_LINE_END = re.compile(r"(?<=\w)\u2010\n(\w\S*)[ \n]?")
_BREAKING_HYPHEN_IN_A_WORD = re.compile(r"\u2010\w")
_TYPED_HYPHEN_AT_LINE_END = re.compile(r"(?<=\w)-\n(\w\S*)[ \n]?")
_NUMBER_OF_A_PAGE = re.compile(r"- ?\d{1,3} ?-")
# A mark of a transcript is no half of a word.
_ENDS_IN_A_MARK = re.compile(r"(?:^|\s)[A-DF]-$")
# A line may end inside of LLVM/MLIR, client–server or 113–128; "2021–" alone is a time that goes on.
_ENDS_INSIDE = re.compile(r"(?:\w/|[^\W\d]–|\d–|\w\+|[+#]-)$")
_GOES_ON = {
    "-": re.compile(r"[^\W\d]"),
    "/": re.compile(r"\w"),
    "–": re.compile(r"[^\W\d]"),
    "+": re.compile(r"\+(?!\w)|\+\d\d(?!\w| ?\d)"),
}
# An address that is too wide for its column is broken at a full stop.
_ENDS_INSIDE_AN_ADDRESS = re.compile(r"\S@[\w.-]*\.$")
_GOES_ON_AS_NUMBER = re.compile(r"\d+(?![\w–-])")
# Zero width joiners shape Persian, Indic and emoji text; all other format characters are invisible baggage.
_JOINERS = "\u200c\u200d"
# A line of single capitals, all with a space between; more space is between words.
_SPREAD_OUT = re.compile(r"[^\W\d_a-z](?: {1,4}[^\W\d_a-z&]){3,60}")
# Joining copies the line it adds to; a line this long was not broken by a typesetter.
LONGEST_BROKEN_LINE = 1_000
_OPENING = "([{“‘\"'"
_CLOSING = ")]}”’\"'.,;:!?"


@dataclass(frozen=True)
class Cleaned:
    """Clean text and whether its end was cut off."""

    text: str
    cut: bool


def clean(raw: str, limit: int) -> Cleaned:
    """Normalise `raw` and keep at most `limit` characters, cut at the end of a word where there is one.

    NFC; line feeds as line ends; one space between words; no control, format, private or unassigned
    characters; ligatures, headings of single letters (E D U C A T I O N) and words hyphenated at a line end
    put together again. The order of the text is left alone.
    """
    text = _without_breaking_hyphens(_LINE_ENDS.sub("\n", raw).replace(_SOFT_HYPHEN_AT_LINE_END, ""))
    text = unicodedata.normalize("NFC", _printable(_with_doors(text).translate(_REPLACEMENTS)))
    text = _LIKE_GREEK_IN_WORD.sub(lambda letter: letter[0].translate(_LIKE_GREEK), text)
    lines = [" ".join(_closed_up(line.strip()).split()) for line in text.split("\n")]
    text = _BLANK_LINES.sub("\n\n", "\n".join(_joined(lines))).strip()
    return _cut(text, limit)


def _with_doors(text: str) -> str:
    """The text with the character for "door" that its country uses, in place of the radical."""
    if _DOOR not in text:
        return text
    if _KANA.search(text):
        return text.replace(_DOOR, "戸")
    return text.replace(_DOOR, "户" if _TRADITIONAL.isdisjoint(text) else "戶")


def _without_breaking_hyphens(text: str) -> str:
    """The text without hyphens that a program put at line ends; where it has these, typed ones there are kept."""
    if "\u2010\n" not in text or _BREAKING_HYPHEN_IN_A_WORD.search(text):
        return text
    return _BREAKING_HYPHEN_AT_LINE_END.sub(r"\1\n", _TYPED_HYPHEN_AT_LINE_END.sub(r"-\1\n", text))


def _closed_up(line: str) -> str:
    """The words of a line whose letters are spread out; any other line as it is."""
    if _SPREAD_OUT.fullmatch(line) is None:
        return line
    return " ".join(word.replace(" ", "") for word in re.split(r" {2,}", line))


def _printable(text: str) -> str:
    """The text without characters that show nothing, spaces unified, marks per letter bounded."""
    printable: list[str] = []
    # What is left out does not begin a letter: the marks on both sides of it come to stand on one.
    marks = 0
    for character in text:
        if character.isascii():
            if character >= " " and character != "\x7f":
                printable.append(character)
                marks = 0
            elif character in "\n\t":
                printable.append(character if character == "\n" else " ")
                marks = 0
            continue
        category = unicodedata.category(character)
        # Those that normalising puts in order; a few of them count as letters with room of their own.
        if category in {"Mn", "Me"} or unicodedata.combining(character):
            marks += 1
            if marks <= MARKS_ON_ONE_LETTER:
                printable.append(character)
        elif category in {"Zs", "Co"}:
            printable.append(" ")
            marks = 0
        elif category[0] != "C" or character in _JOINERS:
            printable.append(character)
            marks = 0
    return "".join(printable)


def _joined(lines: list[str]) -> list[str]:
    """The lines, with every word that was broken at a line end, with or without a hyphen, joined on its first line."""
    # What begins a line after a hyphen may be the end of a word, so it does not count as one.
    words = {
        token.strip(_OPENING + _CLOSING).lower()
        for above, line in zip(["", *lines], lines, strict=False)
        for token in (line.split()[1:] if above.endswith("-") else line.split())
    }
    joined: list[str] = []
    for line in lines:
        previous = joined[-1] if joined else ""
        is_broken = previous.endswith("-") and previous[-2:-1].isalnum() and line[:1].isalnum()
        is_broken = is_broken and _NUMBER_OF_A_PAGE.fullmatch(previous) is None
        is_broken = is_broken and (line[:1].islower() or _ENDS_IN_A_MARK.search(previous[-3:]) is None)
        if not (is_broken or _is_cut(previous, line)) or len(previous) > LONGEST_BROKEN_LINE:
            joined.append(line)
            continue
        start, _, remainder = line.partition(" ")
        first = previous[:-1].rsplit(" ", 1)[-1]
        drops_hyphen = is_broken and not keeps_hyphen(first.lstrip(_OPENING), start.rstrip(_CLOSING), words)
        joined[-1] = (previous[:-1] if drops_hyphen else previous) + start
        # A remainder that ends in a hyphen is joined in its turn; an empty one leaves no blank line behind.
        if remainder:
            joined.append(remainder)
    return joined


def _is_cut(above: str, line: str) -> bool:
    """Whether a line ends inside of a word, at a sign after which programs break it."""
    if above.endswith(".") and _ENDS_INSIDE_AN_ADDRESS.search(above[-100:]):
        return re.match(r"[a-z]{2,}\b", line) is not None
    if _ENDS_INSIDE.search(above[-2:]) is None:
        return False
    goes_on = _GOES_ON_AS_NUMBER if above[-2].isdigit() and above[-1] == "–" else _GOES_ON[above[-1]]
    return goes_on.match(line) is not None


def _cut(text: str, limit: int) -> Cleaned:
    if len(text) <= limit:
        return Cleaned(text, cut=False)
    head = text[:limit]
    # A word cut in two is no word; text without spaces (Chinese, Japanese) is cut where it is.
    if not text[limit].isspace():
        end = max(head.rfind(" "), head.rfind("\n"))
        head = head[:end] if end > limit - 100 else head
    return Cleaned(head.rstrip(), cut=True)
