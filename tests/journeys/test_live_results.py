"""Results that follow a form without losing the reader's place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.journeys.conftest import Complaints
    from tests.journeys.trial_pages import TrialServer

pytestmark = pytest.mark.browser


def test_results_follow_what_is_typed_and_the_address_with_them(trial: Page, server: TrialServer) -> None:
    trial.goto("/trial/live")
    # Three keys within one task: however slow the machine, no pause lies between them.
    trial.locator("#q").focus()
    trial.locator("#q").evaluate(
        """(box) => {
            for (const key of "npu") {
                box.value += key;
                box.dispatchEvent(new Event("input", {bubbles: true}));
            }
        }"""
    )
    expect(trial.locator("#results [data-count]")).to_have_text("3 labs")
    assert trial.url.endswith("/trial/live?q=npu")
    assert server.asked == ["GET ", "GET npu"]
    assert trial.evaluate("document.activeElement.id") == "q"
    expect(trial.locator("p.visually-hidden[role=status]")).to_have_text("3 labs")


def test_a_form_that_posts_keeps_its_words_out_of_the_address(trial: Page, server: TrialServer) -> None:
    trial.goto("/trial/live?post=1")
    trial.fill("#q", "secret")
    expect(trial.locator("#results [data-count]")).to_have_text("6 labs")
    assert "secret" not in trial.url
    assert server.asked[-1] == "POST secret"


def test_leaving_a_field_asks_for_nothing_that_was_asked_for_as_it_was_typed(trial: Page, server: TrialServer) -> None:
    trial.goto("/trial/live")
    trial.locator("#q").press_sequentially("npu")
    expect(trial.locator("#results [data-count]")).to_have_text("3 labs")
    asked = list(server.asked)
    trial.locator("#q").blur()
    trial.wait_for_timeout(700)  # more than twice the pause after the last key
    assert server.asked == asked
    trial.locator("#q").press("Enter")
    trial.wait_for_timeout(300)
    assert server.asked == [*asked, "GET npu"]


def test_opened_rows_stay_open_and_in_place_when_the_order_changes(trial: Page) -> None:
    trial.goto("/trial/live")
    trial.locator("#row-9 summary").click()
    trial.locator("#row-9").evaluate("(row) => scrollTo({ top: row.offsetTop - 5, behavior: 'instant' })")
    before = trial.locator("#row-9").bounding_box()
    trial.locator("#q").evaluate("(q) => { q.value = 'x'; q.dispatchEvent(new Event('input', { bubbles: true })); }")
    expect(trial.locator("#results [data-count]")).to_have_text("1 labs")
    assert trial.locator("#row-9 details").get_attribute("open") is not None
    assert trial.locator("#row-8 details").get_attribute("open") is None
    after = trial.locator("#row-9").bounding_box()
    assert before is not None
    assert after is not None
    assert after["y"] == pytest.approx(before["y"], abs=2)


def test_too_many_questions_are_answered_kindly_and_the_list_stays(
    trial: Page, server: TrialServer, complaints: Complaints
) -> None:
    trial.goto("/trial/live")
    server.answers.append(({}, 429))
    trial.fill("#q", "fast")
    expect(trial.locator("[data-live-note]")).to_contain_text("Wait a minute")
    assert trial.locator("#row-1").is_visible()
    complaints.forgive("429")
    trial.fill("#q", "slow")
    expect(trial.locator("[data-live-note]")).to_have_count(0)


def test_whoever_went_on_into_the_list_keeps_the_cursor_where_it_is_renewed(trial: Page) -> None:
    trial.goto("/trial/live")
    trial.fill("#q", "graph")
    trial.get_by_text("Why 3", exact=True).focus()
    expect(trial.locator("[data-count]")).to_have_text("5 labs")
    expect(trial.locator("#row-3 summary")).to_be_focused()
