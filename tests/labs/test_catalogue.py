from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.catalogue import live_catalogue
from portal.labs.listing import in_order
from portal.labs.live_index.live import live_index
from portal.labs.texts import is_open, last_open_day
from portal.matching import Explanation, LabIndex, Match, Query
from portal.seeding.records import OpeningRecord
from tests.labs.records import GENOMES, WEAVER, edit, small_lab, store

if TYPE_CHECKING:
    from flask import Flask

    from portal.labs.catalogue import Catalogue

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def catalogue(app: Flask, now: datetime = NOON) -> Catalogue:
    with app.app_context():
        session = db.session()
        return live_catalogue(app).current(session, live_index(app).current(session), now)


@pytest.mark.parametrize(
    ("now", "day"),
    [
        (datetime(2026, 12, 16, 11, 59, 59, tzinfo=UTC), date(2026, 12, 15)),
        (datetime(2026, 12, 16, 12, tzinfo=UTC), date(2026, 12, 16)),
        (datetime(2026, 12, 16, 19, 59, tzinfo=timezone(timedelta(hours=8))), date(2026, 12, 15)),
    ],
)
def test_a_deadline_passes_when_its_day_has_ended_everywhere_on_earth(now: datetime, day: date) -> None:
    assert last_open_day(now) == day


def test_an_opening_is_open_through_the_day_of_its_deadline() -> None:
    opening = OpeningRecord("o", "phd", deadline="2026-12-15")
    assert is_open(opening, date(2026, 12, 14))
    assert is_open(opening, date(2026, 12, 15))
    assert not is_open(opening, date(2026, 12, 16))
    assert is_open(OpeningRecord("o", "phd"), date(2999, 1, 1))


def test_the_end_of_a_day_closes_an_opening_without_any_save(app: Flask) -> None:
    store(app, replace(GENOMES, openings=(OpeningRecord("o", "phd", deadline="2026-11-20"),)))
    assert list(catalogue(app, NOON).facets["opening"]) == ["ph.d."]
    assert catalogue(app, NOON + timedelta(hours=23)) is catalogue(app, NOON)
    assert list(catalogue(app, NOON + timedelta(hours=24)).facets["opening"]) == []


def test_a_save_renews_the_entry_of_its_lab_and_keeps_the_others(app: Flask) -> None:
    store(app, WEAVER, GENOMES)
    before = catalogue(app)
    assert catalogue(app) is before
    edit(app, replace(GENOMES, name="Aaa Readers"))
    after = catalogue(app)
    assert [entry.record.name for entry in after.entries] == ["Aaa Readers", "Weaver Systems Lab"]
    assert after.entry("weaver-lab") is before.entry("weaver-lab")
    assert after.entry("genome-lab") is not before.entry("genome-lab")
    assert after.entry("nobody") is None


def test_sets_of_labs_are_given_by_address_and_read_by_name(app: Flask) -> None:
    store(app, *(small_lab(number) for number in (3, 1, 2)))
    labs = catalogue(app)
    chosen = labs.numbers_of(["lab-00003", "lab-00001", "nobody"])
    assert [entry.record.key for entry in labs.chosen(chosen)] == ["lab-00001", "lab-00003"]
    assert labs.chosen(labs.everything) == list(labs.entries)


def test_an_unknown_order_is_refused_with_those_that_are_known(app: Flask) -> None:
    labs = catalogue(app)
    with pytest.raises(KeyError, match="'fame' is not an order of labs; known: name, openings, changed, works"):
        in_order(labs.entries, "fame", labs.today)


def test_what_is_near_a_lab_is_ranked_once_for_each_state(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    store(app, WEAVER, GENOMES)
    asked: list[Query] = []
    rank = LabIndex.rank_explained

    def counted(index: LabIndex, query: Query, k: int = 20) -> list[tuple[Match, Explanation]]:
        asked.append(query)
        return rank(index, query, k)

    monkeypatch.setattr(LabIndex, "rank_explained", counted)
    client = app.test_client()
    first = client.get("/labs/weaver-lab").text
    times = len(asked)
    assert times > 0
    assert client.get("/labs/weaver-lab").text == first
    assert len(asked) == times
    edit(app, replace(GENOMES, name="Genome Writing Group"))
    again = client.get("/labs/weaver-lab").text
    assert len(asked) == 2 * times
    assert "Genome Writing Group" in again
