"""Classifies headings of a home page by the words academics use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from portal.seeding.records import MemberRole

SectionKind = Literal[
    "about",
    "interests",
    "openings",
    "members",
    "publications",
    "talks",
    "teaching",
    "education",
    "employment",
    "service",
    "awards",
    "news",
    "contact",
]

# The first match counts: "Teaching Experience" is teaching, "Prospective Students" are openings.
_KINDS: tuple[tuple[SectionKind, str], ...] = (
    ("openings", r"prospective|openings?\b|join (?:us|my|our)|vacanc|recruit|hiring|open positions?"),
    ("publications", r"publications?\b|\bpapers?\b|preprints?\b|manuscripts?\b|bibliography"),
    ("talks", r"\btalks?\b|presentations?\b|keynotes?\b|\btutorials?\b"),
    ("teaching", r"teaching|\bcourses?\b"),
    ("service", r"\bservices?\b|activities|review(?:er|ing)|committees?\b"),
    ("awards", r"awards?\b|honou?rs?\b|prizes?\b|fellowships?\b|scholarships?\b"),
    ("education", r"educations?\b"),
    ("employment", r"experiences?\b|employment|appointments?\b|internships?\b|career"),
    ("news", r"\bnews\b|updates?\b|announcements?\b|what's new"),
    ("interests", r"interests?\b|research (?:areas?|directions?|topics?|overview|statement|focus)|^research$"),
    (
        "members",
        (
            r"\bmembers?\b|\bpeople\b|\bstudents?\b|\bteam\b|post-?docs?\b|postdoctoral|alumni|\bmentees\b|\badvisees\b|"
            r"\bgroup\b|research assistants?\b|\bvisitors?\b|visiting|\binterns\b|\bcandidates?\b|\bresearchers\b|"
            r"principal investigator|\bfaculty\b"
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
    for kind, pattern in _COMPILED:
        if pattern.search(words):
            if kind != "members":
                return Topic(kind)
            role = next((role for role, role_words in _ROLES if role_words.search(words)), None)
            return Topic(kind, role, former=bool(_FORMER.search(words)))
    return None
