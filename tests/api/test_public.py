"""What everybody may read: labs, works, systems, rankings; and how requests are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from limits import parse
from sqlalchemy.exc import OperationalError

from portal.api import callers
from portal.db import db
from portal.labs.live_index.state import IndexPreparing
from portal.labs.service import create_lab
from portal.models import ApiToken
from portal.seeding.records import LabRecord, SystemRecord, WorkRecord
from portal.storage import StoreUnavailable
from tests.api.conftest import bearer
from tests.labs.pages import Document
from tests.labs.records import SAVED, WORKS
from tests.people import add_person

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

V1 = "/api/v1"
TOPICS = ("serving language models", "query optimization", "protein folding")


@pytest.fixture(scope="module", autouse=True)
def labs(served: Flask) -> None:
    """Seven labs; the first has works and a system, and 李 in its name."""
    with served.app_context():
        for number in range(7):
            topic = TOPICS[number % 3]
            record = LabRecord(
                key=f"lab-{number}",
                name=f"Lab {number} 李",
                interests=f"{topic} number {number}",
                topics=(topic,),
                works=(WorkRecord(f"w{number}", f"On {topic}", abstract=f"We study {topic} at scale."),),
            )
            if number == 0:
                system = SystemRecord("loomserve", "LoomServe", works=("loomserve",))
                record = replace(record, works=(*WORKS, *record.works), systems=(system,))
            create_lab(db.session(), record, author=None, reason="for a test", now=SAVED)
        db.session.commit()


def all_of(api: FlaskClient, address: str, **query: str | int) -> list[list[dict[str, Any]]]:
    """Every part of a list."""
    parts, cursor = [], ""
    while True:
        answer = api.get(V1 + address, query_string={**query, "cursor": cursor}).json
        assert answer is not None
        parts.append(answer["items"])
        if answer["next"] is None:
            return parts
        cursor = answer["next"]


def problem(response: TestResponse) -> tuple[int, str, list[str]]:
    """A refusal: its status, its sentence, and what its errors point at."""
    assert response.content_type == "application/problem+json"
    body = response.get_json()
    assert body["status"] == response.status_code
    return response.status_code, body["detail"], [error["pointer"] for error in body.get("errors", [])]


def test_a_list_comes_in_parts_and_nothing_twice(api: FlaskClient) -> None:
    parts = all_of(api, "/labs", limit=3)
    assert [[lab["slug"][-1] for lab in part] for part in parts] == [["0", "1", "2"], ["3", "4", "5"], ["6"]]
    works = all_of(api, "/labs/lab-0/works", limit=1)
    assert [part[0]["key"] for part in works] == ["loomserve", "shuttle", "untitled", "undated", "w0"]


def test_facets_and_words_narrow_the_labs(api: FlaskClient) -> None:
    answer = api.get(f"{V1}/labs?topic=Protein Folding&topic=query optimization&q=number").json
    assert answer is not None
    assert [lab["slug"] for lab in answer["items"]] == ["lab-1", "lab-2", "lab-4", "lab-5"]
    topics = next(facet for facet in answer["facets"] if facet["name"] == "topic")
    assert {option["value"]: (option["count"], option["selected"]) for option in topics["options"]} == {
        "serving language models": (3, False),
        "query optimization": (2, True),
        "protein folding": (2, True),
    }


def test_a_profile_is_read_again_only_when_it_changed(api: FlaskClient) -> None:
    first = api.get(f"{V1}/labs/lab-0")
    assert first.get_json()["systems"][0]["name"] == "LoomServe"
    again = api.get(f"{V1}/labs/lab-0", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert api.get(f"{V1}/labs/lab-0", headers={"If-None-Match": '"other"'}).status_code == 200


def test_an_abstract_is_quoted_as_on_the_page(api: FlaskClient) -> None:
    work = api.get(f"{V1}/labs/lab-0/works?limit=1").get_json()["items"][0]
    assert len(work["excerpt"].split()) == 60
    assert work["authors"] == ["Ada Weaver", "李华", "Tomás Ibáñez"]


def test_a_ranking_is_the_one_of_the_page_and_its_reasons_add_up(api: FlaskClient) -> None:
    asked = {"topics": [{"text": "query optimization"}], "k": 2}
    plain = api.post(f"{V1}/rank", json=asked).get_json()
    told = api.post(f"{V1}/rank", json={**asked, "explain": True}).get_json()
    assert [match["slug"] for match in plain["items"]] == ["lab-1", "lab-4"]
    for short, match in zip(plain["items"], told["items"], strict=True):
        reasons = match.pop("reasons")
        assert short == match
        assert sum(term["share"] for term in reasons["terms"]) == pytest.approx(match["score"])
    one = api.post(f"{V1}/explain", json={"topics": asked["topics"], "lab": "lab-4"}).get_json()
    assert (one["fits"], one["position"], one["score"]) == (True, 2, told["items"][1]["score"])


def test_nothing_is_ranked_for_what_no_lab_does(api: FlaskClient) -> None:
    answer = api.post(f"{V1}/rank", json={"statement": "medieval poetry of the Provence"}).get_json()
    assert (answer["fitting"], answer["labs"], answer["items"]) == (0, 7, [])


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "pointers"),
    [
        ("GET", "/labs?limit=0&sort=best", None, 422, ["limit", "sort"]),
        ("GET", "/labs?cursor=nonsense", None, 422, ["cursor"]),
        ("GET", "/labs?cursor=WzEsMl0", None, 422, ["cursor"]),
        ("GET", "/labs?q=%00", None, 422, ["q"]),
        ("GET", "/labs/nobody", None, 404, []),
        ("GET", "/labs/lab-0/", None, 404, []),
        ("GET", "/nothing", None, 404, []),
        ("DELETE", "/labs", None, 405, []),
        ("POST", "/rank", {}, 422, ["/topics"]),
        ("POST", "/rank", {"topics": [{"text": "a", "weight": -1}], "x/y": 1}, 422, ["/topics/0/weight", "/x~1y"]),
        ("POST", "/rank", {"statement": "a\x00"}, 422, ["/statement"]),
        ("POST", "/rank", {"statement": "\ud800"}, 422, ["/statement"]),
        ("POST", "/rank", {"statement": "a", "k": 101}, 422, ["/k"]),
        ("POST", "/rank", [1], 422, [""]),
        ("POST", "/explain", {"statement": "a", "lab": "nobody"}, 404, []),
    ],
)
def test_every_refusal_is_a_problem_that_points_at_what_is_wrong(
    api: FlaskClient, method: str, path: str, body: object, status: int, pointers: list[str]
) -> None:
    response = api.open(V1 + path, method=method, json=body)
    said = problem(response)
    assert (said[0], said[2]) == (status, pointers)


def test_a_body_that_is_no_json_is_refused_kindly(api: FlaskClient) -> None:
    unreadable = ("{", "[" * 200_000, f'{{"k": {"9" * 10_000}}}', b"\xff\xfe", b'{"statement": "\xff"}')
    for body in unreadable:
        assert problem(api.post(f"{V1}/rank", data=body, content_type="application/json"))[0] == 400, body[:20]
    for number in ("1e400", "-0.5", "NaN", "1e30", "true", '"7"'):
        body = f'{{"statement": "a", "k": {number}}}'
        assert problem(api.post(f"{V1}/rank", data=body, content_type="application/json"))[0] == 422, number
    for kind in ("application/x-www-form-urlencoded", "text/plain", None):
        assert problem(api.post(f"{V1}/rank", data="statement=a", content_type=kind))[0] == 415, kind
    assert problem(api.post(f"{V1}/rank"))[0] == 422
    assert problem(api.post(f"{V1}/rank", json={"statement": "a" * callers.LONGEST_BODY}))[0] == 413
    assert "Allow" in api.delete(f"{V1}/labs").headers


def test_addresses_outside_keep_their_pages(api: FlaskClient) -> None:
    assert api.get("/nothing").content_type == "text/html; charset=utf-8"


def test_a_failure_of_ours_is_a_problem_without_its_cause(served: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_arguments: object) -> None:
        raise RuntimeError("SECRET-DETAIL")

    monkeypatch.setattr("portal.api.labs.lab_listing", fails)
    monkeypatch.setitem(served.config, "PROPAGATE_EXCEPTIONS", False)
    response = served.test_client().get(f"{V1}/labs")
    assert problem(response)[:2] == (500, "Something failed on our side. Nothing of this request was saved.")
    assert "SECRET-DETAIL" not in response.text


FAILURES_THAT_PASS = [
    IndexPreparing(),
    OperationalError("", {}, Exception("SECRET-DETAIL")),
    StoreUnavailable("SECRET-DETAIL"),
]


@pytest.mark.parametrize("error", FAILURES_THAT_PASS)
def test_what_passes_by_itself_says_when_to_come_back(
    served: Flask, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails() -> None:
        raise error

    monkeypatch.setattr("portal.api.labs.current_catalogue", fails)
    monkeypatch.setitem(served.config, "PROPAGATE_EXCEPTIONS", False)
    response = served.test_client().get(f"{V1}/labs")
    assert (problem(response)[0], int(response.headers["Retry-After"]) > 0) == (503, True)
    assert "SECRET-DETAIL" not in response.text


def test_how_much_is_left_stands_in_every_answer_and_then_one_waits(
    served: Flask, api: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = callers.Budget("api-rank", parse("3 per minute"), parse("2 per minute"))
    monkeypatch.setattr(callers, "RANKING", few)
    asked = {"statement": "query optimization"}
    left = [api.post(f"{V1}/rank", json=asked).headers["RateLimit-Remaining"] for _ in range(2)]
    refused = api.post(f"{V1}/rank", json=asked)
    assert (left, problem(refused)[0], refused.headers["RateLimit-Remaining"]) == (["1", "0"], 429, "0")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert api.get(f"{V1}/labs").status_code == 200
    owner = add_person(served)
    with_tokens = [api.post(f"{V1}/rank", json=asked, headers=bearer(owner)).status_code for _ in range(4)]
    assert with_tokens == [200, 200, 200, 429]


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("Bearer phd_wrong", "This token is not known. It may be misspelt."),
        ("Bearer " + "é" * 300, "This token is not known. It may be misspelt."),
        ("Basic cGhkOng=", "This needs a token: send it in a header, as in “Authorization: Bearer phd_…”."),
        ("Bearer", "This needs a token: send it in a header, as in “Authorization: Bearer phd_…”."),
    ],
)
def test_a_wrong_token_is_refused_even_where_none_is_needed(api: FlaskClient, header: str, said: str) -> None:
    response = api.get(f"{V1}/labs", headers={"Authorization": header})
    assert problem(response)[:2] == (401, said)
    assert response.headers["WWW-Authenticate"] == 'Bearer error="invalid_token"'


def test_a_token_does_only_what_it_was_made_for_and_its_use_is_noted(served: Flask, api: FlaskClient) -> None:
    headers = bearer(add_person(served), {"rank"})
    refused = problem(api.get(f"{V1}/labs", headers=headers))
    assert refused[:2] == (403, "This token was not made for this: it lacks the scope labs:read.")
    assert api.post(f"{V1}/rank", json={"statement": "a"}, headers=headers).status_code == 200
    with served.app_context():
        token = db.session.query(ApiToken).order_by(ApiToken.id.desc()).first()
        assert token is not None
        assert token.last_used_at is not None


def test_the_page_names_operations_scopes_and_errors(api: FlaskClient) -> None:
    page = Document(api.get(f"{V1}/").text)
    assert {"get-labs", "post-rank", "problem-429", "scopes"} <= set(page.ids)
    for said in ("Rank labs", "application:write", "openapi.json", "the errors say what"):
        assert said in page.text
