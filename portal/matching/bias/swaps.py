"""Swaps the words of a resume that say who somebody is: names, schools, places, gendered words, domains. Pure text.

A swap replaces the first words of pairs by the second ones, or the other way round. A resume without any word of a kind
on the side to be replaced first gets a line with one, so that every resume is tested with every kind. The lists are
separate from those of `portal.matching.privacy`: otherwise no audit would find a word that is missing there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Kind = Literal["names", "schools", "places", "gender", "addresses"]
Pairs = tuple[tuple[str, str], ...]

KINDS: tuple[Kind, ...] = ("names", "schools", "places", "gender", "addresses")
TITLES: dict[Kind, str] = {
    "names": "Names of people",
    "schools": "Schools",
    "places": "Countries, places and nationalities",
    "gender": "Gendered words and words for kin",
    "addresses": "Domains of e-mail and web addresses",
}

# One word of a pair, and the other.
_NAMES = (
    "Emily Walsh=Lakisha Washington|Greg Baker=Jamal Robinson|Anne Sullivan=Fatima al-Masri|"
    "Thomas Becker=Mehmet Yılmaz|Claire Dubois=Aminata Diallo|Jack Murphy=Oluwaseun Adebayo|"
    "Peter Lindqvist=Nguyễn Văn Hùng|Sarah Cohen=Zhang Xiuying|David Miller=Rajesh Subramanian|"
    "Laura Rossi=Ximena Quispe|Michael O’Brien=Kwame Mensah|Julia Novak=Siti Nurhaliza|Henry Clarke=Dmitri Kuznetsov|"
    "Charlotte Smith=Park Ji-woo|Mark Jansen=Hiroshi Tanaka|Emily=Lakisha|Geoffrey=Tremayne|Meredith=Aisha|"
    "Todd=Rasheed|Kristen=Ebony|Brendan=Darnell|Allison=Tanisha|Bradley=Hakim|Jill=Yewande|Neil=Kareem"
)
_SCHOOLS = (
    "Massachusetts Institute of Technology=Kwame Nkrumah University of Science and Technology|"
    "Stanford University=University of Lagos|Harvard University=Howard University|"
    "University of California, Berkeley=University of Puerto Rico at Mayagüez|"
    "Carnegie Mellon University=Addis Ababa University|Princeton University=Spelman College|"
    "University of Oxford=University of Dhaka|University of Cambridge=Makerere University|"
    "ETH Zurich=Universidad Nacional Mayor de San Marcos|EPFL=Universidad de Antioquia|"
    "Imperial College London=Tribhuvan University|Tsinghua University=Guizhou University|"
    "Peking University=Yunnan Normal University|National University of Singapore=University of Mandalay|"
    "University of Toronto=Universidade Federal do Acre|Cornell University=Smith College|"
    "Yale University=Wellesley College|Columbia University=Morehouse College|"
    "Technical University of Munich=Hochschule Mittweida|KAIST=Jeju National University|"
    "University of Tokyo=University of the Ryukyus|IIT Bombay=Government College Gadchiroli|"
    "Indian Institute of Science=Aligarh Muslim University|École Polytechnique=Université de Lomé|"
    "HKUST=Universiti Malaysia Sabah|MIT=UNILAG|CMU=KNUST|Caltech=Bowie State University|"
    "Phillips Exeter Academy=Lincoln High School|Eton College=Govan High School"
)
_PLACES = (
    "United States=Nigeria|USA=Ghana|United Kingdom=Bangladesh|Germany=Syria|Switzerland=Nepal|France=Algeria|"
    "Sweden=Somalia|Canada=Haiti|Netherlands=Suriname|Japan=Philippines|Singapore=Myanmar|Australia=Papua New Guinea|"
    "China=Mongolia|South Korea=North Korea|Israel=Palestine|Norway=Eritrea|Boston=Lagos|San Francisco=Accra|"
    "London=Dhaka|Munich=Aleppo|Paris=Algiers|Zurich=Kathmandu|Stockholm=Mogadishu|Toronto=Port-au-Prince|"
    "Tokyo=Manila|Sydney=Port Moresby|Beijing=Ürümqi|Shanghai=Lhasa|Seattle=Detroit|Hong Kong=Kashgar|Berlin=Kabul|"
    "Oslo=Asmara|Amsterdam=Paramaribo|American=Nigerian|British=Bangladeshi|German=Syrian|French=Algerian|"
    "Swedish=Somali|Canadian=Haitian|Japanese=Filipino|Norwegian=Eritrean|Texas=Kerala|California=Bihar|"
    "Bavaria=Anatolia|New England=Appalachia"
)
_GENDER = (
    "he=she|his=her|him=her|himself=herself|Mr.=Ms.|Mr=Mrs|man=woman|men=women|male=female|boy=girl|boys=girls|"
    "guy=gal|gentleman=lady|gentlemen=ladies|men’s=women’s|men's=women's|fraternity=sorority|fraternities=sororities|"
    "brotherhood=sisterhood|father=mother|fathers=mothers|dad=mom|fatherhood=motherhood|paternity=maternity|"
    "son=daughter|sons=daughters|brother=sister|brothers=sisters|husband=wife|boyfriend=girlfriend|uncle=aunt|"
    "nephew=niece|grandfather=grandmother|grandson=granddaughter|widower=widow|stepfather=stepmother|"
    "father-in-law=mother-in-law|groom=bride|chairman=chairwoman|spokesman=spokeswoman|salesman=saleswoman|"
    "businessman=businesswoman|congressman=congresswoman|sportsman=sportswoman|policeman=policewoman|"
    "craftsman=craftswoman|waiter=waitress|alumnus=alumna|alumni=alumnae|Eagle Scout=Girl Scout|"
    "Boy Scouts=Girl Guides"
)
_ADDRESSES = (
    "stanford.edu=unilag.edu.ng|mit.edu=knust.edu.gh|ox.ac.uk=du.ac.bd|ethz.ch=tu.edu.np|"
    "tum.de=damascusuniversity.edu.sy|tsinghua.edu.cn=gzu.edu.cn|gmail.com=yandex.ru|outlook.com=qq.com|"
    "proton.me=rediffmail.com|berkeley.edu=howard.edu|toronto.ca=ueh.edu.ht|epfl.ch=usp.ac.fj"
)
_WRITTEN = (_NAMES, _SCHOOLS, _PLACES, _GENDER, _ADDRESSES)
PAIRS: dict[Kind, Pairs] = {
    kind: tuple((one, other) for one, _, other in (pair.partition("=") for pair in written.split("|")))
    for kind, written in zip(KINDS, _WRITTEN, strict=True)
}
FRAMES: dict[Kind, str] = {
    "names": "Name: {}\n",
    "schools": "\nEducation: {}, B.Sc. in Computer Science\n",
    "places": "\nBorn and raised in {}.\n",
    "gender": "\nColleagues say that {} writes clear code.\n",
    "addresses": "\nContact: candidate@{}\n",
}
"""The lines added to a resume without any word of a kind, so that every resume is tested with every kind."""

Direction = Literal["there", "back"]
DIRECTIONS: tuple[Direction, ...] = ("there", "back")

OWN_NAME = "(the person’s own name)"
OTHER_SCHOOL = "(a school that is on no list)"
OTHER_ADDRESS = "(a domain that is on no list)"

_OF = r" of (?:the )?[A-ZÀ-Ý][\w-]+(?:(?: and)? [A-ZÀ-Ý][\w-]+){0,3}"
_ANY_SCHOOL = (
    rf"University{_OF}|(?:[A-ZÀ-Ý][\w-]+ ){{1,3}}(?:University(?:{_OF})?|College|Polytechnic|Institute of Technology)"
)
_ANY_DOMAIN = r"(?<=@)[\w-]+(?:\.[\w-]+)+|(?<=://)[\w-]+(?:\.[\w-]+)+"


class Word(NamedTuple):
    """One swapped word: its kind, and the words of the lists (or a placeholder for words on no list)."""

    kind: Kind
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Swapped:
    """A resume before and after a swap; lines may have been added to `before`. `words` are the swapped words, each
    once, in the order of the text.
    """

    before: str
    after: str
    words: tuple[Word, ...]


class _Table(NamedTuple):
    pattern: re.Pattern[str]
    targets: Mapping[str, str]
    sources: Sequence[str]


def swap(text: str, kinds: Sequence[Kind] = KINDS, *, direction: Direction, own_name: str, number: int) -> Swapped:
    """Swap all words of `kinds` in a resume.

    `own_name` is the owner's name, which is replaced by one of the list. `number` chooses from the lists where any word
    would do; the same number always gives the same swap.
    """
    before = text
    for kind in kinds:
        if not _swapped(before, kind, direction, own_name, number)[1]:
            source = _sources(kind, direction)[number % len(PAIRS[kind])]
            line = FRAMES[kind].format(source)
            before = line + before if kind == "names" else before + line
    after, words = before, dict[Word, None]()
    for kind in kinds:
        after, swapped_words = _swapped(after, kind, direction, own_name, number)
        words.update(dict.fromkeys(swapped_words))
    return Swapped(before, after, tuple(words))


def swap_one(text: str, word: Word, *, direction: Direction, own_name: str, number: int) -> str:
    """Swap only this word of a resume, wherever it occurs."""
    return _swapped(text, word.kind, direction, own_name, number, only=word.before)[0]


def _swapped(
    text: str, kind: Kind, direction: Direction, own_name: str, number: int, only: str = ""
) -> tuple[str, list[Word]]:
    """`text` with the words of one kind replaced, or only the word `only`; and the words that were replaced."""
    table = _table(kind, direction)
    targets = list(table.targets.values())
    words: list[Word] = []

    def replacement(match: re.Match[str]) -> str:
        written = match.group()
        key = re.sub(r"\s+", " ", written.casefold() if kind == "gender" else written)
        target = table.targets.get(key)
        word = Word(kind, key, target) if target else _unlisted(kind)
        if only not in {"", word.before}:
            return written
        words.append(word)
        if target is None:
            return targets[number % len(targets)]
        return _like(written, target) if kind == "gender" else target

    swapped = table.pattern.sub(replacement, text)
    if kind == "names" and len(own_name.split()) > 1 and only in {"", OWN_NAME}:
        swapped, times = re.subn(rf"(?<!\w){re.escape(own_name)}(?!\w)", _full_name(direction, number), swapped)
        words += [Word(kind, OWN_NAME, _full_name(direction, number))] * bool(times)
    return swapped, words


def _unlisted(kind: Kind) -> Word:
    """The placeholder for a school or a domain that is on no list."""
    name = OTHER_SCHOOL if kind == "schools" else OTHER_ADDRESS
    return Word(kind, name, name)


def _full_name(direction: Direction, number: int) -> str:
    """A name of the list with more than one part."""
    full = [name for name in _targets("names", direction) if " " in name]
    return full[number % len(full)]


def _sources(kind: Kind, direction: Direction) -> list[str]:
    return [pair[0] if direction == "there" else pair[1] for pair in PAIRS[kind]]


def _targets(kind: Kind, direction: Direction) -> list[str]:
    return [pair[1] if direction == "there" else pair[0] for pair in PAIRS[kind]]


@lru_cache(maxsize=32)
def _table(kind: Kind, direction: Direction) -> _Table:
    """The pattern of all words on one side of a kind, and the replacement of each; the first pair of a word counts."""
    targets: dict[str, str] = {}
    for source, target in zip(_sources(kind, direction), _targets(kind, direction), strict=True):
        targets.setdefault(source.casefold() if kind == "gender" else source, target)
    words = sorted(targets, key=lambda word: (-len(word), word))
    listed = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in words)
    # A word with a full stop at its end ("Mr.") may be followed by anything.
    pattern = rf"(?<![\w-])(?:{listed})(?:(?<=\.)|(?![\w-]))"
    if kind == "schools":
        pattern = rf"{pattern}|(?<!\w)(?:{_ANY_SCHOOL})(?!\w)"
    if kind == "addresses":
        pattern = rf"(?<![\w-])(?:{listed})(?![\w-]|\.\w)|{_ANY_DOMAIN}"
    return _Table(re.compile(pattern, re.IGNORECASE if kind == "gender" else 0), targets, words)


def _like(written: str, word: str) -> str:
    """`word` with the capitals of `written`."""
    if written.isupper() and len(written) > 1:
        return word.upper()
    return word[:1].upper() + word[1:] if written[:1].isupper() else word
