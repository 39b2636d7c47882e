"""Who of a lab is to score whom: by hand, evenly, by match; never in a conflict of interest; with progress and undo."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import select

from portal.db import db
from portal.models import AssignedReviewer, Conflict, Lab, LabProfessor, MatchRecord
from portal.reviews.assigning import affinity_of, spread
from tests.people import add_person, submit
from tests.reviews.cards import POINTS, lock, save
from tests.reviews.crowd import add_crowd

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from portal.models import Choice
    from tests.reviews.desk import Desk

LONG = "2" * 9_000
CHOICES, REVIEWERS = tuple(range(10, 17)), (1, 2, 3)


def test_everybody_gets_as_many_and_nobody_whom_they_must_not_read() -> None:
    pairs = spread(CHOICES, REVIEWERS, 2, given=[(10, 1)], barred={(11, 1), (11, 2)}, affinity={})
    assert len(pairs) == len({*pairs} - {(10, 1)}) == 2 * len(CHOICES) - 2  # of 11 there is one reader left
    load = Counter(reviewer for _, reviewer in [*pairs, (10, 1)])
    assert max(load.values()) - min(load.values()) <= 1
    assert {reviewer for choice, reviewer in pairs if choice == 11} == {3}
    assert spread(CHOICES, (), 1, given=[], barred=(), affinity={}) == []


def test_who_wrote_what_matched_comes_first_within_an_equal_share() -> None:
    liked = {(choice, 2): 0.5 - choice / 100 for choice in CHOICES}
    pairs = spread(CHOICES, REVIEWERS, 1, given=[], barred={(10, 2)}, affinity=liked)
    assert sorted(choice for choice, reviewer in pairs if reviewer == 2) == [11, 12, 13]
    assert len(pairs) == len(CHOICES)


def assigned(*choices: Choice) -> dict[int, set[int]]:
    db.session.expire_all()
    ids = [choice.id for choice in choices]
    rows = db.session.scalars(select(AssignedReviewer).where(AssignedReviewer.choice_id.in_(ids))).all()
    return {number: {row.reviewer_id for row in rows if row.choice_id == number} for number in ids}


def send(client: FlaskClient, desk: Desk, path: str = "", **sent: Any) -> str:  # noqa: ANN401  (fields of a form)
    page = f"{desk.address}/assignment"
    answer = submit(client, page + path, {"cycle": desk.admission.cycle.slug, **sent}, page=f"{desk.address}/")
    assert answer.status_code in {302, 403}, answer.text
    return client.get(page).text if answer.status_code == 302 else answer.text


def test_evenly_by_hand_and_undone(desk: Desk) -> None:
    ada, bo, cy = people = desk.people("Ada", "Bo", "Cy")
    leader, two = desk.leader.sign_in(), [str(desk.leader.id), str(desk.reviewer.id)]
    page = send(leader, desk, reviewer=two, each="1", how="evenly")
    assert "3 reviews are assigned." in page
    assert sorted(len(reviewers) for reviewers in assigned(*people).values()) == [1, 1, 1]
    (at,) = re.findall(r'name="at" value="([^"]+)"', page)
    for hostile in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "x", LONG):
        assert "0 reviews are no longer assigned." in send(leader, desk, "/undo", at=hostile)
    assert "3 reviews are no longer assigned." in send(leader, desk, "/undo", at=at)
    assert assigned(ada, bo, cy) == {ada.id: set(), bo.id: set(), cy.id: set()}
    ticked: dict[str, Any] = {"choice": [str(ada.id), str(bo.id)], "reviewer": str(desk.reviewer.id), "by_hand": "yes"}
    for _ in range(2):
        send(leader, desk, **ticked)
    assert assigned(*people) == {ada.id: {desk.reviewer.id}, bo.id: {desk.reviewer.id}, cy.id: set()}
    save(desk.reviewer.sign_in(), ada, **POINTS)
    lock(desk.reviewer.sign_in(), ada)
    row = re.search(rf"reviewer={desk.reviewer.id}.*?</tr>", leader.get(f"{desk.address}/assignment").text, re.DOTALL)
    assert row is not None
    assert re.findall(r'class="figure"[^>]*>(\d+)<', row[0]) == ["2", "1", "1"]
    shown = leader.get(f"{desk.address}/?reviewer={desk.reviewer.id}").text
    assert [f'id="choice-{one.id}"' in shown for one in people] == [True, True, False]


def test_nobody_is_assigned_in_a_conflict_and_one_declared_later_ends_it(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    both: dict[str, Any] = {"choice": [str(ada.id), str(bo.id)], "reviewer": str(desk.reviewer.id), "by_hand": "yes"}
    one = {"reviewer_id": desk.reviewer.id, "applicant_id": ada.application.applicant_id}
    db.session.add(Conflict(**one, state="declared", changed_at=desk.admission.now))
    db.session.commit()
    leader = desk.leader.sign_in()
    send(leader, desk, **both)
    assert assigned(ada, bo) == {ada.id: set(), bo.id: {desk.reviewer.id}}
    send(leader, desk, reviewer=str(desk.reviewer.id), each="5", how="evenly")
    assert assigned(ada) == {ada.id: set()}
    other = {"reviewer_id": desk.reviewer.id, "applicant_id": bo.application.applicant_id}
    db.session.add(Conflict(**other, state="declared", changed_at=desk.admission.now))
    db.session.commit()
    assert "2 of 2 open applicants have no reviewer" in leader.get(f"{desk.address}/assignment").text


def test_by_match_reads_who_wrote_the_works_of_the_match(desk: Desk) -> None:
    lab = db.session.get_one(Lab, desk.admission.labs[desk.name])
    (number,) = add_crowd(db.session(), desk.admission.cycle, [lab], 1, now=desk.admission.now)
    record = db.session.scalars(select(MatchRecord).where(MatchRecord.choice_id == number)).one()
    record.found = {**record.found, "evidence": [{"work_key": "w1", "score": 0.3}, {"work_key": "w2", "score": 0.1}]}
    db.session.commit()
    readers = {1: "Grace Hopper", 2: "Ada Lovelace"}
    authors = {"w1": ("grace hopper", "X"), "w2": ("Ada Lovelace", "Grace Hopper")}
    assert affinity_of(db.session(), [number], readers, authors) == {
        (number, 1): pytest.approx(0.4),
        (number, 2): pytest.approx(0.1),
    }


def test_only_the_leader_assigns_and_only_whom_reads_for_the_lab(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    stranger = add_person(desk.admission.app, "professor")
    hand: dict[str, Any] = {"choice": [str(ada.id)], "by_hand": "yes"}
    assert "Only the leader" in send(desk.reviewer.sign_in(), desk, reviewer=str(desk.reviewer.id), **hand)
    leader = desk.leader.sign_in()
    assert "Nobody was assigned" in send(leader, desk, reviewer=str(stranger.id), **hand)
    assert assigned(ada) == {ada.id: set()}
    send(leader, desk, reviewer=str(desk.reviewer.id), **hand)
    db.session.delete(db.session.get_one(LabProfessor, (ada.lab_id, desk.reviewer.id)))
    db.session.commit()
    assert "1 of 1 open applicant has no reviewer" in leader.get(f"{desk.address}/assignment").text
