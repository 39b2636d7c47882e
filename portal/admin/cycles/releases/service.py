"""The one writer of releases, and the job that carries them out, each decision by the same move as any other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import or_, select

from portal import audit
from portal.admin.cycles.releases.queries import JOB, in_open_releases, job_of
from portal.admin.people.service import acting_admins
from portal.admin.rules import ensure_allowed
from portal.applications.locks import ApplicationGone, Refusal, locked_application
from portal.applications.moves.rules import Case
from portal.applications.moves.service import perform_locked
from portal.applications.states import move_named
from portal.db import lock_row
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, clockwork, job, start
from portal.models import Cycle, Release, ReleaseItem, User
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.models import Decision, User


WORDS = {
    "prepared": "waits for another administrator",
    "approved": "is approved",
    "held": "is held",
    "discarded": "was discarded",
    "done": "is done",
}
AGAIN_AFTER = timedelta(minutes=5)  # since a job failed


def why_not_approve(release: Release, actor: User, acting_admins: int) -> str | None:
    """A release needs two people: one prepares it, another approves it."""
    if release.state not in {"prepared", "held"}:
        return f"This release {WORDS[release.state]}."
    if release.prepared_by_id == actor.id:
        alone = " You are the only administrator: make somebody else one first." if acting_admins <= 1 else ""
        return f"You prepared this release; another administrator releases it.{alone}"
    return None


def is_approver_acting(release: Release) -> bool:
    """Whether whoever approved a release is an administrator still: a release may wait for its time for weeks."""
    approver = release.approved_by
    return approver is not None and approver.is_acting_admin


def why_not_hold(release: Release) -> str | None:
    """A release can be held until its last decision is released."""
    return None if release.state in {"prepared", "approved"} else f"This release {WORDS[release.state]}."


def why_not_discard(release: Release) -> str | None:
    """A release that has released a decision can be finished or held, but not discarded."""
    if release.state not in {"prepared", "held"}:
        return f"This release {WORDS[release.state]}."
    if any(item.released_at for item in release.items):
        return "Some of its decisions are released already. Release the others, or leave it held."
    return None


def prepare_release(
    session: Session,
    cycle: Cycle,
    decisions: Sequence[Decision],
    *,
    actor: User,
    now: datetime,
    due_at: datetime | None,
) -> Release:
    """Prepare a release of decisions, without those that are in an open release already.

    They are released in the order in which every transaction locks applications, whatever order they are given in.

    Raises:
        NotAllowed: Nothing is left to release.
    """
    lock_row(session, Cycle.version, cycle.id)  # a decision gets into one release only
    in_open = in_open_releases(session)
    remaining = sorted(
        (decision for decision in decisions if decision.id not in in_open),
        key=lambda item: (item.choice.application_id, item.id),
    )
    ensure_allowed(None if remaining else "Select decisions that still wait.")
    release = Release(cycle_id=cycle.id, state="prepared", prepared_by_id=actor.id, prepared_at=now, due_at=due_at)
    release.items = [ReleaseItem(decision_id=item.id) for item in remaining]
    session.add(release)
    session.flush()
    _record(session, release, "release.prepare", actor, now)
    return release


def prepared_since(
    session: Session, cycle: Cycle, decisions: Collection[int] | None, *, by: User, after: int
) -> Release | None:
    """The release that `by` prepared after the release with the id `after`, as by the first of two clicks; or None.

    It still waits for approval, and contains all of `decisions`, if these are given.
    """
    candidates = session.scalars(
        select(Release)
        .where(
            Release.cycle_id == cycle.id,
            Release.id > after,
            Release.prepared_by_id == by.id,
            Release.state == "prepared",
        )
        .order_by(Release.id)
    )
    decision_ids = set(decisions or ())
    return next(
        (release for release in candidates if decision_ids <= {item.decision_id for item in release.items}), None
    )


def approve_release(session: Session, release: Release, *, actor: User, now: datetime) -> bool:
    """Approve a release, which begins at once or at its time. False if it is approved already, as after a second
    click.

    Raises:
        NotAllowed: It was prepared by the same person, or is not open.
    """
    _lock(session, release)
    if release.state in {"approved", "done"} and release.prepared_by_id != actor.id:
        return False
    ensure_allowed(why_not_approve(release, actor, acting_admins(session)))
    release.state, release.approved_by_id, release.approved_at = "approved", actor.id, now
    release.held_by_id = release.held_at = None
    session.flush()
    _record(session, release, "release.approve", actor, now)
    if release.due_at is None or release.due_at <= now:
        begin(session, release, by=actor, now=now)
    return True


def hold_release(session: Session, release: Release, *, actor: User, now: datetime) -> None:
    """Hold a release: it stops before its next decision, and released ones stay released.

    Raises:
        NotAllowed: It is not under way.
    """
    _lock(session, release)
    if release.state == "held":
        return
    ensure_allowed(why_not_hold(release))
    release.state, release.held_by_id, release.held_at = "held", actor.id, now
    session.flush()
    _record(session, release, "release.hold", actor, now)


def discard_release(session: Session, release: Release, *, actor: User, now: datetime) -> None:
    """Discard the release; its decisions wait for another one.

    Raises:
        NotAllowed: It is not open, or some of its decisions are released.
    """
    _lock(session, release)
    if release.state == "discarded":
        return
    ensure_allowed(why_not_discard(release))
    release.state = "discarded"
    session.flush()
    _record(session, release, "release.discard", actor, now)


def begin(session: Session, release: Release, *, by: User | None, now: datetime) -> int:
    """Start the job that carries out the release; returns the id of the job."""
    title = f"Release {counted(len(release.items), 'decision', 'decisions')} in {release.cycle.name}"
    about = f"/admin/releases/{release.id}"
    return start(session, JOB, title, {"release": release.id}, by=by, now=now, about=about).id


def carry_out(session: Session, release: Release, *, now: datetime, progress: Progress) -> int:
    """Release the remaining decisions one by one; returns how many were released.

    It can be stopped anywhere and resumed: a decision, the mark that it is released and the mail about it are written
    in one transaction. It stops if the release is held, and holds it if whoever approved it is no administrator any
    more: another one has to approve it.
    """
    released, total = 0, len(release.items)
    for done, item_id in enumerate([item.id for item in release.items]):
        progress.step(done, total, "Releasing")
        _lock(session, release)
        if release.state != "approved":
            return released
        if not is_approver_acting(release):
            release.state, release.held_at = "held", now
            _record(session, release, "release.hold", "the portal", now)
            return released
        # None if the applicant has erased the application since.
        item = session.get(ReleaseItem, item_id, populate_existing=True)
        if item is not None and item.released_at is None and not item.problem:
            released += _release_one(session, release, item, now)
    release.state, release.done_at = "done", now
    session.flush()
    _record(session, release, "release.done", "the portal", now)
    progress.step(total, total)
    return released


def _release_one(session: Session, release: Release, item: ReleaseItem, now: datetime) -> bool:
    decision = item.decision
    try:
        application = locked_application(session, decision.choice)
    except ApplicationGone:  # and this item with it
        return False
    # Read again under the lock: a decision that the lab has just taken back was not approved.
    session.refresh(decision)
    if decision.taken_back_at is not None:
        item.problem = "The lab took it back before the release."
        return False
    if decision.released_at is not None:
        item.problem = "It was released already, with another release."
        return False
    case = Case(application, decision.choice, release.approved_by, "admin", now)
    try:
        with session.begin_nested():
            perform_locked(session, move_named("choice", "release"), case)
    except Refusal as refusal:
        item.problem = str(refusal)[:500]
        return False
    item.released_at = now
    return True


def _lock(session: Session, release: Release) -> None:
    """Lock the release until the transaction ends, and read it again."""
    session.flush()
    lock_row(session, Release.state, release.id)
    session.refresh(release)


def _record(session: Session, release: Release, act: str, actor: User | str, now: datetime) -> None:
    after = {"state": release.state, "decisions": [item.decision_id for item in release.items]}
    audit.record(session, actor, act, "release", str(release.id), now, after=after)


@job(JOB)
def release_decisions(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Carry out a release; a restarted job continues where it stopped."""
    release = session.get(Release, int(arguments["release"]))
    if release is None:
        raise JobRefused("This release is not there any more.")
    carry_out(session, release, now=datetime.now(UTC), progress=progress)
    out = sum(item.released_at is not None for item in release.items)
    problems = sum(bool(item.problem) for item in release.items)
    text = f"{out} of {len(release.items)} decisions are released."
    text += f" {problems} could not be." if problems else ""
    text += " The release is held." if release.state == "held" else ""
    return Outcome(text, f"/admin/releases/{release.id}", "See the release")


@clockwork("due releases", every=timedelta(minutes=1))
def start_due_releases(session: Session, now: datetime) -> None:
    """Start the releases whose time has come, and go on with those whose job failed, as after several kills.

    One that somebody has cancelled stays as it is until it is held and approved anew.
    """
    is_due = or_(Release.due_at.is_(None), Release.due_at <= now)
    due = select(Release).where(Release.state == "approved", is_due).order_by(Release.id)
    for release in session.scalars(due).all():
        job = job_of(session, release)
        failed_at = job.finished_at if job is not None and job.state != "cancelled" else None
        if job is None or (failed_at is not None and failed_at <= now - AGAIN_AFTER):
            begin(session, release, by=None, now=now)
