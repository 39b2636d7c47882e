"""A lab is chosen from a list while labs are few, and searched by name, leader or address where they are many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.labs.service import create_lab
from portal.seeding.records import LabRecord
from tests.admin.desk import NOW
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.admin.desk import Desk
    from tests.people import Person

MOST_OFFERED = 3


@pytest.fixture
def many(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk with more labs than a list offers."""
    monkeypatch.setattr("portal.admin.labs.queries.MOST_OFFERED", MOST_OFFERED)
    with desk.app.app_context():
        for key, name, leader in (
            ("vision", "Vision", "Ada Byron"),
            ("robot-vision", "Vision for Robots", "Grace Hopper"),
            ("proofs", "Proofs", "Émilie Noether"),
        ):
            record = LabRecord(key=key, name=name, leader=leader)
            create_lab(db.session(), record, author=None, reason="for a test", now=NOW)
        db.session.commit()
    return desk


def attach(desk: Desk, person: Person, lab: str) -> str:
    """What the page says after somebody was attached to a lab, or not."""
    page = f"/admin/people/{person.id}"
    answer = submit(desk.client, f"{page}/attach", {"lab": lab, "position": "leader"}, page=page)
    return answer.text if answer.status_code == 422 else desk.client.get(page).text


def test_few_labs_are_a_list(desk: Desk, professor: Person) -> None:
    for page in ("/admin/people/", f"/admin/people/{professor.id}", "/admin/people/invitations"):
        assert '<option value="relaxed-lab">Relaxed Lab</option>' in desk.client.get(page).text


def test_many_labs_are_searched(many: Desk, professor: Person) -> None:
    for page in ("/admin/people/", f"/admin/people/{professor.id}", "/admin/people/invitations"):
        text = many.client.get(page).text
        assert ("<option" in text.split('id="lab"')[1][:200], 'type="search" id="lab"' in text) == (False, True)


@pytest.mark.parametrize("typed", ["robot-vision", "Vision for robots", "hopper", "robots vision"])
def test_a_lab_is_found_by_address_name_or_leader(many: Desk, professor: Person, typed: str) -> None:
    assert "is now leader of Vision for Robots" in attach(many, professor, typed)


def test_an_exact_name_wins_over_a_longer_one(many: Desk, professor: Person) -> None:
    assert "is now leader of Vision." in attach(many, professor, "vision")


def test_what_names_no_lab_or_several_is_kept_and_explained(many: Desk, professor: Person) -> None:
    several = attach(many, professor, "visio")
    assert "Several labs fit: Vision (vision), Vision for Robots (robot-vision)." in several
    assert 'value="visio"' in several
    assert '<option value="leader" selected>' in several
    assert "No lab is called “chemistry”. Type a part" in attach(many, professor, "chemistry")
    assert "No lab is called “”." in attach(many, professor, " ")


def test_people_are_narrowed_by_a_part_of_the_name(many: Desk, person: Callable[..., Person]) -> None:
    ada, bob = person("professor", name="Ada B."), person("professor", name="Bob C.")
    attach(many, ada, "vision")
    attach(many, bob, "robot-vision")
    found = many.client.get("/admin/people/?lab=visi").text
    assert ("Ada B." in found, "Bob C." in found) == (True, True)
    page = many.client.get("/admin/people/?lab=robot-vision").text
    assert ("Ada B." in page, "Bob C." in page, 'value="Vision for Robots"' in page) == (False, True, True)
    assert "Bob C." in many.client.get("/admin/people/?lab=hopper").text


def test_an_invitation_to_a_lab_that_is_not_found_says_so(many: Desk) -> None:
    form = {"addresses": "ann@example.edu", "position": "leader", "lab": "visio"}
    refused = many.post("/admin/people/invitations", form)
    assert (refused.status_code, "Several labs fit" in refused.text, 'value="visio"' in refused.text) == (
        422,
        True,
        True,
    )
    assert many.post("/admin/people/invitations", {**form, "lab": "byron"}).status_code == 302
