"""Finds the name of a resume's owner, and somebody's name in a text in every form.

A word of the name that is an ordinary word, a technology or the name of a method as well (Ray, Swift, Taylor) is taken
for the name only where it is used like one: "Ray wrote", not "Ray tasks".
"""

from __future__ import annotations

import re
from itertools import pairwise, permutations
from typing import TYPE_CHECKING, NamedTuple

from portal.matching.language.spelling import is_common
from portal.matching.privacy.patterns import CAPITALISED, TECHNICAL_BEHIND
from portal.matching.privacy.searched import searched_for_names
from portal.matching.privacy.words import (
    DEEDS,
    EDUCATION,
    FAMILIES,
    FUNCTION_WORDS,
    OTHERS,
    PARTICLES,
    SAID_TO,
    SHORT_NAMES,
    TECHNOLOGIES,
    WORK,
    any_of,
    bare_of,
    kind_of,
    latin,
    sound,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.matching.privacy.words import Kind
    from portal.matching.results import Span


WORD = re.compile(r"[^\W\d_]+(?:[’'-][^\W\d_]+)*")
PIECE = re.compile(r"[^\W\d_]+")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3]")
# In Portuguese and Italian "e" and "o" stand between other words with a capital as well.
PARTICLE = rf"(?:von[ \t]und[ \t]zu|(?:in[ \t])?['’]t|[sd]/o|a/[lp]|{any_of(PARTICLES - {'e', 'o'})})"
ATTACHED = r"(?:(?:[dl]|dell|dall)['’]|(?:a[dlnrstz]|ash|el)-)?"
"""What may be attached to a name before its capital: d'Almeida, al-Sayed."""
SHORT = 3  # letters; shorter words are looked for with a capital only
APART = re.compile("[’'-]")  # the parts of a word of a name
_PARTICLE = re.compile(rf"(?<!\w)(?:{PARTICLE}|[eo])(?=[ \t])")
_SOUNDS_FROM = 4  # letters; shorter words are compared as they are spelt
_LONGEST_UNSPACED = 4  # signs
_LONGEST_WORD = 60
_IN_NO_NAME = re.compile(r"大|学|校|院|系|科|工|程|公司|研究|专|简|历|书")
_POSSESSIVE = re.compile(r"['’][sS]?$")

_LOOKS_AROUND = 80  # characters
_ACRONYM = 4  # letters, at most, if all are capitals
_DOTTED = r"(?:[^\W\d_a-z]\.[ \t]?-?){1,4}"
_DOTTED_BEFORE = re.compile(
    rf"(?<![\w.&]){_DOTTED}(?:(?:{PARTICLE}[ \t]){{1,2}}|(?:van|von|de|v)\.?[ \t]?(?:d\.|den|der)?[ \t])?$"
)
_BARE_BEFORE = re.compile(r"(?<![\w.&-])[^\W\d_a-z](?:[ -]?[^\W\d_a-z]){0,2}[ \t]$")
_DOTTED_BEHIND = re.compile(rf"(?P<comma>,?)[ \t]?{_DOTTED}(?<![ \t])(?![a-z])")
_BARE_BEHIND = re.compile(
    r",?[ \t](?P<letters>[^\W\d_a-z]{1,3})(?=\*{0,3}[ \t]*(?:[,.;:)&*}]|and\b|et\b|$))", re.MULTILINE
)
_BETWEEN = re.compile(
    r"(?:,?[ \t]+|[ \t]*[-–][ \t]*)(?:(?:[^\W\d_a-z]\.[ \t-]?){1,4}[ \t]?|[^\W\d_a-z][^\W\d_A-Z]+[ \t]+"
    rf"|(?:{PARTICLE}|e|o)[ \t]+){{0,3}}"
)
_LONGEST_BETWEEN = 40
_LAST_WORD = re.compile(r"([^\W\d_]+)[^\w\n.!?;]*$")
_NEXT_WORD = re.compile(r"[ \t]+([\w&+-]+)")
_PART_OF_WORD = re.compile(r"[^\W\d_][’'-]$")
_BROKEN = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,30}-\n[^\W\d_]{1,30}")
_CITED = re.compile(r"[ \t]+(?:et[ \t]+al\b|(?:&|and)[ \t][^\W\d_a-z][\w’'-]{1,30},?[ \t]?\(?(?:19|20)\d\d)")


class Known:
    """The known forms of somebody's name: every way in which it is written."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = names = tuple(searched_for_names(name).text for name in names if name.strip())
        spaced = [[word for word in WORD.findall(name) if not UNSPACED.search(word)] for name in names]
        # Words that are written with spaces between them, without particles.
        self.name_words = [tuple(word for word in own if word not in PARTICLES) for own in spaced]
        words = {word for own in self.name_words for word in own if len(word) > 1}
        pieces = {piece for word in words for piece in APART.split(word) if len(piece) > SHORT}
        pairs = (bare_of(one) + bare_of(other) for own in self.name_words for one, other in permutations(own, 2))
        self.spelt = {bare_of(word) for word in words | pieces} | {pair for pair in pairs if len(pair) > SHORT + 2}
        self.spelt |= {short for group in SHORT_NAMES if group & self.spelt for short in group if len(short) >= SHORT}
        self.sounds = {sound(word) for word in self.spelt if len(sound(word)) >= _SOUNDS_FROM}
        self.letters = frozenset("".join(self.spelt))
        self.initials = {latin(piece)[:1] for own in spaced for word in own for piece in APART.split(word) if piece}
        self.unspaced = _unspaced(names)
        particles = "|".join(sorted({re.escape(part) for name in names for part in _PARTICLE.findall(name)}))
        self.particles = re.compile(rf"(?<!\w)(?:(?:{particles})[ \t]+){{1,3}}$") if particles else None
        self.in_small_letters = _in_small_letters(self.name_words)
        self._kinds: dict[str, Kind | None] = {}

    def kind(self, word: str) -> Kind | None:
        """What else a word, as it is written, may mean if it is of the name; None if it is not."""
        if word not in self._kinds:
            self._kinds[word] = self._kind(word) if len(word) <= _LONGEST_WORD else None
        return self._kinds[word]

    def _kind(self, word: str) -> Kind | None:
        word = _POSSESSIVE.sub("", word)
        bare = bare_of(word)
        if bare not in self.spelt and not (word.istitle() and bare.endswith("s") and bare[:-1] in self.spelt):
            is_alike = len(bare) >= _SOUNDS_FROM + word[:1].islower() and sound(bare) in self.sounds
            if not is_alike or is_common(bare):
                # Of "Johnson-Lindenstrauss" (a thing) and "Vogel-Schmidt" (a name), the name.
                pieces = APART.split(word) if word[:1].isupper() else [word]
                kinds = [
                    kind for piece in pieces if len(piece) < len(word) and len(piece) > 1 and (kind := self.kind(piece))
                ]
                return "plain" if "plain" in kinds or (kinds and len(kinds) == len(pieces)) else None
        kind = kind_of(bare)
        may_be_small = kind != "word" and len(bare) > SHORT and not is_common(bare)
        return kind if may_be_small or not word[:1].islower() else None


def may_be_unspaced_name(word: str) -> bool:
    """Whether a word in Chinese, Japanese or Korean, or two, may be somebody's name."""
    signs = word.replace(" ", "")
    return len(signs) <= _LONGEST_UNSPACED and word.count(" ") <= 1 and not _IN_NO_NAME.search(word)


def _in_small_letters(word_lists: Iterable[tuple[str, ...]]) -> re.Pattern[str] | None:
    """Names of two words in small letters, "mei lin", unless both are ordinary words."""
    orders: set[str] = set()
    for words in word_lists:
        bare = [bare_of(word) for word in words]
        is_sure = len(words) == 2 and len("".join(words)) > SHORT + 2 and FUNCTION_WORDS.isdisjoint(bare)  # noqa: PLR2004
        if is_sure and not all(map(is_common, bare)):
            orders |= {r"[ \t\n]".join(order) for order in permutations(re.escape(word.lower()) for word in words)}
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(orders))})(?!\w)") if orders else None


def _unspaced(names: Iterable[str]) -> tuple[str, ...]:
    """Names in Chinese, Japanese and Korean, and the given name of them alone."""
    words = {word for name in names for word in WORD.findall(name) if UNSPACED.match(word)}
    joined = {"".join(name.split()) for name in names if all(map(UNSPACED.match, "".join(name.split())))}
    given = {word[1:] for word in words if len(word) == SHORT}
    return tuple(
        sorted((name for name in words | joined | given if len(name) > 1), key=lambda name: (-len(name), name))
    )


class _Own(NamedTuple):
    """A word of the text that is of the name."""

    start: int
    end: int
    kind: Kind


def places(text: str, known: Known, *, strict: bool = False) -> Iterator[Span]:
    """Where the name stands in a text as it is searched for names; `strict`: also where a method called like it may be
    meant.
    """
    own = _own_words(text, known)
    number = 0
    while number < len(own):
        last = number
        while last + 1 < len(own) and _BETWEEN.fullmatch(text[own[last].end : own[last + 1].start][:_LONGEST_BETWEEN]):
            last += 1
        for start, end in _of_run(text, own[number : last + 1], known, strict=strict):
            before = known.particles and known.particles.search(text, max(0, start - _LOOKS_AROUND), start)
            yield before.start() if before else start, end
        number = last + 1
    for name in known.unspaced:
        pattern = r"[ \t]?".join(map(re.escape, name))
        yield from (match.span() for match in re.finditer(pattern, text))
    if known.in_small_letters:
        yield from (match.span() for match in known.in_small_letters.finditer(text))
    for match in _BROKEN.finditer(text) if "-\n" in text else ():
        if known.kind(match.group().replace("-\n", "")) == "plain":
            yield match.span()


def _own_words(text: str, known: Known) -> list[_Own]:
    """The words of the name in a text, in order. A word that occurs several times is checked once."""
    kinds = {word: kind for word in set(WORD.findall(text)) if (kind := known.kind(word)) and not UNSPACED.search(word)}
    if not kinds:
        return []
    alternatives = "|".join(map(re.escape, sorted(kinds, key=len, reverse=True)))
    pattern = re.compile(rf"(?<![^\W\d_])(?:{alternatives})(?![^\W\d_]|[’'-][^\W\d_])")
    words = (_Own(match.start(), match.end(), kinds[match.group()]) for match in pattern.finditer(text))
    return [word for word in words if not _PART_OF_WORD.search(text, max(0, word.start - 2), word.start)]


def _of_run(text: str, run: list[_Own], known: Known, *, strict: bool) -> Iterator[Span]:
    start, end = _with_initials(text, run, known)
    is_alone = (start, end) == (run[0].start, run[-1].end)
    if len({text[word.start : word.end] for word in run}) > 1 or not is_alone:
        yield start, end
        return
    yield from ((word.start, word.end) for word in run if _is_meant(text, word, strict=strict))


def _with_initials(text: str, run: list[_Own], known: Known) -> Span:
    start, end = run[0].start, run[-1].end
    before = text[max(0, start - 24) : start].rpartition("\n")[2]
    plain = all(word.kind == "plain" for word in run)
    dotted, bare = _DOTTED_BEFORE.search(before), _BARE_BEFORE.search(before)
    if dotted and (plain or _are_own(dotted[0], known)):
        start -= len(dotted[0])
    elif bare and _are_own(bare[0], known) and (plain or bare[0] not in {"A ", "I "}):
        start -= len(bare[0])
    if behind := _DOTTED_BEHIND.match(text, end):
        if not behind["comma"] or _are_own(behind.group(), known):
            end = behind.end()
    elif (behind := _BARE_BEHIND.match(text, end)) and _are_own(behind["letters"], known):
        end = behind.end()
    return start, end


def _are_own(letters: str, known: Known) -> bool:
    small = small_letters(letters)
    return bool(small) and small[0] in known.initials and known.letters.issuperset(small)


def small_letters(letters: str) -> str:
    """The letters alone, small and Latin: "X.-Y." is "xy"."""
    return "".join(latin(letter) for letter in letters if letter.isalpha())


def _is_meant(text: str, word: _Own, *, strict: bool) -> bool:
    """Whether a word of the name that stands alone is the name here."""
    written = text[word.start : word.end]
    before = text[max(0, word.start - _LOOKS_AROUND) : word.start].rpartition("\n")[2]
    behind = text[word.end : word.end + _LOOKS_AROUND].partition("\n")[0]
    if not WORD.search(before) and not WORD.search(behind):
        return True
    is_acronym = written.isupper() and len(written) <= _ACRONYM and len(written) > 1
    if word.kind == "plain" and not is_acronym:
        return strict or not TECHNICAL_BEHIND.match(text, word.end)
    follows, last = _NEXT_WORD.match(behind), _LAST_WORD.search(before)
    next_word = follows[1] if follows else ""
    if _CITED.match(behind) or next_word in DEEDS:
        return True
    if word.kind == "eponym" and not is_acronym:
        is_noun = next_word[:1].islower() and next_word not in FUNCTION_WORDS
        return not (is_noun or next_word[:2].isupper() or re.match(r"[-–]\w|['’]s?[ \t]+[a-z]", behind))
    if last is None or last[1].casefold() in SAID_TO:
        return last is not None
    # Behind prose an ordinary word has no capital, as it has in a title or a longer name.
    is_title = next_word[:1].isupper() or bare_of(written) in TECHNOLOGIES or is_acronym
    is_prose = last[1].islower() or last[1].casefold() in FUNCTION_WORDS
    return strict and written[:1].isupper() and not is_title and is_prose


# The owner of a resume, as its head, a label or an address tells


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
_LONGEST_LINE = 200
_TOP_LINES = 8
_LOCAL = re.compile(r"(?<![\w.+-])[\w.+-]{2,64}(?=@\w)")
_HEADINGS = (
    "curriculum vitae resume résumé cv profile summary education research interests statement machine learning "
    "computer science systems skills experience about objective engineer student personal information"
)
_NOT_IN_NAMES = frozenset(_HEADINGS.split())
_TITLES = ("resume", "résumé", "curriculum vitae", "cv", "lebenslauf", "резюме", "简历", "个人简历", "履歴书", "이력서")
_OF_SECTIONS = frozenset(heading for heading in WORK | EDUCATION | OTHERS if UNSPACED.match(heading))
_ENGLISH_LABEL = r"(?:(?:full|first|last|given|family)[ \t]+names?|(?:sur|fore)?names?)(?:\(s\))?"
_LABELLED = re.compile(
    rf"(?im)^[ \t#*•|-]*(?P<label>{_ENGLISH_LABEL}(?:[ \t]*(?:and|&|/)[ \t]*{_ENGLISH_LABEL})?"
    r"|(?:nombres?|nome|nom)[ \t]+(?:y|e|et)[ \t]+(?:apellidos|cognome|prénom)|prénom|apellidos|nom|nombre|nome"
    r"|nama|namn|naam|имя|фио|الاسم|نام|שם|姓名|氏名|성명|이름)[ \t*]*[:：|][ \t*]*"
    rf"(?P<name>\S[^\n|,;*]{{0,59}}(?:,[ \t](?-i:{CAPITALISED}(?:[ \t]{CAPITALISED}){{0,2}})(?=[ \t]*(?:[|;\n]|$)))?)"
)
_SAID = re.compile(
    r"(?:[Mm]y (?:full )?name(?: is|[’']s)|[Jj]e m['’]appelle|[Mm]ein Name ist|[Ii]ch heiße|[Mm]e llamo)[ \t]"
    rf"(?P<name>(?:[A-Z]\.[ \t]?){{0,4}}{CAPITALISED}(?:[ \t]+(?:{PARTICLE}[ \t]+){{0,2}}"
    rf"(?:[A-Z]\.|{ATTACHED}{CAPITALISED})){{0,4}}|{_EAST_ASIAN})"
)
_I_AM = re.compile(
    rf"(?:(?<![\w.])I am|I['’]m|[Ii]ch bin|[Jj]e suis)[ \t](?P<name>{CAPITALISED}(?:[ \t]{CAPITALISED}){{1,3}})"
)
_AROUND_NAMES = re.compile(
    r"(?i)^(?:curriculum vitae|c\.?v\.?|r[ée]sum[ée]|lebenslauf)(?:[ \t]+(?:of|von|de|for|del|di))?[ \t]*[:–—-]?[ \t]+"
    r"|^(?:(?:ing|dr|prof|mr|mrs|ms|miss|dipl|eng|msc|bsc|phd|mag)\.?(?:-ing\.?)?[ \t]+)+"
    r"|,?[ \t]+(?:ph\.?[ \t]?d|[mb]\.?[ \t]?(?:sc|eng)|m\.?[ \t]?[asd]|mba|jr|sr|ii|iii)\.?$"
    r"|[ \t]*[\"“”„][^\"“”„]*[\"“”„]"
    r"|[ \t]*[(（'‘][^()（）'‘’]{1,20}[)）'’](?=[ \t]+(?-i:[^\W\d_a-z]))"
)
_CUT = re.compile(r"[ \t]*(?:[|•·/;:(（\[\t]|[ \t][-–—][ \t]|,[ \t](?=[a-zéñžшу0-9+(]|M\.?Sc|Ph\.?D))")


def names_in(text: str) -> Iterator[Span]:
    """The places of the owner's name in a resume as it is searched for names; the same place may occur twice."""
    owner_names = sorted(owners(text))
    for name in owner_names:
        whole = re.escape(name) if UNSPACED.match(name) else rf"(?<!\w){re.escape(name)}(?!\w)"
        yield from (match.span() for match in re.finditer(whole, text))
    if owner_names:
        yield from places(text, Known(owner_names))


def owners(text: str, *, surely: bool = False) -> set[str]:
    """The owner's name, as it is labelled, introduced, or stands at the top; `surely`: unless it may be a heading."""
    head = text[:_LONGEST_HEAD]
    # Behind "Surname / First name", both.
    labelled = (match["name"].replace("/", " " if "/" in match["label"] else "/") for match in _LABELLED.finditer(head))
    names = {_CUT.split(name.lstrip("|•· \t"))[0].strip() for name in labelled}
    names |= {match["name"] for match in _SAID.finditer(head)}
    names |= {match["name"] for match in _I_AM.finditer(head) if _is_of_people(match["name"])}
    lines = [bare for line in head.splitlines() if (bare := line.strip(_MARKUP))]
    is_titled = len(lines) > 1 and lines[0].casefold() in _TITLES
    names |= set(_heading(lines[is_titled])) if lines else set()
    # A name at the top that an address there is made of, as mei.lin@… of "Mei" and "Lin".
    parts = [bare_of("".join(PIECE.findall(part))) for part in _LOCAL.findall(head)]
    pairs = (f"{one} {two}" for one, two in pairwise(lines[:_TOP_LINES]) if one.isalpha() and two.isalpha())
    for line in (*lines[:_TOP_LINES], *pairs) if parts else ():
        piece = _CUT.split(_AROUND_NAMES.sub("", line[:_LONGEST_LINE]), maxsplit=1)[0].strip()
        own = {bare_of(word) for word in WORD.findall(piece)}
        is_name = len(own) > 1 and _NAME_LINE.fullmatch(piece.title() if piece.islower() else piece)
        names |= {piece} if is_name and any(sum(map(part.count, own)) > 1 for part in parts) else set()
    return {name for name in names if name and (not surely or UNSPACED.match(name) or _is_of_people(name))}


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
