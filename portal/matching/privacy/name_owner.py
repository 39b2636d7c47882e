"""Finds the name of a resume's owner: in its heading, label, introduction or signature, or marked among authors."""

from __future__ import annotations

import re
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from portal.matching.language.abbreviations import definitions
from portal.matching.privacy.late_patterns import LatePattern
from portal.matching.privacy.name_knowledge import (
    ATTACHED,
    PARTICLE,
    PIECE,
    UNSPACED,
    WORD,
    kind_of,
    may_be_unspaced_name,
)
from portal.matching.privacy.name_spelling import bare_of, latin
from portal.matching.privacy.name_words import FAMILIES
from portal.matching.privacy.search import CAPITALISED, Written, written_of
from portal.matching.privacy.sections import EDUCATION, OTHERS, WORK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST_HEAD = 4_000
"""The owner's name stands before that."""

_PART = rf"(?:(?:{PARTICLE}[ \t]+){{0,2}}{ATTACHED}{CAPITALISED}|[A-Z]\.),?"
_OTHER_NAMES = r"[\u4e00-\u9fff·]{2,5}|[\uac00-\ud7a3]{2,5}"
_SON_OR_DAUGHTER = r"(?:o[‘’'ʻ`]?g[‘’'ʻ`]?li|ugli|oğlu|oglu|qizi|qızı|kizi|uulu|uly|kyzy)"
_NAME = (
    rf"(?:{_PART}(?:[ \t]+{_PART}){{1,4}}(?:[ \t]{_SON_OR_DAUGHTER}(?!\w))?|{_OTHER_NAMES})"
    r"(?:[ \t]*[(（][^()（）\n]{1,20}[)）])?"
)
_NAME_LINE = LatePattern(_NAME)
_NAME_BEFORE_CONTACTS = LatePattern(
    rf"(?P<name>{_NAME})(?:[ \t]*[|•·,;]|[ \t]+[-–—][ \t])(?=.*(?:\w@\w|://|www\.|\+\d))"
)
"""A line that begins with a name and goes on with how to reach it."""
_BLANKS = "".join(chr(sign) for sign in range(0x3001) if chr(sign).isspace())  # the last one is U+3000
_MARKUP = f"{_BLANKS}#*_=|"
_BESIDE_CELLS = "|•· \t"
"""What may stand between a label and the name in a table."""
_TOP_LINES = 8
_MOST_UNSPACED = 2  # words of a name
_LONGEST_LINE = 200
_SHORTEST_NOUN = 7
_ENDS_OF_NOUNS = ("ing", "ion", "ity", "ics", "ment", "ance", "ence", "ysis")
"""Of ordinary words that hardly anybody is called by."""
_LONGEST_TOP = 1_000
_SIGN = re.compile(r"@(?=\w)")
_LONGEST_LOCAL = 64
_LOCAL = re.compile(r"[\w.+-]{2,}$")
_HEADINGS = (
    "curriculum vitae resume résumé cv profile summary education research interests statement machine "
    "learning computer science systems skills experience about objective engineer student personal information"
)
_NOT_IN_NAMES = frozenset(_HEADINGS.split())
_TITLES_OF_RESUMES = frozenset(
    {
        *("resume", "résumé", "resumé", "curriculum vitae", "cv", "curriculum", "lebenslauf", "currículo", "özgeçmiş"),
        *("personal information", "życiorys", "резюме", "简历", "个人简历", "履歴书", "이력서"),
    }
)
_OF_SECTIONS = frozenset(heading for heading in WORK | EDUCATION | OTHERS if UNSPACED.match(heading))
"""Headings in Chinese, Japanese and Korean, which are as long as names."""
_CONTACTS = frozenset({"contact", "contacto", "kontakt", "coordonnées", "contatti", "contato", "联系方式", "연락처"})

_LABELS = (
    "name names surname surnames forename forenames 姓名 氏名 성명 이름 nom nombre nome имя фио nama név namn navn "
    "jméno naam tên soyadı soyad nazwisko cognome prénom apellidos الاسم نام שם ονοματεπώνυμο"
)
_LABELS_OF_NAMES = frozenset(_LABELS.split())
_ENGLISH_LABEL = r"(?:(?:full|first|last|given|family)[ \t]+names?|(?:sur|fore)?name|(?:sur|fore)names)(?:\(s\))?"
_LABELLED = LatePattern(
    rf"(?im)^[ \t#*•|-]*(?:{_ENGLISH_LABEL}(?:[ \t]*(?:and|&|/)[ \t]*{_ENGLISH_LABEL})?"
    r"|(?:first|given)[ \t]+(?:and|&)[ \t]+(?:last|family)[ \t]+names?"
    r"|nombre(?:s)?[ \t]+y[ \t]+apellidos|nome[ \t]+e[ \t]+cognome|nome[ \t]+completo|nom[ \t]+et[ \t]+prénom|prénom"
    r"|cognome|apellidos|nom|nombre|nome|nama(?:[ \t]+lengkap)?|név|namn|navn|jméno|naam|(?:họ[ \t]+(?:và[ \t]+)?)?tên"
    r"|imię[ \t]+i[ \t]+nazwisko|nazwisko|ad[ıi]?,?[ \t]+soyad[ıi]?|ονοματεπώνυμο|имя|фио|الاسم|نام|שם"
    r"|姓名|氏名|성명|이름)[ \t*]*[:：|][ \t*]*"
    rf"(?P<name>\S[^\n|,;*]{{0,59}}(?:,[ \t](?-i:{CAPITALISED}(?:[ \t]{CAPITALISED}){{0,2}})(?=[ \t]*(?:[|;\n]|$)))?)"
)
_INTRODUCING = frozenset({"my", "mein", "je", "ich", "me", "meu", "mi"})
_INTRODUCED = LatePattern(
    r"(?:[Mm]y (?:full )?name(?: is|[’']s)|[Jj]e m['’]appelle|[Mm]ein Name ist|[Ii]ch heiße|[Mm]e llamo|[Mm]eu nome é"
    r"|[Mm]i chiamo)[ \t]"
    rf"(?P<name>(?:[A-Z]\.[ \t]?){{0,4}}{CAPITALISED}"
    rf"(?:[ \t]+(?:{PARTICLE}[ \t]+){{0,2}}(?:[A-Z]\.|{ATTACHED}{CAPITALISED})"
    rf"|[ \t]*\([^()\n]{{2,20}}\)){{0,4}}|{_OTHER_NAMES})"
)
_BEGINNING_I_AM = frozenset({"I", "ich", "Ich", "je", "Je", "soy", "Soy", "this", "This"})
_I_AM = LatePattern(
    r"(?:(?<![\w.])I am|I['’]m|[Ii]ch bin|[Jj]e suis|(?<!\w)[Ss]oy|[Tt]his is)[ \t]"
    rf"(?P<name>{CAPITALISED}(?:[ \t]{CAPITALISED}){{1,3}})"
)
_CLOSED = LatePattern(
    r"(?im)^[ \t]*(?:(?:yours[ \t]+)?(?:sincerely|faithfully|truly)(?:[ \t]+yours)?"
    r"|(?:best|kind|warm|with best|with kind)[ \t]+(?:regards|wishes)|best|regards|cheers|cordialement|bien à vous"
    r"|mit freundlichen grüßen|viele grüße|atentamente|saludos|atenciosamente|cordiali saluti|с уважением|此致|敬礼"
    rf"|敬上)[ \t]*[,.!]?[ \t]*\n{{1,4}}[ \t*_-]*(?-i:(?P<name>{_NAME}))[ \t*_.]*$"
)
_MACRO = re.compile(
    r"\\(?:name|author|firstname|lastname|familyname|givenname)\*?\{(?P<name>[^{}\n]{2,60})\}(?:\{(?P<rest>[^{}\n]{2,60})\})?"
)
_INITIALS = r"(?:[^\W\d_a-z]\.[ \t]?-?){1,4}"
_FAMILY = rf"{CAPITALISED}(?:[ \t]{CAPITALISED})?"
_AUTHOR = (
    rf"(?P<name>{_INITIALS}[ \t]?{_FAMILY}|{_FAMILY},?[ \t]{_INITIALS}"
    rf"|{_FAMILY},?[ \t][^\W\d_a-z]{{1,3}}|{_FAMILY},[ \t]{CAPITALISED})"
)
_MARKED = (
    LatePattern(
        rf"(?:\\(?:textbf|underline|textit|emph|uline|mathbf)\{{|\*\*|__|<(?:b|u|strong|em)>)[ \t]*{_AUTHOR}[ \t]*"
        r"(?:\}|\*\*|__|</)"
    ),
    LatePattern(rf"(?m)(?:^|(?<=[,;&][ \t])|(?<=and[ \t]))[ \t\d.\[\]-]*{_AUTHOR}(?:\*|\^\*|\$\^)(?=[ \t,;.&]|$)"),
)
_AROUND_NAMES = re.compile(
    r"(?i)^(?:curriculum vitae|c\.?v\.?|r[ée]sum[ée]|lebenslauf|bewerbung|currículum|application)"
    r"(?:[ \t]+(?:of|von|de|for|del|di))?[ \t]*[:–—-]?[ \t]+"
    r"|^(?:(?:ing|dr|prof|mr|mrs|ms|miss|dipl|eng|msc|bsc|phd|mag)\.?(?:-ing\.?)?[ \t]+)+"
    r"|,?[ \t]+(?:ph\.?[ \t]?d|[mb]\.?[ \t]?sc|[mb]\.?[ \t]?eng|m\.?[ \t]?[asd]"
    r"|mba|csc|jr|sr|ii|iii)\.?$|[ \t]*[\"“”„][^\"“”„]*[\"“”„]"
    r"|[ \t]*[(（'‘][^()（）'‘’]{1,20}[)）'’](?=[ \t]+(?-i:[^\W\d_a-z]))"
)
_CUT = re.compile(r"[ \t]*(?:[|•·/;:(（\[\t]|[ \t][-–—][ \t]|,[ \t](?=[a-zéñžшу0-9+(]|M\.?Sc|Ph\.?D))")


def owners_of_people(text: str) -> set[str]:
    """The owner's name as `owners` tells it, unless it may be a heading."""
    return {name for name in owners(written_of(text)) if UNSPACED.match(name) or _is_of_people(name)}


def owners(written: Written) -> set[str]:
    """The owner's name, as it is labelled, introduced, signed, marked among authors, or stands at the top."""
    head = written.text[:LONGEST_HEAD]
    names: set[str] = set()
    if written.has(_LABELS_OF_NAMES, ignores_case=True):
        names |= set(map(_labelled, _LABELLED.compiled.finditer(head)))
    introduced = written.places(_INTRODUCING, ignores_case=True)
    names |= {match["name"] for place in introduced if (match := _INTRODUCED.compiled.match(head, place))}
    statements = (_I_AM.compiled.match(head, place) for place in written.places(_BEGINNING_I_AM))
    names |= {match["name"] for match in statements if match and _is_of_people(match["name"])}
    names |= {match["name"] for match in _CLOSED.compiled.finditer(written.text) if _is_of_people(match["name"])}
    names |= set(_marked(written.text))
    lines = [bare for line in head.splitlines() if (bare := line.strip(_MARKUP))][:2]
    if len(lines) > 1 and lines[0].casefold() in _TITLES_OF_RESUMES:
        lines.reverse()
    if lines:
        names |= set(_heading(lines[0]))
        if lines[0].casefold() in _CONTACTS:
            names |= set(_below_contacts(head))
    if "@" in head:
        names |= set(_as_in_address(head))
    return names - {""}  # a label with nothing but a mark behind it, as in "Name: / Surname:"


def _labelled(match: re.Match[str]) -> str:
    """The name behind a label; behind "Surname / First name", both."""
    label = match.group()[: match.start("name") - match.start()]
    name = match["name"].replace("/", " ") if "/" in label else match["name"]
    return _CUT.split(name.lstrip(_BESIDE_CELLS))[0].strip()


def _below_contacts(head: str) -> Iterator[str]:
    """The name below a first column of contacts and languages: the first block of lines that begins with one."""
    blocks = (block.strip().splitlines() for block in re.split(r"\n[ \t]*\n", head))
    lines = (block[0].strip() for block in blocks if len(block) > 1)
    named = (line for line in lines if _NAME_LINE.compiled.fullmatch(line))
    yield from islice((line for line in named if _NOT_IN_NAMES.isdisjoint(line.casefold().split())), 1)


def _as_in_address(head: str) -> Iterator[str]:
    """A name at the top, on a line or two, that an address there is made of, as mei.lin@… of "Mei" and "Lin"."""
    # From each sign on backwards: forwards, every word of the text would be tried.
    parts = (_LOCAL.search(head[max(0, sign.start() - _LONGEST_LOCAL) : sign.start()]) for sign in _SIGN.finditer(head))
    addressed = {bare_of("".join(PIECE.findall(part.group()))) for part in parts if part}
    lines = [bare for line in head[:_LONGEST_TOP].splitlines() if (bare := line.strip(_MARKUP))][:_TOP_LINES]
    pairs = (f"{first} {second}" for first, second in pairwise(lines) if first.isalpha() and second.isalpha())
    for line in (*lines, *pairs):
        piece = _CUT.split(_AROUND_NAMES.sub("", line[:_LONGEST_LINE]), maxsplit=1)[0].strip()
        words = [bare_of(word) for word in WORD.findall(piece)]
        if (
            len(words) > 1
            and _NAME_LINE.compiled.fullmatch(piece.title() if piece.islower() else piece)
            and any(_is_made_of(local, words) for local in addressed)
        ):
            yield piece


def _is_made_of(local: str, words: Sequence[str]) -> bool:
    """Whether the local part of an address is made of two words or more of a name, or one and an initial."""
    remainder = local
    matched = 0
    for word in sorted(words, key=len, reverse=True):
        if len(word) > 1 and word in remainder:
            remainder, matched = remainder.replace(word, "", 1), matched + 1
    return matched > 1 or (matched == 1 and len(remainder) <= 1)


def _heading(line: str) -> Iterator[str]:
    """The name in the line at the top."""
    if line in _OF_SECTIONS:
        return
    before_contacts = _NAME_BEFORE_CONTACTS.compiled.match(line)
    first = before_contacts["name"] if before_contacts else line
    is_list = len(first.split()) > _MOST_UNSPACED and all(map(UNSPACED.match, first.split()))
    if _NAME_LINE.compiled.fullmatch(first) and _NOT_IN_NAMES.isdisjoint(first.casefold().split()) and not is_list:
        yield first
        return
    word = line.split(maxsplit=1)[0]
    if UNSPACED.match(word) and any(word[0] in group for group in FAMILIES) and may_be_unspaced_name(word):
        yield word
    bare = _AROUND_NAMES.sub("", line[:_LONGEST_LINE])
    piece = _AROUND_NAMES.sub("", _CUT.split(bare, maxsplit=1)[0]).strip()
    if piece != line and _NAME_LINE.compiled.fullmatch(piece) and _is_of_people(piece):
        if not _is_abbreviated(piece, bare):
            yield piece
    elif UNSPACED.match(piece):
        unspaced = [word for word in WORD.findall(piece) if UNSPACED.match(word)]
        spaced = [word for word in WORD.findall(piece) if not UNSPACED.match(word)]
        if may_be_unspaced_name(" ".join(unspaced)) and _is_of_people(*spaced):
            yield " ".join(unspaced)
            if len(spaced) > 1:
                yield " ".join(spaced)


def _is_abbreviated(piece: str, line: str) -> bool:
    """Whether `piece` is a term that the line abbreviates, as in "Cyber Security (CS) is …"."""
    last = latin(WORD.findall(piece)[-1])
    is_noun = len(last) >= _SHORTEST_NOUN and last.endswith(_ENDS_OF_NOUNS) and kind_of(last) == "word"
    return is_noun and any(long == piece for _, long in definitions(line))


def _marked(text: str) -> Iterator[str]:
    """Authors that are set apart from the others, as applicants do with themselves."""
    for match in _MACRO.finditer(text) if "\\" in text else ():
        yield " ".join(filter(None, (match["name"], match["rest"])))
    for pattern in _MARKED if any(sign in text for sign in ("*", "__", "\\", "</")) else ():
        for match in pattern.compiled.finditer(text):
            if _is_of_people(match["name"]):
                yield match["name"]


def _is_of_people(*names: str) -> bool:
    """Whether the words may be of a name: half of them at least are no ordinary words."""
    words = [word for name in names for word in WORD.findall(name) if len(word) > 1]
    return not words or sum(kind_of(latin(word)) == "word" for word in words) * 2 <= len(words)
