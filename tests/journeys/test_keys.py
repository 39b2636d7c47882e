"""Single keys: for a queue, for points and on the board."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_a_key_that_is_held_down_goes_on_from_line_to_line_and_ticks_once(trial: Page) -> None:
    trial.goto("/trial/rows")
    trial.keyboard.down("j")
    trial.keyboard.down("j")
    trial.keyboard.up("j")
    expect(trial.get_by_role("link", name="Two")).to_be_focused()
    trial.keyboard.down("x")
    trial.keyboard.down("x")
    expect(trial.get_by_label("Tick Two")).to_be_checked()


def test_keys_work_outside_of_boxes_are_listed_and_can_be_turned_off(trial: Page) -> None:
    trial.goto("/trial/keys")
    trial.locator("#n").press("j")
    assert trial.locator("#n").input_value() == "j"
    trial.locator("h1").click()
    trial.keyboard.press("?")
    dialog = trial.get_by_role("dialog", name="Keys on this page")
    expect(dialog).to_contain_text("Next applicant")
    dialog.get_by_label("Use single keys on this device").uncheck()
    dialog.get_by_role("button", name="Close").click()
    trial.keyboard.press("j")
    assert "at=next" not in trial.url
    trial.keyboard.press("?")
    expect(dialog).to_be_hidden()
    trial.get_by_role("button", name="Keys").click()
    dialog.get_by_label("Use single keys on this device").check()
    trial.keyboard.press("Escape")
    trial.keyboard.press("j")
    trial.wait_for_url("**/trial/keys?at=next")


def test_keys_work_and_can_be_turned_off_where_the_browser_keeps_nothing(trial: Page) -> None:
    trial.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no') } })")
    trial.goto("/trial/keys")
    trial.keyboard.press("?")
    trial.get_by_label("Use single keys on this device").uncheck()
    trial.get_by_role("button", name="Close").click()
    trial.keyboard.press("j")
    assert "at=next" not in trial.url
    trial.goto("/trial/keys")
    trial.keyboard.press("j")
    trial.wait_for_url("**/trial/keys?at=next")


def test_on_a_board_a_key_moves_once_and_keys_of_the_browser_are_left_to_it(trial: Page) -> None:
    trial.goto("/trial/board")
    trial.evaluate("window.sent = 0")
    trial.evaluate("document.addEventListener('submit', (event) => { event.preventDefault(); window.sent += 1 })")
    handle = trial.get_by_role("button", name="Move Ada")
    handle.focus()
    trial.keyboard.press("Alt+ArrowRight")
    assert handle.get_attribute("aria-pressed") == "false"
    trial.keyboard.press("ArrowRight")
    assert handle.get_attribute("aria-pressed") == "true"
    trial.keyboard.down("Enter")
    trial.keyboard.down("Enter")  # held down
    trial.keyboard.up("Enter")
    assert trial.evaluate("window.sent") == 1


def test_digits_set_points_one_criterion_after_the_other(trial: Page) -> None:
    """What has no such point, and what one types into a box, sets none."""
    trial.goto("/trial/points")

    def points() -> list[str]:
        chosen = trial.locator("fieldset input:checked")
        return [chosen.nth(at).input_value() for at in range(chosen.count())]

    trial.locator("#note").press("4")
    assert (points(), trial.locator("#note").input_value()) == (["", ""], "4")
    trial.locator("h1").click()
    trial.keyboard.press("4")
    trial.keyboard.press("5")  # of three
    assert points() == ["4", ""]
    trial.keyboard.press("3")
    trial.keyboard.press("2")
    assert points() == ["4", "2"]
    trial.locator("input[name=fit]").first.focus()
    trial.keyboard.press("1")
    assert points() == ["1", "2"]
    trial.keyboard.press("l")
    trial.wait_for_url("**/trial/away")
