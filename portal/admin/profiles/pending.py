"""A pending edit of a profile, based on a revision, to be saved or merged.

While a person looks at the merge page, the edit is in the page itself, signed, so that the server need not store it
and nobody can forge it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from itsdangerous import BadSignature, URLSafeSerializer

from portal.labs.queries import profile_at
from portal.seeding.changes import Change, MergeError, apply, diff
from portal.seeding.snapshots import SnapshotError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from portal.models import Lab
    from portal.seeding.records import LabRecord

_SALT = "portal.admin.profiles.pending"


class UnknownEditError(ValueError):
    """The page carries no edit of this lab that the portal has signed."""


class OutdatedEditError(ValueError):
    """The page carries an edit that another version of the portal has signed, and that this one cannot read."""


@dataclass(frozen=True, slots=True)
class PendingEdit:
    """An edit that somebody wants to save.

    Attributes:
        lab: The slug of the lab.
        base: The revision they started from.
        mine: The profile as they want it.
        done: The message once it is saved, such as "Removed Ran Yan."
        then: The URL of the next page.
        back_to: The number of the earlier revision that `mine` equals, if this is an undo.
        removes: Whether it removes an item, so that the message offers to undo it.
        restores_place: Whether it restores one place from an earlier revision.
    """

    lab: str
    base: int
    mine: LabRecord
    done: str
    then: str
    back_to: int | None = None
    removes: bool = False
    restores_place: bool = False

    @property
    def restores(self) -> bool:
        """Whether it restores earlier values, with their origins."""
        return self.restores_place or self.back_to is not None


_FIELDS = {field.name for field in fields(PendingEdit)} - {"mine"} | {"changes"}
_CHANGE_FIELDS = {field.name for field in fields(Change)}


def signed(session: Session, lab: Lab, edit: PendingEdit, keys: list[str]) -> str:
    """The edit as signed text for a hidden field. An undo, which may be large, is stored as its revision's number.

    The last of the `keys` signs; `unsigned` accepts each.
    """
    base = profile_at(session, lab, edit.base)
    if base is None:
        raise LookupError(f"{lab.slug} has no revision {edit.base}")
    changes = [] if edit.back_to else [asdict(change) for change in diff(base, edit.mine)]
    return _serializer(keys).dumps(
        {
            "lab": edit.lab,
            "base": edit.base,
            "changes": changes,
            "done": edit.done,
            "then": edit.then,
            "back_to": edit.back_to,
            "removes": edit.removes,
            "restores_place": edit.restores_place,
        }
    )


def unsigned(session: Session, lab: Lab, text: str, keys: list[str]) -> PendingEdit:
    """The edit in a hidden field.

    Raises:
        UnknownEditError: The text is not one that `signed` made for this lab, or the lab has no such revision.
        OutdatedEditError: It is of a version of the portal with other fields in an edit or in a profile.
    """
    try:
        payload: dict[str, Any] = _serializer(keys).loads(text)
    except BadSignature as error:
        raise UnknownEditError(f"{lab.slug}: no signed edit") from error
    if payload.keys() != _FIELDS or any(change.keys() != _CHANGE_FIELDS for change in payload["changes"]):
        raise OutdatedEditError(f"{lab.slug}: an edit with other fields")
    base, start = (
        profile_at(session, lab, number) for number in (payload["base"], payload["back_to"] or payload["base"])
    )
    if payload["lab"] != lab.slug or base is None or start is None:
        raise UnknownEditError(f"{lab.slug}: an edit of revision {payload['base']} of {payload['lab']}")
    try:
        mine = apply(start, [Change(**change) for change in payload.pop("changes")])
    except (MergeError, SnapshotError) as error:
        raise OutdatedEditError(f"{lab.slug}: {error}") from error
    return PendingEdit(mine=mine, **payload)


def _serializer(keys: list[str]) -> URLSafeSerializer:
    return URLSafeSerializer(keys, salt=_SALT)
