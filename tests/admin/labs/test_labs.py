"""The table of labs, and making one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from portal.seeding.records import LabRecord, WorkRecord
from tests.admin.desk import PROFILE, store

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.admin.desk import Desk
    from tests.people import Person


def names_in(page: str) -> list[str]:
    """The labs of the table, in its order."""
    rows = page.split("<tbody>")[1].split("</tbody>", maxsplit=1)[0].split('<th scope="row">')[1:]
    return [row.split("</a>")[0].split(">")[1] for row in rows]


@pytest.fixture
def three(desk: Desk) -> Desk:
    store(desk.app, LabRecord("alpha", "alpha group", leader="Zoe", topics=("databases",)))
    store(desk.app, LabRecord("zeta", "Zeta", leader="Ada", works=(WorkRecord("w", "100% of zeta"),)))
    desk.saves(contact="Changed")
    return desk


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["alpha group", "Relaxed Lab", "Zeta"]),
        ("?order=descending", ["Zeta", "Relaxed Lab", "alpha group"]),
        ("?sort=leader", ["Zeta", "Relaxed Lab", "alpha group"]),
        ("?sort=works&order=descending", ["Relaxed Lab", "Zeta", "alpha group"]),
        ("?sort=questions&order=descending", ["Relaxed Lab", "alpha group", "Zeta"]),
        ("?q=DATABASES", ["alpha group"]),
        ("?q=ran+yan+serving", ["Relaxed Lab"]),
        ("?q=100%25", ["Zeta"]),
        ("?q=zeta", ["Zeta"]),
    ],
)
def test_the_table_is_sorted_and_searched(three: Desk, query: str, expected: list[str]) -> None:
    assert names_in(three.client.get(f"/admin/labs/{query}").text) == expected


def test_labs_that_nobody_reads_for_are_pointed_out_until_somebody_with_an_open_account_does(
    desk: Desk, person: Callable[..., Person]
) -> None:
    store(desk.app, LabRecord("zeta", "Zeta"))
    reader = person("professor")
    page = f"/admin/people/{reader.id}"

    def unread() -> tuple[list[str], bool]:
        names = names_in(desk.client.get("/admin/labs/?readers=no").text)
        return names, "no reviewer" in desk.client.get("/admin/").text

    assert unread() == (["Relaxed Lab", "Zeta"], True)
    desk.post(f"{page}/attach", {"lab": "zeta", "position": "leader"}, page=page)
    assert unread() == (["Relaxed Lab"], True)
    desk.post(f"{page}/attach", {"lab": "relaxed-lab", "position": "leader"}, page=page)
    assert names_in(desk.client.get("/admin/labs/?sort=readers").text) == ["Relaxed Lab", "Zeta"]
    assert "no reviewer" not in desk.client.get("/admin/").text
    assert "Every lab here has a reviewer" in desk.client.get("/admin/labs/?readers=no").text
    desk.post(f"{page}/suspend", {"reason": "They left."}, page=page)
    assert "No reviewer now: Relaxed Lab, Zeta." in desk.client.get(page).text
    assert unread() == (["Relaxed Lab", "Zeta"], True)


def test_a_lab_that_nobody_reads_for_leads_to_an_invitation_of_its_leader(
    desk: Desk, person: Callable[..., Person]
) -> None:
    address = "/admin/people/invitations?lab=relaxed-lab"
    assert f'href="{address}"' in desk.client.get("/admin/labs/relaxed-lab").text
    chosen = [
        '<option value="relaxed-lab" selected>Relaxed Lab</option>',
        '<option selected value="leader">Leader</option>',
    ]
    assert [option in desk.client.get(address).text for option in chosen] == [True, True]
    reader = person("professor")
    page = f"/admin/people/{reader.id}"
    desk.post(f"{page}/attach", {"lab": "relaxed-lab", "position": "leader"}, page=page)
    assert [option in desk.client.get(address).text for option in chosen] == [True, False]
    desk.post(f"{page}/detach", {"lab": "relaxed-lab"}, page=page)
    assert "No reviewer now: Relaxed Lab." in desk.client.get(page).text


def test_a_search_without_a_result_shows_the_way_out(desk: Desk) -> None:
    page = desk.client.get("/admin/labs/?q=nothing-like-this").text
    assert "No lab has these words" in page
    assert 'href="/admin/labs/"' in page


def test_many_labs_are_paged_with_few_queries(desk: Desk, count_queries: Any) -> None:  # noqa: ANN401
    for number in range(60):
        store(desk.app, LabRecord(f"lab-{number:02}", f"Lab {number:02}"))
    with count_queries() as queries:
        page = desk.client.get("/admin/labs/?page=2").text
    assert "26–50 of 61 labs" in page
    assert names_in(page)[0] == "Lab 25"
    assert len(queries) <= 6


def test_a_lab_is_made_from_its_name(desk: Desk) -> None:
    data = {"name": "Distributed Systems Lab", "leader": "王伟"}
    response = desk.post("/admin/new-lab/empty", data)
    assert response.location == "/admin/labs/distributed-systems-lab"
    assert desk.profile("distributed-systems-lab") == LabRecord(
        "distributed-systems-lab", "Distributed Systems Lab", leader="王伟"
    )
    assert desk.reasons("distributed-systems-lab") == ["A new lab"]


def test_a_chinese_name_gives_a_usable_address(desk: Desk) -> None:
    response = desk.post("/admin/new-lab/empty", {"name": "智能系统实验室"})
    assert response.status_code == 302
    assert desk.client.get(response.location).status_code == 200
    chosen = desk.post("/admin/new-lab/empty", {"name": "智能系统实验室", "slug": "intelligent-systems"})
    assert chosen.location == "/admin/labs/intelligent-systems"


@pytest.mark.parametrize(
    ("data", "field", "error"),
    [
        ({"name": ""}, "name", "Give the lab a name."),
        ({"name": "\u200b\u2060", "slug": "nothing"}, "name", "Give the lab a name."),
        ({"name": "Relaxed Lab"}, "slug", "There is a lab at /labs/relaxed-lab already."),
        ({"name": "X", "slug": "Not Good/"}, "slug", "Use small letters, digits and single hyphens"),
        ({"name": "X", "slug": "a" * 121}, "slug", "at most 120 fit"),
        ({"name": "X", "homepage": "javascript:x"}, "homepage", "must begin with https://"),
    ],
)
def test_a_lab_that_cannot_be_made_keeps_what_was_typed(
    desk: Desk, data: dict[str, str], field: str, error: str
) -> None:
    response = desk.post("/admin/new-lab/empty", {"leader": "Typed leader", **data})
    assert response.status_code == 422
    assert error in response.text.split(f'id="{field}-error"')[1].split("</div>")[0]
    assert "Typed leader" in response.text
    assert desk.profile() == PROFILE


def test_a_lab_whose_address_is_taken_in_the_same_moment_is_refused(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check before it saw no lab: only the database's own constraint stands in the way."""
    monkeypatch.setattr("portal.admin.labs.new_lab.lab_by_slug", lambda _session, _slug: None)
    response = desk.post("/admin/new-lab/empty", {"name": "Relaxed Lab"})
    assert response.status_code == 422
    assert "There is a lab at /labs/relaxed-lab already." in response.text


def test_items_are_searched_and_thousands_stay_usable(desk: Desk, count_queries: Any) -> None:  # noqa: ANN401
    works = tuple(
        WorkRecord(f"w{n}", f"Paper number {n}", authors=(f"Author {n % 7}",), year=1950 + n % 70) for n in range(3000)
    )
    desk.saves_as(replace(PROFILE, works=works, systems=(replace(PROFILE.systems[0], works=("w1",)),)))
    url = "/admin/labs/relaxed-lab/works"
    for query, said in (("", "1–25 of 3,000 works"), ("?q=number+2321", "1 work<"), ("?page=120", "of 3,000 works")):
        with count_queries() as queries:
            page = desk.client.get(url + query)
        assert said in page.text
        assert len(page.data) < 60_000
        assert len(queries) <= 5
    with count_queries() as queries:
        form = desk.client.get("/admin/labs/relaxed-lab/systems/flexgen")
    assert len(form.data) < 60_000
    assert len(queries) <= 6
    saved = desk.post(f"{url}/w77", {"title": "Corrected", "base": 2, "reason": "Typo"})
    assert saved.status_code == 302
    assert desk.profile().works[77].title == "Corrected"
    removal = desk.client.get("/admin/labs/relaxed-lab/history/compare?from=3&to=1").text
    assert "And 2,803 more changes here." in removal
    undo = desk.post("/admin/labs/relaxed-lab/history/2/undo", {"undo-reason": "Back"}, page="/admin/new-lab")
    assert undo.status_code == 409
    assert "Works: Corrected" in undo.text
