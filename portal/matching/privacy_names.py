"""Names of people in a resume: its owner's, those after a title, advisers and referees."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.matching.privacy_rules import NOT_TECHNICAL
from portal.matching.privacy_search import CAPITALISED, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.matching.privacy_search import Written
    from portal.matching.results import Span

LONGEST_HEAD = 4_000
"""The owner's name stands before that."""

_PARTICLE = r"(?:de|del|della|da|dos|di|du|la|le|van|der|den|von|zu|bin|ibn|al|el|y|ter|ten)"
_PART = rf"(?:(?:{_PARTICLE}[ \t]+){{0,2}}{CAPITALISED}|[A-Z]\.),?"
_OTHER_NAMES = r"[\u4e00-\u9fff·]{2,5}|[\uac00-\ud7a3]{2,5}"
_NAME = rf"(?:{_PART}(?:[ \t]+{_PART}){{1,4}}|{_OTHER_NAMES})(?:[ \t]*[(（][^()（）\n]{{1,20}}[)）])?"
_NAME_LINE = re.compile(_NAME)
_NAME_BEFORE_CONTACTS = re.compile(
    rf"(?P<name>{_NAME})(?:[ \t]*[|•·,;]|[ \t]+[-–—][ \t])(?=.*(?:\w@\w|://|www\.|\+\d))"
)
"""A line that begins with a name and goes on with how to reach it."""
_MARKUP = " \t#*_=|"
_HEADINGS = (
    "curriculum vitae resume résumé cv profile summary education research interests statement machine "
    "learning computer science systems skills experience about objective engineer student personal information"
)
_NOT_IN_NAMES = frozenset(_HEADINGS.split())
_TITLES_OF_RESUMES = frozenset(
    {
        *("resume", "résumé", "resumé", "curriculum vitae", "cv", "curriculum", "lebenslauf", "currículo", "özgeçmiş"),
        *("personal information", "życiorys", "резюме", "简历", "个人简历", "個人簡歷", "履歴書", "이력서"),
    }
)

_LABELS_OF_NAMES = frozenset({"name", "surname", "姓名", "氏名", "성명", "이름", "nom", "nombre", "nome", "имя", "фио"})
_LABELLED = re.compile(
    r"(?im)^[ \t#*•-]*(?:(?:full|first|last|given|family)[ \t]+name|name|surname|nom|nombre|nome|имя|фио"
    r"|姓名|氏名|성명|이름)[ \t*]*[:：][ \t*]*"
    rf"(?P<name>\S[^\n|,;*]{{0,59}}(?:,[ \t](?-i:{CAPITALISED}(?:[ \t]{CAPITALISED}){{0,2}})(?=[ \t]*(?:[|;\n]|$)))?)"
)
_INTRODUCING = frozenset({"my", "mein", "je", "ich", "me", "meu", "mi"})
_INTRODUCED = re.compile(
    r"(?:[Mm]y name is|[Jj]e m['’]appelle|[Mm]ein Name ist|[Ii]ch heiße|[Mm]e llamo|[Mm]eu nome é|[Mm]i chiamo)[ \t]"
    rf"(?P<name>{CAPITALISED}(?:[ \t]+(?:{_PARTICLE}[ \t]+){{0,2}}(?:[A-Z]\.|{CAPITALISED})){{0,4}}|{_OTHER_NAMES})"
)
_TITLES = "Prof Professor Dr Dra Mr Mrs Ms Miss Sir Dame Herr Frau Madame Monsieur Doç Sra Shri Smt проф Проф"
_ANY_TITLE = "|".join(sorted(_TITLES.split(), key=len, reverse=True))
TITLED_NAME = Rule(
    "name",
    re.compile(
        rf"(?<!\w)(?:(?:{_ANY_TITLE}|Pre?(?=\.))\.?(?:-Ing\.?)?[ \t]){{1,3}}"
        rf"(?P<name>(?:[A-Z]\.[ \t]?){{0,2}}{CAPITALISED}(?:[ \t][A-Z]\.)?"
        rf"(?:[ \t](?:{_PARTICLE}[ \t-]){{0,2}}{CAPITALISED}){{0,3}}(?:[ \t][A-ZА-Я]\.){{0,2}})"
    ),
    words=frozenset((*_TITLES.split(), "Pr", "Pre")),
    begins=True,
)
_ADVISERS = (
    "advisor advisors adviser advisers supervisor supervisors mentor mentors referee 导师 指导教师 指导老师 指導教授 "
    "指導教員 지도교수"
)
_LABELS_OF_ADVISERS = frozenset(_ADVISERS.split())
_ADVISER = re.compile(
    rf"(?im)(?:{'|'.join(_ADVISERS.split())})[ \t*]*[:：][ \t*]*"
    r"(?P<name>[\u4e00-\u9fff]{2,4}?(?=[ \t]*(?:副?教授|老师|老師|博士|研究员|院士|[,，;；。、|(（\n]|$))"
    rf"|[\uac00-\ud7a3]{{2,4}}|(?-i:{CAPITALISED}(?:[ \t](?:[A-Z]\.|{CAPITALISED})){{1,3}})"
    r"(?=[ \t]*(?:[,;.|)(–—-]|and\b|&|$)))"
)
_LABELS_OF_REFEREES = frozenset({"references", "referees", "recommenders", "advisers", "advisors"})
_REFEREES = re.compile(
    rf"(?im)^[ \t#*]*(?:{'|'.join(sorted(_LABELS_OF_REFEREES))})[ \t:*]*\n(?P<lines>(?:.*\n?){{1,20}})"
)
_REFEREE = re.compile(
    rf"(?m)^[ \t*•-]*(?P<name>{CAPITALISED}(?:[ \t](?:[A-Z]\.|{CAPITALISED})){{1,3}})(?=[ \t]*[,;:|(–—-]|[ \t]*$)"
)
_SHORTEST_PART = 3
_INITIALS_BEFORE = re.compile(r"(?:(?<!\w)[A-Z]\.[ \t-]?){1,3}$|(?<![\w.])[A-Z]{1,2}[ \t]$")
_INITIALS_BEHIND = re.compile(r",?[ \t](?:(?:[A-Z]\.[ \t-]?){1,3}|[A-Z]{1,2}(?=[,.;)]|$))")
_MEANS_A_THING = re.compile(NOT_TECHNICAL)


def names(written: Written) -> Iterator[Span]:
    """Where names stand, in no order; the same place may be told twice."""
    text = written.text
    own = _own(written)
    others: set[str] = set()
    for match in TITLED_NAME.found(written):
        yield match.span()
        if len(match["name"].split()) > 1 or not match["name"].isascii():
            others.add(match["name"])
    labels = written.places(_LABELS_OF_ADVISERS, ignores_case=True)
    others |= {found["name"] for place in labels if (found := _ADVISER.match(text, place))}
    if written.has(_LABELS_OF_REFEREES, ignores_case=True):
        for match in _REFEREES.finditer(text):
            others |= {line["name"] for line in _REFEREE.finditer(match["lines"])}
    for name in sorted(own | others):
        for start in _whole(name, text):
            yield start, start + len(name)
    for part in sorted({part for name in own for part in _parts(name)}):
        yield from _alone(part, text)


def _own(written: Written) -> set[str]:
    """The owner's name, as it is labelled, introduced, or stands at the top."""
    head = written.text[:LONGEST_HEAD]
    own: set[str] = set()
    if written.has(_LABELS_OF_NAMES, ignores_case=True):
        own |= {match["name"].strip() for match in _LABELLED.finditer(head)}
    introduced = written.places(_INTRODUCING, ignores_case=True)
    own |= {found["name"] for place in introduced if (found := _INTRODUCED.match(head, place))}
    lines = [bare for line in head.splitlines() if (bare := line.strip(_MARKUP))][:2]
    if len(lines) > 1 and lines[0].casefold() in _TITLES_OF_RESUMES:
        lines.reverse()
    if lines:
        before_contacts = _NAME_BEFORE_CONTACTS.match(lines[0])
        first = before_contacts["name"] if before_contacts else lines[0]
        if _NAME_LINE.fullmatch(first) and _NOT_IN_NAMES.isdisjoint(first.casefold().split()):
            own.add(first)
    return own


def _parts(name: str) -> list[str]:
    """The parts of a name that may stand by themselves: of "Anna K. von Schmidt", Anna and Schmidt."""
    parts = re.split(r"[\s,()（）]+", name)
    if len(parts) == 1 and not name.isascii():
        return []
    return [part for part in parts if len(part) >= _SHORTEST_PART and part[:1].isupper()]


def _alone(part: str, text: str) -> Iterator[Span]:
    """Where a part of the owner's name stands, with initials beside it, unless a thing of the field is named by it."""
    for place in _whole(part, text):
        start, end = place, place + len(part)
        if before := _INITIALS_BEFORE.search(text, max(0, start - 12), start):
            start = before.start()
        if behind := _INITIALS_BEHIND.match(text, end):
            end = behind.end()
        if (start, end) != (place, place + len(part)) or _MEANS_A_THING.match(text, end):
            yield start, end


def _whole(words: str, text: str) -> Iterator[int]:
    """Where `words` stand that are no part of a longer word."""
    start = text.find(words)
    while start >= 0:
        end = start + len(words)
        is_whole = not _is_of_word(text[start - 1 : start]) and not _is_of_word(text[end : end + 1])
        if is_whole:
            yield start
        start = text.find(words, end if is_whole else start + 1)


def _is_of_word(character: str) -> bool:
    return character.isalnum() or character == "_"
