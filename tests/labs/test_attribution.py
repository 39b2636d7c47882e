from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from portal.db import db
from portal.labs.attribution import Edit, attribution, last_edits
from portal.labs.queries import lab_by_slug, profile_of
from portal.models import User
from tests.labs.records import GENOMES, SAVED, edit, store
from tests.statements import statements_sent

if TYPE_CHECKING:
    from flask import Flask

    from tests.people import Person

SEEDED = Edit("the portal's command line", SAVED)


def edits(app: Flask, *paths: str) -> dict[str, Edit]:
    with app.app_context():
        lab = lab_by_slug(db.session(), "genome-lab")
        assert lab is not None
        return last_edits(db.session(), lab, paths)


def test_a_fact_belongs_to_the_save_that_gave_it_its_value(app: Flask, admin: Person) -> None:
    with app.app_context():
        db.session.get_one(User, admin.id).name = "Edith"
        db.session.commit()
    store(app, GENOMES)
    days = [SAVED + timedelta(days=number) for number in range(5)]
    edit(app, replace(GENOMES, about="One"), email=admin.email, saved=days[1])
    edit(app, replace(GENOMES, about="Two", place="Nice"), email=admin.email, saved=days[2])
    edit(app, replace(GENOMES, about="Two", place="Lyon, France"), email=admin.email, saved=days[3])
    work = replace(GENOMES.works[0], year=2024)
    edit(app, replace(GENOMES, about="Two", works=(work,)), email=admin.email, saved=days[4])
    assert edits(app, "about", "place", "name", "works/reads", "systems/helixer") == {
        "about": Edit("Edith", days[2]),
        "place": Edit("Edith", days[3]),
        "name": SEEDED,
        "works/reads": Edit("Edith", days[4]),
        "systems/helixer": SEEDED,
    }


def test_somebody_who_has_left_is_not_named(app: Flask, admin: Person) -> None:
    store(app, GENOMES)
    edit(app, replace(GENOMES, about="One"), email=admin.email)
    with app.app_context():
        db.session.execute(db.text("UPDATE lab_revision SET author_id = NULL WHERE number = 2"))
        db.session.commit()
    assert edits(app, "about") == {"about": Edit("a person who has left the portal", SAVED)}


def test_revisions_are_read_once_for_each_profile(app: Flask) -> None:
    store(app, GENOMES)
    with app.app_context():
        session = db.session()
        lab = lab_by_slug(session, "genome-lab")
        assert lab is not None
        record = profile_of(session, lab)
        memory = attribution(app)
        with statements_sent(app) as statements:
            first = memory.sources(session, lab, record)
        with statements_sent(app) as asked_again:
            assert memory.sources(session, lab, record) == first
        assert statements
        assert asked_again == []
    assert first["place"] == ["entered by the portal's command line on 20 Nov 2026, 12:00 UTC"]
