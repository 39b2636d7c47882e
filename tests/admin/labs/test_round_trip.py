"""A form that is opened and sent as it is changes nothing, on every item that the seed pages bring."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import html5lib
import pytest
from werkzeug.datastructures import MultiDict

from portal.admin.labs.sections import SECTIONS, items_of
from portal.config import RESOURCES
from portal.db import db
from portal.labs.seeding import seed_labs
from tests.admin.desk import NOW, Desk

if TYPE_CHECKING:
    from flask import Flask

    from tests.people import Person

XHTML = "{http://www.w3.org/1999/xhtml}"
EVERY = 4  # items whose forms are sent without --thorough


def as_a_browser_sends(page: str) -> MultiDict[str, str]:
    """The values of the form that asks for a reason, as a browser sends them: line ends become CR LF."""
    document = html5lib.parse(page)
    (form,) = (
        form
        for form in document.iter(f"{XHTML}form")
        if any(control.get("name") == "reason" for control in form.iter(f"{XHTML}textarea"))
    )
    values: MultiDict[str, str] = MultiDict()
    for control in form.iter():
        name, kind = control.get("name"), control.tag.removeprefix(XHTML)
        if name is None or kind == "button" or (control.get("type") == "checkbox" and control.get("checked") is None):
            continue
        if kind == "select":
            chosen = [option for option in control if option.get("selected") is not None] or list(control)[:1]
            values.add(name, chosen[0].get("value"))
        elif kind == "textarea":
            values.add(name, (control.text or "").replace("\n", "\r\n"))
        elif kind == "input":
            values.add(name, control.get("value") or "")
    return values


@pytest.fixture
def seeded(app: Flask, admin: Person) -> Desk:
    with app.app_context():
        seed_labs(db.session(), RESOURCES / "seeds", now=NOW)
        db.session.commit()
    return Desk(app, admin.sign_in(), admin.email)


def send_again(desk: Desk, url: str, **changes: str) -> int:
    """Open a form and send what it shows, but for some fields; the status of the answer."""
    values = as_a_browser_sends(desk.client.get(url).text)
    for name, value in changes.items():
        values[name] = value
    return desk.client.post(url, data=values).status_code


@pytest.mark.parametrize(
    "slug",
    [
        "relaxed-system-lab",
        "bin-cui-group",
        *(pytest.param(slug, marks=pytest.mark.thorough) for slug in ("danyang-zhuo-lab", "xiaowen-chu-group")),
    ],
)
def test_forms_that_are_sent_as_they_are_change_nothing(seeded: Desk, slug: str, *, thorough: bool) -> None:
    before = seeded.profile(slug)
    for section in SECTIONS.values():
        for item in items_of(before, section.name)[:: 1 if thorough else EVERY]:
            url = f"/admin/labs/{slug}/{section.name}/{item.key}"
            assert (url, send_again(seeded, url, reason="Only looked")) == (url, 302)
    assert seeded.revision_number(slug) == 1
    assert seeded.profile(slug) == before


def test_the_texts_of_every_seeded_lab_survive_an_edit_of_one_of_them(seeded: Desk) -> None:
    for slug in ("relaxed-system-lab", "danyang-zhuo-lab", "bin-cui-group", "xiaowen-chu-group"):
        before = seeded.profile(slug)
        url = f"/admin/labs/{slug}/edit"
        assert send_again(seeded, url, reason="Moved", place="Shenzhen") == 302
        origins = tuple(pair for pair in before.origins if pair[0] != "place")
        assert seeded.profile(slug) == replace(before, place="Shenzhen", origins=origins)
