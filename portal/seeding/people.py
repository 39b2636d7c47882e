"""Texts about people: lists of names, lines of a member list, sentences of biographies."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from portal.seeding.headings import classify, names_people
from portal.seeding.names import looks_like_name, plain_name, slug
from portal.seeding.page_blocks import Block, Run, flat, part_of
from portal.seeding.records import MemberRecord, Origin
from portal.seeding.texts import SEASONS, TIME_SPAN, is_open_address, sentences

if TYPE_CHECKING:
    from portal.seeding.records import MemberRole


NAME = r"(?:[A-Z]\.|[A-Z][\w'’-]+)(?:\s+(?:[A-Z]\.|[A-Z][\w'’-]+|de|van|von|der|la|bin)){1,3}"
_DEGREE = (
    r"(?:Ph\.?\s?D|M\.?\s?Phil|M\.?\s?Sc|B\.?\s?Sc|M\.?\s?Eng|B\.?\s?Eng|M\.?S|B\.?S|M\.?A|B\.?A|B\.?E|M\.?E|"
    r"Bachelor|Master|Doctor)(?:'s|’s)?\.?"
)
_DEGREE_PART = re.compile(
    rf"(?i)^{_DEGREE}(?:\s*[,/&]\s*{_DEGREE})*\s*(?:@|\bfrom\b|\bat\b|\bin\b|,|\(|\s(?:19|20)\d{{2}}$|$)"
)
_BARE_DEGREE = re.compile(rf"^{_DEGREE}$", re.IGNORECASE)
_TERM = re.compile(rf"(?i)^(?:since\s+)?(?:{TIME_SPAN}|(?:19|20)\d{{2}}[\s-]*(?:{SEASONS}))$")
_CO = re.compile(r"(?i)\b(?:co-?(?:supervised|advised|mentored)|jointly (?:supervised|advised))\s+(?:with|by)\s+(.+)$")
_NOW = re.compile(
    r"(?i)^(?:(?:now|currently|(?:next|first) (?:position|job|employment|stop|step)|next|then|joined|went to)\b|"
    r"→|->|⇒|=>|current (?:affiliation|position|employer)|现(?:就职|任职)于?|去向|就职于|現職|현 소속)"
    r"\s*[:：]?\s*(?:at\s+)?(.+)$"
)
# "山田 太郎 教授"
_RANK_BEHIND = re.compile(
    r"^([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{1,4}(?:\s[\u3040-\u30ff\u3400-\u9fff]{1,4})?)\s+"
    r"((?:(?:准|助|副|特任|名誉|客員)?教授|助教|講師|讲师|研究[員员]|교수|박사|연구원)(?=\W|$))"
)
# "2022级博士": the year of entry and the degree.
_GRADE = re.compile(r"((?:19|20)\d{2})\s*级\s*(.*)")
_LEADS_THIS = re.compile(r"(?i)\b(?:director|leader|PI|principal investigator|head)\b|主任|负责人|组长|책임자|지도교수")
_RANK = re.compile(
    r"(?i)(?:\b(?:I am|I'm|I’m|is|as)\s+(?:currently\s+|now\s+)?(?:an?\s+|the\s+)?|,\s+(?:currently\s+)?an?\s+)"
    r"((?:(?:tenure[- ]track|tenured|associate|assistant|full|chair|research|visiting|distinguished|junior|senior|"
    r"presidential|young|endowed|adjunct|final[- ]year|(?:first|second|third|fourth|fifth)[- ]year|\w+-year)\s+)*"
    r"(?:professor|lecturer|reader|principal investigator|group leader|team leader|research scientist|"
    r"research fellow|post-?doc\w*(?:\s+(?:researcher|fellow|scholar))?|ph\.?\s?d\.?(?:\s+(?:student|candidate))|"
    r"doctoral\s+(?:student|candidate|researcher)|master(?:'s|’s)?\s+student|graduate student|"
    r"research assistant|visiting researcher|researcher))\b"
)
# "Assistant Professor, School of Computing, University of X": a line of a card, not a sentence.
_BARE_RANK = re.compile(
    r"(?i)^((?:(?:tenure[- ]track|associate|assistant|full|chair|research|visiting|distinguished|emeritus|adjunct)\s+)"
    r"{0,3}(?:professor|lecturer|reader|principal investigator))\b"
    r"(?=\s*(?:,|(?:of|in|at|department|school|faculty)\b|@|\.|$))"
)
_CARD = 4
_WORDS_OF_A_RANK = 5
_LEADING_RANK = re.compile(r"professor|lecturer|reader|principal investigator|leader", re.IGNORECASE)
_PROPER = r"[A-Z][\w'’-]*(?:\s+(?:of|and|for|&|de|[A-Z][\w'’-]*))*"
_PLACE_NAME = re.compile(rf"{_PROPER}(?:\s*\((?:[A-Z][\w-]*)\))?")
_INSTITUTION = re.compile(
    r"Universit|Institut\w* of (?:Technology|Science)|\bCollege\b|\bETH\b|EPFL|Polytechni|KAIST|\bMIT\b|Academy|Inria|"
    r"Max Planck|\bUC\s|HKUST|Institute$"
)
_DEPARTMENT = re.compile(r"^(?:[A-Z]\w+\s+)*(?:Department|School|Faculty|Division|Thrust|Laboratory|Dept)\b")
_ADVISER = re.compile(
    r"(?i)\b(?:under the (?:guidance|supervision|direction) of|(?<!was )(?<!were )(?<!been )"
    r"(?:co-)?(?:advised|supervised|mentored|guided) by|"
    r"my (?:advis[eo]r|supervisor) is|working with)\s+(?:my advis[eo]r\s+)?(?:Prof(?:\.|essor)?|Dr\.?)?\s*"
    rf"(?-i:({NAME}))|"
    # "in Prof. Bin Cui's group", "in the lab of Prof. Bin Cui"
    rf"\b(?:in|at|of|join(?:ed)?)\s+(?:Prof(?:\.|essor)?|Dr\.?)\s+(?-i:({NAME}?))['’]s?\s+(?:\w+\s+){{0,3}}(?:group|lab|team)|"
    rf"\b(?:group|lab|laboratory|team)\s+of\s+(?:Prof(?:\.|essor)?|Dr\.?)\s+(?-i:({NAME}))"
)
_LAB_NAME = (
    r"[A-Z][\w&'’-]*(?:\s+(?:of|and|for|&|on|[A-Z][\w&'’-]*)){0,7}\s+(?:Lab|Laboratory|Group|Center|Centre|Team)"
)
_LEADS = re.compile(
    r"(?i)\b(?:lead(?:ing|s)?|direct(?:ing|s)?|head(?:ing|s)?|found(?:ed|er of)|run(?:ning|s)?|director of|leader of|"
    rf"(?:PI|principal investigator) of)\s+(?:the\s+)?(?-i:({_LAB_NAME}))\b"
)
_SELF = re.compile(
    rf"\b(?:My name is|I am|I'm|I’m|This is)\s+(?:(?:Prof|Dr)\.?\s+)?({NAME})(?=\s*[,.!(]|\s+and\b|\s+from\b)"
)
_THIRD = re.compile(rf"^(?:(?:Prof(?:essor)?|Dr)\.?\s+)?({NAME})\s+(?:\([^()]*\)\s+)?(?:is|was|received|joined)\b")
_CITIES = (
    "Hong Kong", "Guangzhou", "Shenzhen", "Beijing", "Shanghai", "Hangzhou", "Nanjing", "Wuhan", "Hefei", "Harbin",
    "Tianjin", "Macau", "Taipei", "Singapore", "Tokyo", "Kyoto", "Osaka", "Seoul", "Zurich", "Zürich", "Lausanne",
    "Munich", "Berlin", "Paris", "London", "Oxford", "Cambridge", "Edinburgh", "Amsterdam", "Copenhagen", "Vienna",
    "Toronto", "Waterloo", "Montreal", "Vancouver", "Sydney", "Melbourne", "New York", "Chicago", "Boston",
)  # fmt: skip
_CITY_OF = {"Peking University": "Beijing", "Tsinghua University": "Beijing", "ETH Zurich": "Zurich"}


@dataclass(frozen=True, slots=True)
class Introduction:
    """What people say of themselves in a biography; empty where they do not."""

    name: str = ""
    rank: str = ""
    department: str = ""
    institution: str = ""
    adviser: str = ""
    lab_name: str = ""

    @property
    def leads(self) -> bool:
        """Whether the rank is one of people who lead labs."""
        return bool(self.lab_name) or bool(_LEADING_RANK.search(self.rank))


def read_member(page: str, entry: Block) -> MemberRecord | None:
    """The person of an entry such as "[Name](home) (2023-Fall, BS@X)"; "member" if it does not say the role."""
    text = _RANK_BEHIND.sub(r"\1, \2", entry.flat.translate({0xFF08: "(", 0xFF09: ")"}))
    links = [(label, href) for label, href in entry.links() if label]
    head = re.split(r"[(,:;|·–—]|\s-\s|→|->", text, maxsplit=1)[0]
    name = plain_name(head)
    if links and text.startswith(links[0][0]):
        name = plain_name(re.split(r"[(,]", links[0][0], maxsplit=1)[0])
    if not looks_like_name(name) or text.rstrip().endswith((":", "：")) or names_people(name):
        return None
    homepage = next((href for label, href in links if plain_name(label) == name and is_open_address(href)), "")
    rest = text[text.find(head) + len(head) :] if text.startswith(head) else ""
    person = MemberRecord(slug(name), name, "member", homepage=homepage, origins=(Origin(page, entry.line),))
    return _with_remarks(person, rest)


def _with_remarks(person: MemberRecord, rest: str) -> MemberRecord:
    degrees: list[str] = []
    others: list[str] = []
    for remark in _parts(rest):
        grade = _GRADE.match(remark)
        part = grade[2] if grade else remark
        co, went, said = _CO.search(part), _NOW.match(part), names_people(part)
        if grade:
            person = replace(person, term=person.term or grade[1])
        if co:
            person = replace(person, co_supervisor=plain_name(co[1]))
        elif went:
            person = replace(person, now=went[1].strip())
        elif _TERM.match(part):
            person = replace(person, term=person.term or part)
        elif _DEGREE_PART.match(part):
            degrees.append(part)
        elif _LEADS_THIS.search(part) and len(part.split()) <= _WORDS_OF_A_RANK:
            person = replace(person, role="leader")
        elif said is not None and not re.search(r"@|\bat\b", part):
            is_new = person.role == "member" and said.role not in (None, "leader")
            role = said.role if is_new and said.role else person.role
            person = replace(person, role=role, current=person.current and not said.former)
        elif not grade:
            others.append(part)
    # What stands behind a middle dot, after the role, is what people work on.
    interests = "; ".join(others) if "·" in rest else ""
    return replace(person, degrees=tuple(degrees), interests=interests)


def _parts(rest: str) -> list[str]:
    """The remarks after a name; "MS,BS@X" stays one."""
    pieces = [piece.strip(" .") for piece in re.split(r"[,;|·]|\s(?=→|->)|(?:^|\s)[()]|[()](?=[\s,.;]|$)", rest)]
    joined: list[str] = []
    for piece in (piece.strip("()–— ") for piece in pieces):
        if joined and _BARE_DEGREE.match(joined[-1]) and re.match(_DEGREE, piece, re.IGNORECASE):
            joined[-1] = f"{joined[-1]},{piece}"
        elif piece:
            joined.append(piece)
    return joined


def introduction(text: str) -> Introduction:
    """What a biography says in its first sentence with a rank, and whom it mentions as leader, advisee or otherwise."""
    text_sentences = sentences(" ".join(text.split()))
    ranked = next((sentence for sentence in text_sentences if _RANK.search(sentence)), "")
    rank = _RANK.search(ranked)
    if rank is None:
        ranked = next((sentence for sentence in text_sentences[:_CARD] if _BARE_RANK.match(sentence)), "")
        rank = _BARE_RANK.match(ranked)
    phrases = [match[0].strip() for match in _PLACE_NAME.finditer(ranked)]
    department = next(filter(_DEPARTMENT.match, phrases), "")
    at = text_sentences.index(ranked) if ranked else 0
    whole = " ".join(text_sentences)
    lab = _LEADS.search(whole)
    own = _SELF.search(whole) or (_THIRD.match(text_sentences[0]) if text_sentences else None)
    return Introduction(
        name=plain_name(own[1]) if own and not _INSTITUTION.search(own[1]) else "",
        rank=" ".join(rank[1].split()) if rank else "",
        department=department,
        institution=institution_in("; ".join(phrase for phrase in phrases if phrase != department)),
        adviser=adviser_in(" ".join(text_sentences[at : at + 3])) if ranked else "",
        lab_name=lab[1] if lab else "",
    )


def institution_in(text: str) -> str:
    """The first university or institute in a line ("" if none), with a following part in brackets."""
    for match in _PLACE_NAME.finditer(text):
        if _INSTITUTION.search(re.sub(r"\s*\(.*", "", match[0])):
            return re.sub(r"^The\s+", "", match[0])
    return ""


def adviser_in(text: str) -> str:
    """The adviser named in a line ("" if none)."""
    match = _ADVISER.search(text)
    return plain_name(match[1] or match[2] or match[3]) if match else ""


def place_of(institution: str) -> str:
    """The city in an institution's name ("" if none); a campus in brackets takes precedence."""
    campus = institution.partition("(")[2]
    for part in (campus, institution):
        for city in _CITIES:
            if city in part:
                return city
    return next((city for name, city in _CITY_OF.items() if name in institution), "")


def role_of_rank(rank: str) -> MemberRole:
    """The member role that corresponds to a person's stated rank."""
    topic = names_people(rank)
    return (topic and topic.role) or "member"


_LABEL = re.compile(r"\s*([^:：\n]{2,60})[:：]\s*(?=\S)")
_BETWEEN_PEOPLE = re.compile(r"\n|[,;，、；]\s{0,3}(?:(?:and\b|&)\s{0,3})?|\sand\s")
_REMARK = re.compile(r"\s*[(（].*$", re.DOTALL)
_WHICH = re.compile(r"current|present|former|past|graduated|incoming", re.IGNORECASE)
_WORDS_OF_A_LABEL = 5
_LONGEST_BUTTON = 3


def without_letters(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """A name without the letters beside it that are links ("Ann Lee [S] [G]")."""
    rest = tuple(run for run in runs if not run.href or len(run.text.strip("[]() ")) > _LONGEST_BUTTON)
    return rest if flat(rest) else runs


def people_in(block: Block) -> tuple[str, list[Block]]:
    """The label and the people of a paragraph such as "Ph.D. Students: A. Lee (2021), B. Kim".

    There are none if less than two of three parts are names, each perhaps with a remark in brackets.
    """
    text = "".join(run.text for run in block.runs)
    label = _LABEL.match(text)
    said = label[1].strip() if label else ""
    if not _WHICH.fullmatch(said) and (names_people(said) is None or len(said.split()) > _WORDS_OF_A_LABEL):
        label = None
    start = label.end() if label else 0
    places = [start]
    for mark in _BETWEEN_PEOPLE.finditer(text, start):
        before = text[start : mark.start()]
        if sum(map(before.count, "(（")) <= sum(map(before.count, ")）")):
            places += [mark.start(), mark.end()]
    runs = [part_of(block.runs, first, last) for first, last in pairwise([*places, len(text)])][::2]
    people = [Block("entry", block.line, part) for part in runs if flat(part)]
    is_list = label or (block.kind == "paragraph" and len(people) > 1)
    if not is_list or sum(is_person(person.flat) for person in people) * 3 < len(people) * 2:
        return "", []
    return said if label else "", people


def is_person(text: str) -> bool:
    """Whether a text is a person's name, perhaps with a remark in brackets behind it, and no heading."""
    name = plain_name(_REMARK.sub("", text.strip()))
    return looks_like_name(name) and classify(name) is None
