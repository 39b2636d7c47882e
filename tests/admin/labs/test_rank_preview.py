"""Before saving, an edit is tried beside the live index; of applicants only large groups are said."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from portal.applications.interests.service import last_interests
from portal.db import db
from portal.labs.live_index.state import index_records
from portal.labs.rank_preview import PLACES, ApplicantMoves, rank_preview, sample_queries
from portal.matching import Query, Topic
from portal.models import Interests, InterestTopic, User
from portal.seeding.records import LabRecord, WorkRecord
from tests.admin.desk import NOW, PROFILE, Desk, store
from tests.admin.labs.test_own_lab import HOME, professor

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from tests.people import Person

__all__ = ["professor"]

EDIT = "/admin/labs/relaxed-lab/edit"
TEXTS = {"interests": "Protein folding.", "recruiting": "Fold proteins with us: protein folding for drugs."}
FOLDING = replace(PROFILE, interests=TEXTS["interests"], recruiting=TEXTS["recruiting"])
PROTEINS = Query((Topic("protein folding"),))
POEMS = Query((Topic("medieval poetry"),))


def other(key: str, *titles: str) -> LabRecord:
    works = (WorkRecord(f"w{number}", title, abstract=f"We study {title}.") for number, title in enumerate(titles))
    return LabRecord(key=key, name=key.title(), interests=titles[0], works=tuple(works))


OTHERS = (
    other("vision", "Object detection in videos", "Object detection by night", "Depth estimation"),
    other("chemistry", "Protein folding", "Drug discovery with molecules", "Reaction prediction"),
    other("data", "Query optimisation", "Data cleaning at scale", "Index structures for databases"),
)


def states_interests(app: Flask, one: Person, topic: str, number: int) -> None:
    with app.app_context():
        topics = [InterestTopic(position=0, text=topic)]
        db.session.add(Interests(user_id=one.id, topics=topics, changed_at=NOW + timedelta(minutes=number)))
        db.session.commit()


def test_an_edit_is_tried_and_the_labs_stay_as_they_are() -> None:
    labs = index_records([PROFILE, *OTHERS])
    before = [labs.index.rank(query, k=9) for query in (PROTEINS, POEMS)]
    texts = ["medieval poetry", "LLM inference on a single GPU", "protein folding"]
    shown = rank_preview(labs, FOLDING, texts, [])
    assert [(move.text, move.before, move.after) for move in shown.samples] == [
        ("protein folding", None, 2),
        ("LLM inference on a single GPU", 1, 1),
        ("medieval poetry", None, None),
    ]
    assert (shown.elsewhere, shown.labs) == (1, 4)
    assert [labs.index.rank(query, k=9) for query in (PROTEINS, POEMS)] == before
    assert labs.profiles[PROFILE.key] == PROFILE


@pytest.mark.parametrize(
    ("folders", "poets", "said"),
    [(4, 0, None), (3, 2, ApplicantMoves(0, 0)), (4, 46, ApplicantMoves(0, 0)), (9, 3, ApplicantMoves(5, 0))],
)
def test_groups_of_fewer_than_five_are_not_said(folders: int, poets: int, said: ApplicantMoves | None) -> None:
    interests = [PROTEINS] * folders + [POEMS] * poets
    assert rank_preview(index_records([PROFILE, *OTHERS]), FOLDING, [], interests).applicants == said


def test_an_edit_that_makes_the_lab_fall_is_said_too() -> None:
    labs = index_records([FOLDING, *OTHERS])
    assert rank_preview(labs, PROFILE, [], [PROTEINS] * 7).applicants == ApplicantMoves(0, 5)


def test_the_sample_texts_are_different_lines() -> None:
    assert len(set(sample_queries())) == len(sample_queries()) >= 20


@pytest.mark.parametrize("who", ["desk", "professor"])
def test_the_form_shows_ranks_and_saves_nothing(app: Flask, request: pytest.FixtureRequest, who: str) -> None:
    one: Desk = request.getfixturevalue(who)
    url = EDIT if who == "desk" else f"{HOME}/edit"
    for record in OTHERS:
        store(app, record)
    assert "See how ranks move" in one.client.get(url).text
    page = one.post(url, {**TEXTS, "base": 1, "preview": "yes"})
    assert page.status_code == 200
    assert "How ranks would move" in page.text
    assert "no longer fits" in page.text
    assert "fewer than 5 state interests" in page.text
    assert TEXTS["recruiting"] in page.text
    assert "Say in a few words why" not in page.text
    assert one.profile() == PROFILE
    saved = one.post(url, {**TEXTS, "base": 1, "reason": "We turned"})
    assert saved.status_code == 302


def test_an_edit_that_cannot_be_read_says_so_instead(desk: Desk) -> None:
    page = desk.post(EDIT, {"name": " ", "base": 1, "preview": "yes"})
    assert page.status_code == 422
    assert ("How ranks would move" in page.text, "Give the lab a name." in page.text) == (False, True)


def test_entries_are_tried_together_with_what_others_saved(app: Flask, desk: Desk) -> None:
    for record in OTHERS:
        store(app, record)
    desk.saves_as(FOLDING)
    url = "/admin/labs/relaxed-lab/add/openings"
    page = desk.post(url, {"degree": "phd", "text": "Come and see.", "base": 1, "preview": "yes"})
    assert page.status_code == 200
    assert "How ranks would move" in page.text
    assert [word for word in ("no longer fits", "fits now", "up 1") if word in page.text] == []
    item = "/admin/labs/relaxed-lab/works/hexgen"
    assert "How ranks would move" in desk.post(item, {"title": "Other", "base": 1, "preview": "yes"}).text
    assert desk.profile() == FOLDING


def test_the_last_interests_of_acting_applicants_are_counted_and_never_shown(
    app: Flask, desk: Desk, person: Callable[..., Person]
) -> None:
    for record in OTHERS:
        store(app, record)
    for number in range(6):
        states_interests(app, person("applicant"), f"protein folding zzmarked{number}", number)
    suspended, empty = person("applicant"), person("applicant")
    states_interests(app, suspended, "protein folding zzmarkedsuspended", 9)
    states_interests(app, empty, "", 10)
    with app.app_context():
        user = db.session.get(User, suspended.id)
        assert user is not None
        user.active = False
        db.session.commit()
        assert len(last_interests(db.session(), 50)) == 6
        assert [query.topics[0].text for query in last_interests(db.session(), 3)][-1] == "protein folding zzmarked4"
    page = desk.post(EDIT, {**TEXTS, "base": 1, "preview": "yes"}).text
    assert "at least 5 would see the lab higher" in page
    assert "fewer than 5 lower" in page
    assert "zzmarked" not in page


def test_a_lab_below_the_hundredth_place_has_none() -> None:
    many = [other(f"lab{number:03}", "Protein folding", f"Topic{number}") for number in range(PLACES + 1)]
    labs = index_records([FOLDING, *many])
    assert [match.lab for match in labs.index.rank(PROTEINS, k=999)][PLACES:] == ["lab100", PROFILE.key]
    shown = rank_preview(labs, replace(FOLDING, about="New."), ["protein folding"], [])
    assert (shown.samples[0].before, shown.samples[0].after, shown.is_cut) == (None, None, True)
