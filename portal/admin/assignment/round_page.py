"""What the page of an assignment round shows of thousands: a page of applicants with reasons, a page of labs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.applications.name_search import name_holds
from portal.assignment import read_round, why_not
from portal.assignment.verify import check
from portal.web.paging import Page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.assignment import Reason, Round
    from portal.assignment.verify import Verdict

READ_AT_ONCE = 4  # certificates that stay read; one of 10,000 applicants takes some ten megabytes
GOT = {"place": "Got a lab", "none": "Got no lab"}


@dataclass(frozen=True, slots=True)
class RoundList:
    """Which applicants of a round are shown: those called so, who got a lab or none. Empty values narrow nothing."""

    search: str = ""
    got: str = ""

    def keeps(self, name: str, lab: str | None) -> bool:
        """Whether somebody is shown."""
        if self.got and (self.got == "place") != (lab is not None):
            return False
        return all(name_holds(name, word) for word in self.search.split())


@dataclass(frozen=True, slots=True)
class AssignedRow:
    """An applicant of a round: receipt, application (0 where it is gone) and name, the lab they got, and why not each
    other lab they listed.
    """

    receipt: str
    application: int
    name: str
    got: str | None
    reasons: Sequence[tuple[str, str]]


@lru_cache(maxsize=READ_AT_ONCE)
def read_and_checked(certificate: str) -> tuple[Round, Verdict]:
    """The round in a certificate, and what the independent checker says of it. A certificate never changes."""
    data = certificate.encode()
    return read_round(data), check(data)


def assigned_page(
    computed: Round,
    names: Mapping[str, tuple[int, str]],
    labs: Mapping[str, str],
    asked: RoundList,
    *,
    number: int,
    per_page: int,
) -> Page[AssignedRow]:
    """A page of the applicants by name; the last one where there are not so many. Reasons are found for it alone."""
    people = [
        (*names.get(receipt, (0, receipt)), receipt, computed.lab_of.get(receipt))
        for receipt in computed.market.applicants
    ]
    kept = sorted(
        (person for person in people if asked.keeps(person[1], person[3])), key=lambda one: (one[1].casefold(), one[2])
    )
    number = min(number, Page((), 1, len(kept), per_page).count)
    rows = [
        AssignedRow(receipt, application, name, got, _reasons(computed, receipt, labs))
        for application, name, receipt, got in kept[(number - 1) * per_page : number * per_page]
    ]
    return Page(rows, number, len(kept), per_page)


def labs_page(computed: Round, labs: Mapping[str, str], *, number: int, per_page: int) -> Page[str]:
    """A page of the addresses of the labs, by name."""
    slugs = sorted(computed.market.labs, key=lambda slug: (labs.get(slug, slug).casefold(), slug))
    number = min(number, Page((), 1, len(slugs), per_page).count)
    return Page(slugs[(number - 1) * per_page : number * per_page], number, len(slugs), per_page)


def _reasons(computed: Round, receipt: str, labs: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    got = computed.lab_of.get(receipt)
    return [
        (labs.get(slug, slug), _named(why_not(computed, receipt, slug), labs).sentence)
        for slug in computed.market.applicants[receipt]
        if slug != got
    ]


def _named(reason: Reason, labs: Mapping[str, str]) -> Reason:
    """The reason with the names of the labs in it, where the round has only their addresses."""
    return replace(reason, lab=labs.get(reason.lab, reason.lab), got=labs.get(reason.got or "", reason.got))
