"""A profile with many proposals accepted at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.seeding.changes import MergeError, items_of
from portal.seeding.snapshots import COLLECTIONS, from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.seeding.plan import Proposal
    from portal.seeding.records import LabRecord
    from portal.seeding.snapshots import Json

_ITEM_PARTS = 2
_FIELD_PARTS = 3


def with_proposals(profile: LabRecord, proposals: Iterable[Proposal]) -> LabRecord:
    """`profile` with the proposals accepted; the same as accepting them one by one, but fast for thousands.

    Raises:
        MergeError: The profile no longer has the item that a proposal is about, or already has an item to be added.
        SnapshotError: A value does not fit its path.
    """
    data = to_json(profile)
    collections = {name: items_of(data, name) for name in COLLECTIONS}
    for proposal in proposals:
        name, *parts = proposal.path.split("/")
        if name in collections:
            _change_item(collections[name], proposal, parts)
        elif name in data and name not in ("schema", "key") and not parts:
            data[name] = proposal.proposed
        else:
            raise MergeError(f"{proposal.path}: a lab has no such field that can change")
    for name, items in collections.items():
        data[name] = list(items.values())
    return from_json(data)


def _change_item(items: dict[str, dict[str, Json]], proposal: Proposal, parts: list[str]) -> None:
    if len(parts) == _FIELD_PARTS - 1 and parts[0] in items and parts[1] in items[parts[0]] and parts[1] != "key":
        items[parts[0]][parts[1]] = proposal.proposed
    elif len(parts) == _ITEM_PARTS - 1 and isinstance(proposal.proposed, dict) and parts[0] not in items:
        if proposal.proposed.get("key") != parts[0]:
            raise MergeError(f"{proposal.path}: the value is not an item of that key")
        items[parts[0]] = dict(proposal.proposed)
    else:
        raise MergeError(f"{proposal.path}: not in this profile, or there already")
