"""A letter of reference as a file with words beside it: both are the letter."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select
from werkzeug.datastructures import FileStorage

from portal.applications.referees.letter_reading import LetterRefused, read_letter
from portal.db import db
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
        admission = add_admission(app, now=datetime.now(UTC), referees=1)
        admission.add_lab("Ada Lab")
        applicant = admission.add_applicant("Li Wei")
        url = f"/me/application/{admission.draft(applicant, 'Ada Lab').cycle.slug}/referees"
        me = applicant.sign_in()
        submit(me, url, {"name": "Ada", "email": "ada@example.edu", "relation": "My thesis"})
        referee = db.session.scalars(select(Referee)).one()
        submit(me, f"{url}/{referee.id}/ask", {}, page=url)
        link = re.findall(r"/letters/[\w-]+", app.extensions["mailman"].outbox[-1].body)[-1]
        form = {"letter": "One more thing.", "letter_file": (BytesIO(LETTER), "letter.txt")}
        answer = client.post(link, data={"csrf_token": csrf_token(client, link), **form})
        db.session.expire_all()
        assert (answer.status_code, referee.received_at, referee.letter) == (422, None, "")
        db.session.remove()
    assert "We cannot keep files at the moment" in answer.text
    assert "One more thing." in answer.text


def test_no_letter_at_all_is_refused(app: Flask) -> None:
    for upload in (None, FileStorage(BytesIO(b""), "")):
        with pytest.raises(LetterRefused, match="Write the letter below"):
            read_letter(app, " ", upload)
