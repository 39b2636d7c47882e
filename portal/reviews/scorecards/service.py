"""Scorecards: drafts, which only their author reads, the lock, reopening, and which cards of a lab a reviewer may see.

The cards of others and the means of a choice are shown once the reviewer's own card on it is locked. Cards of
abstaining reviewers and of reviewers with a declared conflict of interest do not count in means.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, case, func, select
from sqlalchemy.orm import joinedload

from portal import audit
from portal.applications.locks import Refusal, locked_application, refuse_if
from portal.applications.moves.service import perform
from portal.applications.people import keeps_out
from portal.db import columns
from portal.models import Application, Choice, Scorecard, User
from portal.models.review import CRITERIA
from portal.models.user import called
from portal.reviews.choice_snapshot import redactor_for, snapshot_of
from portal.reviews.rules import capacity_in
from portal.reviews.scorecards.calibration import Card, Means, calibrate
from portal.reviews.scorecards.rules import CONFIDENCE, CardValues, Criterion, rubric, values_of, why_not_score

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from portal.applications.forms import Difference
    from portal.models import Lab
    from portal.reviews.choice_snapshot import ChoiceSnapshot


class MeansSeen(NamedTuple):
    """The means of choices that one reviewer may see, also by criterion; the locked cards of each, and whose."""

    means: Mapping[int, Means]
    by_criterion: Mapping[int, tuple[float, ...]]
    cards: Mapping[int, int]
    reviewers: Mapping[int, Mapping[int, str]]
    is_calibrated: bool

    def of(self, choice_id: int) -> Means | None:
        """The means of a choice; None if they may not be seen yet, or do not exist."""
        return self.means.get(choice_id)


def means_seen(session: Session, lab: Lab, cycle_id: int, reviewer: User) -> MeansSeen:
    """The means of a lab's choices in a cycle that `reviewer` may see. Two statements."""
    rows = session.execute(_locked_in(lab.id, cycle_id)).all()
    calibration = calibrate(Card(row.choice_id, row.reviewer_id, row.points) for row in rows if not row.abstained)
    reviewers: dict[int, dict[int, str]] = {}
    points: dict[int, list[tuple[int, ...]]] = {}
    for row in rows:
        reviewers.setdefault(row.choice_id, {})[row.reviewer_id] = called(row.name, row.email)
        if not row.abstained:
            points.setdefault(row.choice_id, []).append((row.fit, row.potential, row.preparation, row.writing))
    own = frozenset(
        session.scalars(
            select(Scorecard.choice_id)
            .join(Choice, Choice.id == Scorecard.choice_id)
            .where(Scorecard.reviewer_id == reviewer.id, Scorecard.locked_at.is_not(None), Choice.lab_id == lab.id)
        )
    )
    return MeansSeen(
        means={choice: means for choice, means in calibration.means.items() if choice in own},
        by_criterion={choice: tuple(map(fmean, zip(*points[choice], strict=True))) for choice in own & points.keys()},
        cards={choice: len(cards) for choice, cards in points.items()},
        reviewers=reviewers,
        is_calibrated=calibration.is_calibrated,
    )


def in_conflict() -> ColumnElement[bool]:
    """An SQL condition on `Scorecard` and `Application`: the reviewer declared a conflict, or is the applicant."""
    return keeps_out(Scorecard.reviewer_id, Application.applicant_id)


# The plain mean of the criteria of a locked card, in points; None if it abstains or is a draft.
POINTS_GIVEN = case(
    (
        Scorecard.locked_at.is_not(None) & Scorecard.abstained.is_(False),
        (Scorecard.fit + Scorecard.potential + Scorecard.preparation + Scorecard.writing) / float(len(CRITERIA)),
    )
).label("points")


def _locked_in(lab_id: int, cycle_id: int) -> Select[Any]:
    """The locked cards of a lab in a cycle, without those of reviewers in conflict."""
    criteria = (Scorecard.fit, Scorecard.potential, Scorecard.preparation, Scorecard.writing)
    return (
        select(
            Scorecard.choice_id,
            Scorecard.reviewer_id,
            Scorecard.abstained,
            *criteria,
            POINTS_GIVEN,
            User.name,
            User.email,
        )
        .join(Choice, Choice.id == Scorecard.choice_id)
        .join(Application, Application.id == Choice.application_id)
        .join(User, User.id == Scorecard.reviewer_id)
        .where(
            Choice.lab_id == lab_id, Application.cycle_id == cycle_id, Scorecard.locked_at.is_not(None), ~in_conflict()
        )
        .order_by(User.name, User.id)
    )


LONGEST_COMMENT = 10_000  # characters
LONGEST_REASON = 1_000  # characters


class OtherCard(NamedTuple):
    """Another reviewer's card, with its author's name. `values` are None while it is reopened; `reopened_at`, the
    reason and how many cards of others its author had seen are those of the last time.
    """

    author: str
    values: CardValues | None
    locked_at: datetime | None
    reopened_at: datetime | None
    reopen_reason: str
    reopened_after: int


class ScorecardPanel(NamedTuple):
    """The values for templates/reviews/_scorecard.html.

    `values` are the form's content. `others` and `means` are empty until the own card is locked; `others_locked` counts
    the other cards. `why_not` says why nothing can be written. `errors` by field, and `differing`, belong to a form
    that was not saved: `differing` is what is saved instead or, if nothing can be written any more, what was sent. With
    `is_saved`, the errors are what a saved draft lacks for locking.
    """

    criteria: tuple[Criterion, ...]
    confidence: Criterion
    values: CardValues
    version: int
    saved_at: datetime | None
    locked_at: datetime | None
    why_not: str | None
    others: tuple[OtherCard, ...]
    others_locked: int
    means: Means | None
    is_calibrated: bool
    errors: Mapping[str, Sequence[str]]
    differing: Sequence[Difference]
    is_saved: bool
    reopen_reason: str


class Sent(NamedTuple):
    """A form that was not saved: its content, its errors, and where it differs from the saved card."""

    values: CardValues
    errors: Mapping[str, Sequence[str]]
    differing: Sequence[Difference] = ()
    reopen_reason: str = ""


def scorecard_panel(
    session: Session,
    lab: Lab,
    choice: Choice,
    reviewer: User,
    sent: Sent | None = None,
    *,
    snapshot: ChoiceSnapshot | None = None,
    locking: bool = False,
) -> ScorecardPanel:
    """The panel of a reviewer who may open the choice; with `sent`, the form shows what was sent. With `locking`,
    errors say what the draft lacks. `snapshot` is the choice as it was opened, if the caller has it.
    """
    snapshot = snapshot or snapshot_of(session, lab, choice, reviewer)
    card = snapshot.card
    cycle = choice.application.cycle
    locked_at = card.locked_at if card else None
    seen_means = means_seen(session, lab, cycle.id, reviewer) if locked_at else None
    others = cards_of_others(session, choice, reviewer, snapshot)
    return ScorecardPanel(
        criteria=rubric(cycle.rubric),
        confidence=CONFIDENCE,
        values=sent.values if sent and not locked_at else values_of(card),
        version=card.version if card else 0,
        saved_at=card.changed_at if card else None,
        locked_at=locked_at,
        why_not=why_not_score(choice),
        others=tuple(others),
        others_locked=_count_of_others(session, choice, reviewer) if snapshot.others_locked else 0,
        means=seen_means.of(choice.id) if seen_means else None,
        is_calibrated=seen_means is not None and seen_means.is_calibrated,
        errors=sent.errors if sent else values_of(card).lacking() if locking else {},
        differing=sent.differing if sent else (),
        is_saved=sent is None,
        reopen_reason=sent.reopen_reason if sent else "",
    )


_OWN_CARD = (
    select(Scorecard)
    .where(Scorecard.choice_id == bindparam("choice"), Scorecard.reviewer_id == bindparam("reviewer"))
    .execution_options(populate_existing=True)
)


def own_card(session: Session, choice: Choice, reviewer: User) -> Scorecard | None:
    """A reviewer's own card on a choice, as stored now."""
    return session.scalar(_OWN_CARD, {"choice": choice.id, "reviewer": reviewer.id})


def cards_of_others(session: Session, choice: Choice, reviewer: User, snapshot: ChoiceSnapshot) -> Sequence[OtherCard]:
    """Others' locked or reopened cards, oldest first; none until one's own is locked. Redacted if hidden.

    `snapshot` is the choice as it was opened for the reviewer.
    """
    if snapshot.card is None or snapshot.card.locked_at is None:
        return ()
    cards = session.scalars(_OTHER_CARDS, {"choice": choice.id, "reviewer": reviewer.id}).all()
    redactor = redactor_for(snapshot, choice.application.applicant) if cards and snapshot.hidden else None
    redacted = redactor.redacted if redactor else str
    return tuple(
        OtherCard(
            author=card.reviewer.display_name,
            values=_redacted(values_of(card), redacted) if card.locked_at else None,
            locked_at=card.locked_at,
            reopened_at=card.reopened_at,
            reopen_reason=redacted(card.reopen_reason),
            reopened_after=card.reopened_after,
        )
        for card in cards
    )


_OTHERS = (
    select(Scorecard)
    .join(Choice, Choice.id == Scorecard.choice_id)
    .join(Application, Application.id == Choice.application_id)
    .where(Scorecard.choice_id == bindparam("choice"), Scorecard.reviewer_id != bindparam("reviewer"), ~in_conflict())
)
_OTHER_CARDS = (
    _OTHERS.where(Scorecard.locked_at.is_not(None) | Scorecard.reopened_at.is_not(None))
    .options(joinedload(Scorecard.reviewer))
    .order_by(Scorecard.locked_at.is_(None), Scorecard.locked_at, Scorecard.id)
)
_COUNT = _OTHERS.where(Scorecard.locked_at.is_not(None)).with_only_columns(func.count())


def _count_of_others(session: Session, choice: Choice, reviewer: User) -> int:
    return columns(session, _COUNT, {"choice": choice.id, "reviewer": reviewer.id}).scalar() or 0


def _redacted(values: CardValues, redacted: Callable[[str], str]) -> CardValues:
    return replace(values, comment=redacted(values.comment), abstain_reason=redacted(values.abstain_reason))


class StaleCard(Exception):
    """The card was saved elsewhere since the form was opened. Nothing was written; `stored` is the saved card."""

    def __init__(self, stored: Scorecard | None) -> None:
        super().__init__("the scorecard was saved elsewhere meanwhile")
        self.stored = stored


def save_card(
    session: Session, choice: Choice, reviewer: User, values: CardValues, *, base: int, now: datetime
) -> Scorecard | None:
    """Save a reviewer's draft; `base` is the version with which the form was opened, 0 for none.

    Saving an unchanged card changes nothing, whatever the base; nor does an empty first card, which gives None. The
    first card on a pending choice starts the review. Raises `StaleCard` if a different card was saved since `base`, and
    `Refusal` if it is locked or cards can no longer be written.
    """
    locked_application(session, choice)
    stored = own_card(session, choice, reviewer)
    if values == values_of(stored):
        return stored
    if stored is not None and stored.locked_at is not None:
        raise Refusal("Your scorecard is locked. Reopen it with a reason to change it.")
    refuse_if(why_not_score(choice))
    if base != (stored.version if stored else 0):
        raise StaleCard(stored)
    if stored is None:
        stored = Scorecard(choice_id=choice.id, reviewer_id=reviewer.id, version=0)
        session.add(stored)
    for name, value in asdict(values).items():
        setattr(stored, name, value)
    stored.version += 1
    stored.changed_at = now
    if choice.state == "pending":
        capacity = capacity_in(session, choice.lab_id, reviewer)
        perform(session, "start_review", choice, actor=reviewer, capacity=capacity, now=now)
    session.flush()
    return stored


def lock_card(session: Session, lab: Lab, choice: Choice, reviewer: User, *, now: datetime) -> bool:
    """Lock a card as it is saved, with an audit entry; False if it is locked already. `Refusal` says why not."""
    locked_application(session, choice)
    stored = own_card(session, choice, reviewer)
    if stored is not None and stored.locked_at is not None:
        return False
    refuse_if(why_not_score(choice))
    values = values_of(stored)
    if stored is None or values.lacking():
        raise Refusal("Something is not set yet.")
    stored.locked_at = now
    key, after = f"{lab.slug}/{choice.id}", {"abstained": values.abstained, "points": values.score}
    audit.record(session, reviewer, "scorecard.lock", "choice", key, now, after=after)
    session.flush()
    return True


def reopen_card(session: Session, lab: Lab, choice: Choice, reviewer: User, reason: str, *, now: datetime) -> bool:
    """Make a reviewer's own locked card a draft again, for a reason that the other reviewers read; False if not locked.

    It does not count and shows no cards of others until it is locked again. Keeps how many of them its author had seen;
    writes an audit entry. Raises `Refusal` without a reason, or if cards can no longer be written.
    """
    reason = reason.strip()
    locked_application(session, choice)
    stored = own_card(session, choice, reviewer)
    if stored is None or stored.locked_at is None:
        return False
    refuse_if(why_not_score(choice))
    refuse_if(None if reason else "Say why you reopen it; the lab’s other reviewers read it.")
    refuse_if(f"Keep the reason to {LONGEST_REASON:,} characters." if len(reason) > LONGEST_REASON else None)
    seen = _count_of_others(session, choice, reviewer)
    locked_at, stored.locked_at = stored.locked_at, None
    stored.version += 1
    stored.changed_at = stored.reopened_at = now
    stored.reopen_reason, stored.reopened_after = reason, seen
    key, before = f"{lab.slug}/{choice.id}", {"locked_at": locked_at.isoformat()}
    after = {"reason": reason, "cards_of_others_seen": seen}
    audit.record(session, reviewer, "scorecard.reopen", "choice", key, now, before=before, after=after)
    session.flush()
    return True
