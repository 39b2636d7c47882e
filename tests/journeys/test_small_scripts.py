"""Filters, counters, sliders, times, unsaved changes, summaries of errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.journeys.conftest import PHONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Dialog, Page

    from tests.journeys.conftest import Complaints
    from tests.journeys.trial_pages import TrialServer
    from tests.people import Person

pytestmark = pytest.mark.browser


def test_a_list_narrows_to_the_entries_that_hold_every_word(trial: Page) -> None:
    trial.goto("/trial/works")
    trial.fill("input[type=search]", "graph")
    expect(trial.locator("[data-filter-count]")).to_have_text("2 of 4 works")
    trial.fill("input[type=search]", "MULLER graphs")
    expect(trial.locator("[data-filter-count]")).to_have_text("1 of 4 works")
    assert trial.get_by_text("Müller on graphs").is_visible()
    assert trial.get_by_role("heading", name="2024").is_hidden()
    trial.fill("input[type=search]", "分布")
    expect(trial.locator("[data-filter-count]")).to_have_text("1 of 4 works")
    trial.fill("input[type=search]", "submarine")
    expect(trial.locator("[data-filter-count]")).to_have_text(
        "None of 4 works holds “submarine”. Clear the box to see all."
    )
    trial.fill("input[type=search]", "")
    expect(trial.locator("[data-filter-count]")).to_be_empty()
    assert trial.locator("[data-filter-item]:visible").count() == 4


def test_a_message_about_a_place_covers_none_of_it_and_goes_once_the_place_is_passed(trial: Page) -> None:
    trial.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    trial.goto("/trial/told#two")
    said = trial.locator(".messages")
    expect(said).to_be_in_viewport()
    bottom = "element => element.getBoundingClientRect().bottom"
    assert said.evaluate(bottom) <= trial.locator("#two").evaluate("element => element.getBoundingClientRect().top")
    trial.locator("#two").evaluate("element => scrollBy(0, element.clientHeight / 2)")
    expect(said).to_be_in_viewport()
    trial.locator("#three").evaluate("element => scrollTo(0, element.offsetTop + 500)")
    expect(said).not_to_be_in_viewport()


def test_a_list_that_the_server_has_narrowed_goes_on_asking_it(trial: Page) -> None:
    trial.goto("/trial/works?works=graph")
    trial.fill("input[type=search]", "npus")
    trial.get_by_role("button", name="Filter").click()
    expect(trial).to_have_url(re.compile(r"/trial/works\?works=npus$"))


def test_a_counter_counts_characters_and_says_how_many_are_too_many(trial: Page) -> None:
    trial.goto("/trial/widgets")
    trial.fill("#statement", "分布式\n训练 🐉")
    expect(trial.locator("#statement-count")).to_have_text("8 of 200 characters")
    trial.fill("#statement", "x" * 203)
    expect(trial.locator("#statement-count")).to_have_text("3 too many: 203 of 200 characters")
    assert trial.locator("#statement").input_value() == "x" * 203


def test_a_page_that_a_job_prepares_shows_how_far_it_is_and_then_what_was_asked_for(
    trial: Page, server: TrialServer
) -> None:
    server.answers = [({"state": "running", "done": 40, "total": 100, "doing": "per cent"}, 200)] * 2
    trial.goto("/trial/prepared?page=2")
    expect(trial.locator("[data-job-count]")).to_have_text("40 of 100")
    expect(trial.get_by_text("Here is the list.")).to_be_visible()
    expect(trial).to_have_url(re.compile(r"/trial/prepared\?page=2$"))


def test_a_page_whose_job_cannot_be_asked_says_so_and_one_that_may_not_ask_is_shown_anew(
    trial: Page, server: TrialServer, complaints: Complaints
) -> None:
    server.answers = [({}, 503), ({"error": {}}, 403)]
    trial.clock.install()
    trial.goto("/trial/prepared")
    trial.locator("html[data-at-work]").wait_for(state="attached")
    trial.clock.fast_forward(1_000)
    expect(trial.locator("[data-job-doing]")).to_contain_text("this page tries again")
    trial.clock.fast_forward(5_000)
    expect(trial.get_by_text("Here is the list.")).to_be_visible()
    complaints.forgive("503")
    complaints.forgive("403")


def test_on_a_phone_all_rows_of_a_list_are_ticked_at_once(trial: Page) -> None:
    trial.set_viewport_size({"width": 390, "height": 700})
    trial.goto("/trial/widgets")
    trial.get_by_text("Select all rows").click()
    assert trial.locator("#table tbody input:not(:checked)").count() == 0


def test_a_slider_shows_its_value(trial: Page) -> None:
    trial.goto("/trial/widgets")
    trial.locator("#weight").focus()
    trial.keyboard.press("ArrowRight")
    expect(trial.locator("#weight-value")).to_have_text("1.5")


def test_one_box_ticks_all_others_of_its_list_and_no_more(trial: Page) -> None:
    trial.goto("/trial/ticks")
    every, one, two = (trial.locator(f"#{name}") for name in ("list-all", "one", "two"))
    one.check()
    assert (every.is_checked(), every.evaluate("box => box.indeterminate")) == (False, True)
    every.check()
    assert [box.is_checked() for box in (one, two, trial.locator("#elsewhere"))] == [True, True, False]
    two.uncheck()
    assert (every.is_checked(), every.evaluate("box => box.indeterminate")) == (False, True)
    every.check()
    every.uncheck()
    assert [box.is_checked() for box in (one, two)] == [False, False]


def test_on_a_phone_the_links_of_the_head_are_one_row_that_shows_the_link_of_the_page(
    page: Page, sign_in: Callable[[Page, Person], None], applicant: Person
) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    sign_in(page, applicant)
    links = page.get_by_role("navigation", name="Main").get_by_role("link")
    for path, name in (("/me/interests", "Interests"), ("/about", "About")):
        page.goto(path)
        assert len({round(box["y"]) for link in links.all() if (box := link.bounding_box())}) == 1
        box = page.get_by_role("navigation", name="Main").get_by_role("link", name=name).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]


def test_on_a_phone_a_link_of_the_head_that_the_keys_lead_to_is_seen_whole(
    page: Page, sign_in: Callable[[Page, Person], None], applicant: Person
) -> None:
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    sign_in(page, applicant)
    page.goto("/me/interests")
    links = page.get_by_role("navigation", name="Main").get_by_role("link")
    links.first.focus()
    for link in links.all():
        expect(link).to_be_focused()
        left, right = link.evaluate("(link) => [link.getBoundingClientRect().left, link.getBoundingClientRect().right]")
        assert (left >= 0, right <= PHONE["width"]) == (True, True)
        page.keyboard.press("Tab")


def test_leaving_is_questioned_only_while_something_is_unsaved(trial: Page) -> None:
    asked: list[str] = []
    held_back = "document.querySelector('main form').addEventListener('submit', (event) => event.preventDefault())"

    def note(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    trial.on("dialog", note)
    trial.goto("/trial/unsaved")
    trial.get_by_role("link", name="Away").click()
    expect(trial.get_by_text("You are away.")).to_be_visible()
    assert asked == []
    trial.goto("/trial/unsaved")
    trial.locator("#t").press_sequentially("x")
    trial.get_by_role("link", name="Away").click()
    trial.wait_for_url("**/trial/away")
    assert asked == ["beforeunload"]
    trial.goto("/trial/unsaved")
    trial.locator("#t").press_sequentially("x")
    trial.get_by_role("button", name="Save").click()
    trial.wait_for_url("**/trial/away")
    assert asked == ["beforeunload"]
    trial.goto("/trial/unsaved")
    trial.evaluate(held_back)
    trial.locator("#t").press_sequentially("x")
    trial.get_by_role("button", name="Save").click()
    trial.get_by_role("link", name="Away").click()
    trial.wait_for_url("**/trial/away")
    assert asked == ["beforeunload"] * 2


def test_a_form_that_came_back_is_unsaved_and_others_on_its_page_are_not(trial: Page) -> None:
    leaves = "dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    trial.goto("/trial/refused")
    assert not trial.evaluate(leaves)
    trial.goto("/trial/refused?elsewhere")
    assert trial.evaluate(leaves)


def test_letters_that_an_input_method_still_puts_together_ask_for_nothing(trial: Page, server: TrialServer) -> None:
    keys = trial.context.new_cdp_session(trial)
    trial.goto("/trial/live")
    trial.locator("#q").focus()
    keys.send("Input.imeSetComposition", {"text": "xunlian", "selectionStart": 7, "selectionEnd": 7})
    trial.wait_for_timeout(500)  # the pause after the last key is 300 ms
    assert trial.locator("#q").input_value() == "xunlian"
    keys.send("Input.insertText", {"text": "训练"})
    expect(trial.locator("[data-count]")).to_have_text("2 labs")
    assert server.asked == ["GET ", "GET 训练"]


def test_where_one_script_cannot_be_loaded_the_others_work(trial: Page, complaints: Complaints) -> None:
    trial.route("**/theme.js", lambda route: route.abort())
    trial.goto("/trial/works")
    trial.fill("input[type=search]", "graph")
    expect(trial.locator("[data-filter-count]")).to_have_text("2 of 4 works")
    complaints.forgive("ERR_FAILED")
    complaints.forgive("theme.js")


def test_a_summary_of_errors_leads_into_fields_and_to_parts_without_fields(trial: Page) -> None:
    trial.goto("/trial/refused")
    trial.get_by_role("link", name="Text: too long").click()
    expect(trial.locator("#t")).to_be_focused()
    trial.get_by_role("link", name="Go to the next steps").click()
    expect(trial).to_have_url(re.compile("#steps$"))
    trial.keyboard.press("Tab")
    expect(trial.get_by_role("button", name="Next")).to_be_focused()


def test_whoever_types_already_keeps_the_cursor_where_a_summary_of_errors_comes_late(trial: Page) -> None:
    trial.goto("/trial/refused")
    expect(trial.locator("[data-error-summary]")).to_be_focused()
    typing = "document.querySelector('#t')?.focus()"
    trial.add_init_script(f"document.addEventListener('readystatechange', () => {typing}, {{ once: true }})")
    trial.goto("/trial/refused")
    expect(trial.locator("#t")).to_be_focused()


def test_a_page_that_the_browser_kept_takes_the_theme_that_was_chosen_meanwhile(trial: Page) -> None:
    trial.goto("/trial/away")
    chosen = "document.cookie = 'theme=dark; Path=/'"
    trial.evaluate(f"{chosen}; dispatchEvent(new PageTransitionEvent('pageshow', {{ persisted: true }}))")
    expect(trial.locator("html[data-bs-theme=dark]")).to_be_attached()
    expect(trial.locator("[data-theme-toggle]")).to_have_text("Light theme")


class TestInHongKong:
    """The reader's own time in place of the portal's, which stays beside deadlines."""

    @pytest.fixture
    def browser_context_args(self, browser_context_args: dict[str, object]) -> dict[str, object]:
        return {**browser_context_args, "timezone_id": "Asia/Hong_Kong"}

    def test_times_are_the_reader_s_own_and_what_was_written_is_in_the_title_or_beside_a_deadline(
        self, trial: Page
    ) -> None:
        trial.goto("/trial/widgets")
        expect(trial.locator("#time")).to_have_text("21 Nov 2026, 05:55")
        expect(trial.locator("#time time")).to_have_attribute("title", "20 Nov 2026, 21:55 UTC")
        expect(trial.locator("#due")).to_have_text("21 Nov 2026, 05:55 (20 Nov 2026, 09:55 Anywhere on Earth)")
        trial.emulate_media(media="print")
        printed = "getComputedStyle(document.querySelector('#time time'), '::after').content"
        assert "20 Nov 2026, 21:55 UTC" in str(trial.evaluate(printed))

    def test_an_account_page_tells_the_server_the_zone_and_other_pages_of_visitors_set_no_cookie(
        self, trial: Page
    ) -> None:
        trial.goto("/trial/widgets")
        trial.locator("html[data-at-work]").wait_for(state="attached")
        assert "zone=" not in trial.evaluate("document.cookie")
        trial.goto("/accounts/login")
        trial.locator("html[data-at-work]").wait_for(state="attached")
        assert "zone=Asia/Hong_Kong" in trial.evaluate("document.cookie")
