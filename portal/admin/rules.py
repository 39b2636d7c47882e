"""Why an administrator may not do something: a sentence, or None if they may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.models.user import ADMIN, PROFESSOR, ROLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.models import Lab, User

POSITIONS = {"leader": "Leader", "reviewer": "Reviewer"}


class NotAllowed(Exception):
    """A rule refused an act while it was being done; nothing was written. The text is the reason, and `field` the field
    of the form that it is about, if it is about one.
    """

    def __init__(self, reason: str, field: str = "") -> None:
        super().__init__(reason)
        self.field = field


def ensure_allowed(why_not: str | None, field: str = "") -> None:
    """Continue unless a rule gave a reason not to, which may be about one `field` of a form.

    Raises:
        NotAllowed: With the rule's reason.
    """
    if why_not is not None:
        raise NotAllowed(why_not, field)


def why_not_give_role(person: User, role: str) -> str | None:
    """Roles are known by name; one that is held cannot be given again."""
    if role not in ROLES:
        return f"There is no role “{role}”. Roles are: {', '.join(ROLES)}."
    if person.has_role(role):
        return f"{person.display_name} has the role {role} already."
    return None


def why_not_use(person: User, *, merged: bool) -> str | None:
    """An account that was merged into another one gets no rights any more; nor does one whose address nobody has
    confirmed, since a stranger may have registered it, with a password of theirs.
    """
    if merged:
        return f"The account {person.email} was merged into another one and stays closed."
    if person.confirmed_at is None:
        return (
            f"Nobody has confirmed the address {person.email}, so this account may be a stranger’s. Invite the address "
            "instead: whoever reads its mail gets the rights."
        )
    return None


def why_not_take_role(person: User, role: str, *, acting_admins: int, labs: Sequence[Lab]) -> str | None:
    """The portal keeps at least one administrator, and everybody who reads for a lab is a professor.

    Args:
        person: Who would lose the role.
        role: Its name.
        acting_admins: How many people hold the role admin and are not suspended.
        labs: The labs the person reads for.
    """
    if role not in ROLES:
        return f"There is no role “{role}”. Roles are: {', '.join(ROLES)}."
    if not person.has_role(role):
        return f"{person.display_name} does not have the role {role}."
    if role == ADMIN and person.active and acting_admins <= 1:
        return "This is the last administrator. Make somebody else an administrator first."
    if role == PROFESSOR and labs:
        names = ", ".join(lab.name for lab in labs)
        return f"{person.display_name} is attached to {names}. Detach them from every lab first."
    return None


def why_not_suspend(person: User, *, actor: User, acting_admins: int) -> str | None:
    """Nobody can suspend themselves, and the portal keeps at least one administrator."""
    if not person.active:
        return f"{person.display_name} is suspended already."
    if person.id == actor.id:
        return "You cannot suspend yourself. Ask another administrator."
    if person.has_role(ADMIN) and acting_admins <= 1:
        return "This is the last administrator. Make somebody else an administrator first."
    return None


def why_not_restore(person: User, *, merged: bool) -> str | None:
    """Only a suspended account can be restored, and never one that was merged into another."""
    if merged:
        return "This account was merged into another one. It stays closed."
    return f"{person.display_name} is not suspended." if person.active else None


def why_not_attach(person: User, position: str) -> str | None:
    """The position must be leader or reviewer, and the account must be active."""
    if position not in POSITIONS:
        return f"There is no position “{position}”. Positions are: {', '.join(POSITIONS)}."
    if not person.active:
        return f"{person.display_name} is suspended. Restore the account first."
    return None


def why_not_roll_back(lab: Lab, number: int) -> str | None:
    """Only an earlier revision can come back."""
    if number == lab.revision_number:
        return f"Revision {number} is what the profile says now; there is nothing to go back to."
    return None


def why_not_undo(number: int) -> str | None:
    """The first revision created the lab."""
    return "The first revision created the lab. There is nothing before it to go back to." if number == 1 else None
