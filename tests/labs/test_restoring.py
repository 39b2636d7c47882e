from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from portal.db import db
from portal.labs.queries import profile_of
from portal.labs.service import create_lab, save_profile
from portal.models import User
from tests.admin.desk import NOW, PROFILE

if TYPE_CHECKING:
    from flask import Flask

    from tests.people import Person


def test_facts_that_come_back_are_from_where_they_were(app: Flask, admin: Person) -> None:
    with app.app_context():
        session = db.session()
        author = session.get(User, admin.id)
        lab = create_lab(session, PROFILE, author=author, reason="Made", now=NOW)
        edited = replace(PROFILE, about="By hand", members=PROFILE.members[:1])
        save_profile(session, lab, edited, base=1, author=author, reason="Edit", now=NOW)
        assert dict(profile_of(session, lab).origins).keys() == {"place"}
        save_profile(session, lab, PROFILE, base=2, author=author, reason="Undo", now=NOW, source="undo")
        assert profile_of(session, lab) == PROFILE
