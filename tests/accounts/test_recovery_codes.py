from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import time_machine

from tests.accounts.authenticator import NOW, later, make_codes, turn_on, use_code
from tests.accounts.mailbox import account

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.people import Person


@pytest.fixture(autouse=True)
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


def test_a_recovery_code_signs_in_once(app: Flask, applicant: Person, clock: time_machine.Traveller) -> None:
    client = applicant.sign_in()
    turn_on(client)
    codes = make_codes(client)
    assert len(set(codes)) == 10
    later(clock)
    status, browser = use_code(app, applicant, codes[0])
    assert status == 302
    assert "Recovery codes left: 9." in browser.get("/accounts/").text
    assert use_code(app, applicant, codes[0])[0] == 200
    assert use_code(app, applicant, codes[1])[0] == 302


def test_a_recovery_code_is_taken_however_it_is_typed(
    app: Flask, applicant: Person, clock: time_machine.Traveller
) -> None:
    client = applicant.sign_in()
    turn_on(client)
    codes = make_codes(client)
    later(clock)
    assert use_code(app, applicant, codes[0].replace("-", " ").upper())[0] == 302
    assert use_code(app, applicant, f" {codes[1].replace('-', '')} ")[0] == 302


def test_new_recovery_codes_replace_the_old_ones(app: Flask, applicant: Person, clock: time_machine.Traveller) -> None:
    client = applicant.sign_in()
    turn_on(client)
    old, new = make_codes(client), make_codes(client)
    later(clock)
    assert use_code(app, applicant, old[0])[0] == 200
    assert use_code(app, applicant, new[0])[0] == 302


def test_recovery_codes_are_sealed_in_the_database(app: Flask, applicant: Person) -> None:
    client = applicant.sign_in()
    turn_on(client)
    codes = make_codes(client)
    user = account(app, applicant.email)
    assert user is not None
    assert user.mf_recovery_codes is not None
    assert set(codes) & set(user.mf_recovery_codes) == set()
