"""A letter of reference: a file with words beside it, which are both the letter, and the receipt for it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select
from werkzeug.datastructures import FileStorage

from portal.applications.files import NotRead
from portal.applications.referees.pages import read_letter
from portal.config import settings_of
from portal.db import db
from portal.mail.rendering import deadline
from portal.models import Referee
from portal.storage import StoreUnavailable
from tests.admission import add_admission
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

LETTER = b"Ada built our serving system and wrote its paper with great care. " * 4


def file(data: bytes) -> FileStorage:
    return FileStorage(BytesIO(data), "letter.txt")


def asked(app: Flask) -> tuple[Referee, str]:
    """A referee who was asked for a letter, and their link."""
    admission = add_admission(app, now=datetime.now(UTC), referees=1)
    admission.add_lab("Ada Lab")
    applicant = admission.add_applicant("Li Wei")
    url = f"/me/application/{admission.draft(applicant, 'Ada Lab').cycle.slug}/referees"
    me = applicant.sign_in()
    submit(me, url, {"name": "Ada", "email": "ada@example.edu", "relation": "My thesis"})
    referee = db.session.scalars(select(Referee)).one()
    return referee, re.findall(r"/letters/[\w-]+", app.extensions["mailman"].outbox[-1].body)[-1]


def test_what_is_written_beside_a_file_is_not_lost(app: Flask) -> None:
    both = read_letter(app, "One more thing: call me.", file(LETTER))
    alone = read_letter(app, " ", file(LETTER))
    assert both.text == f"One more thing: call me.\n\n{alone.text}"
    assert (both.kind, both.data, alone.text.split()[:2]) == ("txt", LETTER, ["Ada", "built"])


def test_a_letter_whose_file_cannot_be_kept_now_is_refused_kindly_and_its_words_come_back(
    app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StoreUnavailable("for a test")

    monkeypatch.setattr(app.extensions["portal_files"], "put", fail)
    with app.app_context():
        referee, link = asked(app)
        form = {"letter": "One more thing.", "letter_file": (BytesIO(LETTER), "letter.txt")}
        answer = client.post(link, data={"csrf_token": csrf_token(client, link), **form})
        db.session.expire_all()
        assert (answer.status_code, referee.received_at, referee.letter) == (422, None, "")
        db.session.remove()
    assert "We cannot keep files at the moment" in answer.text
    assert "One more thing." in answer.text
    assert f'data-largest-bytes="{settings_of(app).upload_bytes}"' in answer.text


def test_a_referee_gets_one_receipt_however_often_a_letter_is_sent(app: Flask, client: FlaskClient) -> None:
    with app.app_context():
        referee, link = asked(app)
        for letter in ("An outstanding mind.", "An outstanding mind.", "Better said."):
            submit(client, link, {"letter": letter})
        db.session.expire_all()
        assert (referee.letter, referee.expires_at is not None) == ("Better said.", True)
        until = deadline(str(referee.expires_at), referee.application.cycle.zone)
        parts = ("for Li Wei", referee.application.cycle.name, f"Until {until}, you can", "/letters/", "mind", "Better")
        db.session.remove()
    outbox = [mail for mail in app.extensions["mailman"].outbox if mail.to == ["ada@example.edu"]]
    assert [mail.subject for mail in outbox] == [
        "Request for a letter of reference",
        "Your letter of reference has arrived",
    ]
    assert [part in outbox[1].body for part in parts] == [True, True, True, False, False, False]


def test_no_letter_at_all_is_refused(app: Flask) -> None:
    for upload in (None, FileStorage(BytesIO(b""), "")):
        with pytest.raises(NotRead, match="Write the letter below"):
            read_letter(app, " ", upload)
