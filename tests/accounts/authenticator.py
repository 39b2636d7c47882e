"""Two-step sign-in as a person with an app goes through it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests.accounts.mailbox import code_for, is_signed_in, key_on
from tests.people import submit

if TYPE_CHECKING:
    import time_machine
    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

# The middle of a step of 30 seconds, so that no test stands on its edge.
NOW = datetime(2026, 11, 20, 12, 0, 15, tzinfo=UTC)
_ACTION = re.compile(r'action="(/accounts/tf-setup/[^"]+)"')
_CODES = re.compile(r"<li><code>([0-9a-f-]{14})</code></li>")


def later(clock: time_machine.Traveller, steps: int = 1) -> None:
    clock.shift(timedelta(seconds=30 * steps))


def begin(client: FlaskClient) -> tuple[str, str]:
    """Ask for two-step sign-in; the key to type into an app, and where the first code is sent."""
    page = submit(client, "/accounts/tf-setup", {"setup": "authenticator"}).text
    action = _ACTION.search(page)
    assert action is not None
    return key_on(page), action.group(1)


def turn_on(client: FlaskClient) -> str:
    key, action = begin(client)
    answer = submit(client, action, {"code": code_for(key)}, page="/accounts/tf-setup")
    assert (answer.status_code, answer.location) == (302, "/accounts/mf-recovery-codes")
    return key


def first_step(app: Flask, who: Person, path: str = "/accounts/login") -> FlaskClient:
    client = app.test_client()
    answer = submit(client, path, {"email": who.email, "password": who.password})
    assert answer.status_code == 302
    assert answer.location is not None
    assert answer.location.startswith("/accounts/tf-validate")
    assert not is_signed_in(client)
    return client


def second_step(client: FlaskClient, code: str) -> int:
    return submit(client, "/accounts/tf-validate", {"code": code}).status_code


def make_codes(client: FlaskClient) -> list[str]:
    page = submit(client, "/accounts/mf-recovery-codes", {"generate_new_codes": "yes"})
    assert page.status_code == 200
    return _CODES.findall(page.text)


def use_code(app: Flask, who: Person, code: str) -> tuple[int, FlaskClient]:
    client = first_step(app, who)
    return submit(client, "/accounts/mf-recovery", {"code": code}).status_code, client
