"""The lists on the page of an assignment round: a page of its applicants with reasons, and a page of its labs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from portal.applications.people import name_holds
from portal.assignment import read_round, why_not
from portal.assignment.verify import check
from portal.web.paging import Page, page_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from portal.assignment import Reason, Round
    from portal.assignment.verify import Verdict

CACHED_CERTIFICATES = 4  # a certificate of 10,000 applicants takes about ten megabytes
RESULTS = {"place": "Got a lab", "none": "Got no lab"}


@dataclass(frozen=True, slots=True)
class RoundList:
    """Which applicants of a round are shown, by name and by whether they got a lab. Empty values narrow nothing."""

    search: str = ""
    got: str = ""

    def keeps(self, name: str, lab: str | None) -> bool:
        """Whether somebody is shown."""
        if self.got and (self.got == "place") != (lab is not None):
            return False
        return all(name_holds(name, word) for word in self.search.split())


@dataclass(frozen=True, slots=True)
class AssignedRow:
    """An applicant of a round: receipt, id of the application (0 if it was erased), name, the lab they got, and the
    reason for each other lab that they listed.
    """

    receipt: str
    application: int
    name: str
    got: str | None
    reasons: Sequence[tuple[str, str]]


@lru_cache(maxsize=CACHED_CERTIFICATES)
def read_and_checked(certificate: str) -> tuple[Round, Verdict]:
    """The round in a certificate and the independent checker's verdict; cached, since a certificate never changes."""
    data = certificate.encode()
    return read_round(data), check(data)


def assigned_page(
    computed: Round,
    names: Mapping[str, tuple[int, str]],
    labs: Mapping[str, str],
    filters: RoundList,
    *,
    number: int,
    per_page: int,
) -> Page[AssignedRow]:
    """A page of the matching applicants, by name, or the last page if there are fewer. Reasons are computed for this
    page only.
    """
    people = [
        (*names.get(receipt, (0, receipt)), receipt, computed.lab_of.get(receipt))
        for receipt in computed.market.applicants
    ]
    matching = sorted(
        (person for person in people if filters.keeps(person[1], person[3])),
        key=lambda entry: (entry[1].casefold(), entry[2]),
    )
    page = page_of(matching, number, per_page)
    rows = [
        AssignedRow(receipt, application, name, got, _reasons(computed, receipt, labs))
        for application, name, receipt, got in page.items
    ]
    return page.with_items(rows)


def labs_page(computed: Round, labs: Mapping[str, str], *, number: int, per_page: int) -> Page[str]:
    """A page of the slugs of the labs, by name."""
    slugs = sorted(computed.market.labs, key=lambda slug: (labs.get(slug, slug).casefold(), slug))
    return page_of(slugs, number, per_page)


def _reasons(computed: Round, receipt: str, labs: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    got = computed.lab_of.get(receipt)
    return [
        (labs.get(slug, slug), _named(why_not(computed, receipt, slug), labs).sentence)
        for slug in computed.market.applicants[receipt]
        if slug != got
    ]


def _named(reason: Reason, labs: Mapping[str, str]) -> Reason:
    """The reason with the names of labs in place of their slugs."""
    return replace(reason, lab=labs.get(reason.lab, reason.lab), got=labs.get(reason.got or "", reason.got))
