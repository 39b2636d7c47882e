"""The dates of a cycle: those it begins with, and what is said about them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from portal.admin.cycles.values import local_time, next_values
from tests.admin.test_cycles import FORM
from tests.people import submit

if TYPE_CHECKING:
    from tests.admission import Admission


def test_the_dates_of_a_first_cycle_begin_tomorrow_and_end_with_their_days() -> None:
    now = datetime(2026, 11, 27, 6, 30, tzinfo=UTC)
    values = next_values(None, now)
    dates = [local_time(date, values.zone) for date in (values.opens_at, values.deadline_at, values.reply_by_at)]
    assert [f"{date:%Y-%m-%d %H:%M}" for date in dates] == ["2026-11-28 00:00", "2027-01-26 23:59", "2027-04-26 23:59"]


@pytest.mark.parametrize(
    ("opens", "deadline", "says"),
    [
        ("2031-10-01T09:00", "2031-12-15T23:59", "It opens on 1 Oct 2031, 09:00 (Berlin, UTC+02:00)."),
        ("2026-01-01T09:00", "2031-12-15T23:59", "It is open: applicants can apply now, until 15 Dec 2031, 23:59"),
        ("2020-01-01T09:00", "2020-12-15T23:59", "Its deadline was 15 Dec 2020, 23:59 (Berlin, UTC+01:00)"),
    ],
)
def test_whoever_makes_a_cycle_reads_whether_it_is_open(
    admission: Admission, opens: str, deadline: str, says: str
) -> None:
    client = admission.admin.sign_in()
    form = FORM | {"opens_at": opens, "deadline_at": deadline, "reply_by_at": "2032-03-01T12:00"}
    assert f"Fall 2027 is made. {says}" in client.get(submit(client, "/admin/new-cycle", form).location).text


def test_whoever_moves_a_date_reads_that_nobody_is_told_by_mail(admission: Admission) -> None:
    client = admission.admin.sign_in()
    address = submit(client, "/admin/new-cycle", FORM).location
    client.get(address)
    says = "Fall 2027 is saved. The new dates stand on every page; nobody is told by mail."
    submit(client, address, FORM | {"referees": "3", "version": "1"})
    assert says not in client.get(address).text
    submit(client, address, FORM | {"referees": "3", "deadline_at": "2026-12-20T23:59", "version": "2"})
    assert says in client.get(address).text
