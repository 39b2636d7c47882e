"""The scorecard's texts in the form of a cycle."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.models import Cycle, Scorecard
from tests.admin.test_cycles import FORM
from tests.admission import Admission, add_admission
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    with app.app_context():
        one = add_admission(app, now=datetime.now(UTC) - timedelta(days=400))
        one.add_lab("Systems")
        yield one


def test_the_texts_of_the_scorecard_are_a_cycle_s_own_until_a_card_is_locked(admission: Admission) -> None:
    client = admission.admin.sign_in()
    long = submit(client, "/admin/new-cycle", FORM | {"rubric-fit_2": "zz" * 200, "rubric-fit_3": "Zz kept"})
    assert long.status_code == 422
    field = long.text.split('id="rubric-fit_2"', 1)[1].split('id="rubric-fit_3"', 1)[0]
    assert "Keep it to 300 characters." in field
    assert 'value="Zz kept"' in long.text
    assert submit(client, "/admin/new-cycle", FORM | {"rubric-fit_2": " Zz  second "}).status_code == 302
    made = admission.session.scalars(select(Cycle).where(Cycle.slug == "fall-2027")).one()
    assert made.rubric == {"fit": ["", "Zz second", "", "", ""]}
    assert 'value="Zz second"' in client.get("/admin/new-cycle").text  # the next cycle begins with it
    choice = admission.choice(admission.eligible(admission.add_applicant(), "Systems"), "Systems")
    choice.application.cycle_id = made.id
    leader = admission.leaders["Systems"]
    card = Scorecard(choice_id=choice.id, reviewer_id=leader.id, changed_at=admission.now)
    admission.session.add(card)
    admission.session.commit()
    page = "/admin/cycles/fall-2027"
    assert submit(client, page, FORM | {"rubric-fit_2": "", "version": "1"}).status_code == 302
    admission.session.expire_all()
    assert made.rubric == {}
    card.abstained, card.abstain_reason, card.locked_at = True, "I know them.", admission.now
    admission.session.commit()
    refused = submit(client, page, FORM | {"rubric-fit_2": "Other", "version": "2"})
    assert (refused.status_code, refused.text.count("A scorecard of this cycle is locked.")) == (422, 2)
    admission.session.expire_all()
    assert made.rubric == {}
    assert submit(client, page, FORM | {"name": "Fall", "version": "2"}).status_code == 302
