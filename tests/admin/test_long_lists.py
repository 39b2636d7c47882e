"""Lists of administrators that grow for years are shown in pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from portal.models import Lab, LabImport, Release, Work
from portal.web.paging import PER_PAGE
from tests.admin.cycles.releases import past_deadline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.admission import Admission

MORE = 3  # than a page holds


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """Two labs and a cycle with a page and a few of everything that is listed."""
    with app.app_context():
        made = past_deadline(app)
        lab_id, admin = made.labs["Systems"], made.admin.id
        for number in range(PER_PAGE + MORE):
            known = {"created_at": made.now, "created_by_id": admin}
            made.session.add(LabImport(lab_id=lab_id, filename=f"works-{number}.bib", **known))
            made.session.add(Release(cycle_id=made.cycle_id, prepared_by_id=admin, prepared_at=made.now))
            work = {"key": f"doubted-{number}", "title": f"Doubted {number:02}"}
            made.session.add(Work(lab_id=lab_id, question="Is it of this lab?", **work))
            made.session.flush()
        made.session.commit()
        yield made


def slug_of(admission: Admission) -> str:
    return admission.session.get_one(Lab, admission.labs["Systems"]).slug


@pytest.mark.parametrize(
    ("address", "name", "item"),
    [
        ("/admin/labs/{lab}/imports", "page", r">works-\d+\.bib</a>"),
        ("/admin/cycles/{cycle}/releases", "releases", r">Release \d+</a>"),
        ("/admin/questions", "works", r">Doubted \d+</a>"),
    ],
)
def test_a_page_shows_as_many_as_other_lists_do_and_leads_to_the_others(
    admission: Admission, address: str, name: str, item: str
) -> None:
    slugs = {"lab": slug_of(admission), "cycle": admission.cycle.slug}
    client, url = admission.admin.sign_in(), address.format(**slugs)
    first, second = client.get(url).text, client.get(f"{url}?{name}=2").text
    shown = [re.findall(item, page) for page in (first, second)]
    assert [len(items) for items in shown] == [PER_PAGE, MORE]
    assert len({*shown[0], *shown[1]}) == PER_PAGE + MORE
    assert f'href="{url}?{name}=2"' in first
    assert client.get(f"{url}?{name}=9").text.count("</li>") == second.count("</li>")


def test_the_page_of_a_lab_counts_all_works_that_may_not_belong_to_it(admission: Admission) -> None:
    page = admission.admin.sign_in().get(f"/admin/labs/{slug_of(admission)}").text
    assert f"{PER_PAGE + MORE} questions are open about this profile." in page
