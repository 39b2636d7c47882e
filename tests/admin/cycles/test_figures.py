"""The figures of a cycle: what is counted, and that rare topics are only summed up."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.admin.cycles.figures import (
    OTHER,
    History,
    Moved,
    days_in_states,
    durations,
    funnel,
    normalised,
    reached,
    topics_asked,
)
from tests.admission import Admission, add_admission, admission_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

NOW = datetime.now(UTC).replace(microsecond=0)
RARE = "zzunheard fermentation"


def day(number: float) -> datetime:
    return NOW + timedelta(days=number)


def history(*moves: tuple[str, str, str, float], state: str = "eligible", choices: tuple[History, ...] = ()) -> History:
    return History(state, [Moved(*move[:3], day(move[3])) for move in moves], day(0), 1, list(choices))


SUBMIT = ("submit", "draft", "submitted", 2.0)
MARK = ("mark_eligible", "submitted", "eligible", 5.0)
REVIEW = Moved("start_review", "pending", "in_review", day(6))
SHORTLIST = Moved("shortlist", "in_review", "shortlisted", day(8))
UNLIST = Moved("take_off_shortlist", "shortlisted", "in_review", day(9))


def test_an_application_counts_up_to_the_furthest_step_and_what_was_taken_back_does_not() -> None:
    ranked = [SHORTLIST, Moved("rank", "shortlisted", "ranked", day(9)), Moved("offer", "ranked", "offered", day(10))]
    taken_back = Moved("take_back_offer", "offered", "ranked", day(11))
    closed = Moved("close", "offered", "closed", day(12))
    ways = [
        History("draft", [], day(0), 0, [History("pending")]),
        history(SUBMIT, state="submitted", choices=(History("pending"),)),
        history(SUBMIT, MARK, choices=(History("in_review", [REVIEW, SHORTLIST, UNLIST]), History("pending"))),
        history(SUBMIT, MARK, choices=(History("ranked", [REVIEW, *ranked, taken_back]),)),
        history(SUBMIT, MARK, choices=(History("closed", [REVIEW, *ranked, closed]),)),
        history(SUBMIT, MARK, ("reconsider", "eligible", "submitted", 6.0), state="submitted"),
    ]
    found = reached(ways)
    assert found == (6, 5, 3, 3, 2, 1, 1, 0)


def test_the_bars_of_a_chart_are_parts_of_the_first_and_a_small_one_is_seen() -> None:
    assert [row.width for row in funnel((1000, 500, 1, 0, 0, 0, 0, 0)).drawn] == [100, 50, 0.6, 0, 0, 0, 0, 0]


def test_stays_are_counted_in_days_until_left_or_until_the_end() -> None:
    released = Moved("release", "declined", "declined", day(20))
    declined = Moved("decline", "in_review", "declined", day(9))
    one = history(SUBMIT, MARK, choices=(History("declined", [REVIEW, declined, released]), History("pending")))
    found = days_in_states([one] * 5, day(10))
    assert {state: days[:2] for state, days in found.items()} == {
        ("application", "draft"): [2.0, 2.0],
        ("application", "submitted"): [3.0, 3.0],
        ("application", "eligible"): [5.0, 5.0],
        ("choice", "pending"): [1.0, 5.0],
        ("choice", "in_review"): [3.0, 3.0],
    }
    rows = {row.label: row.texts for row in durations(found).rows}
    assert rows["Choice: waiting for review"] == ("10", "3.0", "1.0 to 5.0")
    drawn = durations({**found, ("choice", "pending"): [100.0, 123.4, 150.0, 123.4, 123.4]}).drawn
    said = max((row.said for row in drawn), key=len)
    assert said == "123.4 days (middle half 123.4 to 123.4)"
    assert len(said) < 46  # characters, which a phone of 320 px shows in one line of a drawing
    few = days_in_states([one] * 4, day(10))
    rows = {row.label: row.texts for row in durations(few).rows}
    assert rows["Application: eligible"] == ("4", "–", "–")


def test_topics_are_one_in_any_form_and_order_and_rare_ones_are_only_summed_up() -> None:
    assert normalised("LLM serving") == normalised("Serving of the LLMs") != normalised("LLM training")
    common = [
        ["LLM serving"],
        *[["Serving of LLMs"] for _ in range(4)],
        ["serving llms", RARE, "the of"],
    ]
    rows = {row.label: row.texts for row in topics_asked(common, None).rows}
    assert list(rows) == ["Serving LLMs", OTHER]
    assert rows["Serving LLMs"] == ("6", "–")
    assert rows[OTHER] == ("1", "–")


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """Two labs; six eligible applicants of one, two of whom the other takes; a name that begins like a formula."""
    with admission_of(app, "Ada Lab") as made:
        made.add_lab("=Sum Lab", topic="Underwater basket weaving")
        everyone = [made.add_applicant(topics=("GPU serving",)) for _ in range(5)]
        everyone.append(made.add_applicant(topics=("GPU serving", RARE)))
        for number, person in enumerate(everyone):
            labs = ("Ada Lab", "=Sum Lab") if number < 2 else ("Ada Lab",)
            made.eligible(person, *labs)
        yield made


def test_the_page_draws_two_charts_and_names_no_rare_topic(admission: Admission) -> None:
    page = admission.admin.sign_in().get(f"/admin/cycles/{admission.cycle.slug}/figures").text
    assert page.count('role="img"') == page.count("<desc") == 2
    assert page.index("<details>") > page.index('role="img"')
    rows = {
        label: re.findall(r'<td class="figure">(.*?)</td>', cells)
        for label, cells in re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', page)
    }
    assert rows["Eligible"] == ["6"]
    assert rows["GPU serving"] == ["6", "1"]
    assert rows[OTHER] == ["1", "–"]
    assert RARE not in page


def test_without_an_application_the_page_says_so(app: Flask, admin: Person, client: FlaskClient) -> None:
    client = admin.sign_in()
    with app.app_context():
        empty = add_admission(app)
        page = client.get(f"/admin/cycles/{empty.cycle.slug}/figures")
    assert "Nobody has begun an application" in page.text
    assert '<svg class="chart"' not in page.text


def test_more_applications_send_no_more_statements(
    admission: Admission, count_queries: Callable[[], AbstractContextManager[list[str]]]
) -> None:
    client, url = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/figures"
    client.get(url)
    with count_queries() as few:
        client.get(url)
    for _ in range(2):
        admission.submitted(admission.add_applicant(), "Ada Lab")
    with count_queries() as more:
        client.get(url)
    assert len(more) == len(few)
