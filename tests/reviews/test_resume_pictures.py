"""The pages of a submitted resume as pictures: for whoever may open the file, made once, and gone with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from portal.applications import files as uploads
from portal.applications.cycles import last_submission
from portal.applications.erasure import erase_everything
from portal.applications.files import file_store, orphans
from portal.documents import extraction
from portal.models import Conflict, LabReviewing, Scorecard
from portal.storage import PICTURES
from tests.documents.pdfs import pdf_of_pages
from tests.reviews.zoe import FULL

if TYPE_CHECKING:
    from portal.models import Choice, Submission
    from tests.admission import Admission

KEY = "resumes/pictured/{}"


@pytest.fixture
def sent(admission: Admission, choice: Choice) -> Submission:
    """The submission of the choice, with a resume of eight pages."""
    submission = last_submission(admission.session, choice.application)
    assert submission is not None
    data = pdf_of_pages(8)
    submission.storage_key, submission.resume_kind, submission.resume_pages = KEY.format(choice.id), "pdf", 8
    submission.resume_size = len(data)
    file_store(admission.app).put(submission.storage_key, data)
    admission.session.commit()
    return submission


def page(choice: Choice, more: str = "") -> str:
    return f"/reviews/lab-a/choices/{choice.id}{more}"


def pictures(admission: Admission) -> list[str]:
    return sorted(file.key for file in file_store(admission.app).list(PICTURES))


@pytest.mark.usefixtures("sent")
def test_the_pages_stand_on_the_applicant_s_page_and_are_drawn_at_the_first_look(
    admission: Admission, choice: Choice, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, name = admission.leaders["Lab A"].sign_in(), choice.application.applicant.display_name
    text = client.get(page(choice)).text
    assert text.count('loading="lazy"') == 6
    assert f'alt="Page 1 of 8 of {name}’s resume"' in text
    assert "The first 6 of its 8 pages" in text
    first = client.get(page(choice, "/resume/1.webp"))
    assert (first.status_code, first.content_type, first.data[8:12]) == (200, "image/webp", b"WEBP")
    assert first.headers["Cache-Control"] == "private, no-cache"
    assert first.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    monkeypatch.setattr(uploads, "draw", None)  # what is kept is not drawn again
    second = client.get(page(choice, "/resume/2.webp"))
    assert (second.status_code, second.data != first.data) == (200, True)
    again = client.get(page(choice, "/resume/1.webp"), headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert [client.get(page(choice, f"/resume/{number}.webp")).status_code for number in (0, 7, 99)] == [404] * 3


@pytest.mark.usefixtures("sent")
@pytest.mark.parametrize(
    ("blind", "locked", "open_to"),
    [(False, False, {"leader", "reviewer"}), (True, False, set()), (True, True, {"leader"})],
)
def test_a_picture_is_open_to_whoever_may_open_the_file(
    admission: Admission, choice: Choice, *, blind: bool, locked: bool, open_to: set[str]
) -> None:
    session, leader = admission.session, admission.leaders["Lab A"]
    conflicted = admission.leaders["Lab B"]
    seats = {"leader": leader, "reviewer": admission.reviewers["Lab A"], "of another lab": conflicted}
    session.merge(LabReviewing(lab_id=choice.lab_id, blind_first=blind, changed_at=admission.now))
    if locked:
        values = {"choice_id": choice.id, "reviewer_id": leader.id, "changed_at": admission.now}
        session.add(Scorecard(**values, locked_at=admission.now, **FULL))
    session.commit()
    browsers = {who: person.sign_in() for who, person in seats.items()}
    browsers["applicant"], browsers["administrator"] = admission.add_applicant().sign_in(), admission.admin.sign_in()
    browsers["visitor"] = admission.app.test_client()
    opened = {}
    for who, client in browsers.items():
        answers = [client.get(page(choice, more)) for more in ("/resume", "/resume/1.webp")]
        assert answers[0].status_code == answers[1].status_code, who
        opened[who] = answers[1].status_code == 200
        shown = client.get(page(choice)).text if who in {"leader", "reviewer"} else ""
        assert (".webp" in shown) == (who in open_to), who
    assert {who for who, is_open in opened.items() if is_open} == open_to
    session.add(
        Conflict(
            reviewer_id=leader.id,
            applicant_id=choice.application.applicant_id,
            state="declared",
            changed_at=admission.now,
        )
    )
    session.commit()
    assert browsers["leader"].get(page(choice, "/resume/1.webp")).status_code == 403
    session.merge(LabReviewing(lab_id=choice.lab_id, blind_first=False, changed_at=admission.now))
    session.query(Conflict).delete()
    session.commit()


@pytest.mark.parametrize(("kind", "pages"), [("docx", 2), ("txt", None)])
def test_other_kinds_of_files_are_shown_as_their_text_and_said_so(
    admission: Admission, choice: Choice, sent: Submission, kind: str, pages: int | None
) -> None:
    sent.resume_kind, sent.resume_pages = kind, pages
    admission.session.commit()
    client = admission.leaders["Lab A"].sign_in()
    text = client.get(page(choice)).text
    assert ("Only a PDF is shown page by page" in text, ".webp" in text) == (True, False)
    assert client.get(page(choice, "/resume/1.webp")).status_code == 404


def test_a_file_that_cannot_be_drawn_is_tried_once(
    admission: Admission, choice: Choice, sent: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = file_store(admission.app)
    files.delete(sent.storage_key)
    files.put(sent.storage_key, b"%PDF-1.7 damaged")
    client = admission.leaders["Lab A"].sign_in()
    assert client.get(page(choice, "/resume/1.webp")).status_code == 404
    monkeypatch.setattr(uploads, "draw", None)
    assert client.get(page(choice, "/resume/1.webp")).status_code == 404


def test_pictures_go_with_their_file_and_are_no_originals(
    admission: Admission, choice: Choice, sent: Submission
) -> None:
    files = file_store(admission.app)
    client = admission.leaders["Lab A"].sign_in()
    client.get(page(choice, "/resume/1.webp"))
    kept = PICTURES + sent.storage_key
    assert kept in pictures(admission)
    assert sent.storage_key in {file.key for file in files.originals()}
    assert kept not in {file.key for file in files.originals()}
    later = datetime.now(UTC) + timedelta(days=3)
    assert kept not in {file.key for file in orphans(admission.session, files, now=later)}
    erase_everything(admission.session, files, choice.application.applicant, now=admission.now)
    admission.session.commit()
    assert kept not in pictures(admission)
    files.put(PICTURES + "resumes/gone/1", b"{}")
    assert [file.key for file in orphans(admission.session, files, now=later)] == [PICTURES + "resumes/gone/1"]


def test_a_file_that_goes_while_it_is_drawn_leaves_no_picture(
    admission: Admission, choice: Choice, sent: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, really = file_store(admission.app), extraction.draw

    def draw(data: bytes, **how: object) -> list[bytes]:
        made = really(data, **how)  # type: ignore[arg-type]
        files.delete(sent.storage_key)
        return made

    monkeypatch.setattr(uploads, "draw", draw)
    client = admission.leaders["Lab A"].sign_in()
    assert client.get(page(choice, "/resume/1.webp")).status_code == 404
    assert PICTURES + sent.storage_key not in pictures(admission)
