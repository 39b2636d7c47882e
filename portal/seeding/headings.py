"""Classifies headings of a home page, in English and other languages, by the words academics use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from portal.seeding.records import MemberRole

SectionKind = Literal[
    "about", "interests", "openings", "members", "publications", "talk", "course", "education", "employment",
    "service", "award", "news", "contact",
]  # fmt: skip

# The first match counts: "Teaching Experience" is teaching, "Prospective Students" are openings.
_KINDS: tuple[tuple[SectionKind, str], ...] = (
    ("openings", r"prospective|openings?\b|join (?:us|my|our)|vacanc|recruit|hiring|open positions?"),
    ("publications", r"publications?\b|\bpapers?\b|preprints?\b|manuscripts?\b|bibliography"),
    ("talk", r"\btalks?\b|presentations?\b|keynotes?\b|\btutorials?\b"),
    ("course", r"teaching|\bcourses?\b"),
    ("service", r"\bservices?\b|activities|review(?:er|ing)|committees?\b"),
    ("award", r"awards?\b|honou?rs?\b|prizes?\b|fellowships?\b|scholarships?\b"),
    ("education", r"educations?\b"),
    ("employment", r"experiences?\b|employment|appointments?\b|internships?\b|career"),
    ("news", r"\bnews\b|updates?\b|announcements?\b|what's new"),
    ("interests", r"interests?\b|research (?:areas?|directions?|topics?|overview|statement|focus)|^research$"),
    (
        "members",
        (
            r"\bmembers?\b|\bpeople\b|\bstudents?\b|\bteam\b|post-?docs?\b|postdoctoral|alumni|\bmentees\b|\badvisees\b|"
            r"\bgroup\b|research assistants?\b|\bvisitors?\b|visiting|\binterns\b|\bcandidates?\b|\bresearchers\b|"
            r"\bscholars\b|principal investigator|\bfaculty\b|\bstaff\b|^(?:lab )?(?:pi|director|leader|head)s?$"
        ),
    ),
    ("contact", r"\bcontact\b"),
    ("about", r"\babout\b|\bbio(?:s|graphy|sketch)?\b|introduction|\bwelcome\b|\bhi\b|\bhello\b"),
)
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _KINDS)
_ROLES: tuple[tuple[MemberRole, re.Pattern[str]], ...] = (
    (
        "phd_student",
        re.compile(r"\bph\.? ?d|(?<!post)(?<!post[- ])doctoral (?:student|candidate|researcher)|\bdoctorate"),
    ),
    ("mphil_student", re.compile(r"\bm\.? ?phil|\bmaster|\bm\.? ?sc\b|\bms students?")),
    ("research_assistant", re.compile(r"research (?:assistant|associate|engineer|staff)|\bras?\b")),
    ("visiting", re.compile(r"\bvisit|\bintern")),
    ("leader", re.compile(r"principal investigator|\bfaculty\b|\bleader\b|\bpi\b|\bdirector\b")),
)
# In Chinese, Japanese, Korean and German: the first match counts, too.
_IN_ENGLISH: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (english, re.compile(words))
    for english, words in (
        ("Openings", r"招生|招聘|加入我们|모집|募集|offene stellen|stellenangebote"),
        ("Postdocs", r"博士后|博士研究員|박사\s?후|ポスドク|postdoktorand"),
        ("Principal Investigator", r"^leitung\b|lehrstuhlinhaber|负责人|课题组长|实验室主任|연구책임자|지도교수"),
        ("Alumni", r"毕业|校友|卒業|修了生|졸업|동문|ehemalige"),
        ("PhD Students", r"^博士$|博士(?:研究)?生|(?:级|在读)博士|博士(?:后期)?課程|博士後期|박사|doktorand"),
        ("Master Students", r"硕士|修士|博士前期|석사|masterstudierende|masterand"),
        ("Faculty", r"教师|教员|教員|导师|教授|교수|スタッフ|professor(?:inn)?en\b"),
        (
            "Publications",
            r"论文|论著|发表|出版|著作|学术成果|研究成果|論文|業績|논문|출판|publikation|veröffentlichung",
        ),
        (
            "Interests",
            r"研究(?:方向|兴趣|领域|內容|内容|分野)|연구\s?(?:분야|관심)|forschungs(?:interessen|schwerpunkt|gebiet)",
        ),
        (
            "Members",
            r"学生|研究生|成员|团队|课题组|組員|本科生|メンバー|구성원|연구원|학생|멤버|학부|mitarbeiter|arbeitsgruppe",
        ),
        ("Teaching", r"教学|课程|授課|授業|강의|lehre\b|lehrveranstaltung"),
        ("News", r"新闻|动态|最新|消息|お知らせ|ニュース|소식|공지|aktuelles|neuigkeiten"),
        ("Education", r"教育(?:背景|经历)|学习经历|学历|学歴|학력|ausbildung|werdegang"),
        ("Experience", r"工作(?:经历|经验)|任职|経歴|職歴|경력|berufserfahrung"),
        ("Awards", r"获奖|奖励|荣誉|奖项|受賞|수상|auszeichnung|preise\b"),
        ("Service", r"学术(?:服务|兼职|活动)|社会兼职|gutachter"),
        ("Contact", r"联系(?:方式|我)|連絡先|연락처|kontakt"),
        ("About", r"个人(?:简介|简历)|简介|关于我|自己紹介|プロフィール|소개|über mich|zur person"),
    )
)
# The full stops of degrees, which end no sentence.
DEGREES = re.compile(r"\b(?:Ph\.\s?D|M\.\s?S(?:c)?|B\.\s?S(?:c)?|M\.\s?Phil|M\.\s?Eng|B\.\s?A|M\.\s?A)\.?")
_FORMER = re.compile(r"alumni|alumnus|alumna|former|\bpast\b|graduated|previous")
_HEADING_LENGTH = 80


@dataclass(frozen=True, slots=True)
class Topic:
    """The topic of a section; for lists of people also the `role` and whether they are `former` members."""

    kind: SectionKind
    role: MemberRole | None = None
    former: bool = False


def classify(heading: str) -> Topic | None:
    """The topic of a heading, or None if it has none of the known words."""
    words = re.sub(r"[^\w\s.&'-]+", " ", heading.casefold()).strip()
    if not words or len(words) > _HEADING_LENGTH:
        return None
    for said in (words, next((english.casefold() for english, known in _IN_ENGLISH if known.search(words)), "")):
        kind = next((kind for kind, pattern in _COMPILED if said and pattern.search(said)), None)
        if kind == "members":
            role = next((role for role, role_words in _ROLES if role_words.search(said)), None)
            return Topic(kind, role, former=bool(_FORMER.search(said)))
        if kind is not None:
            return Topic(kind)
    return None


def names_people(text: str) -> Topic | None:
    """The topic of a text that says what people are ("Ph.D. student", "博士生"); None if it says nothing of this."""
    topic = classify(text)
    return topic if topic is not None and topic.kind == "members" else None
