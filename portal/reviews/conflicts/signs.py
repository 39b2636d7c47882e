"""Signs that a reviewer and an applicant may know each other: shared works, a name in the resume, one institution.

A sign is only a question to the reviewer. Each sentence says what was compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.labs.folding import folded_letters, folded_text
from portal.seeding.names import name_words, same_person

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from portal.seeding.records import LabRecord

LEAST_WORDS = 2  # words of a name; single words are too common
LEAST_UNSPACED = 3  # characters of a name without spaces, or of an institution's short name
LEAST_INSTITUTION = 6  # letters
# Hosts that give everybody an address
_PUBLIC = """
gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com icloud.com me.com mac.com
qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com aliyun.com 139.com proton.me protonmail.com
pm.me gmx.de gmx.net gmx.com web.de mail.ru yandex.ru yandex.com naver.com daum.net hanmail.net rediffmail.com
aol.com zoho.com fastmail.com tutanota.com mail.com posteo.de orange.fr free.fr laposte.net
"""
PUBLIC_MAIL = frozenset(_PUBLIC.split())
# Domains reserved for examples and tests (RFC 2606), such as those of the demo's people
_NOBODYS = (".example", ".test", ".invalid", ".localhost")
SECOND_LEVELS = frozenset({"ac", "edu", "co", "com", "gov", "net", "org", "go", "or", "ne", "res"})
_ADDRESS = re.compile(r"@(?<=[\w.+-]@)([\w-]+(?:\.[\w-]+)+)")  # the domain of an e-mail address


@dataclass(frozen=True, slots=True)
class Both:
    """The names and e-mail addresses of the two, and the text of the applicant's resume."""

    applicant_name: str
    applicant_email: str
    resume: str
    reviewer_name: str
    reviewer_email: str


def signs(both: Both, lab: LabRecord) -> Sequence[str]:
    """Each sign as a sentence to the reviewer. The sentences identify the applicant."""
    resume = folded_letters(both.resume)
    return [*_shared_works(both, lab), *_named_in_resume(both, resume), *_same_institution(both, resume, lab)]


def organisation(domain: str) -> str:
    """The registered part of a mail domain: "cs.ox.ac.uk" and "ox.ac.uk" give "ox.ac.uk"."""
    labels = domain.casefold().strip(".").split(".")
    has_second_level = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in SECOND_LEVELS  # noqa: PLR2004  (a country code)
    return ".".join(labels[-3:] if has_second_level else labels[-2:])


def _shared_works(both: Both, lab: LabRecord) -> Iterator[str]:
    if not _tells_apart(both.applicant_name):
        return
    shared = [
        (work.title or "a work without a title", _is_among(both.reviewer_name, work.authors))
        for work in lab.works
        if _is_among(both.applicant_name, work.authors)
    ]
    if not shared:
        return
    title, with_reviewer = max(shared, key=lambda work: work[1])
    others = f" and of {len(shared) - 1} more" if len(shared) > 1 else ""
    who = "You and the applicant are" if with_reviewer else "Somebody of the applicant’s name is"
    yield f"{who} among the authors of “{title}”{others}, published by this lab."


def _named_in_resume(both: Both, resume: str) -> Iterator[str]:
    if not _tells_apart(both.reviewer_name):
        return
    words = folded_text(both.reviewer_name).split()
    if len(words) == 1:
        named = words[0] in resume
    else:
        orders = (words, [*words[1:], words[0]], [words[-1], *words[:-1]])
        named = any(_stands_in(" ".join(order), resume) for order in orders)
    if named:
        yield "Your name stands in the applicant’s resume."


def _same_institution(both: Both, resume: str, lab: LabRecord) -> Iterator[str]:
    reviewer_domain = organisation(both.reviewer_email.rpartition("@")[2])
    applicant_domains = {
        organisation(domain) for domain in (both.applicant_email.rpartition("@")[2], *_domains_in(both.resume))
    }
    if reviewer_domain in applicant_domains - PUBLIC_MAIL and not reviewer_domain.endswith(_NOBODYS):
        yield f"You and the applicant have e-mail addresses of {reviewer_domain}."
    if any(_stands_in(name, resume) for name in _institution_names(lab.institution)):
        yield f"The applicant’s resume names {lab.institution}, where this lab is."


def _stands_in(words: str, resume: str) -> bool:
    """Whether a resume contains folded words. Compares letters first, since folding every resume is slow."""
    return all(word in resume for word in words.split()) and f" {words} " in f" {folded_text(resume)} "


def _institution_names(institution: str) -> Iterator[str]:
    """The names to search for: the full name, and a short name in brackets after it."""
    full, bracket, short = institution.partition("(")
    name = folded_text(full).removeprefix("the ")
    if len(name) >= LEAST_INSTITUTION:
        yield name
    short = short.strip(") ")
    if bracket and short.isupper() and len(short) >= LEAST_UNSPACED:
        yield folded_text(short)


def _domains_in(text: str) -> Iterable[str]:
    return _ADDRESS.findall(text)


def _is_among(name: str, authors: Iterable[str]) -> bool:
    return any(same_person(name, author) for author in authors)


def _tells_apart(name: str) -> bool:
    """Whether a name is long enough to search for."""
    words = [word for word in name_words(name) if len(word) > 1]
    return len(words) >= LEAST_WORDS or any(len(word) >= LEAST_UNSPACED and not word.isascii() for word in words)
