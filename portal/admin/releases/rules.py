"""Why a release cannot be prepared, approved, held or discarded now: a sentence, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portal.models import Release, User

WORDS = {
    "prepared": "waits for another administrator",
    "approved": "is approved",
    "held": "is held",
    "discarded": "was discarded",
    "done": "is done",
}


def why_not_prepare(decisions: int) -> str | None:
    """A release needs at least one decision."""
    return None if decisions else "Nothing was ticked that still waits. Tick the decisions to release."


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
