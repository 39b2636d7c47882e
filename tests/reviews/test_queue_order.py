"""The order of a queue, on SQLite and on PostgreSQL: pages and neighbours are those of the whole list."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING

import pytest

from portal.models import Choice, Conflict, LabReviewing, Scorecard
from portal.reviews.blind_review import choices_to_redact, keep_redactions
from portal.reviews.queue.queries import Queue, QueueFilter, counts_of, listed_choices, near, ordered_ids, page_of
from tests.admission import add_admission
from tests.databases import application_over_each
from tests.reviews.crowd import add_crowd

if TYPE_CHECKING:
    from flask import Flask

NOW = datetime.now(UTC).replace(microsecond=0)
POINTS = {"fit": 4, "potential": 4, "preparation": 3, "writing": 3, "confidence": 2}
FILTERS = (
    QueueFilter(),
    QueueFilter(state="ranked"),
    QueueFilter(state="ranked", card="none"),
    QueueFilter(card="none", new=True),
    QueueFilter(card="locked"),
    QueueFilter(text="number 1"),
    QueueFilter(text="number 1", state="ranked"),
    QueueFilter(state="offered"),
)
SORTS = ("match", "mean", "preference", "reply", "newest")
# All pairs once, and every filter and order beside blind reviewing and on PostgreSQL.
PAIRS = tuple(product(FILTERS, SORTS))
SOME_PAIRS = PAIRS[:: len(SORTS) - 1]
app = application_over_each()


@pytest.mark.parametrize("blind", [False, True])
def test_pages_and_neighbours_are_those_of_the_whole_list(app: Flask, *, blind: bool) -> None:
    made = add_admission(app, deadline_in=timedelta(days=1), now=NOW - timedelta(days=9))
    session, lab = made.session, made.add_lab("Serving")
    ids = add_crowd(session, made.cycle, [lab, made.add_lab("Weaving")], 15, now=NOW - timedelta(days=2))
    choices = [session.get_one(Choice, number) for number in ids]
    me = made.user(made.leaders["Serving"])
    for at, choice in enumerate(choices):
        choice.score = (0.1, 0.3, 0.3)[at % 3]
        choice.submitted_at = NOW - timedelta(days=1, hours=at % 4)
        if at % 3 == 0:
            choice.state, choice.preference = "ranked", at // 3 % 3 + 1
        if at % 4 == 0:
            choice.state_since = NOW
        choice.reply_by_at = NOW + timedelta(days=at % 5) if at % 5 else None
        choice.replied_at = NOW if at % 6 == 1 else None
    session.add_all(
        Scorecard(choice_id=choices[at].id, reviewer_id=me.id, changed_at=NOW, locked_at=NOW, **{**POINTS, "fit": at})
        for at in (1, 3, 5)
    )
    session.add(
        Conflict(reviewer_id=me.id, applicant_id=choices[7].application.applicant_id, state="declared", changed_at=NOW)
    )
    if blind:
        session.add(LabReviewing(lab_id=lab.id, blind_first=True, changed_at=NOW))
    session.commit()
    keep_redactions(session, choices_to_redact(session, len(ids)))
    session.commit()
    queue = Queue(lab, made.cycle, me, NOW - timedelta(hours=1))
    seen = set()
    for narrow, sort in SOME_PAIRS if blind or session.connection().dialect.name == "postgresql" else PAIRS:
        chosen = replace(narrow, sort=sort)
        whole = ordered_ids(session, queue, chosen)
        assert choices[7].id not in whole
        pages = [page_of(session, queue, whole, number=number, per_page=4) for number in (1, 2, 3, 4)]
        for number, page in enumerate(pages, start=1):
            assert (page.total, page.number) == (len(whole), min(number, max(1, -(-len(whole) // 4))))
            assert [row.id for row in page.items] == whole[(page.number - 1) * 4 : page.number * 4]
        for choice in (choices[at] for at in (0, 3, 8, 14)):
            with_it = ordered_ids(session, queue, chosen, also=choice.id)
            at = with_it.index(choice.id)
            around = near(session, queue, chosen, choice)
            before = with_it[at - 1] if at else None
            assert (around.before, around.position, around.total) == (before, at + 1, len(with_it))
        seen.add(tuple(whole))
    assert len(seen) > len(FILTERS)  # the filters and orders differ here


def test_what_is_new_is_counted_without_those_whom_a_conflict_closes(app: Flask) -> None:
    made = add_admission(app, deadline_in=timedelta(days=1), now=NOW - timedelta(days=9))
    session, lab = made.session, made.add_lab("Serving")
    ids = add_crowd(session, made.cycle, [lab, made.add_lab("Weaving")], 6, now=NOW - timedelta(days=2))
    came, apart, moved, moved_apart, old, old_apart = (session.get_one(Choice, number) for number in ids)
    came.listed_since = apart.listed_since = NOW
    for one in (moved, moved_apart):
        one.state, one.state_since = "ranked", NOW
    for one in (came, apart, moved, old):
        one.reply_by_at = NOW
    moved.replied_at, old.reply_by_at = NOW, NOW + timedelta(seconds=1)
    old_apart.state = "shortlisted"  # alone in its state
    me = made.user(made.leaders["Serving"])
    conflicts = [
        Conflict(reviewer_id=me.id, applicant_id=one.application.applicant_id, state="declared", changed_at=NOW)
        for one in (apart, moved_apart, old_apart)
    ]
    session.add_all(conflicts)
    session.commit()
    queue = Queue(lab, made.cycle, me, NOW - timedelta(hours=1))
    counts = counts_of(session, queue, listed_choices(session, queue), NOW)
    assert (counts.new, counts.conflicts, counts.everybody, counts.blind) == (2, 3, 3, False)
    assert counts.states == {"pending": 2, "ranked": 1}
    assert counts.late == 1
    assert set(ordered_ids(session, queue, QueueFilter(new=True))) == {came.id, moved.id}
    assert sum(choice.fresh for choice in listed_choices(session, queue._replace(since=None))) == 0
    for conflict in conflicts:
        conflict.state = "dismissed"
    session.add(LabReviewing(lab_id=lab.id, blind_first=True, changed_at=NOW))
    session.commit()
    counts = counts_of(session, queue, listed_choices(session, queue), NOW)
    assert (counts.new, counts.everybody, counts.late, counts.blind) == (4, 6, 2, True)
    assert old.id not in ordered_ids(session, queue, QueueFilter(new=True))


def test_who_submits_again_stands_in_the_queue_by_that_time(app: Flask) -> None:
    made = add_admission(app, deadline_in=timedelta(days=2), now=NOW - timedelta(days=9))
    lab = made.add_lab("Serving")
    first = made.submitted(made.add_applicant(), "Serving")
    made.later(hours=1)
    second = made.eligible(made.add_applicant(), "Serving")
    made.one_move(first, "mark_eligible", "admin")
    queue, newest = Queue(lab, made.cycle, made.user(made.leaders["Serving"])), QueueFilter(sort="newest")
    choices = [made.choice(one, "Serving").id for one in (first, second)]
    assert ordered_ids(made.session, queue, newest) == choices[::-1]
    made.move(first, "reconsider", "ask_for_more", as_="admin")
    made.later(hours=1)
    made.one_move(first, "complete", "applicant")
    made.one_move(first, "mark_eligible", "admin")
    assert ordered_ids(made.session, queue, newest) == choices


def test_a_name_is_found_without_its_accents_unless_it_is_hidden(app: Flask) -> None:
    made = add_admission(app, deadline_in=timedelta(days=1), now=NOW - timedelta(days=9))
    session, lab = made.session, made.add_lab("Serving")
    ids = add_crowd(session, made.cycle, [lab], 8, now=NOW - timedelta(days=2))
    names = ["Lucía García", "Nguyễn Thị Hoa", "Ana Garcia", "王小明", "Jürgen Müller"]
    names += ["Łukasz Đorđević", "Søren Sørensen", "Strasse Mueller"]
    for number, name in zip(ids, names, strict=True):
        session.get_one(Choice, number).application.applicant.name = name
    session.commit()
    queue = Queue(lab, made.cycle, made.user(made.leaders["Serving"]), None)

    def found(text: str) -> list[str]:
        of = dict(zip(ids, names, strict=True))
        return [of[number] for number in ordered_ids(session, queue, QueueFilter(text=text))]

    asked = {
        "garcia": ["Lucía García", "Ana Garcia"],
        "García": ["Lucía García", "Ana Garcia"],
        "ana GARCÍA": ["Ana Garcia"],
        "Lukasz": ["Łukasz Đorđević"],
        "dordevic": ["Łukasz Đorđević"],
        "sorensen": ["Søren Sørensen"],
        "straße": ["Strasse Mueller"],
        "Müller": ["Jürgen Müller"],
        "muller": ["Jürgen Müller"],
        "100% é": [],
        "nguyen thi": ["Nguyễn Thị Hoa"],
        "JURGEN": ["Jürgen Müller"],
        "小明": ["王小明"],
        "...": [],
        "xu": [],
    }
    assert {text: found(text) for text in asked} == asked
    session.add(LabReviewing(lab_id=lab.id, blind_first=True, changed_at=NOW))
    session.commit()
    assert [found(text) for text in ("garcia", "García", "nguyen", "小明", "Müller")] == [[]] * 5
