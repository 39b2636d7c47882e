"""The public page of a cycle: what anybody may read before they register, and what nobody may read yet."""

from __future__ import annotations

from datetime import timedelta
from html import unescape
from typing import TYPE_CHECKING

import pytest

from portal.web.templating import paragraphs_with_links
from tests.admission import Admission, add_admission
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

ABOUT = "Anybody <b>may</b> apply.\nReally.\n\nRead https://www.example.edu/call?a=1&b=2, or ask ada@example.edu."


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        asked = [{"key": "a", "text": "Why now?", "required": True}, {"key": "b", "text": "Else?", "required": False}]
        made = add_admission(app, about=ABOUT, questions=asked, referees=2, most_choices=3)
        made.add_lab("Ada Lab")
        yield made


def test_a_visitor_reads_what_to_know_and_what_to_bring(admission: Admission, client: FlaskClient) -> None:
    cycle = admission.cycle
    page = client.get(f"/cycles/{cycle.slug}").text
    assert '<p dir="auto">Anybody &lt;b&gt;may&lt;/b&gt; apply.<br>Really.</p>' in page
    assert '<a href="https://www.example.edu/call?a=1&amp;b=2">https://www.example.edu/call?a=1&amp;b=2</a>,' in page
    assert '<a href="mailto:ada@example.edu">' in page
    assert ("up to 3 labs" in page, "from 2 referees" in page) == (True, True)
    assert '<li>Why now?</li><li>Else? <span class="quiet">(optional)</span></li>' in page
    assert f'href="/me/application/{cycle.slug}/">Apply<span' in page
    assert f'<a href="/cycles/{cycle.slug}">' in client.get("/").text
    assert f"<loc>http://localhost:8000/cycles/{cycle.slug}</loc>" in client.get("/sitemap.xml").text


@pytest.mark.parametrize(("role", "may_apply"), [("applicant", True), ("professor", False), ("admin", False)])
def test_everybody_reads_it_and_who_can_apply_is_led_there(
    admission: Admission, person: Callable[..., Person], role: str, *, may_apply: bool
) -> None:
    page = person(role).sign_in().get(f"/cycles/{admission.cycle.slug}")
    assert (page.status_code, "Really." in page.text, ">Apply<" in page.text) == (200, True, may_apply)


def test_an_applicant_is_led_there_from_the_list_and_from_the_form(admission: Admission) -> None:
    me, slug = admission.add_applicant().sign_in(), admission.cycle.slug
    for address in ("/me/", f"/me/application/{slug}/"):
        assert f'<a href="/cycles/{slug}">What to know<span class="visually-hidden"> about' in me.get(address).text


def test_it_says_where_the_cycle_stands(admission: Admission, client: FlaskClient) -> None:
    url = f"/cycles/{admission.cycle.slug}"

    def read(**values: object) -> tuple[bool, str]:
        for name, value in values.items():
            setattr(admission.cycle, name, value)
        admission.session.commit()
        page = client.get(url).text
        lead = page.partition('<p class="lead">')[2].partition(" <time" if "<time" in page else "<")[0]
        return ">Apply<" in page, lead.partition("<")[0]

    now = admission.now
    assert read() == (True, "Takes applications until")
    assert read(opens_at=now + timedelta(days=1)) == (False, "Opens on")
    assert read(opens_at=now - timedelta(days=9), deadline_at=now - timedelta(days=1)) == (
        False,
        "The deadline passed on",
    )
    assert read(closed_at=now) == (False, "This cycle is closed.")


def test_of_cycles_to_come_only_the_next_is_announced(admission: Admission, client: FlaskClient) -> None:
    days = timedelta(days=1)
    following, later = (
        add_admission(admission.app, opens_at=admission.now + opens * days, deadline_in=(opens + 30) * days).cycle
        for opens in (400, 800)
    )
    found = [client.get(f"/cycles/{cycle.slug}").status_code for cycle in (admission.cycle, following, later)]
    assert found == [200, 200, 404]
    listed = [f"/cycles/{cycle.slug}<" in client.get("/sitemap.xml").text for cycle in (following, later)]
    assert listed == [True, False]
    assert [client.get(f"/cycles/{name}").status_code for name in ("none", "a%00b")] == [404, 404]


def test_programs_read_the_same(admission: Admission, client: FlaskClient) -> None:
    later = add_admission(admission.app, opens_at=admission.now + timedelta(days=400), deadline_in=timedelta(days=430))
    add_admission(admission.app, opens_at=admission.now + timedelta(days=800), deadline_in=timedelta(days=830))
    items = client.get("/api/v1/cycles").get_json()["items"]
    assert [item["slug"] for item in items] == [admission.cycle.slug, later.cycle.slug]
    assert items[0]["about"] == ABOUT
    assert [question["text"] for question in items[0]["questions"]] == ["Why now?", "Else?"]


def test_an_administrator_writes_it_and_the_next_cycle_begins_with_it(admission: Admission) -> None:
    desk, slug = admission.admin.sign_in(), admission.cycle.slug
    page = desk.get(f"/admin/cycles/{slug}").text
    assert f'href="/cycles/{slug}">What applicants read</a>' in page
    assert "Anybody &lt;b&gt;may&lt;/b&gt; apply." in page
    assert "Anybody &lt;b&gt;may&lt;/b&gt; apply." in desk.get("/admin/new-cycle").text
    sent = {"name": "Fall", "about": "x" * 10_001, "version": str(admission.cycle.version)}
    refused = submit(desk, f"/admin/cycles/{slug}", sent)
    assert (refused.status_code, "Keep it to 10,000 characters." in unescape(refused.text)) == (422, True)


def test_who_decides_on_eligibility_reads_what_applicants_were_told(admission: Admission) -> None:
    admission.cycle.referees = 0
    application = admission.submitted(admission.add_applicant(), "Ada Lab")
    url = f"/admin/cycles/{admission.cycle.slug}/applications/{application.id}"
    told = '<details><summary>What applicants were told</summary><p dir="auto">Anybody &lt;b&gt;may&lt;/b&gt; apply.'
    assert told in admission.admin.sign_in().get(url).text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("https://a.example/?<b>", '<a href="https://a.example/?&lt;b&gt;">https://a.example/?&lt;b&gt;</a>'),
        ("“https://a.example/” onclick=x", '“<a href="https://a.example/">https://a.example/</a>” onclick=x'),
        ("见https://a.example/x。谢谢", "见https://a.example/x。谢谢"),
        ("见 https://a.example/x。谢谢", '见 <a href="https://a.example/x">https://a.example/x</a>。谢谢'),
        ("See (https://a.example/x).", 'See (<a href="https://a.example/x">https://a.example/x</a>).'),
    ],
)
def test_only_addresses_of_pages_and_people_become_links(text: str, shown: str) -> None:
    assert str(paragraphs_with_links(text)) == f'<p dir="auto">{shown}</p>'
