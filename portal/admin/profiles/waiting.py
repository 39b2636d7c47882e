"""Changes that leaders of a lab proposed, for its page: waiting ones with their differences, and decided ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.admin.profiles.differences import Differences, differences
from portal.admin.profiles.merge_form import place_of
from portal.labs.proposals import with_proposal
from portal.seeding.changes import MergeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.models import LabProposal
    from portal.seeding.records import LabRecord


@dataclass(frozen=True, slots=True)
class OwnProposal:
    """A change that a leader proposed. `change` are the differences it would make now; None if its place is gone."""

    row: LabProposal
    place: str
    change: Differences | None

    @property
    def waits(self) -> bool:
        """Whether nobody has decided it."""
        return self.row.state == "open"


def own_proposals(record: LabRecord, rows: Iterable[LabProposal]) -> list[OwnProposal]:
    """The proposals against the profile as it is now."""
    return [_own(record, row) for row in rows]


def _own(record: LabRecord, row: LabProposal) -> OwnProposal:
    try:
        proposed_record = with_proposal(record, row)
    except MergeError:
        return OwnProposal(row, place_of((record,), row.path), None)
    return OwnProposal(row, place_of((proposed_record, record), row.path), differences(record, proposed_record))
