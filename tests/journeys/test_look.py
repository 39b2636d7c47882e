"""The look in a real browser: themes, widths, accessibility, no breach of the content security policy."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from portal.config import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser, Page

    from tests.journeys.conftest import Complaints
    from tests.people import Person

pytestmark = pytest.mark.browser

WIDTHS = (390, 768, 1280, 1920)
THEMES = ("light", "dark")
PAPER = {"light": "rgb(245, 247, 248)", "dark": "rgb(16, 22, 28)"}


def paper_of(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), pytest.param(1280, "light", marks=pytest.mark.thorough)])
def test_a_long_form_has_no_accessibility_findings(
    page: Page, axe: Callable[[Page], list[str]], width: int, theme: str
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto("/accounts/register")
    page.locator("html").wait_for()
    assert axe(page) == []


@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), pytest.param(1280, "light", marks=pytest.mark.thorough)])
def test_error_pages_have_no_accessibility_findings(
    page: Page, complaints: Complaints, axe: Callable[[Page], list[str]], width: int, theme: str
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    page.goto("/no-such-page")
    complaints.forgive("404")
    assert axe(page) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_sticks_out_sideways(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/accounts/register")
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("width", [390, 1280])
def test_every_target_is_at_least_24_pixels_high_unless_it_stands_in_a_sentence(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/accounts/register")
    small = page.evaluate("""() => [...document.querySelectorAll("a, button, summary, input, select, textarea")]
        .filter((target) => target.checkVisibility() && !target.closest("p, dd, cite, .visually-hidden"))
        .filter((target) => !target.matches(".skip-link, .visually-hidden, [type=hidden]"))
        .map((target) => [target.labels?.length ? target.labels[0] : target, target])
        .filter(([label, target]) => Math.max(label.getBoundingClientRect().height,
                                              target.getBoundingClientRect().height) < 24)
        .map(([, target]) => target.outerHTML.slice(0, 120))""")
    assert small == []


def test_headings_go_down_one_step_at_a_time(page: Page) -> None:
    page.goto("/accounts/register")
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((h) => Number(h.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert [pair for pair in pairwise(levels) if pair[1] > pair[0] + 1] == []


@pytest.mark.parametrize("theme", THEMES)
def test_the_theme_of_the_system_is_used_also_without_scripts(browser: Browser, site: str, theme: str) -> None:
    context = browser.new_context(
        base_url=site, java_script_enabled=False, color_scheme="dark" if theme == "dark" else "light"
    )
    page = context.new_page()
    page.goto("/accounts/register")
    assert page.locator("html").get_attribute("data-bs-theme") is None
    assert paper_of(page) == PAPER[theme]
    assert page.locator("[data-theme-toggle]").is_hidden()
    context.close()


def test_a_chosen_theme_stays_on_the_next_page_and_can_be_taken_back(page: Page) -> None:
    page.goto("/accounts/register")
    button = page.locator("[data-theme-toggle]")
    button.click()
    assert paper_of(page) == PAPER["dark"]
    assert button.inner_text() == "Light theme"
    page.goto("/about")
    assert page.locator("html").get_attribute("data-bs-theme") == "dark"
    assert paper_of(page) == PAPER["dark"]
    button.click()
    assert paper_of(page) == PAPER["light"]
    assert page.context.cookies() == [cookie for cookie in page.context.cookies() if cookie.get("name") != "theme"]
    page.emulate_media(color_scheme="dark")
    assert paper_of(page) == PAPER["dark"]


def test_bootstrap_follows_the_theme(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/accounts/register")
    field = page.locator("#email")
    assert field.evaluate("(field) => getComputedStyle(field).backgroundColor") == "rgb(24, 32, 41)"
    assert field.evaluate("(field) => getComputedStyle(field).color") == "rgb(230, 234, 238)"


def test_the_keyboard_reaches_the_content_first_and_focus_is_seen(page: Page) -> None:
    page.goto("/accounts/register")
    page.keyboard.press("Tab")
    skip = page.locator(".skip-link")
    assert skip.evaluate("(link) => link === document.activeElement && link.getBoundingClientRect().width > 50")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    ring = page.evaluate("""() => {
        const style = getComputedStyle(document.activeElement);
        return [style.outlineStyle, parseFloat(style.outlineWidth)];
    }""")
    assert ring == ["solid", 3]
    bare = page.evaluate("""() => {
        const wanted = "main :is(a[href], button, input, select, textarea):not([tabindex='-1'])";
        return [...document.querySelectorAll(wanted)].filter((one) => {
            one.focus();
            const { outlineStyle, outlineWidth, opacity } = getComputedStyle(one);
            const hasRing = outlineStyle === "solid" && outlineWidth === "3px";
            return one === document.activeElement && opacity !== "0" && !hasRing;
        }).map((one) => one.outerHTML.slice(0, 120));
    }""")
    assert bare == []


def test_nothing_moves_where_motion_is_not_wanted(page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto("/accounts/register")
    assert page.evaluate("getComputedStyle(document.querySelector('.btn')).transitionDuration") in {"0s", "1e-05s"}
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_a_jump_within_a_page_is_at_once(page: Page) -> None:
    page.goto("/accounts/register")
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_print_leaves_out_what_paper_cannot_do(page: Page) -> None:
    page.emulate_media(media="print", color_scheme="dark")
    page.goto("/accounts/register")
    assert paper_of(page) == "rgb(255, 255, 255)"
    for part in (".site-header", ".site-footer", ".btn"):
        assert page.locator(part).first.is_hidden()


def test_every_script_loads_without_a_complaint(page: Page) -> None:
    page.goto("/accounts/register")
    names = [path.name for path in sorted((RESOURCES / "static/js").glob("*.js"))]
    loaded = page.evaluate(
        "async (names) => { for (const name of names) await import(`/static/js/${name}`); return names.length; }", names
    )
    assert loaded == len(names)


def test_a_person_can_sign_in_and_out(
    page: Page, applicant: Person, sign_in_by_form: Callable[[Page, Person], None]
) -> None:
    sign_in_by_form(page, applicant)
    page.goto("/about")
    menu = page.locator(".menu > summary")
    menu.click()
    page.keyboard.press("Escape")
    assert page.get_by_role("button", name="Sign out").is_hidden()
    menu.click()
    page.get_by_role("button", name="Sign out").click()
    page.goto("/about")
    assert page.get_by_role("link", name="Sign in").is_visible()
