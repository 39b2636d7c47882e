"""The figures of a cycle: what is counted, and that page and file say the same and nothing of small groups."""

from __future__ import annotations

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.admin.cycles.figures.charts import figure_csv
from portal.admin.cycles.figures.pages import KEYS, late_replies
from portal.admin.cycles.figures.progress import (
    ApplicationHistory,
    ChoiceHistory,
    Moved,
    days_in_states,
    durations,
    funnel,
    reached,
)
from portal.admin.cycles.figures.small_counts import Published
from portal.admin.cycles.figures.topics import OTHER, normalised, topics_asked
from portal.admin.cycles.replies import LabReplies
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


def history(
    *moves: tuple[str, str, str, float], state: str = "eligible", choices: tuple[ChoiceHistory, ...] = ()
) -> object:
    return ApplicationHistory(day(0), state, 1, [Moved(*move[:3], day(move[3])) for move in moves], list(choices))


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
        ApplicationHistory(day(0), "draft", 0, [], [ChoiceHistory("pending")]),
        history(SUBMIT, state="submitted", choices=(ChoiceHistory("pending"),)),
        history(
            SUBMIT, MARK, choices=(ChoiceHistory("in_review", [REVIEW, SHORTLIST, UNLIST]), ChoiceHistory("pending"))
        ),
        history(SUBMIT, MARK, choices=(ChoiceHistory("ranked", [REVIEW, *ranked, taken_back]),)),
        history(SUBMIT, MARK, choices=(ChoiceHistory("closed", [REVIEW, *ranked, closed]),)),
        history(SUBMIT, MARK, ("reconsider", "eligible", "submitted", 6.0), state="submitted"),
    ]
    found = reached(ways)  # type: ignore[arg-type]
    assert found == (6, 5, 3, 3, 2, 1, 1, 0)


def test_the_scale_of_a_chart_tells_no_small_group() -> None:
    drawings = [[row.shapes for row in funnel((few, 0, 0, 0, 0, 0, 0, 0)).drawn] for few in (1, 2, 3, 4)]
    assert drawings == [drawings[0]] * 4
    for counts in ((1, 0, 0, 0, 0, 0, 0, 0), (90, 80, 7, 6, 3, 2, 1, 0), (4, 4, 4, 4, 4, 4, 4, 4)):
        shapes = [shape for row in funnel(counts).drawn for shape in row.shapes]
        assert max(shape.x + shape.width for shape in shapes) == 100


def test_stays_are_counted_in_days_until_left_or_until_the_end() -> None:
    released = Moved("release", "declined", "declined", day(20))
    declined = Moved("decline", "in_review", "declined", day(9))
    one = history(
        SUBMIT, MARK, choices=(ChoiceHistory("declined", [REVIEW, declined, released]), ChoiceHistory("pending"))
    )
    found = days_in_states([one] * 5, day(10))  # type: ignore[list-item]
    assert {state: days[:2] for state, days in found.items()} == {
        ("application", "draft"): [2.0, 2.0],
        ("application", "submitted"): [3.0, 3.0],
        ("application", "eligible"): [5.0, 5.0],
        ("choice", "pending"): [1.0, 5.0],
        ("choice", "in_review"): [3.0, 3.0],
    }
    rows = {row.label: row.cells for row in durations(found).rows}
    assert rows["Choice: waiting for review"] == (Published(10, 10), 1.0, 3.0, 5.0)
    drawn = durations({**found, ("choice", "pending"): [100.0, 123.4, 150.0, 123.4, 123.4]}).drawn
    said = max((row.said for row in drawn), key=len)
    assert said == "median 123.4 days, middle half 123.4 to 123.4"
    assert len(said) < 46  # characters, which a phone of 320 px shows in one line of a drawing
    few = days_in_states([one] * 4, day(10))  # type: ignore[list-item]
    rows = {row.label: row.cells for row in durations(few).rows}
    assert rows["Application: eligible"] == (Published(1, 4), None, None, None)


def test_topics_are_one_in_any_form_and_order_and_rare_ones_are_only_summed_up() -> None:
    assert normalised("LLM serving") == normalised("Serving of the LLMs") != normalised("LLM training")
    common = [
        [("LLM serving", 3.0), ("mine alone", 1.0)],
        *[[("Serving of LLMs", 1.0)] for _ in range(4)],
        [("serving llms", 2.0), (RARE, 2.0), ("the of", 1.0)],
    ]
    rows = {row.label: row.cells for row in topics_asked(common, 8, None).rows}
    assert list(rows) == ["Serving LLMs", OTHER]
    count, weight, *_ = rows["Serving LLMs"]
    assert count == Published(1, 7)
    assert weight == pytest.approx(0.75 + 4 + 0.4)
    assert rows[OTHER][:2] == (Published(1, 7), None)


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


def table(client: FlaskClient, admission: Admission, key: str) -> dict[str, list[str]]:
    answer = client.get(f"/admin/figures/{admission.cycle.slug}/{key}.csv")
    assert (answer.status_code, answer.mimetype) == (200, "text/csv")
    return {row[0]: row[1:] for row in csv.reader(io.StringIO(answer.get_data().decode("utf-8-sig")))}


def test_page_and_files_say_the_same_and_no_small_group(admission: Admission) -> None:
    client = admission.admin.sign_in()
    page = client.get("/admin/figures/", follow_redirects=True).text
    assert f"Figures of {admission.cycle.name}" in page
    tables = {key: table(client, admission, key) for key in KEYS}
    assert tables["applications"]["Eligible"] == ["6"]
    assert tables["replies"]["Ada Lab"] == ["6", "0", ""]
    assert tables["replies"]["'=Sum Lab"] == ["fewer than 5", "0", ""]
    assert tables["topics"]["GPU serving"][0] == "6"
    assert tables["topics"]["GPU serving"][2] == "1"
    assert tables["topics"][OTHER][:2] == ["1 to 5", ""]
    assert RARE not in page
    for rows in tables.values():
        for label, cells in list(rows.items())[1:]:
            for text in (label.removeprefix("'"), *filter(None, cells)):
                assert f">{text}<" in page
    assert page.count('role="img"') == page.count("<desc") == 2
    assert client.get(f"/admin/figures/{admission.cycle.slug}/no-such.csv").status_code == 404
    assert client.get("/admin/figures/?cycle=no-such").status_code == 404


def test_without_a_cycle_or_an_application_the_page_says_what_will_be_there(
    app: Flask, admin: Person, client: FlaskClient
) -> None:
    client = admin.sign_in()
    assert "No cycle yet" in client.get("/admin/figures/").text
    with app.app_context():
        empty = add_admission(app)
        page = client.get(f"/admin/figures/{empty.cycle.slug}")
        assert "Nobody has begun an application" in page.text
        assert '<svg class="chart"' not in page.text
        assert [len(table(client, empty, key)) > 0 for key in KEYS] == [True] * len(KEYS)


def test_more_applications_send_no_more_statements(
    admission: Admission, count_queries: Callable[[], AbstractContextManager[list[str]]]
) -> None:
    client, url = admission.admin.sign_in(), f"/admin/figures/{admission.cycle.slug}"
    client.get(url)
    with count_queries() as few:
        client.get(url)
    for _ in range(2):
        admission.submitted(admission.add_applicant(), "Ada Lab")
    with count_queries() as more:
        client.get(url)
    assert len(more) == len(few)


def test_the_file_has_all_labs_with_the_most_late_replies_first() -> None:
    owing = [
        LabReplies(f"Lab {number:03}", f"lab-{number}", "Cycle", "UTC", 500, 0, number, 0, 0, None, None)
        for number in range(100, 300)
    ]
    figure = late_replies(owing)
    assert [row.label for row in figure.rows[:3]] == ["Lab 299", "Lab 298", "Lab 297"]
    assert len(figure_csv(figure).splitlines()) == 1 + 200
