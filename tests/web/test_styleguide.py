from __future__ import annotations

from typing import TYPE_CHECKING

import html5lib
import pytest

from tests.people import submit

if TYPE_CHECKING:
    from flask.testing import FlaskClient


def test_it_is_public_but_not_for_search_engines(client: FlaskClient) -> None:
    response = client.get("/styleguide")
    assert response.status_code == 200
    assert '<meta name="robots" content="noindex">' in response.text


def test_it_is_valid_html(client: FlaskClient) -> None:
    parser = html5lib.HTMLParser(strict=True)
    parser.parse(client.get("/styleguide").text)
    assert parser.errors == []


def test_no_id_stands_twice(client: FlaskClient) -> None:
    document = html5lib.parse(client.get("/styleguide").text, namespaceHTMLElements=False)
    ids = [element.get("id") for element in document.iter() if element.get("id")]
    assert sorted(ids) == sorted(set(ids))


def test_every_description_and_label_points_to_something(client: FlaskClient) -> None:
    document = html5lib.parse(client.get("/styleguide").text, namespaceHTMLElements=False)
    elements = list(document.iter())
    ids = {element.get("id") for element in elements}
    pointed = {
        target
        for element in elements
        for name in ("for", "aria-describedby", "aria-labelledby", "aria-controls")
        for target in (element.get(name) or "").split()
    }
    assert pointed - ids == set()


def test_its_list_turns_pages(client: FlaskClient) -> None:
    assert "1–4 of 9 labs" in client.get("/styleguide").text
    last = client.get("/styleguide?page=3").text
    assert ("9–9 of 9 labs" in last, "<h3>示例实验室：数据库系统</h3>" in last) == (True, True)


@pytest.mark.parametrize(
    "query",
    ["_external=1&_scheme=javascript", "endpoint=static", "_anchor=x", "_method=POST", "values=1", "q=%F0%9F%90%8D%26"],
)
def test_odd_names_in_the_address_are_only_carried_along(client: FlaskClient, query: str) -> None:
    page = client.get(f"/styleguide?{query}")
    assert page.status_code == 200
    assert 'href="javascript:' not in page.text
    assert f'href="/styleguide?{query.replace("&", "&amp;")}&amp;page=2"' in page.text


def test_a_message_offers_an_undo_that_works(client: FlaskClient) -> None:
    response = submit(client, "/styleguide", {})
    assert response.status_code == 302
    page = client.get("/styleguide").text
    assert "This is a message after an act." in page
    assert '<input type="hidden" name="undo" value="1">' in page
    submit(client, "/styleguide", {"undo": "1"})
    assert "Undone. Nothing was stored before, and nothing is now." in client.get("/styleguide").text


def test_a_message_is_shown_once(client: FlaskClient) -> None:
    submit(client, "/styleguide", {})
    assert "This is a message after an act." in client.get("/styleguide").text
    assert "This is a message after an act." not in client.get("/styleguide").text


def test_the_buttons_need_the_token(client: FlaskClient) -> None:
    assert client.post("/styleguide", data={}).status_code == 400
