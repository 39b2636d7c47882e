"""What hides who somebody is in their own texts: name, address, school, place, gendered words, as labels in brackets.

What the matcher never reads is hidden (`portal.matching.redact`), and what is known of the person: the parts of the
name and of the e-mail address, however they are written. Dates stay, but for the day of birth.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.matching import redact
from portal.matching.person_known import Known
from portal.matching.person_owner import owners_of_people
from portal.matching.person_places import places
from portal.matching.person_told import told_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.models import User
    from portal.reviews.opened_values import Submitted

LABELS = {"address": "contact", "telephone": "contact", "gender": "…"}
BORN = re.compile(
    r"(?im)(?<!\w)(?:(?:date[ \t]of[ \t]birth|birth[ \t]?date|d\.?o\.?b\.?|born|birthday|geboren)"
    r"[^\n.;|\d]{0,30}\d[^\n;|,]{0,20}\d{0,4}|aged?[ \t]*[:：]?[ \t]*\d{1,2}(?!\w)"
    r"|(?:出生日期|出生年月|生日|年龄)[^\n]{0,20})"
)
PRONOUNS = re.compile(
    r"(?i)(?<!\w)(?:he|she|they|ze|xe|sie|er)"
    r"(?:[ \t]?/[ \t]?(?:him|her|hers|his|them|theirs?|they|she|he|ihr|ihm)){1,3}"
)
NEUTRAL = frozenset({"they", "them", "their", "theirs", "themself", "themselves"})

Hidden = tuple[int, int, str]
Span = tuple[int, int]


def redacted(text: str, user: User, others: tuple[str, ...] = ()) -> str:
    """`text` without what says who `user` is: each stretch is replaced by its kind, as in "[school]".

    `others` are the names that their other texts tell, as `other_names` finds them.
    """
    return redacted_of(text, user.name, user.email, others)


def names_in_submission(submission: Submitted, user: User) -> tuple[str, ...]:
    """The names beside the account's that what somebody submitted tells: former ones, in other scripts, nicknames."""
    stated = submission.interests.get("statement", "")
    answers = (str(answer) for answer in submission.answers.values())
    texts = (submission.resume_text, stated, submission.resume_hidden_text, *answers)
    return other_names(tuple(filter(None, texts)), user.name, user.email)


@lru_cache(maxsize=4096)
def other_names(texts: tuple[str, ...], name: str, email: str) -> tuple[str, ...]:
    """The names beside the account's that somebody's texts tell, so that each is hidden in the others as well."""
    known = known_of(name, email)
    told = (other for text in texts for other in (*told_beside(text, known), *owners_of_people(text)))
    return tuple(sorted(set(told)))


@lru_cache(maxsize=4096)
def searchable(texts: tuple[str, ...], name: str, email: str, others: tuple[str, ...] = ()) -> str:
    """What can be found in somebody's texts while they are hidden, in small letters. What was asked for last is kept:
    reading it costs a millisecond or two per thousand characters, and what was submitted does not change.
    """
    return "\n".join(_with_labels(text, _joined(_hidden(text, name, email, others))) for text in texts).casefold()


def redacted_of(text: str, name: str, email: str, others: tuple[str, ...] = ()) -> str:
    """`redacted`, by what is known of the person."""
    return _with_labels(text, _stretches(text, name, email, others))


def says_who(text: str, name: str, email: str, others: tuple[str, ...] = ()) -> bool:
    """Whether anything of `text` is hidden."""
    return bool(_stretches(text, name, email, others))


def redacted_with_spans(
    text: str, user: User, spans: Iterable[Span], others: tuple[str, ...] = ()
) -> tuple[str, list[Span]]:
    """`redacted`, and where those of the `spans` of `text` (rising) stand in it that nothing of is hidden."""
    hidden = _stretches(text, user.name, user.email, others)
    kept: list[Span] = []
    number = moved = 0
    for start, end in spans:
        while number < len(hidden) and hidden[number][1] <= start:
            before = hidden[number]
            moved += len(f"[{before[2]}]") - (before[1] - before[0])
            number += 1
        if number == len(hidden) or end <= hidden[number][0]:
            kept.append((start + moved, end + moved))
    return _with_labels(text, hidden), kept


@lru_cache(maxsize=1024)
def _stretches(text: str, name: str, email: str, others: tuple[str, ...]) -> tuple[Hidden, ...]:
    """What is hidden of a text, in order, without overlaps. The texts asked for last are kept."""
    return _joined(_hidden(text, name, email, others))


def _with_labels(text: str, hidden: Iterable[Hidden]) -> str:
    parts: list[str] = []
    position = 0
    for start, end, label in hidden:
        parts += (text[position:start], f"[{label}]")
        position = end
    parts.append(text[position:])
    return "".join(parts)


def _hidden(text: str, name: str, email: str, others: tuple[str, ...]) -> Iterator[Hidden]:
    for item in redact(text).removed:
        if item.reason != "date" and item.text.strip() and item.text.casefold() not in NEUTRAL:
            yield item.start, item.end, LABELS.get(item.reason, item.reason)
    for born in BORN.finditer(text):
        yield born.start(), born.end(), "age"
    for pronouns in PRONOUNS.finditer(text) if "/" in text else ():
        yield pronouns.start(), pronouns.end(), LABELS["gender"]
    known = known_of(name, email, others)
    here = told_beside(text, known)
    for start, end in places(text, known_of(name, email, (*others, *here)) if here else known, strict=True):
        yield start, end, "name"


@lru_cache(maxsize=2048)
def known_of(name: str, email: str, others: tuple[str, ...] = ()) -> Known:
    """What is known of a person's name: as the account has it, `others` that a text tells, the address."""
    return Known((name, *others), (email.split("@", 1)[0],))


def _joined(found: Iterable[Hidden]) -> tuple[Hidden, ...]:
    """In order and without overlaps: what begins within another belongs to it; two of a kind side by side are one."""
    kept: list[Hidden] = []
    for start, end, label in sorted(found):
        if kept and start <= kept[-1][1] + (label == kept[-1][2]):
            before = kept[-1]
            kept[-1] = (before[0], max(before[1], end), before[2])
        else:
            kept.append((start, end, label))
    return tuple(kept)
