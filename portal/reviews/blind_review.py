"""Blind review: an applicant's identity is hidden from a reviewer until the reviewer's own scorecard is locked.

A setting of the lab (`LabReviewing.blind_first`) that applies to its leader and its reviewers alike. Abstaining does
not lift it. Whoever accepts the lab's offer is shown to all of them: nobody scores them any more, and they come.

Texts are redacted: name, address, school, place and gendered words become labels in brackets. Hidden is what the
matcher never reads (`portal.matching.redact`), and the parts of the person's name and e-mail address in any spelling.
Dates stay, except the date of birth. Redactions are computed in the background and stored, for one takes milliseconds
per 1,000 characters. A stored one is valid for the last submission, the account's name and address, and the rules it
was computed with. Without a valid one, the page of the applicant computes it, and the queue neither shows nor finds
what the applicant wrote.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlalchemy import and_, bindparam, exists, select

from portal import matching
from portal.applications.match_records import NEWEST_RECORD_ID, match_of
from portal.applications.states import READ_BY_LABS
from portal.applications.submissions import ALPHABET, IS_NEWEST
from portal.db import columns
from portal.matching import redact
from portal.matching.privacy.names import Known, owners, places
from portal.matching.privacy.searched import searched, searched_for_names
from portal.models import Application, Choice, Cycle, LabReviewing, MatchRecord, Redaction, Scorecard, Submission, User
from portal.models.user import called
from portal.reviews.further_names import further_names, other_places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.models import Lab

HALF = len(ALPHABET) ** 3  # numbers of three characters
ROUNDS = 4
CHOICES_AT_ONCE = 10_000  # choices in one statement; SQLite allows about three times as many values


class Shown(NamedTuple):
    """How a person is shown to a reviewer: a name or a pseudonym, and the e-mail address or None."""

    label: str
    email: str | None
    hidden: bool


# SQL conditions with `lab` and `reviewer` as bound parameters: whether the lab reviews blind first, and whether the
# applicant of a `Choice` is hidden from the reviewer.
BLIND = exists().where(LabReviewing.lab_id == bindparam("lab"), LabReviewing.blind_first.is_(True)).correlate(None)
_REVIEWED = (
    exists()
    .where(
        Scorecard.choice_id == Choice.id,
        Scorecard.reviewer_id == bindparam("reviewer"),
        Scorecard.locked_at.is_not(None),
        Scorecard.abstained.is_(False),
    )
    .correlate(Choice)
)
HIDDEN = and_(BLIND, ~_REVIEWED, Choice.state != "accepted")
_IS_BLIND = select(BLIND)
_IS_HIDDEN = select(HIDDEN).where(Choice.id == bindparam("choice"))
_SHOWN = (
    select(Choice.id, User.name, User.email, HIDDEN)
    .join(Application, Application.id == Choice.application_id)
    .join(User, User.id == Application.applicant_id)
    .where(Choice.id.in_(bindparam("choices", expanding=True)), Choice.lab_id == bindparam("lab"))
)


def shown_as(session: Session, lab: Lab, reviewer: User, choices: Iterable[Choice]) -> Mapping[int, Shown]:
    """How the applicants of `choices` are shown to the reviewer, by the choice's id. One statement."""
    ids = [choice.id for choice in choices]
    shown: dict[int, Shown] = {}
    for start in range(0, len(ids), CHOICES_AT_ONCE):
        values = {"lab": lab.id, "reviewer": reviewer.id, "choices": ids[start : start + CHOICES_AT_ONCE]}
        rows = columns(session, _SHOWN, values)
        shown.update(
            {choice_id: shown_person(choice_id, name, email, hidden) for choice_id, name, email, hidden in rows}
        )
    return shown


def shown_person(
    number: int,
    name: str,
    email: str,
    hidden: bool,  # noqa: FBT001  (a column of a row)
    kind: Literal["choice", "person"] = "choice",
) -> Shown:
    """How the applicant of the choice with this id is shown, or a person who has not chosen the lab."""
    if hidden:
        return Shown(pseudonym(kind, number), None, hidden=True)
    return Shown(called(name, email), email, hidden=False)


def is_hidden(session: Session, lab: Lab, reviewer: User, choice: Choice) -> bool:
    """Whether the applicant of one choice is hidden from the reviewer."""
    values = {"lab": lab.id, "reviewer": reviewer.id, "choice": choice.id}
    return bool(columns(session, _IS_HIDDEN, values).scalar())


def is_blind(session: Session, lab: Lab) -> bool:
    """Whether the lab reviews blind first."""
    return bool(columns(session, _IS_BLIND, {"lab": lab.id}).scalar())


@lru_cache(maxsize=16_384)
def pseudonym(kind: Literal["choice", "person"], number: int) -> str:
    """The pseudonym of a hidden applicant, such as "Applicant 7F3K-2Q", for a choice or for a person who has not chosen
    the lab: a permutation of all six-character codes, so that consecutive numbers look unlike and none collide.
    """
    high, low = divmod(number % HALF**2, HALF)
    for round_number in range(ROUNDS):
        digest = hashlib.sha256(f"{kind} {round_number} {low}".encode()).digest()
        high, low = low, (high + int.from_bytes(digest[:8])) % HALF
    characters = _code(high) + _code(low)
    return f"Applicant {characters[:4]}-{characters[4:]}"


def _code(number: int) -> str:
    size = len(ALPHABET)
    return "".join(ALPHABET[number // size**place % size] for place in (2, 1, 0))


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

_LABELLED = "[{}]".format
_LINE_END = "{:.0}\n".format


class Redactor:
    """Redacts a person's texts; `others` are further names, `found` are spans of before, by each text's digest."""

    __slots__ = ("_email", "_found", "_name", "others")

    def __init__(
        self,
        name: str,
        email: str,
        others: tuple[str, ...] = (),
        found: Mapping[str, Sequence[Hidden]] = MappingProxyType({}),
    ) -> None:
        self._name, self._email, self.others, self._found = name, email, others, found

    def hidden(self, text: str) -> Sequence[Hidden]:
        """What is hidden of a text: start, end and label, sorted and without overlaps."""
        stored = self._found.get(digest_of(text)) if self._found else None
        return _stretches(text, self._name, self._email, self.others) if stored is None else stored

    def redacted(self, text: str) -> str:
        """`text` with each hidden span replaced by its label, such as "[school]"."""
        return _shown(text, self.hidden(text), _LABELLED) if text else text

    def searchable(self, texts: Iterable[str]) -> str:
        """The searchable part of the texts, in lower case; hidden spans become line ends."""
        return "\n".join(_shown(text, self.hidden(text), _LINE_END) for text in texts).casefold()

    def term_identifies(self, term: str, via: str | None) -> bool:
        """Whether a term of a match, or the words it was added for, identifies the person."""
        return any(self.hidden(as_in_a_text(word)) for word in (term, via) if word)


def as_in_a_text(term: str) -> str:
    """A term after a word, as in a text: alone on a line, "Rust" would look like a signature."""
    return f"with {term}"


def digest_of(text: str) -> str:
    """The key under which the spans of a text are stored."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


@cache
def rules_in_use() -> str:
    """The version of the redaction rules: a digest of the files that define them."""
    digest = hashlib.blake2b(Path(__file__).read_bytes(), digest_size=16)
    for path in sorted(Path(matching.__file__).parent.rglob("*.*")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@lru_cache(maxsize=4096)
def other_names(texts: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Further names in a person's texts, so that each is also hidden in the other texts."""
    known = known_of(name)
    found_in = [searched_for_names(text).text for text in texts]
    names = (other for text in found_in for other in (*further_names(text, known), *owners(text, surely=True)))
    return tuple(sorted(set(names)))


@lru_cache(maxsize=1024)
def _stretches(text: str, name: str, email: str, others: tuple[str, ...]) -> tuple[Hidden, ...]:
    """What is hidden of a text, sorted and without overlaps. Caches the last texts."""
    return _joined(_found_in(text, name, email, others))


def _shown(text: str, hidden: Iterable[Hidden], replacement: Callable[[str], str]) -> str:
    """The text with each hidden span replaced by `replacement` of its label."""
    parts: list[str] = []
    position = 0
    for start, end, label in hidden:
        parts += (text[position:start], replacement(label))
        position = end
    parts.append(text[position:])
    return "".join(parts)


def _found_in(text: str, name: str, email: str, others: tuple[str, ...]) -> Iterator[Hidden]:
    for item in redact(text).removed:
        if item.reason != "date" and item.text.strip() and item.text.casefold() not in NEUTRAL:
            yield item.start, item.end, LABELS.get(item.reason, item.reason)
    seen = searched(text)
    for born in BORN.finditer(seen.text):
        yield *seen.span(*born.span()), "age"
    for pronouns in PRONOUNS.finditer(seen.text) if "/" in seen.text else ():
        yield *seen.span(*pronouns.span()), LABELS["gender"]
    for_names = searched_for_names(text)
    known = known_of(name, others)
    if names_here := further_names(for_names.text, known):
        known = known_of(name, (*others, *names_here))
    spans = places(for_names.text, known, strict=True)
    for span in (*spans, *other_places(for_names.text, known, email.split("@", 1)[0])):
        yield *for_names.span(*span), "name"


@lru_cache(maxsize=2048)
def known_of(name: str, others: tuple[str, ...] = ()) -> Known:
    """The known forms of a person's name: the account's, and `others` from texts."""
    return Known((name, *others))


def _joined(spans: Iterable[Hidden]) -> tuple[Hidden, ...]:
    """Sorted and without overlaps: overlapping spans are merged, adjacent ones of one kind too."""
    merged: list[Hidden] = []
    for start, end, label in sorted(spans):
        if merged and start <= merged[-1][1] + (label == merged[-1][2]):
            previous = merged[-1]
            merged[-1] = (previous[0], max(previous[1], end), previous[2])
        else:
            merged.append((start, end, label))
    return tuple(merged)


# An SQL condition on `Redaction`, `User` and `Submission`, with `rules` as a bound parameter: whether it is valid.
HOLDS = and_(
    Redaction.choice_id == Choice.id,
    Redaction.submission_id == Submission.id,
    Redaction.rules == bindparam("rules"),
    Redaction.name == User.name,
    Redaction.email == User.email,
)

_READ_BLIND = exists().where(LabReviewing.lab_id == Choice.lab_id, LabReviewing.blind_first.is_(True)).correlate(Choice)
_TO_REDACT = (
    select(Choice.id)
    .join(Application, Application.id == Choice.application_id)
    .join(User, User.id == Application.applicant_id)
    .join(Submission, IS_NEWEST)
    .where(
        Choice.listed_in_id.is_not(None),
        Application.state.in_(READ_BY_LABS),
        _READ_BLIND,
        ~exists()
        .where(HOLDS, Redaction.record_id.is_not_distinct_from(NEWEST_RECORD_ID))
        .correlate(Choice, Submission, User),
    )
    .order_by(Choice.id.desc())
    .limit(bindparam("at_most"))
)


_SUBMITTED = (
    select(Choice, User, Submission, MatchRecord, Cycle)
    .select_from(Choice)
    .join(Application, Application.id == Choice.application_id)
    .join(User, User.id == Application.applicant_id)
    .join(Submission, IS_NEWEST)
    .join(Cycle, Cycle.id == Application.cycle_id)
    .outerjoin(MatchRecord, MatchRecord.id == NEWEST_RECORD_ID)
    .where(Choice.id.in_(bindparam("choices", expanding=True)))
)


def choices_to_redact(session: Session, at_most: int) -> list[int]:
    """Choices that a lab reads blind without a valid stored redaction, newest first."""
    values = {"rules": rules_in_use(), "at_most": at_most}
    return [row[0] for row in columns(session, _TO_REDACT, values)]


def keep_redactions(session: Session, choices: Sequence[int]) -> None:
    """Compute and store the redactions for these choices. The caller commits."""
    # Compute all before writing: on SQLite, the first write blocks all other writers.
    redactions = [_redaction(*row) for row in session.execute(_SUBMITTED, {"choices": choices})]
    for redaction in redactions:
        session.merge(redaction)


def _redaction(
    choice: Choice, user: User, submission: Submission, record: MatchRecord | None, cycle: Cycle
) -> Redaction:
    answers = {key: str(answer) for key, answer in submission.answers.items()}
    stated = stated_texts(submission.interests, answers)
    resume = (submission.resume_text, submission.resume_hidden_text)
    redactor = Redactor(user.name, user.email, other_names((*stated, *resume), user.name))
    topics = [topic["text"] for topic in submission.interests.get("topics", ())]
    match = match_of(record) if record else None
    sentences = [item.mine for item in match.evidence] if match else []
    terms = [(term.term, term.via) for term in match.terms] if match else []
    words = [as_in_a_text(word) for term in terms for word in term if word]
    texts = dict.fromkeys(text for text in (*stated, *resume, choice.reason, *topics, *sentences, *words) if text)
    answers_to_questions = (answers.get(str(question["key"]), "") for question in cycle.questions)
    return Redaction(
        choice_id=choice.id,
        submission_id=submission.id,
        record_id=record.id if record else None,
        rules=rules_in_use(),
        name=user.name,
        email=user.email,
        other_names=list(redactor.others),
        hidden={digest_of(text): redactor.hidden(text) for text in texts},
        topics=[redactor.redacted(topic) for topic in topics],
        searchable=redactor.searchable(
            (submission.interests.get("statement", ""), choice.reason, *answers_to_questions)
        ),
    )


def stated_texts(interests: Mapping[str, Any], answers: Mapping[str, Any]) -> tuple[str, ...]:
    """The statement and the answers of a submission."""
    return (interests.get("statement", ""), *map(str, answers.values()))
