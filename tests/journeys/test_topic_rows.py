"""The rows of topics on the page of interests, in a real browser: they come and go without a new page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from tests.journeys.conftest import Complaints

pytestmark = pytest.mark.browser

INTERESTS = "/me/interests"
SAVED = re.compile(r"^Saved \d\d:\d\d$")


def test_rows_come_and_go_without_a_new_page(me: Page, my_topics: Callable[..., None]) -> None:
    my_topics("one", "two", "three")
    me.goto(INTERESTS)
    me.evaluate("window.samePage = true")
    me.get_by_role("button", name="Remove topic 2").click()
    assert me.get_by_label("Topic 2", exact=True).input_value() == "three"
    me.get_by_text("Topics of the labs here").click()
    with me.expect_response(lambda answer: answer.request.method == "POST" and answer.ok):
        me.get_by_role("button", name="Add federated learning").click()
    assert me.evaluate("window.samePage") is True
    me.goto(INTERESTS)
    topics = [me.get_by_label(f"Topic {number}", exact=True).input_value() for number in (1, 2, 3)]
    assert topics == ["one", "three", "federated learning"]


def test_at_twelve_topics_no_more_can_be_added(me: Page, my_topics: Callable[..., None]) -> None:
    my_topics(*(f"topic {number}" for number in range(12)))
    me.goto(INTERESTS)
    adding, full = me.get_by_role("button", name="Add a topic"), me.get_by_text("You have 12 topics, the most")

    def expect_full(*, is_full: bool) -> None:
        expect(adding).to_be_visible(visible=not is_full)
        expect(full).to_be_visible(visible=is_full)

    expect_full(is_full=True)
    me.get_by_role("button", name="Remove topic 12").click()
    expect_full(is_full=False)
    for _ in range(2):  # the second time the empty row is still there
        adding.click()
        expect(me.get_by_label("Topic 12", exact=True)).to_be_focused()
        expect(me.locator("[data-topic-row]")).to_have_count(12)
    me.keyboard.type("one more")
    expect_full(is_full=True)


def test_an_error_stands_beside_the_row_it_is_about(
    me: Page, my_topics: Callable[..., None], complaints: Complaints
) -> None:
    my_topics("queues")
    me.goto(INTERESTS)
    me.get_by_role("button", name="Add a topic").click()
    me.get_by_label("Topic 2", exact=True).fill("Queues")
    error = me.locator("[data-topic-row]").nth(1).locator(".field-error")
    expect(error).to_have_text(re.compile("“Queues” is there twice"))
    complaints.forgive("422")
    me.get_by_label("Topic 2", exact=True).fill("Stacks")
    expect(me.locator("[data-save-state]")).to_have_text(SAVED)
    expect(me.locator(".field-error")).to_have_count(0)


def test_suggestions_come_from_the_labs(me: Page) -> None:
    me.goto(INTERESTS, wait_until="networkidle")
    with me.expect_response(re.compile("/me/interests/suggest")):
        me.get_by_label("Topic 1", exact=True).press_sequentially("differ")
    options = me.locator("#topics-0-text-suggestions option")
    expect(options.first).to_have_attribute("value", re.compile("differential", re.IGNORECASE))
