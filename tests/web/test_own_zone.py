"""Times in sentences and mails are in the reader's zone, and a deadline has its cycle's zone beside it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.mail.kinds import KINDS
from portal.mail.outbox import tell
from portal.mail.rendering import deadline
from portal.models import Notification
from portal.moments import as_read_in, format_in_zone, told, told_deadline
from portal.web.templating import in_own_zone
from tests.accounts.mailbox import mails, sign_in
from tests.admission import Admission, admission_of
from tests.applications.admission_pages import main_text, pages_of
from tests.mail_samples import sample
from tests.people import submit
from tests.reviews.interview_times import DAY, LAB, OFFER, invited, offer, slots

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient

MOMENT = datetime(2026, 12, 16, 11, 59, tzinfo=UTC)
HERE, CYCLE = "Asia/Hong_Kong", "Etc/GMT+12"


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with admission_of(app, "Ada Lab") as made:
        yield made


def in_hong_kong(client: FlaskClient) -> FlaskClient:
    client.set_cookie("zone", HERE)
    return client


def test_a_moment_is_in_the_reader_s_zone_and_a_deadline_has_both() -> None:
    assert (told(MOMENT, CYCLE), told_deadline(MOMENT, CYCLE)) == ("15 Dec 2026, 23:59 (Anywhere on Earth)",) * 2
    with as_read_in(HERE):
        assert told(MOMENT, CYCLE) == "16 Dec 2026, 19:59 (Hong Kong, UTC+08:00)"
        both = "16 Dec 2026, 19:59 (Hong Kong, UTC+08:00; 15 Dec 2026, 23:59 Anywhere on Earth)"
        assert told_deadline(MOMENT, CYCLE) == both
        assert told_deadline(MOMENT, HERE) == told(MOMENT, HERE)
        with as_read_in(""):
            assert told(MOMENT, CYCLE) == "15 Dec 2026, 23:59 (Anywhere on Earth)"
        assert deadline(MOMENT.isoformat(), CYCLE) == both
    assert deadline(MOMENT.isoformat(), CYCLE) == "15 Dec 2026, 23:59 (Anywhere on Earth: 16 Dec, 11:59 UTC)"


def test_a_stored_text_tells_its_times_in_the_reader_s_zone() -> None:
    entry = '{"opens_at": "2026-12-16T11:59:00+00:00", "name": "v 2026-12-16"}'
    held = "It was waiting when the backup of 2026-12-16 11:59 UTC was made."
    assert in_own_zone(held) == "It was waiting when the backup of 16 Dec 2026, 11:59 (UTC) was made."
    with as_read_in(HERE):
        assert in_own_zone(held).endswith("of 16 Dec 2026, 19:59 (Hong Kong, UTC+08:00) was made.")
        told_entry = '{"opens_at": "16 Dec 2026, 19:59 (Hong Kong, UTC+08:00)", "name": "v 2026-12-16"}'
        assert in_own_zone(entry) == told_entry


def test_a_refusal_names_the_deadline_in_both_zones(admission: Admission) -> None:
    me = pages_of(admission.add_applicant(), admission)
    admission.cycle.deadline_at = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=1)
    admission.session.commit()
    at = admission.cycle.deadline_at

    def refusal() -> str:
        return main_text(me.client.get(me.page).text)

    assert f"passed on {format_in_zone(at, CYCLE)}" in refusal()
    in_hong_kong(me.client)
    with as_read_in(HERE):
        both = told_deadline(at, CYCLE)
    assert f"passed on {both}" in refusal()
    me.client.set_cookie("zone", "No/Where")
    assert f"passed on {format_in_zone(at, CYCLE)}" in refusal()


def test_interviews_are_offered_picked_and_told_on_the_reader_s_clock(admission: Admission) -> None:
    person = admission.add_applicant()
    invited(admission, person, "Ada Lab")
    leader, me = in_hong_kong(admission.leaders["Ada Lab"].sign_in()), in_hong_kong(person.sign_in())
    assert f'<option selected value="{HERE}">' in leader.get(OFFER).text
    at_night = offer(admission, times="20:00", zone="Europe/Berlin")
    assert submit(leader, OFFER, at_night).status_code == 302
    clock = slots()[0].starts_at + timedelta(hours=8)
    assert clock.date() == DAY + timedelta(days=1)  # in Hong Kong
    one = f"{LAB}/{slots()[0].id}"
    assert f'value="{clock:%Y-%m-%d %H:%M}' in leader.get(one).text
    assert submit(leader, one, {"begins": f"{clock:%Y-%m-%dT%H:%M}", "minutes": "45"}).status_code == 302
    assert (slots()[0].starts_at + timedelta(hours=8), slots()[0].minutes) == (clock, 45)
    mine = f"/me/application/{admission.cycle.slug}/interview"
    for page in (leader.get(LAB).text, me.get(mine).text):
        _, _, times = page.partition(f"{clock:%A}, {clock.day} {clock:%b %Y}")
        assert (f"{clock:%H:%M}</span>" in times, "20:00" in times, "Berlin" in page) == (True, False, False)
    assert submit(me, mine, {"slot": slots()[0].id, "lab": "ada-lab"}).status_code == 302
    said = f"Your interview is on {format_in_zone(slots()[0].starts_at, HERE)}."
    assert said in me.get(mine).text
    overview = main_text(me.get(f"/me/application/{admission.cycle.slug}/").text)
    assert f"is on {format_in_zone(slots()[0].starts_at, HERE)}." in overview


def test_a_sign_in_tells_the_zone_in_which_mail_and_news_are_worded(app: Flask, admission: Admission) -> None:
    person = admission.add_applicant()
    client = in_hong_kong(app.test_client())
    assert sign_in(client, person.email).status_code == 302
    session, user = admission.session, admission.user(person)
    session.expire_all()
    assert user.zone == HERE
    assert "Asia/Hong Kong, as your browser said" in client.get("/accounts/").text
    fields = sample(KINDS["deadline_moved"]) | {"deadline_at": MOMENT.isoformat(), "zone": CYCLE}
    tell(session, user, "deadline_moved", fields, now=admission.now)
    session.flush()
    both = "16 Dec 2026, 19:59 (Hong Kong, UTC+08:00; 15 Dec 2026, 23:59 Anywhere on Earth)"
    assert session.query(Notification).one().text.endswith(f"is now {both}.")
    fields = sample(KINDS["interview_cancelled"]) | {"starts_at": MOMENT.isoformat(), "zone": CYCLE}
    tell(session, user, "interview_cancelled", fields, now=admission.now)
    session.commit()
    assert mails(app, person.email)[-1].subject.endswith(": 16 Dec 2026, 19:59 (Hong Kong, UTC+08:00)")


@pytest.mark.parametrize(("path", "zone"), [("/labs/", "Hong Kong, UTC+08:00"), ("/api/v1/labs", "Anywhere on Earth")])
def test_pages_go_by_the_cookie_and_programs_by_the_cycle(app: Flask, path: str, zone: str) -> None:
    with app.test_request_context(path, headers={"Cookie": f"zone={HERE}"}):
        app.preprocess_request()
        assert told(MOMENT, CYCLE).endswith(f"({zone})")
    assert told(MOMENT, CYCLE).endswith("(Anywhere on Earth)")
