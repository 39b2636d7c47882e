"""Bad input is refused beside its field and nothing typed is lost; markup is only ever text."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import pytest

from tests.admin.desk import PROFILE

if TYPE_CHECKING:
    from tests.admin.desk import Desk

BAD: list[tuple[str, dict[str, Any], str]] = [
    ("edit", {"name": " "}, "Give the lab a name."),
    ("edit", {"name": "N" * 301}, "This is 301 characters long; at most 300 fit."),
    ("edit", {"leader": "L" * 201}, "at most 200 fit"),
    ("edit", {"about": "a" * 20_001}, "This is 20,001 characters long; at most 20,000 fit. Shorten it."),
    ("edit", {"homepage": "javascript:alert(1)"}, "The address must begin with https:// or http://"),
    ("edit", {"homepage": "data:text/html,x"}, "The address must begin with https://"),
    ("edit", {"homepage": "https://[broken"}, "The address must begin with https://"),
    ("edit", {"homepage": "//host.example/x"}, "The address must begin with https://"),
    ("edit", {"about": "a\x00b"}, "Character 2 (U+0000) is an invisible control character"),
    ("edit", {"topics": "ok\n" + "t" * 121}, "Line 2 is 121 characters long; at most 120 fit."),
    ("edit", {"topics": "\n".join(map(str, range(201)))}, "These are 201 lines; at most 200 fit."),
    ("edit", {"figures": "1219"}, "Line 1 needs what is counted and then the number"),
    ("edit", {"figures": "h-index many"}, "Line 1: the number is a whole number from 0 to 1,000,000,000, not “many”."),
    ("edit", {"figures": "a 1\na 2"}, "“a” is there twice. Keep one of the lines."),
    ("members/ran-yan", {"role": "king"}, "Choose one of: Leader, Ph.D. student"),
    ("members/ran-yan", {"current": "perhaps"}, "Choose one of: Yes, a current member, No, a former member."),
    ("members/ran-yan", {"name": ""}, "Give the person’s name."),
    ("works/flexgen", {"year": "20x5"}, "Year is a whole number from 1900 to 2100, not “20x5”."),
    ("works/flexgen", {"year": "9" * 5000}, "Year is a whole number from 1900 to 2100"),
    ("works/flexgen", {"year": "１９９９"}, "Year is a whole number from 1900 to 2100"),
    ("works/flexgen", {"links": "code ftp://x.example"}, "Line 1: the address must begin with https://"),
    ("works/flexgen", {"links": "just words"}, "Line 1: the address must begin with https://"),
    ("works/flexgen", {"question": "q" * 501}, "at most 500 fit"),
    ("systems/flexgen", {"works": "FlexGen\nNo-Gen"}, "Line 2: no work of the lab has these words: “No-Gen”."),
    ("openings/phd", {"seats": "-1"}, "Seats is a whole number from 0 to 1,000, not “-1”."),
    ("openings/phd", {"deadline": "15.12.2026"}, "Write the day as year-month-day, such as 2026-12-15"),
    ("openings/phd", {"deadline": "2026-02-30"}, "The calendar has no day 2026-02-30."),
    ("openings/phd", {"deadline": "20261215"}, "Write the day as year-month-day"),
    ("add/works", {"title": ""}, "Give the title of the work."),
]


def test_bad_input_is_refused_beside_its_field_and_stays_in_the_form(desk: Desk) -> None:
    for url, data, error in BAD:
        field, typed = next(iter(data.items()))
        sent = {"base": 1, "reason": "My own <reason>", **data}
        response = desk.post(f"/admin/labs/relaxed-lab/{url}", sent)
        page = html.unescape(response.text)
        assert (data, response.status_code) == (data, 422)
        assert error in page.split(f'id="{field}-error"')[1].split("</div>")[0]
        assert f'<a href="#{field}">' in page
        assert "My own <reason>" in page
        if isinstance(typed, str) and field not in {"role", "current"}:
            assert typed in page.replace("\r\n", "\n")
    assert desk.profile() == PROFILE


def test_a_reason_is_needed_and_bounded(desk: Desk) -> None:
    url = "/admin/labs/relaxed-lab/edit"
    for reason, error in (
        ("", "Say in a few words why."),
        ("   ", "Say in a few words why."),
        ("r" * 501, "This is 501 characters long; at most 500 fit."),
    ):
        response = desk.post(url, {"about": "Typed text", "base": 1, "reason": reason})
        assert response.status_code == 422
        assert error in response.text
        assert "Typed text" in response.text
    assert desk.post(url, {"about": "Typed text", "base": 1, "reason": "r" * 500}).status_code == 302


@pytest.mark.parametrize("base", ["", "0", "99", "one", "9" * 30, "-1"])
def test_a_form_that_does_not_say_where_it_began_is_shown_again(desk: Desk, base: str) -> None:
    response = desk.post("/admin/labs/relaxed-lab/edit", {"about": "Typed text", "base": base, "reason": "Why"})
    assert response.status_code == 422
    assert "This form did not say which revision it began with." in response.text
    assert "Typed text" in response.text
    assert 'name="base" type="hidden" value="1"' in response.text
    assert desk.profile() == PROFILE


HOSTILE = '"><script>alert(1)</script>{{ 7 * 7 }}'


def test_markup_in_a_profile_is_only_ever_text(desk: Desk) -> None:
    for url, field in (
        ("edit", "about"),
        ("members/ran-yan", "name"),
        ("works/flexgen", "title"),
        ("openings/phd", "start"),
    ):
        base = desk.revision_number()
        desk.post(f"/admin/labs/relaxed-lab/{url}", {field: HOSTILE, "base": base, "reason": HOSTILE})
    newest = desk.revision_number()
    assert newest == 5
    for url in (
        "/admin/",
        "/admin/labs/relaxed-lab",
        "/admin/labs/relaxed-lab/edit",
        "/admin/labs/relaxed-lab/members",
        "/admin/labs/relaxed-lab/members/ran-yan",
        "/admin/labs/relaxed-lab/systems/flexgen",
        "/admin/labs/relaxed-lab/history",
        "/admin/labs/relaxed-lab/history/3",
        "/admin/labs/relaxed-lab/history/compare?from=1&to=5",
        "/admin/audit",
        "/labs/relaxed-lab",
    ):
        page = desk.client.get(url).text
        assert "<script>alert" not in page
        assert "{{ 7 * 7 }}" in page
