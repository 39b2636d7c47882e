"""Writes conflicts of interest: declared, dismissed, withdrawn, each with an audit entry.

A conflict is between two people and applies in every lab that the reviewer reads for. It takes effect at once: the
reviewer cannot open or move the applicant's choices. The reviewer's draft is kept, hidden and not counted, and returns
if the conflict is withdrawn, so a mistake costs nothing. A locked card is neither shown nor counted during the
conflict.

An administrator can declare one for a reviewer, who is notified and cannot withdraw it: only administrators can.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import bindparam, exists, select

from portal import audit, mail
from portal.applications.locks import lock_person
from portal.applications.people import keeps_out
from portal.applications.states import OPEN_CHOICE, READ_BY_LABS
from portal.db import columns
from portal.labs.queries import leads, profile_of
from portal.labs.texts import folded_letters, folded_text
from portal.models import Application, Choice, Conflict, Cycle, Lab, LabProfessor, Role, User
from portal.models.user import ADMIN, called
from portal.reviews.blind_review import shown_as
from portal.reviews.choice_snapshot import snapshot_of
from portal.seeding.names import name_words, same_person

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.reviews.blind_review import Shown
    from portal.reviews.choice_snapshot import ChoiceSnapshot
    from portal.seeding.records import LabRecord

LONGEST_REASON = 1_000  # characters
BY_ADMINISTRATOR = "An administrator declared this conflict. Write to them if there is none; they can take it back."
THEIRS = "The reviewer declared this conflict. Only they can take it back."


class ConflictRefused(Exception):
    """A rule forbids it; the message is the reason. Nothing was written."""


def declare(
    session: Session, applicant: User, reviewer: User, *, reason: str, now: datetime, admin: User | None = None
) -> bool:
    """Declare a conflict of interest of the reviewer with the applicant; False if it is already declared.

    The reviewer declares it, or `admin` does for them.

    Side effects: writes an audit entry; notifies the reviewer if an administrator declared it, and the administrators
    if a lab has nobody left to read an open choice of the applicant.

    Raises:
        ConflictRefused: There is no reason, or it is too long.
    """
    _ensure_reason(reason, "Say in a few words what the conflict is.")
    if not _write(session, applicant, reviewer, "declared", reason, now, admin):
        return False
    if admin is not None:
        _tell_reviewer(session, applicant, reviewer, "declared", now)
    _tell_where_nobody_is_left(session, applicant, reviewer, now)
    return True


def dismiss(session: Session, applicant: User, reviewer: User, *, now: datetime) -> bool:
    """Dismiss a suggested conflict, as the reviewer; False if one is declared, or was already dismissed."""
    current = conflict_between(session, applicant, reviewer)
    if current is not None and current.state == "declared":
        return False
    return _write(session, applicant, reviewer, "dismissed", "", now, None)


def take_back(
    session: Session, applicant: User, reviewer: User, *, reason: str, now: datetime, admin: User | None = None
) -> bool:
    """Withdraw a conflict, as the reviewer or administrator who declared it; False if none is declared.

    Raises:
        ConflictRefused: The other of the two declared it, there is no reason, or it is too long.
    """
    _ensure_reason(reason, "Say why there is no conflict after all.")
    current = conflict_between(session, applicant, reviewer)
    if current is None or current.state != "declared":
        return False
    if current.by_administrator != (admin is not None):
        raise ConflictRefused(THEIRS if admin is not None else BY_ADMINISTRATOR)
    if not _write(session, applicant, reviewer, "dismissed", reason, now, admin):
        return False
    if admin is not None:
        _tell_reviewer(session, applicant, reviewer, "taken back", now)
    return True


_BETWEEN = (
    select(Conflict)
    .where(Conflict.applicant_id == bindparam("applicant"), Conflict.reviewer_id == bindparam("reviewer"))
    .execution_options(populate_existing=True)
)


def conflict_between(session: Session, applicant: User, reviewer: User) -> Conflict | None:
    """The stored conflict between the two."""
    return session.scalar(_BETWEEN, {"applicant": applicant.id, "reviewer": reviewer.id})


def _write(
    session: Session, applicant: User, reviewer: User, state: str, reason: str, now: datetime, admin: User | None
) -> bool:
    lock_person(session, reviewer)
    conflict = conflict_between(session, applicant, reviewer)
    before = {"state": conflict.state, "reason": conflict.reason} if conflict else None
    if conflict is not None and conflict.state == state:
        return False
    if conflict is None:
        conflict = Conflict(reviewer_id=reviewer.id, applicant_id=applicant.id)
        session.add(conflict)
    conflict.state, conflict.reason, conflict.changed_at = state, reason.strip(), now
    conflict.declared_by_id = (admin or reviewer).id if state == "declared" else None
    conflict.by_administrator = state == "declared" and admin is not None
    audit.record(
        session,
        actor=admin or reviewer,
        act=f"conflict.{state}",
        object_type="conflict",
        object_key=f"{reviewer.id}/{applicant.id}",
        now=now,
        before=before,
        after={"state": state, "reason": conflict.reason},
    )
    session.flush()
    return True


def _ensure_reason(reason: str, missing: str) -> None:
    if not reason.strip():
        raise ConflictRefused(missing)
    if len(reason.strip()) > LONGEST_REASON:
        raise ConflictRefused(f"Keep the reason to {LONGEST_REASON:,} characters; it has {len(reason.strip()):,}.")


def _tell_reviewer(session: Session, applicant: User, reviewer: User, outcome: str, now: datetime) -> None:
    """Notify the reviewer of a conflict without naming the applicant, whom the page shows as the lab does."""
    chosen = (
        select(Choice.lab_id)
        .join(Application, Application.id == Choice.application_id)
        .where(Application.applicant_id == applicant.id, Application.state.in_(READ_BY_LABS))
    )
    labs = session.scalars(
        select(Lab)
        .join(LabProfessor, LabProfessor.lab_id == Lab.id)
        .where(Lab.id.in_(chosen), LabProfessor.user_id == reviewer.id)
        .order_by(Lab.id)
    )
    for lab in labs:
        mail.tell(
            session,
            reviewer,
            "conflict_of_yours",
            {"lab": lab.name, "outcome": outcome},
            now=now,
            path=f"/reviews/{lab.slug}/conflicts",
            dedupe=f"conflict:{applicant.id}:{lab.id}:{outcome}:{now.isoformat()}",
        )


def _tell_where_nobody_is_left(session: Session, applicant: User, reviewer: User, now: datetime) -> None:
    reads = exists().where(LabProfessor.lab_id == Choice.lab_id, LabProfessor.user_id == reviewer.id)
    others_read = exists().where(
        LabProfessor.lab_id == Choice.lab_id,
        LabProfessor.user_id == User.id,
        User.active.is_(True),
        ~keeps_out(LabProfessor.user_id, applicant.id),
    )
    rows = session.execute(
        select(Choice.id, Lab, Cycle)
        .join(Application, Application.id == Choice.application_id)
        .join(Cycle, Cycle.id == Application.cycle_id)
        .join(Lab, Lab.id == Choice.lab_id)
        .where(
            Application.applicant_id == applicant.id,
            Application.state == "eligible",
            Cycle.closed_at.is_(None),
            Choice.state.in_(OPEN_CHOICE),
            reads,
            ~others_read,
        )
        .order_by(Choice.id)
    )
    admins = session.scalars(select(User).where(User.active.is_(True), User.roles.any(Role.name == ADMIN))).all()
    for choice_id, lab, cycle in rows:
        for admin in admins:
            mail.tell(
                session,
                admin,
                "nobody_to_review",
                {"cycle": cycle.name, "lab": lab.name},
                now=now,
                path=f"/admin/labs/{lab.slug}",
                dedupe=f"choice:{choice_id}:nobody-to-review:{now.isoformat()}",
            )


LEAST_WORDS = 2  # words of a name; single words are too common
LEAST_UNSPACED = 3  # characters of a name without spaces
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
    return [*_shared_works(both, lab), *_named_in_resume(both, resume), *_same_institution(both)]


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


def _same_institution(both: Both) -> Iterator[str]:
    reviewer_domain = organisation(both.reviewer_email.rpartition("@")[2])
    applicant_domains = {
        organisation(domain) for domain in (both.applicant_email.rpartition("@")[2], *_ADDRESS.findall(both.resume))
    }
    if reviewer_domain in applicant_domains - PUBLIC_MAIL and not reviewer_domain.endswith(_NOBODYS):
        yield f"You and the applicant have e-mail addresses of {reviewer_domain}."


def _stands_in(words: str, resume: str) -> bool:
    """Whether a resume contains folded words. Compares letters first, since folding every resume is slow."""
    return all(word in resume for word in words.split()) and f" {words} " in f" {folded_text(resume)} "


def _is_among(name: str, authors: Iterable[str]) -> bool:
    return any(same_person(name, author) for author in authors)


def _tells_apart(name: str) -> bool:
    """Whether a name is long enough to search for."""
    words = [word for word in name_words(name) if len(word) > 1]
    return len(words) >= LEAST_WORDS or any(len(word) >= LEAST_UNSPACED and not word.isascii() for word in words)


BLIND_SIGN = (
    "The portal found a sign that you and this applicant know each other, such as a shared work or institution. "
    "It does not say which, because your lab reviews blind first."
)
MOST_PROFILES = 64  # profiles cached per process
_PROFILES: dict[tuple[object, ...], LabRecord] = {}


class ConflictedReader(NamedTuple):
    """Who declared a conflict: the account and its displayed name."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class ConflictPanel:
    """A reviewer's conflict with the applicant of a choice, for templates/reviews/_conflict.html.

    `state` is "" for none, "suggested", "declared" or "dismissed". `signs` are sentences, only for a suggested one.
    `others` are the names of other readers of the lab with a conflict, shown to leaders only. An administrator's reason
    is not shown as `reason`: it may identify a hidden applicant.
    """

    slug: str
    choice_id: int
    state: str
    reason: str
    changed_at: datetime | None
    signs: tuple[str, ...]
    others: tuple[str, ...]
    by_administrator: bool


def conflict_panel(
    session: Session, lab: Lab, choice: Choice, reviewer: User, snapshot: ChoiceSnapshot | None = None
) -> ConflictPanel:
    """The panel. Signs that were never stored are looked for, and suggested until the reviewer answers.

    `snapshot` is the choice as it was opened for the reviewer, if the caller has it.
    """
    snapshot = snapshot or snapshot_of(session, lab, choice, reviewer)
    stored = snapshot.conflict
    state = stored.state if stored else ""
    suggested: Sequence[str] = ()
    if stored is None or stored.state == "suggested":
        suggested = _signs(session, lab, choice, reviewer, snapshot)
        if not suggested and stored is not None:
            suggested = [BLIND_SIGN if snapshot.hidden else stored.reason]
        state = "suggested" if suggested else ""
    shows_others = snapshot.kept_out and leads(session, reviewer, lab)
    others = keeping_out(session, lab, [choice]).get(choice.id, ()) if shows_others else ()
    return ConflictPanel(
        slug=lab.slug,
        choice_id=choice.id,
        state=state,
        reason=stored.reason if stored and not stored.by_administrator else "",
        changed_at=stored.changed_at if stored else None,
        signs=tuple(suggested),
        others=tuple(other.name for other in others if other.id != reviewer.id),
        by_administrator=stored is not None and stored.by_administrator,
    )


def _signs(session: Session, lab: Lab, choice: Choice, reviewer: User, snapshot: ChoiceSnapshot) -> Sequence[str]:
    """Signs of a conflict, as sentences; for a hidden applicant, a single one that does not say which."""
    applicant = choice.application.applicant
    both = Both(
        applicant_name=applicant.name,
        applicant_email=applicant.email,
        resume=snapshot.submission.resume_text,
        reviewer_name=reviewer.name,
        reviewer_email=reviewer.email,
    )
    sentences = signs(both, _profile(session, lab))
    return [BLIND_SIGN] if sentences and snapshot.hidden else sentences


def _profile(session: Session, lab: Lab) -> LabRecord:
    """The lab's profile, cached by revision rather than read for each applicant."""
    key = (session.connection().engine.url, lab.id, lab.revision_number, lab.changed_at)
    profile = _PROFILES.get(key)
    if profile is None:
        profile = _PROFILES[key] = profile_of(session, lab)
        while len(_PROFILES) > MOST_PROFILES:
            _PROFILES.pop(next(iter(_PROFILES)), None)
    return profile


def own_conflicts(session: Session, lab: Lab, reviewer: User) -> Sequence[tuple[Choice, Shown, datetime]]:
    """Applicants of the lab with whom the reviewer declared a conflict, and since when; latest first."""
    rows = session.execute(
        select(Choice, Conflict.changed_at)
        .join(Application, Application.id == Choice.application_id)
        .join(Conflict, Conflict.applicant_id == Application.applicant_id)
        .where(
            Choice.lab_id == lab.id,
            Application.state.in_(READ_BY_LABS),
            Conflict.reviewer_id == reviewer.id,
            Conflict.state == "declared",
        )
        .order_by(Conflict.changed_at.desc(), Choice.id)
    ).all()
    shown = shown_as(session, lab, reviewer, [row[0] for row in rows])
    return [(choice, shown[choice.id], since) for choice, since in rows]


_KEEPING_OUT = (
    select(Choice.id, User.id, User.name, User.email)
    .join(Application, Application.id == Choice.application_id)
    .join(Conflict, Conflict.applicant_id == Application.applicant_id)
    .join(LabProfessor, (LabProfessor.user_id == Conflict.reviewer_id) & (LabProfessor.lab_id == Choice.lab_id))
    .join(User, User.id == Conflict.reviewer_id)
    .where(Choice.id.in_(bindparam("choices", expanding=True)), Choice.lab_id == bindparam("lab"))
    .where(Conflict.state == "declared")
    .order_by(Choice.id, User.id)
)


def keeping_out(session: Session, lab: Lab, choices: Iterable[Choice]) -> Mapping[int, Sequence[ConflictedReader]]:
    """The lab's readers who declared a conflict, by the id of the choice. One statement."""
    rows = columns(session, _KEEPING_OUT, {"choices": [choice.id for choice in choices], "lab": lab.id})
    by_choice: dict[int, list[ConflictedReader]] = {}
    for choice_id, user_id, name, email in rows:
        by_choice.setdefault(choice_id, []).append(ConflictedReader(user_id, called(name, email)))
    return by_choice
