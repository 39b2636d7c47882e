"""Names of people in a resume: its owner's, as told by its head or a label; those after a title, and advisers."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from portal.matching.privacy.name_words import FAMILIES, bare_of, kind_of, latin
from portal.matching.privacy.names import (
    ATTACHED,
    PARTICLE,
    PIECE,
    UNSPACED,
    WORD,
    Known,
    may_be_unspaced_name,
    places,
)
from portal.matching.privacy.patterns import CAPITALISED
from portal.matching.privacy.words import EDUCATION, OTHERS, WORK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from portal.matching.results import Span

_LONGEST_HEAD = 4_000
"""The owner's name stands before that."""
_PART = rf"(?:(?:{PARTICLE}[ \t]+){{0,2}}{ATTACHED}{CAPITALISED}|[A-Z]\.),?"
_EAST_ASIAN = r"[\u4e00-\u9fff·]{2,5}|[\uac00-\ud7a3]{2,5}"
_NAME = rf"(?:{_PART}(?:[ \t]+{_PART}){{1,4}}|{_EAST_ASIAN})(?:[ \t]*[(（][^()（）\n]{{1,20}}[)）])?"
_NAME_LINE = re.compile(_NAME)
_NAME_BEFORE_CONTACTS = re.compile(
    rf"(?P<name>{_NAME})(?:[ \t]*[|•·,;]|[ \t]+[-–—][ \t])(?=.*(?:\w@\w|://|www\.|\+\d))"
)
_BLANKS = "".join(chr(sign) for sign in range(0x3001) if chr(sign).isspace())  # the last one is U+3000
_MARKUP = f"{_BLANKS}#*_=|"
_TOP_LINES = 8
_LONGEST_LINE = 200
_SIGN = re.compile(r"@(?=\w)")
_LOCAL = re.compile(r"[\w.+-]{2,64}$")
_HEADINGS = (
    "curriculum vitae resume résumé cv profile summary education research interests statement machine learning "
    "computer science systems skills experience about objective engineer student personal information"
)
_NOT_IN_NAMES = frozenset(_HEADINGS.split())
_TITLES = (
    "resume|résumé|curriculum vitae|cv|curriculum|lebenslauf|currículo|özgeçmiş|резюме|简历|个人简历|履歴书|이력서"
)
_OF_SECTIONS = frozenset(heading for heading in WORK | EDUCATION | OTHERS if UNSPACED.match(heading))
_ENGLISH_LABEL = r"(?:(?:full|first|last|given|family)[ \t]+names?|(?:sur|fore)?names?)(?:\(s\))?"
_LABELLED = re.compile(
    rf"(?im)^[ \t#*•|-]*(?P<label>{_ENGLISH_LABEL}(?:[ \t]*(?:and|&|/)[ \t]*{_ENGLISH_LABEL})?"
    r"|(?:nombres?|nome|nom)[ \t]+(?:y|e|et)[ \t]+(?:apellidos|cognome|prénom)|prénom|apellidos|nom|nombre|nome"
    r"|nama|namn|naam|имя|фио|الاسم|نام|שם|姓名|氏名|성명|이름)[ \t*]*[:：|][ \t*]*"
    rf"(?P<name>\S[^\n|,;*]{{0,59}}(?:,[ \t](?-i:{CAPITALISED}(?:[ \t]{CAPITALISED}){{0,2}})(?=[ \t]*(?:[|;\n]|$)))?)"
)
_SAID = re.compile(
    r"(?:[Mm]y (?:full )?name(?: is|[’']s)|[Jj]e m['’]appelle|[Mm]ein Name ist|[Ii]ch heiße|[Mm]e llamo|[Mm]i"
    r" chiamo)[ \t]"
    rf"(?P<name>(?:[A-Z]\.[ \t]?){{0,4}}{CAPITALISED}(?:[ \t]+(?:{PARTICLE}[ \t]+){{0,2}}(?:[A-Z]\."
    rf"|{ATTACHED}{CAPITALISED}))"
    rf"{{0,4}}|{_EAST_ASIAN})"
)
_I_AM = re.compile(
    rf"(?:(?<![\w.])I am|I['’]m|[Ii]ch bin|[Jj]e suis|[Tt]his is)[ \t](?P<name>{CAPITALISED}"
    rf"(?:[ \t]{CAPITALISED}){{1,3}})"
)
_AROUND_NAMES = re.compile(
    r"(?i)^(?:curriculum vitae|c\.?v\.?|r[ée]sum[ée]|lebenslauf)(?:[ \t]+(?:of|von|de|for|del|di))?[ \t]*[:–—-]?[ \t]+"
    r"|^(?:(?:ing|dr|prof|mr|mrs|ms|miss|dipl|eng|msc|bsc|phd|mag)\.?(?:-ing\.?)?[ \t]+)+"
    r"|,?[ \t]+(?:ph\.?[ \t]?d|[mb]\.?[ \t]?(?:sc|eng)|m\.?[ \t]?[asd]|mba|jr|sr|ii|iii)\.?$"
    r"|[ \t]*[\"“”„][^\"“”„]*[\"“”„]"
    r"|[ \t]*[(（'‘][^()（）'‘’]{1,20}[)）'’](?=[ \t]+(?-i:[^\W\d_a-z]))"
)
_CUT = re.compile(r"[ \t]*(?:[|•·/;:(（\[\t]|[ \t][-–—][ \t]|,[ \t](?=[a-zéñžшу0-9+(]|M\.?Sc|Ph\.?D))")

_TITLED = re.compile(
    r"(?<!\w)(?:(?:Professor|Profa|[Pp]rof|Dott|[Dd]ra?|Mrs?|Ms|Miss|Sir|Herr|Frau|Madame|Monsieur|Sra|Shri|Mme|Mlle"
    rf"|(?:PROF|DR|MRS?)(?=\.))\.?(?:-Ing\.?)?[ \t]){{1,3}}(?P<name>(?:[A-Z]\.[ \t]?){{0,2}}{CAPITALISED}"
    rf"(?:[ \t][A-Z]\.)?(?:[ \t](?:{PARTICLE}[ \t-]){{0,2}}{ATTACHED}{CAPITALISED}){{0,3}})"
)
_ADVISER = re.compile(
    r"(?im)(?:advis[eo]rs?|supervisors?|mentors?|referee|导师)[ \t*]*[:：][ \t*]*(?P<name>[\u4e00-\u9fff]{2,4}"
    rf"|(?-i:{CAPITALISED}(?:[ \t](?:[A-Z]\.|{CAPITALISED})){{1,3}}))"
)


def names_in(text: str) -> Iterator[Span]:
    """The places of names in a resume as it is searched for names, in no order; the same place may occur twice."""
    owner_names = owners(text)
    others = {match["name"] for match in _ADVISER.finditer(text)}
    for match in _TITLED.finditer(text):
        yield match.span()
        if len(match["name"].split()) > 1 or not match["name"].isascii():
            others.add(match["name"])
    for name in sorted(owner_names | others):
        whole = re.escape(name) if UNSPACED.match(name) else rf"(?<!\w){re.escape(name)}(?!\w)"
        yield from (match.span() for match in re.finditer(whole, text))
    if owner_names:
        yield from places(text, Known(sorted(owner_names)))


def owners(text: str, *, surely: bool = False) -> set[str]:
    """The owner's name, as it is labelled, introduced, or stands at the top; `surely`: unless it may be a heading."""
    head = text[:_LONGEST_HEAD]
    # Behind "Surname / First name", both.
    labelled = (match["name"].replace("/", " " if "/" in match["label"] else "/") for match in _LABELLED.finditer(head))
    names = {_CUT.split(name.lstrip("|•· \t"))[0].strip() for name in labelled}
    names |= {match["name"] for match in _SAID.finditer(head)}
    names |= {match["name"] for match in _I_AM.finditer(head) if _is_of_people(match["name"])}
    lines = [bare for line in head.splitlines() if (bare := line.strip(_MARKUP))][:_TOP_LINES]
    if len(lines) > 1 and lines[0].casefold() in _TITLES.split("|"):
        del lines[0]
    if lines:
        names |= set(_heading(lines[0]))
    if "@" in head:
        names |= set(_as_in_address(head, lines))
    return {name for name in names if name and (not surely or UNSPACED.match(name) or _is_of_people(name))}


def _as_in_address(head: str, lines: Sequence[str]) -> Iterator[str]:
    """A name at the top, on a line or two, that an address there is made of, as mei.lin@… of "Mei" and "Lin"."""
    # From each sign on backwards: forwards, every word of the text would be tried.
    parts = (_LOCAL.search(head[max(0, sign.start() - 64) : sign.start()]) for sign in _SIGN.finditer(head))
    addressed = {bare_of("".join(PIECE.findall(part.group()))) for part in parts if part}
    pairs = (f"{first} {second}" for first, second in pairwise(lines) if first.isalpha() and second.isalpha())
    for line in (*lines, *pairs):
        piece = _CUT.split(_AROUND_NAMES.sub("", line[:_LONGEST_LINE]), maxsplit=1)[0].strip()
        own = [bare_of(word) for word in WORD.findall(piece)]
        is_name = len(own) > 1 and _NAME_LINE.fullmatch(piece.title() if piece.islower() else piece)
        if is_name and any(_is_made_of(local, own) for local in addressed):
            yield piece


def _is_made_of(local: str, own: Sequence[str]) -> bool:
    """Whether the local part of an address is made of two words or more of a name, or one and an initial."""
    matched = 0
    for word in sorted(own, key=len, reverse=True):
        if len(word) > 1 and word in local:
            local, matched = local.replace(word, "", 1), matched + 1
    return matched > 1 or (matched == 1 and len(local) <= 1)


def _heading(line: str) -> Iterator[str]:
    """The name in the line at the top."""
    before_contacts = _NAME_BEFORE_CONTACTS.match(line)
    first = before_contacts["name"] if before_contacts else line
    parts = first.split()
    is_list = len(parts) > 2 and all(map(UNSPACED.match, parts))  # noqa: PLR2004  (words of a name)
    if line in _OF_SECTIONS:
        return
    if not is_list and _NAME_LINE.fullmatch(first):
        if _NOT_IN_NAMES.isdisjoint(first.casefold().split()):
            yield first
        return
    if UNSPACED.match(parts[0]) and any(parts[0][0] in group for group in FAMILIES) and may_be_unspaced_name(parts[0]):
        yield parts[0]
    piece = _AROUND_NAMES.sub("", _CUT.split(_AROUND_NAMES.sub("", line[:_LONGEST_LINE]), maxsplit=1)[0]).strip()
    if _NAME_LINE.fullmatch(piece) and _is_of_people(piece) and _NOT_IN_NAMES.isdisjoint(piece.casefold().split()):
        yield piece


def _is_of_people(name: str) -> bool:
    """Whether the words may be of a name: half of them at least are no ordinary words."""
    parts = [word for word in WORD.findall(name) if len(word) > 1]
    return not parts or sum(kind_of(latin(word)) == "word" for word in parts) * 2 <= len(parts)
