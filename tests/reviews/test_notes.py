"""Tags and notes of a lab: for its readers alone, in its file, erased with the applicant, and silent about names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from portal.applications.erasure import erase_everything
from portal.applications.files import file_store
from portal.db import db
from portal.models import ChoiceNote, ChoiceTag, LabReviewing
from tests.people import submit

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from portal.models import Choice
    from tests.reviews.desk import Desk


def write(client: FlaskClient, desk: Desk, choice: Choice, **sent: str) -> str:
    page = f"{desk.address}/choices/{choice.id}"
    assert submit(client, f"{page}/notes", sent, page=page).status_code == 302
    return client.get(page).text


def refused(client: FlaskClient, desk: Desk, choice: Choice, **sent: str) -> str:
    page = f"{desk.address}/choices/{choice.id}"
    answer = submit(client, f"{page}/notes", sent, page=page)
    assert answer.status_code == 422
    return answer.text


def test_tags_and_notes_are_the_labs_and_twice_sent_are_written_once(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    leader, reviewer = desk.leader.sign_in(), desk.reviewer.sign_in()
    for _ in range(2):
        write(leader, desk, ada, tag=" Ask  again ", note="Met at a workshop.")
    page = reviewer.get(f"{desk.address}/choices/{ada.id}").text
    assert (page.count("Met at a workshop."), 'value="Ask again"' in page, "Remove my note" in page) == (1, True, False)
    note = db.session.scalars(select(ChoiceNote).where(ChoiceNote.choice_id == ada.id)).one().id
    write(reviewer, desk, ada, remove=str(note))  # not one's own
    assert "Met at a workshop." in write(reviewer, desk, ada, untag="Ask again")
    assert db.session.scalars(select(ChoiceTag).where(ChoiceTag.choice_id == ada.id)).all() == []
    assert "Met at a workshop." not in write(leader, desk, ada, remove=str(note))


def test_what_is_refused_stands_beside_its_field_with_all_that_was_typed(desk: Desk) -> None:
    (ada,) = desk.people("Ada")
    leader = desk.leader.sign_in()
    page = refused(leader, desk, ada, tag="x" * 41, note="Met at a workshop.")
    assert ("Keep a tag to 40 characters" in page, "x" * 41 in page, ">\nMet at a workshop.<" in page) == (True,) * 3
    page = refused(leader, desk, ada, tag="strong", note="y" * 4001)
    assert ("Keep a note to 4,000 characters" in page, "y" * 4001 in page, 'value="strong"' in page) == (True,) * 3
    stored = select(ChoiceTag.tag).where(ChoiceTag.choice_id == ada.id)
    assert (db.session.scalars(stored).all(), db.session.query(ChoiceNote).filter_by(choice_id=ada.id).count()) == (
        [],
        0,
    )


def test_the_list_is_filtered_by_tag_and_the_file_and_the_printed_page_have_both(desk: Desk) -> None:
    ada, bo = desk.people("Ada", "Bo")
    client = desk.leader.sign_in()
    write(client, desk, ada, tag="Waits for funding", note="Wrote to us.")
    shown = client.get(f"{desk.address}/?tag=Waits+for+funding").text
    assert (f'id="choice-{ada.id}"' in shown, f'id="choice-{bo.id}"' in shown) == (True, False)
    for page in ("applicants.csv", "applicants/print"):
        text = client.get(f"{desk.address}/{page}").text
        assert ("Waits for funding" in text, "Wrote to us." in text) == (True, True)


def test_a_blind_lab_reads_tags_and_notes_without_the_name(desk: Desk) -> None:
    (ada,) = desk.people("Wanjiru Kamau")
    leader, reviewer = desk.leader.sign_in(), desk.reviewer.sign_in()
    for words in ("Wanjiru", "from Oxford University"):
        assert "A tag must not name the applicant" in refused(leader, desk, ada, tag=words)
    write(leader, desk, ada, tag="strong", note="Wanjiru Kamau called me.")
    db.session.add(LabReviewing(lab_id=ada.lab_id, blind_first=True, changed_at=desk.admission.now))
    db.session.commit()
    pages = ("", f"choices/{ada.id}", "applicants.csv", "applicants/print", "board")
    told = {page: reviewer.get(f"{desk.address}/{page}").text for page in pages}
    assert [page for page, text in told.items() if "Wanjiru" in text or "Kamau" in text] == []
    assert ("called me." in told[f"choices/{ada.id}"], "strong" in told[""]) == (True, True)


def test_they_go_with_the_application_and_no_applicant_writes_any(desk: Desk) -> None:
    person = desk.admission.add_applicant("Ada")
    choice = desk.admission.choice(desk.admission.eligible(person, desk.name), desk.name)
    page = f"{desk.address}/choices/{choice.id}/notes"
    assert submit(person.sign_in(), page, {"note": "Me."}, page="/me/").status_code == 403
    write(desk.leader.sign_in(), desk, choice, tag="strong", note="Good.")
    assert db.session.scalars(select(ChoiceNote.text).where(ChoiceNote.choice_id == choice.id)).all() == ["Good."]
    number = choice.id
    erase_everything(db.session(), file_store(desk.admission.app), desk.admission.user(person), now=desk.admission.now)
    db.session.commit()
    for table in (ChoiceNote, ChoiceTag):
        assert db.session.scalars(select(table).where(table.choice_id == number)).all() == []
