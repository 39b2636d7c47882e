"""Concepts that are retired and come back."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import pytest

from tests.admin.concepts import CARD, CARD_FORM, CHAT, CONCEPTS, OLD, in_use, reasons, store_concepts
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.admin.desk import Desk
    from tests.people import Person


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """An administrator, a lab and three concepts."""
    store_concepts(desk.app)
    return desk


def text(desk: Desk, url: str) -> str:
    return html.unescape(desk.client.get(CONCEPTS + url).text)


def test_an_entry_is_retired_and_the_undo_brings_it_back(desk: Desk, person: Callable[..., Person]) -> None:
    assert desk.post(f"{CONCEPTS}1/retire", {"retire-reason": ""}, page=f"{CONCEPTS}1").status_code == 422
    assert desk.post(f"{CONCEPTS}1/retire", {"retire-reason": "Misleads"}, page=f"{CONCEPTS}1").status_code == 302
    assert in_use(desk.app) == (CHAT, OLD)
    page = text(desk, "")
    assert "“video card” is retired" in page
    assert f'action="{CONCEPTS}1/bring-back"' in page
    assert "1 concept is retired" in page
    assert "video card" in text(desk, "?state=retired")
    assert desk.post(f"{CONCEPTS}1/retire", {"retire-reason": "x"}, page=f"{CONCEPTS}1").status_code == 302
    assert 'name="back-reason" value="Undo: Misleads"' in text(desk, "")  # after a second click as after the first
    other = person("admin").sign_in()
    sent = {"csrf_token": csrf_token(other, f"{CONCEPTS}1"), "retire-reason": "x"}
    other.post(f"{CONCEPTS}1/retire", data=sent)
    page = other.get(CONCEPTS).text
    assert ("Entry 1 is retired already." in page, "Undo</button>" in page) == (True, False)
    undo = desk.post(f"{CONCEPTS}1/bring-back", {"back-reason": "Undo: Misleads"}, page=f"{CONCEPTS}1")
    assert undo.status_code == 302
    assert in_use(desk.app) == (CARD, CHAT, OLD)
    assert reasons(desk.app, 1)[:2] == ["Undo: Misleads", "Misleads"]
    assert desk.post(f"{CONCEPTS}1/bring-back", {"back-reason": "x"}, page=f"{CONCEPTS}1").status_code == 302
    assert "Entry 1 is in use already." in text(desk, "")
    assert reasons(desk.app, 1)[0] == "Undo: Misleads"


def test_a_retired_entry_can_be_edited_and_stays_retired(desk: Desk) -> None:
    desk.post(f"{CONCEPTS}1/retire", {"retire-reason": "Misleads"}, page=f"{CONCEPTS}1")
    assert desk.post(f"{CONCEPTS}1", {**CARD_FORM, "base": "2", "strength": "0.1"}).status_code == 302
    assert in_use(desk.app) == (CHAT, OLD)
    assert desk.post(f"{CONCEPTS}1/bring-back", {"back-reason": ""}, page=f"{CONCEPTS}1").status_code == 422
