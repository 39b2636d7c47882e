"""Turns the characters that a parser gives into text as a person would have typed it.

Every step is linear in the length of the text, whatever the text is: pasted text is cleaned in the server
itself.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby, islice

# First halves of compounds that keep their hyphen when a line ends after it.
_STARTS = (
    "all award best billion cache child class client closed cloud code collision cost cross cutting data deep "
    "discrete domain eight eighteen eighty eleven energy event evidence fast fault few fifteen fifty final fine first "
    "five fixed flow forty four fourteen full game graph ground half hand hardware heat high human hundred input job "
    "kernel key language large last latency left line load long low machine market memory million mixed model "
    "momentum multi near network nine nineteen ninety noise non object one open page part peer people person physics "
    "pipeline policy post power problem project quality quasi query rate real resource right risk role rule safety "
    "sample science second security self semi sentence server service seven seventeen seventy short single six "
    "sixteen sixty skill social software solution source space speech state student system task team ten tensor test "
    "text third thirteen thirty thousand three time token top traffic tree twelve twenty two type user value vector "
    "video vision voice water web well word work world year zero "
)
_COMPOUND_STARTS = frozenset(_STARTS.split())
# First halves that begin many words (in-ference, pre-diction, off-loading) and only some compounds.
_COMPOUNDS = {
    "co": ("advis", "author", "design", "first", "locat", "train"),
    "end": ("to", "user", "of"),
    "in": ("context", "depth", "domain", "house", "memory", "network", "person", "place", "situ"),
    "off": ("campus", "chip", "grid", "policy", "the"),
    "on": ("board", "campus", "chip", "demand", "device", "policy", "site", "the"),
    "peer": ("review", "to"),
    "pre": ("defined", "existing", "print", "process", "trained", "training"),
}
# What follows a compound's first half in words that are none: long-est, state-ment, multi-ple, high-light.
_NO_SECOND_HALF = re.compile(
    r"(?:er|est|st|ly|ing|ings|ed|s|y|ary|al|age|by|le|led|ling|tude|way|over|pone)$"
    r"|(?:ment|iz|ist|ism|ity|light|ple|pli|ply|media|vari|graduat|fer|se)"
)
# Second halves of compounds that no typesetter parts from the first but by its hyphen; such a first half is a word.
_ENDS = (
    "adaptive addressable agnostic answering assisted attention augmented aware balanced bandwidth based batching "
    "billion bit byte centric class conserving constrained core critical day defined dependent designed "
    "differentiation dimensional distributed driven efficient enabled fold free friendly generation gigabit gigabyte "
    "grained guided hour inflated informed intensive invariant kilobyte latency learning level megabit megabyte "
    "member million minute month node operator oriented page parallel parameter partitioning people person powered "
    "preserving programmable quality rate reviewed scale scaling scheduling sensitive sharding size sparse specific "
    "speed structured supervised tailed terabyte theoretic thousand throughput tolerant week year "
)
_COMPOUND_ENDS = frozenset(_ENDS.split())
_NO_FIRST_HALF = frozenset({"hyper", "inter", "over", "photo", "super", "under"})
# What a typesetter leaves of a word for the next line when the word is a part of a compound: locality-sensit-ive.
_ENDING = re.compile(
    r"(?:a|i)?t?(?:ion|ive)s?|(?:iz|is)?(?:ed|er|ing|ation)s?|ments?|ness|ly|ity|al(?:ly)?|[ai]ble|[ae]nce|ous|ic(?:al)?"
)
LETTERS_OF_A_HEADING = 5  # before its hyphen
# Both halves of a compound may be words of the text; shorter ones are so by chance ("the-" and "sis").
LETTERS_OF_A_WORD = 4


def keeps_hyphen(first: str, second: str, words: set[str]) -> bool:
    """Whether “first-” and “second” on the next line are a compound rather than one broken word."""
    if len(first) > 1 and first.isupper():
        # KV-cache, GPU-based; but a long word in capitals is a heading.
        is_heading = second.isupper() and first.isalpha() and len(first) >= LETTERS_OF_A_HEADING
        return not is_heading and (first + second).lower() not in words
    _, compound, last = first.rpartition("-")
    is_plain, first, second = first.isalpha(), first.lower(), second.lower() if second.islower() else ""
    if compound and second and ((last + second).lower() in words or _ENDING.fullmatch(second)):
        return False
    if not second or compound or not is_plain or len(first) == 1:
        # No typesetter leaves a single letter at the end of a line: e-commerce, k-means.
        return True
    if f"{first}-{second}" in words or first + second in words:
        return f"{first}-{second}" in words
    return _is_compound(first, second, words)


def _is_compound(first: str, second: str, words: set[str]) -> bool:
    if second.startswith(_COMPOUNDS.get(first, ())):
        return True
    if len(first) >= LETTERS_OF_A_WORD:
        if second in _COMPOUND_ENDS and first not in _NO_FIRST_HALF:
            return True
        if len(second) >= LETTERS_OF_A_WORD and {first, second} <= words:
            return True
    return first in _COMPOUND_STARTS and _NO_SECOND_HALF.match(second) is None


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
# The hyphens of typesetters; the dash of figures and the dot of syllables, which fonts of East Asia draw as others.
_REPLACEMENTS |= {0x2010: "-", 0x2011: "-", 0x2012: "–", 0x2027: "・"}
_SOFT_HYPHEN_AT_LINE_END = "\u00ad\n"
# Programs that break words paint another hyphen there than the one people type, if the font has it.
_BREAKING_HYPHEN_AT_LINE_END = re.compile(r"(?<=\w)\u2010\n(\w\S*)[ \n]?")
_BREAKING_HYPHEN_IN_A_WORD = re.compile(r"\u2010\w")
_TYPED_HYPHEN_AT_LINE_END = re.compile(r"(?<=\w)-\n(\w\S*)[ \n]?")
_NUMBER_OF_A_PAGE = re.compile(r"- ?\d{1,3} ?-")
# A mark of a transcript is no half of a word.
_ENDS_IN_A_MARK = re.compile(r"(?:^|\s)[A-DF]-$")
# A line may end inside of LLVM/MLIR, client–server, 113–128, C++ or an address; "2021–" alone is a time that goes on.
_CUT = (
    (re.compile(r"\w/$"), re.compile(r"\w")),
    (re.compile(r"[^\W\d]–$|[+#]-$"), re.compile(r"[^\W\d]")),
    (re.compile(r"\d–$"), re.compile(r"\d+(?![\w–-])")),
    (re.compile(r"\w\+$"), re.compile(r"\+(?!\w)|\+\d\d(?!\w| ?\d)")),
    (re.compile(r"\S@[\w.-]*\.$"), re.compile(r"[a-z]{2,}\b")),
)
# Zero width joiners shape Persian, Indic and emoji text; all other format characters are invisible baggage.
_KEPT = "\n\u200c\u200d"
# Joining copies the line it adds to; a line this long was not broken by a typesetter.
LONGEST_BROKEN_LINE = 1_000
_OPENING = "([{“‘\"'"
_CLOSING = ")]}”’\"'.,;:!?"


def clean(raw: str, limit: int) -> tuple[str, bool]:
    """Normalise `raw` and keep at most `limit` characters, cut at the end of a word where there is one.

    Returns the text, and whether its end was cut off.

    NFC; line feeds as line ends; one space between words; no control, format, private or unassigned
    characters; ligatures and words hyphenated at a line end put together again. The order of the text is left alone.
    """
    text = _without_breaking_hyphens(_LINE_ENDS.sub("\n", raw).replace(_SOFT_HYPHEN_AT_LINE_END, ""))
    door = "戸" if _KANA.search(text) else "户" if _TRADITIONAL.isdisjoint(text) else "戶"
    text = text.replace(_DOOR, door) if _DOOR in text else text
    text = unicodedata.normalize("NFC", _printable(text.translate(_REPLACEMENTS)))
    lines = [" ".join(line.split()) for line in text.split("\n")]
    text = _BLANK_LINES.sub("\n\n", "\n".join(_joined(lines))).strip()
    return _cut(text, limit)


def _without_breaking_hyphens(text: str) -> str:
    if "\u2010\n" not in text or _BREAKING_HYPHEN_IN_A_WORD.search(text):
        return text
    return _BREAKING_HYPHEN_AT_LINE_END.sub(r"\1\n", _TYPED_HYPHEN_AT_LINE_END.sub(r"-\1\n", text))


def _printable(text: str) -> str:
    """The text without characters that show nothing, spaces unified, marks per letter bounded."""
    printable: list[str] = []
    # What is left out does not begin a letter: the marks on both sides of it come to stand on one.
    for is_mark, characters in groupby(filter(None, map(_shown, text)), key=_is_mark):
        printable += islice(characters, MARKS_ON_ONE_LETTER if is_mark else None)
    return "".join(printable)


@lru_cache(maxsize=4096)
def _shown(character: str) -> str:
    """What a character shows: itself, a space, or nothing."""
    category = unicodedata.category(character)
    if character == "\t" or category in {"Zs", "Co"}:
        return " "
    return "" if category[0] == "C" and character not in _KEPT else character


@lru_cache(maxsize=4096)
def _is_mark(character: str) -> bool:
    """Whether normalising puts it in order; a few of these count as letters with room of their own."""
    return unicodedata.category(character) in {"Mn", "Me"} or unicodedata.combining(character) > 0


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
    return any(ends.search(above[-100:]) and goes_on.match(line) for ends, goes_on in _CUT)


def _cut(text: str, limit: int) -> tuple[str, bool]:
    if len(text) <= limit:
        return text, False
    head = text[:limit]
    # A word cut in two is no word; text without spaces (Chinese, Japanese) is cut where it is.
    if not text[limit].isspace():
        end = max(head.rfind(" "), head.rfind("\n"))
        head = head[:end] if end > limit - 100 else head
    return head.rstrip(), True
