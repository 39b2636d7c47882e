"""Names of people, and keys made from text."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.seeding.venues import has_venue

if TYPE_CHECKING:
    from collections.abc import Iterable

_KEY_LENGTH = 80
_HEAD_OF_A_KEY = 60
_DIGESTED = 400
_NAME_LENGTH = 80
_NAME_WORDS = 6
_INITIAL = 2
_SHORTEST_IN_CAPITALS = 4
_SIGNS_OF_NO_NAME = frozenset(':"“”@/()[]{}<>|=+!?_（）')
_SUFFIXES = frozenset(("Jr.", "Sr.", "St."))
# Marks of contributions and affiliations, also as superscripts.
_MARKS = re.compile(r"[*†‡§¶⁎∗⋆✝✉☆★♯♢◇∥‖#^⁺⁻⁰¹²³⁴-⁹ᵃᵇᶜᵈᵉᶠ]|(?<=\D)\d{1,2}$|(?<=\w)\s?&$|(?<=\w)\\$")
_MARK_BEHIND = re.compile(r"(?<=[^\W\d_])(?:\s?[&^#*†‡§¶])+(?=\s*(?:[,;]|\band\b|$))")
# A name in another script ("吴志明") or a nickname in brackets, and what an unbalanced bracket belongs to.
_BRACKETS = re.compile(r"\s*[(（\[][^()（）\[\]]*[)）\]]|^[^(（\[]*[)）\]]\s*|\s*[(（\[][^)）\]]*$")
_NATIVE_NAME = re.compile(r"\s*[(（]\s*[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af·\s]{2,12}\s*[)）]")
# The family names of nearly everybody who writes a name without spaces.
_CHINESE = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪"
    "范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤常温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂"
    "章鲁岳翟申欧耿关焦左柳甘祝包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲冉翁蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤时穆"
    "農司卓古吉缪简车项连芦麦褚娄窦戚岑景党宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师仇隋商张陳張劉楊黃趙吳孫馬鄭謝許韓馮"
)
_KOREAN = (
    "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민진나지엄채원천방공현"
    "함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용"
)
_EAST_ASIAN_NAME = re.compile(
    rf"[{_CHINESE}][\u3400-\u9fff]{{1,2}}|[\u3040-\u30ff\u3400-\u9fff]{{4,5}}|[{_KOREAN}][\uac00-\ud7af]{{1,2}}|"
    r"(?:남궁|황보|제갈|사공|선우|서문|독고)[\uac00-\ud7af]{2}"
)
# Words of sentences and of other parts of a citation.
_NO_WORD_OF_A_NAME = frozenset(
    """
    a an and are as at be but by for from has have he her his i if in is it its me my no not of on or our she so that
    the their them they this to was we were what when who will with you your vs via accepted appear submitted under
    The We With From This And Our Accepted Appear Submitted Under Alumni Current
    """.split()  # noqa: SIM905 - a table, not code
)
_TITLES = re.compile(
    r"(?i)^(?:(?:Prof|Professor|Dr(?:\.?\s?-Ing|\.\s?rer\.\s?nat|\.\s?habil)?|Mr|Ms|Mrs|Associate|Assistant|Asst|Assoc)\b\.?\s*)+"
)
_ET_AL = re.compile(r"[,;]?\s*(?:\band\s+)?(?:\bet\.?\s*al\b\.?|\band others\b|…|\.\.\.)\s*", re.IGNORECASE)
_SEPARATOR = re.compile(
    r"\s*[;,；，、]\s*(?:(?:and|et|und)\b|&)?\s*|\s+(?:and|et|und)\s+|\s+[ey]\s+(?=[A-Z])|\s+[|·•]\s+|\s*&\s*"
)
_BETWEEN_INVERTED = re.compile(r"\s*[;；]\s*(?:(?:and|et|und)\b|&)?\s*|,?\s+(?:and|et|und)\s+|,?\s*&\s*")
PARTICLES = frozenset(
    "al ap ben bin da de del della den der di do dos du el ibn la le ten ter van von zu".split()  # noqa: SIM905 - a list
)
# Any capital letter with a small one, in Latin, Greek and Cyrillic.
CAPITAL = f"[{''.join(letter for letter in map(chr, range(0x41, 0x1F00)) if letter.isupper())}]"
_INITIALS = re.compile(rf"(?:{CAPITAL}\.?[ -]?){{1,4}}")
_FAMILY_AND_INITIALS = re.compile(rf"([^\d,;]{{0,60}}(?!{CAPITAL})[^\W\d_]\S{{0,40}}) (?!II+$|IV$)({CAPITAL}{{1,3}})")
# Words that titles and venues have, and names of people do not.
_NO_NAME = re.compile(
    r"(?i)\b(?:towards?|learning|networks?|systems|databases?|models|languages|algorithms?|computing|programming|"
    r"applications|approach(?:es)?|using|efficient|scalable|distributed|parallel|robust|adaptive|optimal|neural|"
    r"graphs?|data|detection|recognition|prediction|inference|optimi[sz]ation|analysis|theory|generation|retrieval|"
    r"segmentation|estimation|reasoning|understanding|evaluation|processing|simulation|verification|synthesis|"
    r"(?:self|multi|cross|semi|real|large|high|low|end|non|zero|few)-[a-z]\w+|"
    r"\w+-(?:inspired|based|aware|driven|free|scale|level|time|efficient|preserving|agnostic|guided|supervised|shot)|"
    r"conference|journal|proceedings|transactions|symposium|workshop|letters|reviews?|communications|biology|physics|"
    r"chemistry|computers?|speech|language|software|information|security|awards?|spotlight|presentation|papers?|"
    r"publications?|sciences?|magazine|"
    r"(?:open )?positions?|openings?|vacanc\w*|hiring|wanted|apply|contact|universit\w*|institut\w*|colleges?|"
    r"departments?|academy|labs?|laborator\w*|group|team|cent(?:re|er)|school|faculty|homepage|home page|"
    r"website|welcome|cv|resume|bios?|profile|overview|vita|academic|hello|about|research\w*|professor|student|candidate|postdoc\w*|"
    r"engineer\w*|scientist|assistant|intern|fellow|master|bachelor|google|microsoft|amazon|computational|artificial|"
    r"intelligence|neuroscience|robotics|informatics|mathematics|"
    r"IEEE|ACM|USENIX|AAAI|arXiv|Elsevier)\b|作者|通讯|论文|期刊|会议|大学|学院|获奖|录用|检索|研究|学生|教师|成员|实验|"
    r"课题组|方向|兴趣|简介|课程|项目|新闻|联系|主页|招生|论坛|业|メンバー|教員|課程|연구|학과"
)


def slug(text: str) -> str:
    """A key for addresses and paths: lower-case ASCII words joined by "-", at most 80 characters.

    For text beyond ASCII (Chinese, Greek …), eight digits of a hash of the text keep keys distinct. Empty text gives
    "untitled".
    """
    plain = text.replace("'", "").replace("’", "")
    decomposed = unicodedata.normalize("NFKD", plain)
    ascii_text = decomposed.encode("ascii", "ignore").decode()
    words = re.findall(r"[a-z0-9]+", ascii_text.replace("++", " plus plus ").lower())
    lost = any(char.isalnum() and not char.isascii() for char in decomposed)
    mark = [hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]] if lost else []
    budget = _KEY_LENGTH - len("-".join(mark)) - bool(mark)
    ascii_slug = "-".join(words)
    if len(ascii_slug) > budget:
        ascii_slug = ascii_slug[: budget + 1].rpartition("-")[0] or ascii_slug[:budget]
    return "-".join([ascii_slug, *mark] if ascii_slug else mark) or "untitled"


def untitled_key(authors: tuple[str, ...], venue: str, year: int | None, abstract: str) -> str:
    """The key of a work without a title: first author, venue, year and a hash of what is printed."""
    content = " ".join([*authors, " ".join(abstract.casefold().split())[:_DIGESTED]])
    digest = hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()[:6]
    family = authors[0].split()[-1] if authors else ""
    return f"{slug(f'{family} {venue} {year or str()}')[:_HEAD_OF_A_KEY]}-{digest}"


def unique(key: str, used: Iterable[str]) -> str:
    """`key`, or `key-2`, `key-3` … if it is in use."""
    return Keys(used).give(key)


class Keys:
    """Hands out unique keys: "name", "name-2", "name-3"."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        self._used = set(used)
        self._next: Counter[str] = Counter()

    def give(self, key: str) -> str:
        """`key`, or the next free one with a number."""
        candidate = key
        while candidate in self._used:
            self._next[key] += 1
            candidate = f"{key}-{self._next[key] + 1}"
        self._used.add(candidate)
        return candidate


def without_marks(name: str) -> str:
    """A name without the marks of contributions and affiliations."""
    return " ".join(_MARKS.sub("", _MARK_BEHIND.sub("", name)).split())


def plain_name(text: str) -> str:
    """A person's name without titles, marks, remarks in brackets and punctuation; "Last, First" is inverted."""
    name = _BRACKETS.sub(" ", _MARKS.sub("", " ".join(text.split()).strip(" ,;:()[]")))
    name = _TITLES.sub("", " ".join(name.split()).strip(" ,;:()[]"))
    last, comma, first = name.partition(",")
    words = (f"{first.strip()} {last.strip()}" if comma and first.strip() else name).split()
    # "Henrik ROSSI": family names in capitals beside others that are not.
    mixed = any(re.search(r"[^\W\d_]", word) and not word.isupper() for word in words)
    return " ".join(_capitalised(word) if mixed else word for word in words)


def _capitalised(word: str) -> str:
    is_family = word.isupper() and len(word) >= _SHORTEST_IN_CAPITALS and word.isalpha() and not has_venue(word)
    return word[0] + word[1:].lower() if is_family else word


def why_no_name(text: str, *, may_be_group: bool = False) -> str:
    """The rule that a person's name breaks ("it has a digit"), "" for what may be a name, or that of a group."""
    words = text.split()
    sentence = {word.strip(".,'’") for word in words} & _NO_WORD_OF_A_NAME and len(words) > 1
    rules = (
        (not any(map(str.isalpha, text)), "it has no letter"),
        (any(map(str.isdigit, text)), "it has a digit"),
        (any(char in text for char in _SIGNS_OF_NO_NAME), "it has a bracket or a sign"),
        (has_venue(text), "it has a venue"),
        (not may_be_group and (len(text) > _NAME_LENGTH or len(words) > _NAME_WORDS), "it is too long for a name"),
        (not may_be_group and sentence, "it has words of a sentence"),
    )
    return next((reason for broken, reason in rules if broken), "")


def looks_like_name(text: str) -> bool:
    """Whether the text may be one person's name: two to six short words that begin like names."""
    words = text.split()
    if not words or why_no_name(text) or _NO_NAME.search(text):
        return False
    # "Li, Hong Xu. NSDI": a full stop ends a sentence, unless after an initial.
    stopped = (word for word in words[:-1] if word.endswith(".") and len(word) > _INITIAL and word not in _SUFFIXES)
    if not all(map(_INITIALS.fullmatch, stopped)):
        return False
    if not any(len(word.strip(".")) > 1 for word in words):
        return False
    if len(words) == 1:
        # Chinese, Japanese and Korean names have no spaces.
        return bool(_EAST_ASIAN_NAME.fullmatch(text))
    return all(word[0].isupper() or not word[0].isascii() or word.lower() in PARTICLES for word in words)


def split_authors(text: str) -> tuple[tuple[str, ...], bool]:
    """The authors of a list such as "A. One*, B. Two and C. Three et al.", and whether it is complete."""
    text = _MARK_BEHIND.sub("", _NATIVE_NAME.sub("", " ".join(text.split())))
    shortened = _ET_AL.sub(" ", text)
    parts = _inverted_names(shortened) or [part.strip(" .()[]") for part in _SEPARATOR.split(shortened.strip(" .,;:"))]
    # "A. Lee1,2": numbers of affiliations.
    parts = [part for part in parts if part and not re.fullmatch(r"[\d\W_]{1,2}", part)]
    if len(parts) > 1 and len(parts) % 2 == 0 and all(_INITIALS.fullmatch(part) for part in parts[1::2]):
        # "Wang, J., Lu, Y.": alternating family names and initials
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [f"{first}{'.' if f'{first}.' in text else ''} {last}" for last, first in pairs]
    elif (
        len(parts) > 1
        and _is_family_name(parts[0])
        and len(parts[1].split()) <= 2  # noqa: PLR2004 - given names
        and all(map(_is_part_of_a_name, parts[1].split()))
        and all(" " in part for part in parts[2:])
    ):
        # "Wang, Jing, Yan Lu and Bo Li": only the first person's family name comes first
        parts = [f"{parts[1]} {parts[0]}", *parts[2:]]
    elif parts and all(people := [_FAMILY_AND_INITIALS.fullmatch(_MARKS.sub("", part)) for part in parts]):
        # "Wang J, Lu YB"
        parts = [f"{' '.join(f'{letter}.' for letter in name[2])} {name[1]}" for name in people if name]
    names = tuple(name for name in map(plain_name, parts) if name)
    return names, shortened == text


def _inverted_names(text: str) -> list[str]:
    """The parts of "Wang, Jing; Lu, Yan" or "Wang, Jing and Lu, Yan"; empty in lists of another form."""
    parts = [part.strip(" ,;:()[]") for part in _BETWEEN_INVERTED.split(text.strip(" ,;:"))]
    parts = [part for part in parts if part]
    halves = [part.split(",") for part in parts]
    simple = sum(_is_family_name(half[0]) for half in halves)
    # Of people between semicolons, some may have a family name of two words.
    is_sure = simple == len(parts) > 1 or (";" in text and simple * 2 > len(parts) > 1)
    is_inverted = is_sure and all(len(half) == 2 for half in halves)  # noqa: PLR2004
    return [f"{half[1].strip()} {half[0].strip()}" for half in halves] if is_inverted else []


def _is_family_name(text: str) -> bool:
    """Whether a text may be a family name by itself, in Latin letters."""
    *particles, family = text.split() or [""]
    return _is_part_of_a_name(family) and all(word.lower() in PARTICLES and not word.isupper() for word in particles)


def _is_part_of_a_name(text: str) -> bool:
    return bool(re.fullmatch(r"[^\W\d_a-z][\w'’.-]*", text)) and not re.search(r"[\u3040-\u9fff]", text)


def are_names(text: str) -> bool:
    """Whether a text reads as a list of people: at least three of four parts may be names."""
    names, _ = split_authors(text)
    return bool(names) and sum(map(looks_like_name, names)) * 4 >= len(names) * 3


def without_accents(text: str) -> str:
    """The letters of a text without accents, in compatibility form."""
    return "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))


@lru_cache(maxsize=16_384)  # authors are compared with many applicants
def name_words(name: str) -> frozenset[str]:
    """The set of words of a name without accents and case: "Quincy Davis, Jared" equals "Jared Quincy Davis"."""
    return frozenset(re.findall(r"\w+", without_accents(name.casefold())))


def same_person(name: str, other: str) -> bool:
    """Whether two spellings may be the same person: the same words, or initials of them."""
    a, b = name_words(name), name_words(other)
    if not a or not b:
        return False
    if a == b:
        return True
    if len(a) < 2 or len(b) < 2 or not any(len(word) > 1 for word in a & b):  # noqa: PLR2004
        return False
    fewer, more = sorted((a - b, b - a), key=len)
    return all(any(_abbreviates(word, full) for full in more) for word in fewer) if fewer else len(a & b) > 1


def _abbreviates(word: str, other: str) -> bool:
    short, full = sorted((word, other), key=len)
    return len(short) == 1 and full.startswith(short)
