"""Further names of a person in a text, beside the known one: former names, maiden names, names in brackets, in another
script, nicknames.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.matching.privacy.late_patterns import LatePattern
from portal.matching.privacy.name_knowledge import PARTICLE, UNSPACED, WORD, Known, kind_of, may_be_unspaced_name
from portal.matching.privacy.name_spelling import latin
from portal.matching.privacy.search import written_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HEAD_LINES = 4
_PARTS = r"[^\W\d_a-z]\.|[^\W\d_a-z][\w'’-]{0,30}"
_NAME = (
    rf"(?P<name>(?:{_PARTS})(?:[ \t](?:{PARTICLE}[ \t]){{0,2}}(?:{_PARTS})){{0,3}}"
    r"|[\u4e00-\u9fff·]{2,4}|[\uac00-\ud7a3]{2,4}|[\u3040-\u30ff]{2,8})"
)
_QUOTES = r"[ \t]*[:：]?[ \t]*[\"“‘„«'(]?"
_OTHER_NAME = (
    r"née|nee|geb\.|geborene[rn]?|(?:birth|maiden|legal|preferred) name|(?:former|previous) (?:sur)?name|nickname(?:d)?"
    r"|(?:also|better) known as|aka|a\.k\.a\.|goes by|go by|call(?:s)? me|nom de (?:jeune fille|naissance)|Geburtsname"
    r"|Mädchenname|Rufname|genannt|dříve|rozená|roz\.|z domu|kızlık soyadı|eski soyadı|(?:nombre |apellido )?de soltera"
    r"|nome de solteir[ao]|nata|урожд(?:\.|[её]нная)|девичья фамилия|旧姓|曾用名|英文名|又名"
    r"|(?:publish\w*|papers|publications|publikationen|publié\w*|publicad\w*|author\w*)[ \t]*\(?[ \t]*"
    r"(?:under|as|als|unter|sous|bajo|como)"
)
_BEFORE_NAME = r"(?:[ \t]+(?:the|my|my maiden|is|was|name|names|surname|of|il|le|el|nom de|dem|Namen)){0,4}"
_CUED = LatePattern(rf"(?<!\w)(?i:(?:{_OTHER_NAME}){_BEFORE_NAME}){_QUOTES}[ \t]*{_NAME}")
_FIRST_CUES = (
    "née nee geb geborene geborenen geborener birth maiden legal preferred former previous nickname nicknamed also "
    "better aka a goes go call calls nom geburtsname mädchenname rufname genannt dříve rozená roz z kızlık eski nombre "
    "apellido de nome nata урожд урождённая урожденная девичья papers"
)
_CUES = frozenset(_FIRST_CUES.split())
_CUE_STEMS = ("publi", "author")
_UNSPACED_CUES = ("旧姓", "曾用名", "英文名", "又名")
"""Whatever `_CUED` finds begins with one of these."""
_ONCE = LatePattern(
    r"(?<!\w)(?i:(?:formerly|previously|earlier|once|until \d{4}|before \d{4}|now|ehemals|früher|vormals|anciennement"
    r"|antes|già|wcześniej|eski|ранее|бывш\w+|раньше|до \d{4}|born|alias)"
    r"(?:[ \t]+(?:known|published|writing|called))?(?:[ \t]+as)?)"
    rf"(?:{_QUOTES}|[ \t]*[–—-][ \t]*)[ \t]*{_NAME}"
)
_FIRST_ONCES = (
    "formerly previously earlier once until before now ehemals früher vormals anciennement antes già wcześniej eski "
    "ранее раньше до born alias"
)
_ONCES = frozenset(_FIRST_ONCES.split())
_ONCE_STEMS = ("бывш",)
"""Whatever `_ONCE` finds begins with one of these."""
_INITIALS = re.compile(r"[B-DF-HJ-NP-TV-XZ]{1,4}|.")
_DOTTED = re.compile(r"(?<![^\W\d_])[^\W\d_]\.")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_SPLIT = re.compile(r"(?<=[^\W\d_]{2})\.[ \t]|[|/()（）,;·•–—:\"“”„«»\t]|[ \t]-[ \t]")
_BRACKETED = re.compile(
    r"(?:(?<!\w)(?P<before>[^\W\d_a-z][\w’'-]{1,30}))?[ \t]{0,3}[(（\"“][ \t]*(?P<inside>[^()（）\"”\n]{2,24})[)）\"”]"
)


def aliases_in(text: str, known: Known) -> tuple[str, ...]:
    """The further names in `text`, and those beside these in turn: "Ганна / Anna Ivanova (Anna Roy)"."""
    aliases = set(_aliases(text, known))
    if aliases:
        aliases |= set(_aliases(text, Known((*known.names, *sorted(aliases)))))
    return tuple(sorted(aliases.difference(known.names)))


def _aliases(text: str, known: Known) -> Iterator[str]:
    is_unspaced = any(map(text.__contains__, _UNSPACED_CUES))
    for match in _CUED.compiled.finditer(text) if is_unspaced else _beginning(_CUED.compiled, text, _CUES, _CUE_STEMS):
        yield from _plausible(match["name"])
    for match in _beginning(_ONCE.compiled, text, _ONCES, _ONCE_STEMS):
        before = text[max(0, match.start() - 40) : match.start()].rpartition("\n")[2]
        words = match["name"].split()
        has_initial = any(word.endswith(".") and latin(word[0]) in known.initials for word in words)
        if any(map(known.kind, words)) or (len(words) > 1 and (has_initial or _ends_in_name(before, known))):
            yield from _plausible(match["name"])
    yield from _in_brackets(text, known)
    yield from _in_head(text, known)


def _beginning(
    pattern: re.Pattern[str], text: str, words: frozenset[str], stems: tuple[str, ...]
) -> Iterator[re.Match[str]]:
    """What the pattern finds in a text, all of which begins with one of the words, or one of these stems."""
    written = written_of(text)
    first_words = words.union(word for word in written.small if word.startswith(stems))
    return written.beginning(pattern, first_words, ignores_case=True)


def _ends_in_name(before: str, known: Known) -> bool:
    words = WORD.findall(before)
    return bool(words) and known.kind(words[-1]) is not None


def _plausible(name: str) -> Iterator[str]:
    """The words of a name that may be names; nothing if none may be."""
    if UNSPACED.match(name):
        yield name
        return
    words = [word.strip(".,'’") for word in name.split()]
    name_words = [word for word in words if kind_of(latin(word)) != "word" or len(words) > 1]
    if any(len(word) > 1 and kind_of(latin(word)) != "word" for word in name_words):
        # A letter alone is an initial, which is hidden beside the name.
        yield " ".join(word for word in name_words if len(word) > 1)


def _in_brackets(text: str, known: Known) -> Iterator[str]:
    """“Kate (Katherine)”, “Katherine (Kate)”, “Oluwaseun "Seun"”: each where the other is known."""
    for match in _BRACKETED.finditer(text):
        before, inside = match["before"] or "", match["inside"].strip()
        words = inside.split()
        if before and known.kind(before) and len(words) <= 2 and _are_names(words):  # noqa: PLR2004
            yield inside
        elif before and words and all(map(known.kind, words)) and _are_names([before]):
            yield before


def _in_head(text: str, known: Known) -> Iterator[str]:
    """Names on the lines at the top that stand on one line with a known one, or share a word with it."""
    lines = [line for line in text[:2_000].splitlines() if WORD.search(line)][:HEAD_LINES]
    for line in lines:
        in_line = [word for word in WORD.findall(line) if known.kind(word)]
        in_other_script = any(name in line for name in known.unspaced) or not all(map(_LATIN.match, in_line))
        if not in_line and not in_other_script:
            continue
        for piece in _SPLIT.split(line):
            words = WORD.findall(piece)
            unspaced = [word for word in words if UNSPACED.match(word)]
            spaced = [word for word in words if not UNSPACED.match(word) and not _INITIALS.fullmatch(word)]
            if (
                unspaced
                and may_be_unspaced_name(" ".join(unspaced))
                and not any(map(piece.__contains__, known.unspaced))
            ):
                yield " ".join(unspaced)
            is_foreign = any(not latin(word).isascii() for word in spaced) and len(spaced) <= 3  # noqa: PLR2004
            is_related = any(map(known.kind, spaced)) or (in_other_script and len(spaced) <= 3)  # noqa: PLR2004
            if (is_foreign and piece.strip() == " ".join(spaced)) or (
                len(spaced) > 1
                and is_related
                and _are_names(spaced, len(spaced) // 2 if in_other_script else 0)
                and not _DOTTED.search(piece)
            ):
                yield " ".join(spaced)


def _are_names(words: Iterable[str], most_common: int = 0) -> bool:
    """Whether the words may be a name: each with a capital at its head, and not more than so many common ones."""
    words = list(words)
    return sum(kind_of(latin(word)) == "word" for word in words) <= most_common and all(
        word[:1].isupper() or not latin(word).isascii() or UNSPACED.match(word) for word in words
    )
