"""Forms that save themselves: nothing typed is lost, and the page says what was saved."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

    from tests.journeys.conftest import Complaints
    from tests.journeys.trial_pages import TrialServer

pytestmark = pytest.mark.browser


def test_what_is_typed_is_saved_and_the_next_save_builds_on_it(trial: Page, server: TrialServer) -> None:
    trial.goto("/trial/autosave")
    state = trial.locator("[data-save-state]")
    trial.fill("#note", "first")
    expect(state).to_have_text("Saved 21:55")
    trial.fill("#note", "second")
    expect(trial.locator("[name=version]")).to_have_value("3")
    assert server.notes == [("1", "first"), ("2", "second")]
    expect(trial.locator("#told > p")).to_have_text("Saved 2 times")


def test_a_refused_value_is_explained_beside_its_field_and_saved_once_corrected(
    trial: Page, server: TrialServer, complaints: Complaints
) -> None:
    server.answers.append(({"error": {"reason": "The note is too long."}, "errors": {"note": ["At most 5."]}}, 422))
    trial.goto("/trial/autosave")
    trial.fill("#note", "much too long")
    expect(trial.locator("#note-error")).to_have_text("At most 5.")
    expect(trial.locator("[data-save-state]")).to_have_text("Not saved yet: The note is too long.")
    assert trial.locator("#note").get_attribute("aria-invalid") == "true"
    expect(trial.locator("#note")).to_have_accessible_description("At most 5.")
    complaints.forgive("422")
    trial.fill("#note", "short")
    expect(trial.locator("[data-save-state]")).to_have_text("Saved 21:55")
    expect(trial.locator("#note-error")).to_be_empty()
    assert trial.locator("#note").get_attribute("aria-invalid") is None
    assert trial.locator("#note").get_attribute("aria-describedby") is None


def test_a_failed_save_is_said_and_tried_again_until_it_succeeds(
    trial: Page, server: TrialServer, complaints: Complaints
) -> None:
    server.answers.append(({}, 500))
    trial.goto("/trial/autosave")
    trial.fill("#note", "kept")
    expect(trial.locator("[data-save-state]")).to_contain_text("What you typed is kept here")
    expect(trial.locator("[data-save-state]")).to_have_text("Saved 21:55")
    assert server.notes == [("1", "kept"), ("1", "kept")]
    complaints.forgive("500")


def test_what_is_removed_meanwhile_is_not_tried_again_and_what_was_typed_stays(
    trial: Page, server: TrialServer, complaints: Complaints
) -> None:
    server.answers.append(({}, 404))
    trial.goto("/trial/autosave")
    trial.fill("#note", "kept")
    expect(trial.locator("[data-save-state]")).to_contain_text("this is not there any more. Copy what you want to keep")
    trial.fill("#note", "kept, and more")
    trial.wait_for_timeout(1_500)
    assert (server.notes, trial.locator("#note").input_value()) == ([("1", "kept")], "kept, and more")
    complaints.forgive("404")


def test_a_save_that_takes_long_is_said_to_be_under_way_instead_of_the_one_before(trial: Page) -> None:
    trial.goto("/trial/autosave")
    state = trial.locator("[data-save-state]")
    trial.fill("#note", "first")
    expect(state).to_have_text("Saved 21:55")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    trial.route("**/trial/autosave", hold)
    trial.fill("#note", "second")
    expect(state).to_have_text("Saving …")
    held[0].continue_()
    expect(state).to_have_text("Saved 21:55")


def test_without_a_connection_nothing_is_lost(trial: Page, server: TrialServer, complaints: Complaints) -> None:
    trial.goto("/trial/autosave", wait_until="networkidle")
    trial.context.set_offline(True)
    trial.fill("#note", "offline")
    expect(trial.locator("[data-save-state]")).to_contain_text("there is no connection")
    trial.context.set_offline(False)
    expect(trial.locator("[data-save-state]")).to_have_text("Saved 21:55")
    assert server.notes == [("1", "offline")]
    complaints.forgive("ERR_INTERNET_DISCONNECTED")


def test_a_save_in_another_tab_is_not_overwritten(trial: Page, server: TrialServer, complaints: Complaints) -> None:
    server.answers.append(({"error": {"reason": "It was saved in another tab.", "advice": "Press Save."}}, 409))
    trial.goto("/trial/autosave")
    trial.fill("#note", "mine")
    expect(trial.locator("[data-save-state]")).to_have_text("Not saved: It was saved in another tab. Press Save.")
    trial.fill("#note", "mine still")
    trial.wait_for_timeout(2_000)
    assert server.notes == [("1", "mine")]
    complaints.forgive("409")
    trial.get_by_role("button", name="Save").click()
    expect(trial.get_by_text("You are away.")).to_be_visible()
    assert server.notes[-1] == ("1", "mine still")


def test_a_form_that_outlived_its_token_gets_a_new_one(
    trial: Page, server: TrialServer, complaints: Complaints
) -> None:
    trial.goto("/trial/autosave")
    trial.context.clear_cookies()
    trial.fill("#note", "still here")
    expect(trial.locator("[data-save-state]")).to_have_text("Saved 21:55")
    assert server.notes == [("1", "still here")]
    complaints.forgive("400")


def test_a_form_whose_person_is_signed_out_says_so_and_goes_on_trying(
    trial: Page, server: TrialServer, complaints: Complaints
) -> None:
    server.answers += [({"error": {}}, 403), ({"error": {}}, 403)]
    trial.goto("/trial/autosave")
    trial.fill("#note", "mine")
    state = trial.locator("[data-save-state]")
    expect(state).to_have_text(
        "Not saved: you are signed out. Sign in in another tab; then what you typed here is saved."
    )
    with trial.expect_popup() as opened:
        state.get_by_role("link").click()
    expect(opened.value).to_have_url(re.compile("/accounts/login$"))
    expect(trial.locator("[data-save-state]")).to_have_text("Saved 21:55")
    complaints.forgive("403")


def test_a_button_that_is_pressed_during_a_save_waits_for_it(trial: Page, server: TrialServer) -> None:
    trial.goto("/trial/autosave")
    trial.fill("#note", "both")
    trial.wait_for_timeout(1_150)  # the pause before a background save is 1.2 s
    trial.get_by_role("button", name="Save").click()
    expect(trial.get_by_text("You are away.")).to_be_visible()
    assert [note for _, note in server.notes] in (["both"], ["both", "both"])
    assert [version for version, _ in server.notes] in (["1"], ["1", "2"])


def test_a_save_without_an_answer_is_given_up_and_until_then_leaving_is_questioned(trial: Page) -> None:
    leaves = "dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    trial.clock.install()
    trial.goto("/trial/autosave")
    assert trial.evaluate(leaves)
    trial.route("**/trial/autosave", lambda _: None)  # nothing ever comes back
    trial.fill("#note", "kept")
    with trial.expect_request("**/trial/autosave"):
        trial.clock.fast_forward(1_200)
    assert not trial.evaluate(leaves)
    trial.get_by_role("button", name="Save").click()
    state = trial.locator("[data-save-state]")
    expect(state).to_have_text("Saving …")
    trial.unroute("**/trial/autosave")
    trial.clock.fast_forward(30_000)
    expect(trial.get_by_text("You are away.")).to_be_visible()
