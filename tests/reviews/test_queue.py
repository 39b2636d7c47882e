"""A lab's queue: what the database keeps of it, in which order, page by page and as a file."""

from __future__ import annotations

import csv
import io
import re
import shutil
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from portal.app import create_app
from portal.db import db
from portal.models import Choice, LabReviewing, QueueVisit, Scorecard
from portal.reviews.queue.queries import QueueFilter, read_filter
from portal.web.downloads import harmless
from portal.web.templating import calendar_day
from tests.admission import add_admission
from tests.reviews.crowd import add_crowd
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient

    from tests.admission import Admission

NOW = datetime.now(UTC).replace(microsecond=0)
FULL = {"fit": 4, "potential": 4, "preparation": 3, "writing": 3, "confidence": 2}
LATE = NOW - timedelta(days=1)
PAGE = "/reviews/serving/"
MOST_STATEMENTS = 11  # of the page of an applicant in review, without letters
_ROW = re.compile(r'<tr data-row id="choice-\d+">\s*<td>[^\n]*</td>\s*<th scope="row"><a href="([^"]+)">([^<]+)</a>')


@pytest.fixture(scope="module")
def admission(tmp_path_factory: pytest.TempPathFactory, migrated_database: Path) -> Iterator[Admission]:
    """A lab with 25 applicants, Person 0 the best of them, and another lab that they all chose as well."""
    instance = tmp_path_factory.mktemp("queue")
    shutil.copy(migrated_database, instance / "portal.sqlite")
    app = create_app({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(instance), "PORTAL_MAIL_URL": "memory:"})
    with app.app_context():
        made = add_admission(app, deadline_in=timedelta(days=1), now=NOW - timedelta(days=9))
        lab, other = made.add_lab("Serving"), made.add_lab("Weaving")
        add_crowd(made.session, made.cycle, [lab, other], 25, now=NOW - timedelta(days=2), name="Person {}.")
        move_some(made)
    yield made
    with app.app_context():
        db.engine.dispose()


@pytest.fixture(scope="module")
def leader(admission: Admission) -> FlaskClient:
    return admission.leaders["Serving"].sign_in()


def names(client: FlaskClient, query: str = "") -> list[str]:
    """Who stands on the page, from the top."""
    return [name.rstrip(".").removeprefix("Person ") for _href, name in _ROW.findall(client.get(PAGE + query).text)]


def choices(admission: Admission) -> list[Choice]:
    """The choices of the lab, the best match first."""
    found = db.session.query(Choice).filter_by(lab_id=admission.labs["Serving"]).order_by(Choice.score.desc())
    return list(found)


def move_some(admission: Admission) -> None:
    """Give some of the lab's choices states, cards and an order, and the leader a visit an hour ago."""
    first = choices(admission)
    for at, state in ((3, "in_review"), (4, "shortlisted"), (5, "ranked"), (6, "ranked")):
        first[at].state = state
    first[5].preference, first[6].preference = 2, 1
    first[7].state_since = NOW
    first[11].reply_by_at = first[12].reply_by_at = LATE
    first[12].replied_at = NOW
    me = admission.leaders["Serving"].id
    db.session.add_all(
        [
            Scorecard(choice_id=first[1].id, reviewer_id=me, changed_at=NOW, locked_at=NOW, **FULL),
            Scorecard(choice_id=first[2].id, reviewer_id=me, changed_at=NOW, locked_at=NOW, **{**FULL, "fit": 5}),
            Scorecard(choice_id=first[9].id, reviewer_id=me, changed_at=NOW),
            QueueVisit(lab_id=first[0].lab_id, reviewer_id=me, visited_at=NOW - timedelta(hours=1)),
        ]
    )
    db.session.commit()


def test_the_queue_is_narrowed_and_ordered(leader: FlaskClient) -> None:
    everybody = [str(at) for at in range(20)]
    asked = {
        "": everybody,
        "?page=2": ["20", "21", "22", "23", "24"],
        "?page=99": ["20", "21", "22", "23", "24"],
        "?state=ranked": ["5", "6"],
        "?state=ranked&sort=preference": ["6", "5"],
        "?state=no-such-state": everybody,
        "?card=locked": ["1", "2"],
        "?card=locked&sort=mean": ["2", "1"],
        "?card=draft": ["9"],
        "?new=yes": ["7"],
        "?q=person+2.": ["2"],
        "?q=NUMBER+13+of": ["13"],
        "?q=%25": [],
        "?q=crowd7%40": ["1"],
        "?sort=newest": [str(at) for at in range(20)],
        "?sort=reply": ["11", *(str(at) for at in range(20) if at not in {11, 12})],
        "?sort=reply&page=2": ["21", "22", "23", "24", "12"],
        "?state=accepted": [],
    }
    found = {query: names(leader, query)[: len(wanted) or None] for query, wanted in asked.items()}
    assert found == asked
    for unknown in ("", "applicants.csv", "interviews", "board"):
        assert leader.get(f"{PAGE}{unknown}?cycle=no-such").status_code == 404


def test_how_far_one_has_come_is_told_with_the_way_to_who_is_left(leader: FlaskClient) -> None:
    shown = leader.get(PAGE + "?sort=newest").text
    assert "2 of 25 scored," in shown
    assert '<a href="/reviews/serving/?sort=newest&amp;card=draft">1 draft</a>' in shown
    assert 'href="/reviews/serving/?sort=newest&amp;card=none">Score the 22 that are left</a>' in shown
    assert "that are left</a>" not in leader.get(PAGE + "?card=none").text


def test_how_many_replies_are_late_is_told_whichever_page_one_reads(leader: FlaskClient) -> None:
    for query in ("", "?page=2", "?state=ranked", "?sort=reply"):
        assert re.search(
            r'href="[^"]*\?sort=reply"><strong class="queue-late">1 reply is late</strong>',
            leader.get(PAGE + query).text,
        )


def test_a_page_holds_as_many_as_one_asks_for_and_the_way_on_keeps_it(leader: FlaskClient) -> None:
    assert [len(names(leader, query)) for query in ("", "?page=2", "?show=100", "?show=3000")] == [20, 5, 25, 20]
    page = leader.get(f"{PAGE}?show=100&state=pending").text
    assert '<input type="hidden" name="show" value="100">' in page
    one = _ROW.findall(page)[0][0].replace("&amp;", "&")
    assert "show=100" in one
    assert "show=100" in leader.get(one).text
    assert "On a page" not in leader.get(f"{PAGE}?state=ranked").text


def test_one_comes_back_to_the_row_of_the_applicant_one_has_read(leader: FlaskClient) -> None:
    kept = {"?page=2": "page=2", "?show=100": "show=100", "?card=none&sort=newest": "sort=newest"}
    for query, page in kept.items():
        href = _ROW.findall(leader.get(PAGE + query).text)[-1][0].replace("&amp;", "&")
        opened = leader.get(href).text
        back = re.findall(r'<a href="([^"]+)">\d+ of \d+', opened)[0].replace("&amp;", "&")
        assert page in back
        row = re.search(r"/choices/(\d+)", href)
        assert row is not None
        assert back.endswith(f"#choice-{row[1]}")
        assert f'<tr data-row id="choice-{row[1]}">' in leader.get(back).text
        assert f'href="{back.replace("&", "&amp;")}">Serving</a>' in opened


def test_what_changed_since_the_last_visit_is_marked(leader: FlaskClient) -> None:
    page = leader.get(PAGE).text
    assert re.findall(r'class="queue-fresh">(\w+)<', page) == ["changed"]
    assert "New since my last visit (1)" in page


def test_a_reply_is_due_late_or_given_on_a_day_of_the_cycle(admission: Admission, leader: FlaskClient) -> None:
    with admission.app.app_context():
        cycle = admission.cycle
        due, missed = (calendar_day(at.astimezone(ZoneInfo(cycle.zone)).date()) for at in (cycle.reply_by_at, LATE))
    replies = re.findall(r'<td data-label="Reply">(.*?)</td>', leader.get(PAGE).text)
    assert replies[10:13] == [
        f"by {due}",
        f'<strong class="queue-late">late</strong> since {missed}',
        '<span class="quiet">given</span>',
    ]


def test_the_file_holds_what_the_filter_keeps_in_its_order(leader: FlaskClient) -> None:
    response = leader.get(f"{PAGE}applicants.csv?state=ranked&sort=preference")
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert "attachment" in response.headers["Content-Disposition"]
    rows = list(csv.reader(io.StringIO(response.data.decode("utf-8-sig"))))
    assert [(row[0], row[2], row[5], row[6], row[8]) for row in rows[1:]] == [
        ("Person 6.", "Ranked", "7 of 25", "3 of 40", "1"),
        ("Person 5.", "Ranked", "6 of 25", "3 of 40", "2"),
    ]
    assert len(list(csv.reader(io.StringIO(leader.get(f"{PAGE}applicants.csv").text)))) == 26


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("Ada", "Ada"),
        ("=1+1", "'=1+1"),
        ("+49", "'+49"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
        ("\n=1", "'\n'=1"),
        # Where lists are separated by semicolons, a text is split in spite of its quotation marks.
        ("Ann;=1+1", "Ann;'=1+1"),
        ('Ann; "=1', "Ann; \"'=1"),
        ("Ann\r\n\n-1", "Ann\r\n\n'-1"),
        ("Ann; Bo; x=1", "Ann; Bo; x=1"),
        ("We seek\n- students\n- postdocs", "We seek\n- students\n- postdocs"),
        ("\n" * 50_000 + ";" * 50_000, "'" + "\n" * 50_000 + ";" * 50_000),
        ("＝1+1", "'＝1+1"),
        ("＋1", "'＋1"),
        ("－1", "'－1"),
        ("＠A", "'＠A"),
        ("  =1", "'  =1"),
        ("\u200b=1", "'=1"),
        ("\u200d=1", "'=1"),
        (" \u200c=1", "' \u200c=1"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\u202eadA", "adA"),
        ("李 =1", "李 =1"),
    ],
)
def test_no_cell_begins_a_formula(cell: str, written: str) -> None:
    assert harmless(cell) == written


def test_as_many_statements_for_sixty_applicants_as_for_five(admission: Admission) -> None:
    made = admission
    with made.app.app_context():
        few, many = made.add_lab("Few"), made.add_lab("Many")
        add_crowd(made.session, made.cycle, [few], 5, now=NOW)
        add_crowd(made.session, made.cycle, [many], 60, now=NOW)
        made.session.add_all(LabReviewing(lab_id=lab.id, blind_first=True, changed_at=NOW) for lab in (few, many))
        made.session.commit()
    clients = {"few": made.leaders["Few"].sign_in(), "many": made.leaders["Many"].sign_in()}
    numbers: dict[str, list[int]] = {"few": [], "many": []}
    with statements_sent(made.app) as counted:
        for slug, client in clients.items():
            client.get(f"/reviews/{slug}/")
            one = _ROW.findall(client.get(f"/reviews/{slug}/").text)[1][0]
            client.get(one)  # the lab's profile is read once
            for address in ("", "?q=number&sort=newest", "?sort=mean", "applicants.csv", one):
                counted.clear()
                page = address if address.startswith("/") else f"/reviews/{slug}/{address}"
                assert client.get(page).status_code == 200
                numbers[slug].append(len(counted))
    assert numbers["few"] == numbers["many"]
    assert max(numbers["many"]) < 40
    assert numbers["many"][-1] <= MOST_STATEMENTS


def test_a_filter_is_read_back_from_its_own_address() -> None:
    chosen = QueueFilter("fall", "ranked", "draft", new=True, text="a&b=c", sort="newest")
    assert read_filter(chosen.query()) == chosen
    assert read_filter({"q": "a\0b ", "sort": "x", "card": "y"}) == QueueFilter(text="ab")
