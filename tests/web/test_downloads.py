"""The names under which browsers save files, in headers that servers can send."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from werkzeug.http import parse_options_header

from portal.web.downloads import download
from tests.people import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from tests.people import Person


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("cv.pdf", "cv.pdf"),
        ('my cv; "new".pdf', 'my cv; "new".pdf'),
        ("résumé.pdf", "resume.pdf"),
        ("中文简历.pdf", "file.pdf"),
        ("😀", "file"),
        ("Łukasz – CV.docx", "ukasz  CV.docx"),
    ],
)
def test_a_name_of_any_letters_is_sent_in_ascii_and_read_as_it_is(app: Flask, name: str, plain: str) -> None:
    with app.test_request_context():
        header = download("", name, "text/plain").headers["Content-Disposition"]
    assert (header.isascii(), parse_options_header(header)) == (True, ("attachment", {"filename": name}))
    assert header.startswith("attachment; filename=")
    assert parse_options_header(header.partition("; filename*")[0])[1]["filename"] == plain


def test_a_resume_with_a_chinese_name_can_be_downloaded(person: Callable[..., Person]) -> None:
    client = person("applicant").sign_in()
    submit(client, "/me/resume", {"resume": (BytesIO(b"I built a scheduler."), "李伟.txt")})
    answer = client.get("/me/resume/file")
    header = answer.headers["Content-Disposition"]
    answer.close()
    assert (header.isascii(), parse_options_header(header)[1]["filename"]) == (True, "李伟.txt")
