"""What hides who somebody is in their own texts: name, address, school, place, gendered words, as labels in brackets.

What the matcher never reads is hidden (`portal.matching.redact`), and what is known of the person: the parts of the
name and of the e-mail address, however they are written. Dates stay, but for the day of birth.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.matching import redact
from portal.matching.spelling import is_common

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.models import User

SHORT = 3  # letters; shorter parts of names are looked for as they are written only
NEVER_NAMES = frozenset({"de", "del", "della", "da", "dos", "di", "du", "la", "le", "van", "der", "den", "von", "zu"})
LABELS = {"address": "contact", "telephone": "contact", "gender": "…"}
BORN = re.compile(
    r"(?im)(?<!\w)(?:(?:date[ \t]of[ \t]birth|birth[ \t]?date|d\.?o\.?b\.?|born|birthday|geboren)"
    r"[^\n.;|\d]{0,30}\d[^\n;|,]{0,20}\d{0,4}|aged?[ \t]*[:：]?[ \t]*\d{1,2}(?!\w)"
    r"|(?:出生日期|出生年月|生日|年龄)[^\n]{0,20})"
)
_UNSEEN = r"[\u0300-\u036f\u00ad\u200b-\u200f\u2060]*"  # accents on their own, soft hyphens, signs of no width
_UNSEEN_SIGNS = re.compile(_UNSEEN.replace("*", "+"))
_WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")

PRONOUNS = re.compile(
    r"(?i)(?<!\w)(?:he|she|they|ze|xe|sie|er)"
    r"(?:[ \t]?/[ \t]?(?:him|her|hers|his|them|theirs?|they|she|he|ihr|ihm)){1,3}"
)
NEUTRAL = frozenset({"they", "them", "their", "theirs", "themself", "themselves"})

Hidden = tuple[int, int, str]
Span = tuple[int, int]


def redacted(text: str, user: User) -> str:
    """`text` without what says who `user` is: each stretch is replaced by its kind, as in "[school]"."""
    return redacted_of(text, user.name, user.email)


@lru_cache(maxsize=4096)
def searchable(texts: tuple[str, ...], name: str, email: str) -> str:
    """What can be found in somebody's texts while they are hidden, in small letters. What was asked for last is kept:
    reading it costs about a millisecond per thousand characters, and what was submitted does not change.
    """
    return "\n".join(_with_labels(text, _joined(_hidden(text, name, email))) for text in texts).casefold()


def redacted_of(text: str, name: str, email: str) -> str:
    """`redacted`, by what is known of the person."""
    return _with_labels(text, _stretches(text, name, email))


def says_who(text: str, name: str, email: str) -> bool:
    """Whether anything of `text` is hidden."""
    return bool(_stretches(text, name, email))


def redacted_with_spans(text: str, user: User, spans: Iterable[Span]) -> tuple[str, list[Span]]:
    """`redacted`, and where those of the `spans` of `text` (rising) stand in it that nothing of is hidden."""
    hidden = _stretches(text, user.name, user.email)
    kept: list[Span] = []
    number = moved = 0
    for start, end in spans:
        while number < len(hidden) and hidden[number][1] <= start:
            before = hidden[number]
            moved += len(f"[{before[2]}]") - (before[1] - before[0])
            number += 1
        if number == len(hidden) or end <= hidden[number][0]:
            kept.append((start + moved, end + moved))
    return _with_labels(text, hidden), kept


@lru_cache(maxsize=1024)
def _stretches(text: str, name: str, email: str) -> tuple[Hidden, ...]:
    """What is hidden of a text, in order, without overlaps. The texts asked for last are kept."""
    return _joined(_hidden(text, name, email))


def _with_labels(text: str, hidden: Iterable[Hidden]) -> str:
    parts: list[str] = []
    position = 0
    for start, end, label in hidden:
        parts += (text[position:start], f"[{label}]")
        position = end
    parts.append(text[position:])
    return "".join(parts)


def _hidden(text: str, name: str, email: str) -> Iterator[Hidden]:
    for item in redact(text).removed:
        if item.reason != "date" and item.text.strip() and item.text.casefold() not in NEUTRAL:
            yield item.start, item.end, LABELS.get(item.reason, item.reason)
    for born in BORN.finditer(text):
        yield born.start(), born.end(), "age"
    for pronouns in PRONOUNS.finditer(text) if "/" in text else ():
        yield pronouns.start(), pronouns.end(), LABELS["gender"]
    folded = _folded(text)
    words = (folded if folded.isascii() else _UNSEEN_SIGNS.sub("", folded)).split()
    worded, unspaced = " ".join(words), "".join(words)
    for part, wanted in _parts_of(name, email):
        # A look that costs little, before the one that knows where: most parts stand in most texts nowhere.
        if " ".join(wanted) in worded or "".join(wanted) in unspaced:
            yield from _places_of(part, text, folded)


@lru_cache(maxsize=1024)
def _parts_of(name: str, email: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The name, its words, what is made of them for accounts ("adalovelace", "alovelace"), the part of the address
    before the @ and its longer words; each with its words in small letters without accents.
    """
    name = unicodedata.normalize("NFC", name)
    local = email.split("@", 1)[0]
    words = {word for word in _WORD.findall(name) if word.casefold() not in NEVER_NAMES}
    pieces = [re.split(r"[’'-]", word) for word in words]
    words |= {piece for several in pieces for piece in (*several, "".join(several)) if len(piece) > SHORT}
    words |= {word for word in _WORD.findall(local) if len(word) > SHORT}
    spelt = [unicodedata.normalize("NFC", word).casefold() for word in words if not _UNSPACED.search(word)]
    handles = {one + other for one in spelt for other in spelt if one != other and len(one + other) > SHORT + 1}
    handles |= {one[0] + other for one in spelt for other in spelt if one != other and len(other) > SHORT}
    given = {word[1:] for word in words if _UNSPACED.match(word) and len(word) > 2}  # noqa: PLR2004  (family, given)
    parts = {name.strip(), local, *words, *given, *handles}
    return tuple((part, tuple(_folded(part).split())) for part in parts if len(part) > 1)


def _places_of(part: str, text: str, folded: str) -> Iterator[Hidden]:
    wanted = _folded(part)
    exact = all(len(word) <= SHORT or is_common(word) for word in wanted.split())
    spaced = not _UNSPACED.search(part)
    pattern = (r"\s+" if spaced else r"\s*").join(
        _UNSEEN.join(re.escape(letter) for letter in piece)
        for piece in (wanted.split() if spaced else wanted.replace(" ", ""))
    )
    if spaced:
        # A long name also with an s behind it ("Müllers"), and with digits or an underline as accounts have it.
        pattern = rf"(?<!\w){pattern}(?!\w)" if exact else rf"(?<![^\W\d_]){pattern}(?:[’']?s)?[\d_]*(?![^\W\d_])"
    for found in re.finditer(pattern, folded):
        written = text[found.start() : found.end()]
        if not exact or not spaced or written in {part, part.upper(), part.capitalize()}:
            yield found.start(), found.end(), "name"


def _folded(text: str) -> str:
    """Small letters without accents, as many as there are characters."""
    return text.lower() if text.isascii() else text.translate(_BASES)


class _Bases(dict[int, str]):
    """Of each character, by its number, the small letter without accents; found when it is asked for first."""

    def __missing__(self, number: int) -> str:
        base = unicodedata.normalize("NFKD", chr(number))[:1].casefold()
        self[number] = base if len(base) == 1 else chr(number)
        return self[number]


_BASES = _Bases()


def _joined(found: Iterable[Hidden]) -> tuple[Hidden, ...]:
    """In order and without overlaps: what begins within another belongs to it; two of a kind side by side are one."""
    kept: list[Hidden] = []
    for start, end, label in sorted(found):
        if kept and start <= kept[-1][1] + (label == kept[-1][2]):
            before = kept[-1]
            kept[-1] = (before[0], max(before[1], end), before[2])
        else:
            kept.append((start, end, label))
    return tuple(kept)
