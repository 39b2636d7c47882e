"""What is odd about a file gains nothing, and whoever reads the resume is told: hidden words, pictures, characters."""

from __future__ import annotations

import html
import io
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.db import db
from portal.documents.notices import Notice
from portal.labs import service as labs
from portal.labs.live_index.live import live_index
from portal.labs.queries import lab_by_slug
from portal.models import Interests, InterestTopic, LabShare, Resume, User
from portal.reviews.applicant.queries import SENTENCES, reading_notices
from portal.reviews.discover import ranked_applicants
from portal.reviews.scoreboard import Scoreboard
from portal.seeding.records import LabRecord, WorkRecord
from tests.documents.docxs import paragraph, resume_docx, with_body_xml
from tests.documents.pdfs import RESUME_LINES, Pdf, lines, resume_pdf, shown
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from tests.people import Person

NOW = datetime(2026, 11, 20, tzinfo=UTC)
LAB = LabRecord(
    "serving-lab",
    "Serving Lab",
    interests="Serving large language models on GPU clusters.",
    works=(
        WorkRecord("fair", "Fair serving of large language models", abstract="We schedule GPU requests fairly."),
        WorkRecord("lora", "Serving many adapters", abstract="One GPU kernel serves many low-rank adapters."),
        WorkRecord("cold", "Quick cold starts", abstract="Language model serving starts within seconds."),
    ),
)
STUFFING = "low-rank adapters cold starts GPU kernel fair serving " * 3
PLAIN = {"pdf": resume_pdf(), "docx": resume_docx()}
STUFFED = {
    "white in a PDF": ("pdf", resume_pdf(shown(STUFFING, y=300, size=4, before="1 g"))),
    "covered in a PDF": ("pdf", resume_pdf(shown(STUFFING, y=300, size=4) + b"q 1 g 0 290 612 30 re f Q")),
    "invisible in a PDF": ("pdf", resume_pdf(shown(STUFFING, y=300, size=4, before="3 Tr"))),
    "hidden in Word": ("docx", with_body_xml(paragraph(STUFFING, "<w:vanish/>"))),
    "white in Word": ("docx", with_body_xml(paragraph(STUFFING, '<w:color w:val="FFFFFF"/>'))),
}


@pytest.fixture
def applies(app: Flask, professor: Person, person: Callable[..., Person]) -> Callable[[bytes], Person]:
    """Somebody who states a topic, shares with the lab, hands in a file and confirms it."""
    with app.app_context():
        labs.create_lab(db.session(), LAB, author=None, reason="first", now=NOW)
        lab = lab_by_slug(db.session(), "serving-lab")
        assert lab is not None
        labs.attach_professor(db.session(), lab, db.session.get_one(User, professor.id), "leader", author=None, now=NOW)
        db.session.commit()
        lab_id = lab.id

    def apply(data: bytes) -> Person:
        one = person("applicant")
        with app.app_context():
            topic = InterestTopic(position=0, text="language model serving")
            db.session.add(Interests(user_id=one.id, changed_at=NOW, topics=[topic]))
            db.session.add(LabShare(user_id=one.id, lab_id=lab_id, shared_at=NOW))
            db.session.commit()
        client = one.sign_in()
        assert submit(client, "/me/resume", {"resume": (io.BytesIO(data), "cv")}).status_code == 302
        with app.app_context():
            digest = db.session.scalars(select(Resume.sha256).where(Resume.user_id == one.id)).one()
        assert submit(client, "/me/resume/text", {"sha256": digest}).status_code == 302
        return one

    return apply


@pytest.mark.parametrize(("kind", "data"), STUFFED.values(), ids=STUFFED.keys())
def test_hidden_words_change_no_score_and_are_shown_to_whoever_reads(
    app: Flask, professor: Person, applies: Callable[[bytes], Person], kind: str, data: bytes
) -> None:
    honest, stuffed = applies(PLAIN[kind]), applies(data)
    with app.app_context():
        lab = lab_by_slug(db.session(), "serving-lab")
        assert lab is not None
        reviewer = db.session.get_one(User, professor.id)
        current = live_index(app).current(db.session())
        scores = {
            applicant.id: applicant.score
            for applicant in ranked_applicants(db.session(), lab, current, reviewer, Scoreboard())[0]
        }
    assert scores[honest.id] == scores[stuffed.id]
    reader = professor.sign_in()
    warning = "This file contains text that a reader cannot see. It did not count in the match."
    page = reader.get(f"/reviews/serving-lab/discover/{stuffed.id}").text
    assert (warning in page, "low-rank adapters cold starts" in page) == (True, True)
    assert warning not in reader.get(f"/reviews/serving-lab/discover/{honest.id}").text


def test_every_notice_has_a_sentence_for_reviewers_but_hidden_text_which_stands_apart() -> None:
    assert set(SENTENCES) == set(Notice) - {Notice.HIDDEN_TEXT}
    assert reading_notices([]) == []
    assert reading_notices(["hidden_text", "picture_pages", "cut"]) == [
        SENTENCES[Notice.PICTURE_PAGES],
        SENTENCES[Notice.CUT],
    ]


def with_scanned_page() -> bytes:
    """A resume whose second page is one large picture."""
    pdf = Pdf()
    pdf.add_page(lines())
    picture = pdf.add_stream(
        bytes(range(256)) * 40,
        b"/Type/XObject/Subtype/Image/Width 64/Height 160/ColorSpace/DeviceGray/BitsPerComponent 8",
        compress=True,
    )
    pdf.add_page(b"q 612 0 0 792 0 0 cm /Im1 Do Q\n", resources=b"/XObject<</Im1 %d 0 R>>" % picture)
    return pdf.data


ODD = {
    "a page is a picture": (with_scanned_page(), Notice.PICTURE_PAGES),
    "characters inferred": (
        "\n".join(("José Pérez", *RESUME_LINES)).encode("cp1252"),
        Notice.NOT_UTF8,
    ),
}


@pytest.mark.parametrize(("data", "notice"), ODD.values(), ids=ODD.keys())
def test_whoever_reads_is_told_what_was_not_read_or_inferred_and_where_to_look(
    professor: Person, applies: Callable[[bytes], Person], data: bytes, notice: Notice
) -> None:
    odd, honest = applies(data), applies(PLAIN["pdf"])
    reader = professor.sign_in()
    page, plain = (html.unescape(reader.get(f"/reviews/serving-lab/discover/{one.id}").text) for one in (odd, honest))
    assert [SENTENCES[other] in page for other in SENTENCES] == [other == notice for other in SENTENCES]
    assert [SENTENCES[other] in plain for other in SENTENCES] == [False] * len(SENTENCES)
    look_at_the_file = "The file itself shows what its owner meant."
    assert (look_at_the_file in page, look_at_the_file in plain) == (True, False)
