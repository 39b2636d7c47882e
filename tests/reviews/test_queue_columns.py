"""What the list says of each applicant: what tells them apart, and of scores only what one may see."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.db import db
from portal.models import Conflict, Submission
from tests.reviews.cards import POINTS, browser, lock, save

if TYPE_CHECKING:
    from portal.models import Choice
    from tests.people import Person
    from tests.reviews.desk import Desk

LOW = dict.fromkeys(POINTS, "1")


def scored(person: Person, choice: Choice, points: dict[str, str]) -> None:
    save(browser(person), choice, **points)
    lock(browser(person), choice)


def page(desk: Desk, person: Person, query: str = "") -> str:
    return browser(person).get(f"{desk.address}/{query}").text


def columns(text: str) -> list[str]:
    head = text.partition("<thead>")[2].partition("</thead>")[0]
    return [re.sub(r"<[^>]+>", "", name) for name in re.findall(r"<th[^>]*>([^<]*)</th>", head)]


def cell(text: str, choice: Choice, name: str) -> str:
    row = text.partition(f'id="choice-{choice.id}"')[2].partition("</tr>")[0]
    found = re.search(rf'data-label="{name}">(.*?)</td>', row, re.DOTALL)
    return re.sub(r"<[^>]+>", "", found[1]).strip() if found else ""


def test_a_column_that_is_the_same_for_all_is_left_out(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    assert columns(page(desk, desk.leader)) == ["Applicant", "Match"]
    desk.admission.move(bo, "shortlist", as_="reviewer")
    assert columns(page(desk, desk.leader)) == ["Applicant", "Match", "State"]
    save(browser(desk.leader), ada, fit="4")
    shown = page(desk, desk.leader)
    assert columns(shown) == ["Applicant", "Match", "State", "My score"]
    assert (cell(shown, ada, "My score"), cell(shown, bo, "My score")) == ("draft", "")


def test_means_and_their_spread_stand_where_the_own_card_is_locked_and_reviewers_where_anybodys_is(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    scored(desk.reviewer, ada, LOW)
    scored(desk.reviewer, bo, LOW)
    shown = page(desk, desk.leader)
    assert "Mean" not in columns(shown)
    assert cell(shown, ada, "Reviewers") == desk.admission.user(desk.reviewer).display_name
    scored(desk.leader, ada, POINTS)
    shown = page(desk, desk.leader)
    assert (cell(shown, ada, "My score"), cell(shown, ada, "Mean")) == ("3.50", "2.25 1.0–3.5")
    assert (cell(shown, bo, "My score"), cell(shown, bo, "Mean")) == ("", "")
    both = sorted(desk.admission.user(person).display_name for person in (desk.leader, desk.reviewer))
    assert cell(shown, ada, "Reviewers") == ", ".join(both)
    who = {"reviewer_id": desk.reviewer.id, "applicant_id": ada.application.applicant_id}
    db.session.add(Conflict(**who, state="declared", changed_at=desk.admission.now))
    db.session.commit()
    shown = page(desk, desk.leader)  # the card of somebody with a conflict of interest counts for nothing
    assert (cell(shown, ada, "Mean"), cell(shown, ada, "Reviewers")) == (
        "3.50",
        desk.admission.user(desk.leader).display_name,
    )


def test_the_list_is_narrowed_to_whom_somebody_has_scored(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    scored(desk.reviewer, bo, LOW)
    save(browser(desk.reviewer), ada, fit="4")  # a draft, of which nobody else learns
    name = desk.admission.user(desk.reviewer).display_name
    assert f'<option value="{desk.reviewer.id}">{name}</option>' in page(desk, desk.leader)
    shown = page(desk, desk.leader, f"?reviewer={desk.reviewer.id}")
    assert (f'id="choice-{bo.id}"' in shown, f'id="choice-{ada.id}"' in shown) == (True, False)
    assert f"Reviewer: {name}" in shown
    assert "Nobody matches" in page(desk, desk.leader, f"?reviewer={desk.leader.id}")


def test_the_file_holds_for_the_meeting_what_the_reader_may_see_of_scores(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    for person, choice, points in (
        (desk.reviewer, ada, LOW),
        (desk.reviewer, bo, LOW),
        (desk.leader, ada, POINTS),
    ):
        scored(person, choice, points)
    rows = list(csv.DictReader(io.StringIO(browser(desk.leader).get(f"{desk.address}/applicants.csv").text)))
    first, second = sorted(rows, key=lambda row: next(iter(row.values())))
    names = ("My score", "Fit (mean)", "Writing (mean)", "Mean", "Calibrated mean", "Lowest", "Highest")
    assert [first[name] for name in names] == ["3.50", "2.50", "1.50", "2.25", "2.25", "1.00", "3.50"]
    assert {second[name] for name in names} == {""}  # nothing of the reviewer's card before the own one is locked
    assert second["Reviewers"] == desk.admission.user(desk.reviewer).display_name
    assert first["Address"].endswith(f"{desk.address}/choices/{ada.id}")
    assert first["Topics"] == "language models on GPUs"


def test_under_a_name_stand_the_applicants_own_topics(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    submission = db.session.scalars(select(Submission).where(Submission.application_id == ada.application_id)).one()
    submission.interests = {**submission.interests, "topics": [{"text": "Looms that <think>", "weight": 2.0}]}
    db.session.commit()
    assert '<span class="queue-terms">Looms that &lt;think&gt;</span>' in page(desk, desk.leader)
