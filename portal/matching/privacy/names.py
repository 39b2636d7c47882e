"""Names of people in a resume: its owner's, those after a title, advisers and referees."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.matching.privacy.late_patterns import LatePattern
from portal.matching.privacy.name_aliases import aliases_in
from portal.matching.privacy.name_knowledge import ATTACHED, PARTICLE, UNSPACED, Known
from portal.matching.privacy.name_occurrences import places
from portal.matching.privacy.name_owner import owners
from portal.matching.privacy.name_words import FAMILIES
from portal.matching.privacy.search import CAPITALISED, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.matching.privacy.search import Written
    from portal.matching.results import Span

_TITLES = (
    "Prof Professor Dr Dra Mr Mrs Ms Miss Sir Dame Herr Frau Madame Monsieur Doç Sra Shri Smt проф Проф prof dr Profa "
    "Prof.ssa Dott Dott.ssa Engr Mme Mlle Bpk доц доцент docent Docent RNDr MUDr JUDr PhDr"
)
# Beside another title, or with a dot.
_RANK = "Assoc|Asst|doc|Doc|Hon|Em|hab|inż|mgr|ing|Ing|Mag|Eng|Arq|Lic"
# Without a dot these may be other words, as MR is magnetic resonance; "MS." is a degree as well.
_WITH_A_DOT = ("Pr", "Pre", "PROF", "DR", "MR", "MRS")
_OF_PROFESSORS = "Adjunct|Assistant|Associate|Distinguished|Emeritus|Full|Visiting"
_RANKS = (
    rf"(?:(?:{_RANK})\.|\((?:Mrs?|Ms|Miss)\.?\)|hab|Habil\.?|habil\.?|(?:{_OF_PROFESSORS})(?=[ \t]Prof(?:essor|\.)))"
)
_ANY_TITLE = "|".join(re.escape(title) for title in sorted(_TITLES.split(), key=len, reverse=True))
# "B.Eng. Mechanical Engineering" is a degree and its field.
_NO_DEGREE = r"(?<![BM]\.)(?<![BM]\.[ \t])"
TITLED_NAME = Rule(
    "name",
    LatePattern(
        rf"(?<!\w)(?:{_RANKS}[ \t]){{0,2}}(?:(?:{_ANY_TITLE}|(?:{'|'.join(_WITH_A_DOT)})(?=\.)|"
        rf"{_NO_DEGREE}(?:Ing|Eng)(?=\.))\.?(?:-Ing\.?)?"
        rf"[ \t](?:{_RANKS}[ \t]){{0,2}}){{1,3}}"
        rf"(?P<name>(?:[A-Z]\.[ \t]?){{0,2}}{CAPITALISED}(?:[ \t][A-Z]\.)?"
        rf"(?:[ \t](?:{PARTICLE}[ \t-]){{0,2}}{ATTACHED}{CAPITALISED}){{0,3}}(?:[ \t][A-ZА-Я]\.){{0,2}})"
    ),
    words=frozenset(
        (
            *(title.partition(".")[0] for title in _TITLES.split()),
            *_WITH_A_DOT,
            *_RANK.split("|"),
            *_OF_PROFESSORS.split("|"),
        )
    ),
    begins=True,
)
_ADVISERS = (
    "advisor advisors adviser advisers supervisor supervisors mentor mentors referee 导师 指导教师 指导老师 指导教授 "
    "指导教员 지도교수"
)
_LABELS_OF_ADVISERS = frozenset(_ADVISERS.split())
_ADVISER = LatePattern(
    rf"(?im)(?:{'|'.join(_ADVISERS.split())})[ \t*]*[:：][ \t*]*"
    r"(?P<name>[\u4e00-\u9fff]{2,4}?(?=[ \t]*(?:副?教授|老师|博士|研究员|院士|[,，;；。、|(（\n]|$))"
    rf"|[\uac00-\ud7a3]{{2,4}}|(?-i:{CAPITALISED}(?:[ \t](?:[A-Z]\.|{CAPITALISED})){{1,3}})"
    r"(?=[ \t]*(?:[,;.|)(–—-]|and\b|&|$)))"
)
_UNSPACED_TITLES = ("教授", "老师", "院士")
_BEFORE_A_TITLE = LatePattern(
    rf"[{''.join(sorted(word for group in FAMILIES for word in group if UNSPACED.fullmatch(word)))}]"
    rf"[\u4e00-\u9fff]{{0,2}}?(?=(?:副|助理)?(?:{'|'.join(_UNSPACED_TITLES)}))"
)
_LABELS_OF_REFEREES = frozenset({"references", "referees", "recommenders", "advisers", "advisors"})
_REFEREES = LatePattern(
    rf"(?im)^[ \t#*]*(?:{'|'.join(sorted(_LABELS_OF_REFEREES))})[ \t:*]*\n(?P<lines>(?:.*\n?){{1,20}})"
)
_REFEREE = LatePattern(
    rf"(?m)^[ \t*•-]*(?P<name>{CAPITALISED}(?:[ \t](?:[A-Z]\.|{CAPITALISED})){{1,3}})(?=[ \t]*[,;:|(–—-]|[ \t]*$)"
)

_MOST_INITIALS = 3
_INITIAL = re.compile(r"[^\W\d_a-z]\.[ \t-]?[^\W\d_a-z]|[^\W\d_][ \t*],?[ \t]?[^\W\d_a-z]{1,3}[,.]")
_SURNAME = (
    rf"(?:{PARTICLE}[ \t]){{0,2}}{ATTACHED}"
    r"[^\W\d_a-z](?:[’'][^\W\d_a-z])?[^\W\d_A-Z]{1,20}(?:[- ]?[^\W\d_a-z][^\W\d_A-Z]{1,20})?"
    r"(?<!College)(?<!University)(?<!Institute)(?<!School)(?<!Academy)"  # "Howard University, M.S." is a degree
)
_DOTTED = r"(?:[^\W\d_a-z]\.[ \t]?-?){1,4}"
_MARK = r"[*†‡_]{0,3}"
_AND = r"(?:,[ \t](?:and[ \t]|&[ \t])?|[ \t](?:and|et|und|y|e|ve|i|en|og|och)[ \t]|[ \t]?[&;][ \t]?|,[ \t]?\\&[ \t])"
_AUTHORS = tuple(
    LatePattern(rf"(?<![\w.]){_MARK}{author}{_MARK}(?:{_AND}{_MARK}{author}{_MARK}){{1,40}}(?![\w])")
    for author in (
        rf"{_DOTTED}{_SURNAME}",
        rf"{_SURNAME},?[ \t]{_DOTTED}(?<![ \t])",
        rf"{_SURNAME}[ \t][^\W\d_a-z]{{1,3}}(?=[,;.:)&*]|[ \t](?:and|et|und|&)[ \t])",
    )
)


def names(written: Written) -> Iterator[Span]:
    """The places of names, in no order; the same place may occur twice."""
    text = written.text
    owner_names = owners(written)
    others: set[str] = set()
    for match in TITLED_NAME.found(written):
        yield match.span()
        if len(match["name"].split()) > 1 or not match["name"].isascii():
            others.add(match["name"])
    labels = written.places(_LABELS_OF_ADVISERS, ignores_case=True)
    others |= {label_match["name"] for place in labels if (label_match := _ADVISER.compiled.match(text, place))}
    if written.has(_LABELS_OF_REFEREES, ignores_case=True):
        for match in _REFEREES.compiled.finditer(text):
            others |= {line["name"] for line in _REFEREE.compiled.finditer(match["lines"])}
    if any(map(text.__contains__, _UNSPACED_TITLES)):
        yield from (match.span() for match in _BEFORE_A_TITLE.compiled.finditer(text))
    yield from _authors(written)
    for name in sorted(owner_names | others):
        for start in _whole(name, text):
            yield start, start + len(name)
    if owner_names:
        known = Known(sorted(owner_names))
        known = Known((*known.names, *aliases_in(text, known)))
        yield from places(text, known)


def _authors(written: Written) -> Iterator[Span]:
    """Lists of at least two authors with initials: "O. Adebayo, C. Okeke and D. Wu", "García JA, Ruiz L."."""
    may_be_initials = any(len(word) <= _MOST_INITIALS and not "a" <= word[0] <= "z" for word in written.words)
    if may_be_initials and _INITIAL.search(written.text):
        for pattern in _AUTHORS:
            yield from (match.span() for match in pattern.compiled.finditer(written.text))


def _whole(words: str, text: str) -> Iterator[int]:
    """Where `words` stand as whole words; empty `words` stand nowhere."""
    start = text.find(words) if words else -1
    while start >= 0:
        end = start + len(words)
        is_whole = bool(UNSPACED.match(words)) or not (
            _is_of_word(text[start - 1 : start]) or _is_of_word(text[end : end + 1])
        )
        if is_whole:
            yield start
        start = text.find(words, end if is_whole else start + 1)


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"
