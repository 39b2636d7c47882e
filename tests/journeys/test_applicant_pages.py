"""The applicant's pages in a real browser: saving by themselves, rows, sliders, two tabs, small screens."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from portal.db import db
from portal.labs.service import create_lab
from tests.applications.labs import NOW, SERVING
from tests.journeys.conftest import DESK, PHONE

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from playwright.sync_api import BrowserContext, Page, Route

    from tests.journeys.conftest import Complaints
    from tests.people import Person

pytestmark = pytest.mark.browser

INTERESTS = "/me/interests"
RESUME = (
    "Mei Lin\nmei@example.edu\nUniversity of Vienna\n\n"
    "I built a scheduler for language model serving on GPU clusters and measured its throughput."
)
READING = 120_000  # ms; a process of its own is started to read a file
SAVED = re.compile(r"^Saved \d\d:\d\d$")


def state(me: Page, *topics: str) -> None:
    """State topics on the page and wait until they are saved."""
    me.goto(INTERESTS)
    for number, topic in enumerate(topics):
        if number:
            me.get_by_role("button", name="Add a topic").click()
        me.get_by_label(f"Topic {number + 1}", exact=True).fill(topic)
    expect(me.locator("[data-save-state]")).to_have_text(SAVED)


def test_a_place_in_one_long_word_widens_no_page(app: Flask, me: Page) -> None:
    word = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
    with app.app_context():
        record = replace(SERVING, key="far-away", place=word)
        create_lab(db.session(), record, author=None, reason="for a test", now=NOW)
        db.session.commit()
    me.set_viewport_size({"width": 320, "height": 640})
    me.goto(INTERESTS)
    expect(me.get_by_label(word)).to_be_visible()
    assert me.evaluate("document.documentElement.scrollWidth") == 320


def test_what_one_person_typed_is_not_saved_for_who_signs_in_next(
    me: Page, person: Callable[..., Person], sign_in: Callable[[Page, Person], None], complaints: Complaints
) -> None:
    state(me, "LLM serving")
    other_tab = me.context.new_page()
    other_tab.goto("/accounts/")
    other_tab.locator("form[action$='/accounts/logout'] [type=submit]").evaluate("button => button.click()")
    other_tab.wait_for_url(lambda url: "/accounts" not in url)
    sign_in(other_tab, person("applicant"))
    me.get_by_label("Topic 1", exact=True).fill("my own topic")
    expect(me.locator("[data-save-state]")).to_contain_text("somebody else has signed in in this browser")
    assert me.get_by_label("Topic 1", exact=True).input_value() == "my own topic"
    complaints.forgive("400")
    other_tab.goto(INTERESTS)
    assert other_tab.get_by_label("Topic 1", exact=True).input_value() == ""


def test_what_is_typed_saves_itself(me: Page) -> None:
    state(me, "LLM serving", "federated learning")
    me.get_by_label("What you would like to find out").fill("I like 大模型.")
    me.get_by_label("Weight").nth(1).fill("2.5")
    expect(me.locator("[data-save-state]")).to_have_text(SAVED)
    with me.expect_response(lambda answer: answer.request.method == "POST" and answer.ok):
        me.get_by_label("Other labs may find me, too").check()
    expect(me.locator("[data-save-state]")).to_have_text(SAVED)
    me.goto(INTERESTS)
    assert me.get_by_label("Topic 2", exact=True).input_value() == "federated learning"
    assert me.get_by_label("Weight").nth(1).input_value() == "2.5"
    assert me.get_by_label("What you would like to find out").input_value() == "I like 大模型."
    assert me.get_by_label("Other labs may find me, too").is_checked()


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_whether_it_is_saved_is_seen_where_one_types(me: Page, size: dict[str, int]) -> None:
    me.set_viewport_size({"width": size["width"], "height": size["height"]})
    me.goto(INTERESTS)
    me.get_by_label("What you would like to find out").fill("I like queues.")
    expect(me.locator("[data-save-state]")).to_have_text(SAVED)
    expect(me.locator("[data-save-state]")).to_be_in_viewport(ratio=1)
    expect(me.get_by_label("What you would like to find out")).to_be_in_viewport(ratio=0.5)


def test_the_second_tab_sees_both_versions_and_loses_nothing(
    me: Page, context: BrowserContext, complaints: Complaints
) -> None:
    me.goto(INTERESTS)
    other = context.new_page()
    complaints.watch(other)
    other.goto(INTERESTS)
    state(me, "from the first tab")
    other.get_by_label("Topic 1", exact=True).fill("from the second tab")
    expect(other.locator("[data-save-state]")).to_contain_text("changed in another tab")
    complaints.forgive("409")
    other.get_by_role("button", name="Save interests").first.click()
    expect(other.get_by_role("heading", name="Changed in another tab")).to_be_visible()
    complaints.forgive("409")
    expect(other.get_by_text("from the first tab (weight 1)")).to_be_visible()
    assert other.get_by_label("Topic 1", exact=True).input_value() == "from the second tab"
    other.get_by_role("button", name="Save interests").first.click()
    expect(other.get_by_text("Your interests are saved.")).to_be_visible()
    assert other.get_by_label("Topic 1", exact=True).input_value() == "from the second tab"


def test_sliders_rank_again_without_a_new_page(me: Page, my_topics: Callable[..., None]) -> None:
    my_topics("LLM serving on GPU clusters", "federated learning")
    me.goto("/me/matches")
    me.evaluate("window.samePage = true")
    rows = me.locator("article.match")
    names = [row.get_attribute("id") for row in rows.all()]
    last = names[-1]
    assert last is not None
    label = "federated learning" if last == "lab-federated-lab" else "LLM serving on GPU clusters"
    with me.expect_response(re.compile("/me/matches")):
        me.get_by_label(label, exact=True).fill("5")
    expect(rows.first).to_have_attribute("id", last)
    assert me.evaluate("window.samePage") is True
    assert "weight-" in me.url
    me.get_by_role("button", name="Keep these weights").click()
    expect(me.get_by_text("These weights are saved.")).to_be_visible()
    assert me.get_by_label(label, exact=True).input_value() == "5"


def test_a_ticked_lab_stays_ticked_when_the_list_is_ranked_again_and_comparing_is_at_hand(
    me: Page, my_topics: Callable[..., None]
) -> None:
    my_topics("LLM serving on GPU clusters", "federated learning")
    me.set_viewport_size({"width": 390, "height": 480})
    me.goto("/me/matches")
    compare = me.get_by_role("button", name="Compare the ticked labs")
    expect(compare).not_to_be_in_viewport()
    boxes = me.get_by_role("checkbox", name="Compare")
    boxes.first.check()
    expect(compare).to_be_in_viewport(ratio=1)
    ticked = boxes.first.get_attribute("id")
    me.get_by_text("Try other weights").click()
    with me.expect_response(re.compile("/me/matches")):
        me.get_by_label("federated learning", exact=True).fill("5")
    expect(me.get_by_text("You are trying out other weights.")).to_be_visible()
    assert [box.get_attribute("id") for box in boxes.all() if box.is_checked()] == [ticked]


# Presses a button twice, and stops the loading to see what the page says meanwhile and when one comes back to it.
PRESSED = """(button) => new Promise((done) => {
  const shown = () => [
    [...document.querySelectorAll("[data-reading-state]")].map((place) => place.textContent).join("|"),
    [...document.querySelectorAll("form[data-reading] button")].map((one) => one.disabled),
  ];
  button.click();
  button.form.requestSubmit();
  setTimeout(() => {
    stop();
    const meanwhile = shown();
    dispatchEvent(new PageTransitionEvent("pageshow"));
    done([meanwhile, shown()]);
  }, 200);
})"""


@pytest.mark.parametrize(
    ("button", "said"),
    [("Upload this file", "Reading your file …{}|"), ("Use this text", "|Reading your text …{}")],
)
def test_while_a_resume_is_read_its_page_says_so_and_takes_no_second_click(me: Page, button: str, said: str) -> None:
    sent: list[Route] = []
    me.goto("/me/resume")
    assert {one.get_attribute("role") for one in me.locator("[data-reading-state]").all()} == {"status"}
    me.route("**/me/resume", lambda route: sent.append(route))  # noqa: PLW0108  (a name is not taken)
    resume = {"name": "cv.txt", "mimeType": "text/plain", "buffer": RESUME.encode()}
    me.get_by_label("Resume file").set_input_files(resume)  # type: ignore[arg-type]  # a dict is what it takes
    me.get_by_label("Text of your resume").fill(RESUME)
    sentence = said.format(" This takes some seconds; please stay on this page.")
    shown = me.get_by_role("button", name=button).evaluate(PRESSED)
    assert shown == [[sentence, [True, True]], ["|", [False, False]]]
    assert len(sent) == 1


def test_in_a_low_window_the_last_of_what_weighs_is_in_view_where_the_keys_lead_to_it(
    me: Page, my_topics: Callable[..., None]
) -> None:
    my_topics("LLM serving", "federated learning", "GPU scheduling")
    me.set_viewport_size({"width": 1280, "height": 320})
    me.goto("/me/matches")
    # As beside a list of many labs.
    me.locator(".page-content").evaluate("content => { content.style.minHeight = '5000px'; }")
    last = me.get_by_role("button", name="Rank again")
    last.focus()
    expect(last).to_be_in_viewport(ratio=1)


def test_a_resume_is_uploaded_confirmed_and_counts(me: Page, my_topics: Callable[..., None]) -> None:
    my_topics("federated learning")
    me.goto("/me/resume")
    resume = {"name": "cv.txt", "mimeType": "text/plain", "buffer": RESUME.encode()}
    me.get_by_label("Resume file").set_input_files(resume)  # type: ignore[arg-type]  # a dict is what it takes
    me.get_by_role("button", name="Upload this file").click()
    expect(me.get_by_role("heading", name="Is this your resume?")).to_be_visible(timeout=READING)
    expect(me.locator("s", has_text="Mei Lin")).to_be_visible()
    me.get_by_role("button", name="This is my resume, use it").click()
    expect(me.get_by_role("heading", name="Serving Lab")).to_be_visible()


def test_a_file_that_is_too_large_is_told_before_it_is_sent(me: Page) -> None:
    me.goto("/me/resume")
    large = {"name": "cv.pdf", "mimeType": "application/pdf", "buffer": b"x" * (6 * 1024 * 1024)}
    me.get_by_label("Resume file").set_input_files(large)  # type: ignore[arg-type]  # a dict is what it takes
    expect(me.locator(".field-error")).to_have_text(re.compile("This file has 6 MB; at most 5 MB can be read."))
    expect(me.get_by_label("Resume file")).to_have_accessible_description(re.compile("This file has 6 MB;"))
    me.get_by_role("button", name="Upload this file").click()
    assert me.url.endswith("/me/resume")
    me.get_by_label("Text of your resume").fill(RESUME)
    me.get_by_role("button", name="Use this text").click()
    expect(me.get_by_role("heading", name="Is this your resume?")).to_be_visible()


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), pytest.param(1280, "light", marks=pytest.mark.thorough)])
def test_no_page_has_accessibility_findings_or_sticks_out_sideways(
    me: Page, my_topics: Callable[..., None], axe: Callable[[Page], list[str]], width: int, theme: str
) -> None:
    my_topics("LLM serving on GPU clusters", "federated learning")
    me.goto("/me/resume")
    me.get_by_label("Text of your resume").fill(RESUME + "x" * 300)
    me.get_by_role("button", name="Use this text").click()
    me.set_viewport_size({"width": width, "height": 900})
    me.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    paths = ("", "/interests", "/resume", "/resume/text", "/resume/delete", "/matches", "/labs", "/erase")
    for path in paths:
        me.goto(f"/me{path or '/'}")
        for details in me.locator("main details").all():
            details.evaluate("element => { element.open = true; }")
        assert (path, axe(me)) == (path, [])
        assert (path, me.evaluate("document.documentElement.scrollWidth")) == (path, width)
