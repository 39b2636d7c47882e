"""A request that is answered without being read to its end is read before the answer is sent."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from portal.web.limits import MOST_READ

if TYPE_CHECKING:
    from flask.testing import FlaskClient

MEBIBYTE = 1024 * 1024
TERMINATED = {"wsgi.input_terminated": True}


class BrokenOff(io.BytesIO):
    """The body of a client that goes while it is read."""

    def read(self, _size: int | None = -1) -> bytes:
        raise ConnectionResetError


@pytest.mark.parametrize(
    ("path", "size", "left"),
    [
        ("/me/resume", 9 * MEBIBYTE, 0),  # signed out
        ("/no-such-page", 9 * MEBIBYTE, 0),
        ("/accounts/login", 9 * MEBIBYTE, 0),  # too large for any form
        ("/no-such-page", MOST_READ + MEBIBYTE, MEBIBYTE),
    ],
)
def test_what_nobody_read_is_read_up_to_a_limit(client: FlaskClient, path: str, size: int, left: int) -> None:
    body = io.BytesIO(bytes(size))
    client.post(path, input_stream=body, content_length=size, environ_overrides=TERMINATED)
    assert size - body.tell() == left


def test_a_client_that_goes_is_no_error(client: FlaskClient) -> None:
    body = BrokenOff(bytes(MEBIBYTE))
    answer = client.post("/no-such-page", input_stream=body, content_length=MEBIBYTE, environ_overrides=TERMINATED)
    assert answer.status_code == 404


def test_where_the_server_does_not_mark_the_end_nothing_is_read_beyond_it(client: FlaskClient) -> None:
    body = io.BytesIO(bytes(MEBIBYTE))
    assert client.post("/no-such-page", input_stream=body, content_length=0).status_code == 404
    assert body.tell() == 0
