"""The list of a cycle's applications: narrowed, sorted, and as a file."""

from __future__ import annotations

import csv
import re
from datetime import timedelta
from html import unescape
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.models import Application, MoveRecord, User
from tests.admin.cycles.releases import past_deadline
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.admission import Admission


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """Berta submitted first, anton second, Carla not at all; Berta is eligible, and anton chose two labs."""
    with app.app_context():
        made = past_deadline(app)
        made.submitted(made.add_applicant("Berta"), "Systems")
        made.later(hours=1)
        made.submitted(made.add_applicant("anton"), "Vision", "Systems")
        made.draft(made.add_applicant("Carla"), "Vision")
        yield made


def listed(admission: Admission, query: str = "") -> list[str]:
    page = admission.admin.sign_in().get(f"/admin/cycles/{admission.cycle.slug}/applications{query}").text
    return [unescape(name) for name in re.findall(r'applications/\d+">([^<]+)</a>', page)]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["Berta", "anton", "Carla"]),
        ("?order=descending", ["anton", "Berta", "Carla"]),  # what was never submitted stays last
        ("?sort=name", ["anton", "Berta", "Carla"]),
        ("?sort=name&order=descending", ["Carla", "Berta", "anton"]),
        ("?sort=state", ["Carla", "Berta", "anton"]),
        ("?sort=nonsense&state=nonsense&order=nonsense", ["Berta", "anton", "Carla"]),
        ("?lab=vision", ["anton", "Carla"]),
        ("?lab=vision&state=submitted", ["anton"]),
        ("?lab=no-such-lab", []),
    ],
)
def test_the_list_is_sorted_and_narrowed_to_a_lab(admission: Admission, query: str, names: list[str]) -> None:
    assert listed(admission, query) == names


@pytest.mark.parametrize("address", ["/admin/people/", "/admin/cycles/{cycle}/applications"])
def test_an_applicant_is_found_by_the_receipt(admission: Admission, address: str) -> None:
    receipt = admission.session.query(Application.receipt).join(User).filter(User.name == "anton").scalar()
    client, page = admission.admin.sign_in(), address.format(cycle=admission.cycle.slug)

    def found(text: str) -> set[str]:
        rows = client.get(page, query_string={"q": text}).text.partition("<tbody>")[2]
        return {name for name in ("Berta", "anton", "Carla") if f">{name}</a>" in rows}

    for typed in (receipt, receipt.lower(), receipt.replace("-", " "), receipt.replace("-", ""), receipt[:9]):
        assert found(typed) == {"anton"}, typed
    for typed in (receipt[:7], f"{receipt}2", receipt[5:], "%%%%-%%%%", f"anton {receipt}"):
        assert found(typed) == set(), typed


def test_the_file_holds_all_pages_of_what_the_list_shows(admission: Admission, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portal.admin.cycles.applications.pages.ROWS", 1)
    client, base = admission.admin.sign_in(), f"/admin/cycles/{admission.cycle.slug}/applications"
    page = client.get(f"{base}?lab=systems&sort=name").text
    link = re.search(r'<a href="([^"]+)" download>([^<]+)</a>', page)
    assert link is not None
    assert (unescape(link[1]), link[2]) == (f"{base}.csv?lab=systems&sort=name", "Download as CSV")
    answer = client.get(unescape(link[1]))
    assert answer.headers["Content-Disposition"] == f"attachment; filename=applications-{admission.cycle.slug}.csv"
    head, *rows = csv.reader(answer.get_data(as_text=True).removeprefix("\ufeff").splitlines())
    named = [dict(zip(head, row, strict=True)) for row in rows]
    assert [(one["Applicant"], one["State"], one["Labs, by name"]) for one in named] == [
        ("anton", "Submitted", "Systems; Vision"),
        ("Berta", "Submitted", "Systems"),
    ]
    assert named[1]["Submitted (UTC)"] == f"{admission.now - timedelta(hours=1):%Y-%m-%d %H:%M}"


def test_no_name_runs_anything_in_a_spreadsheet(admission: Admission) -> None:
    admission.session.query(User).filter(User.name == "Berta").one().name = "=1+1"
    admission.session.commit()
    file = admission.admin.sign_in().get(f"/admin/cycles/{admission.cycle.slug}/applications.csv").text
    assert '"\'=1+1"' in file


def test_the_form_of_a_sorted_list_of_a_lab_leads_back_to_it(admission: Admission) -> None:
    page = admission.admin.sign_in().get(f"/admin/cycles/{admission.cycle.slug}/applications?lab=vision&sort=name").text
    ticking = page.partition('/applications/mark"')[2].partition("<table")[0]
    assert re.findall(r'name="(lab|sort|page)" value="([^"]*)"', ticking) == [("lab", "vision"), ("sort", "name")]


def test_applications_are_marked_in_the_order_in_which_every_transaction_locks_them(admission: Admission) -> None:
    """Two administrators, whose lists are sorted in opposite ways, would else wait for each other."""
    session, cycle = admission.session, admission.cycle
    submitted = sorted(session.scalars(select(Application.id).where(Application.state == "submitted")), reverse=True)
    assert len(submitted) == 2
    page = f"/admin/cycles/{cycle.slug}/applications"
    sent = {"application": list(map(str, submitted)), "move": "mark_eligible", "confirmed": "yes"}
    assert submit(admission.admin.sign_in(), f"{page}/mark", sent, page=page).status_code == 302
    moved = select(MoveRecord.application_id).where(MoveRecord.move == "mark_eligible").order_by(MoveRecord.id)
    assert list(session.scalars(moved)) == submitted[::-1]
