from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.accounts.authenticator import first_step, later, make_codes, turn_on, use_code
from tests.accounts.mailbox import account
from tests.meanwhile import meanwhile
from tests.people import csrf_token, submit

if TYPE_CHECKING:
    import time_machine
    from flask import Flask

    from tests.people import Person

pytestmark = pytest.mark.usefixtures("clock")


def test_a_recovery_code_signs_in_once(app: Flask, applicant: Person, clock: time_machine.Traveller) -> None:
    client = applicant.sign_in()
    turn_on(client)
    codes = make_codes(client)
    assert len(set(codes)) == 10
    later(clock)
    status, browser = use_code(app, applicant, codes[0])
    assert status == 302
    assert "9 left" in browser.get("/accounts/").text
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


@pytest.mark.parametrize("codes_used", ["the same code", "two codes"])
def test_two_requests_at_once_use_no_code_twice(
    codes_used: str, app: Flask, applicant: Person, clock: time_machine.Traveller
) -> None:
    client = applicant.sign_in()
    turn_on(client)
    codes = make_codes(client)
    later(clock)
    mine, theirs = codes[0], codes[0] if codes_used == "the same code" else codes[1]
    one, other = first_step(app, applicant), first_step(app, applicant)
    token = csrf_token(other, "/accounts/mf-recovery")
    answers: list[int] = []

    def send() -> None:
        form = {"csrf_token": token, "code": theirs}
        answers.append(other.post("/accounts/mf-recovery", data=form).status_code)

    # Both have read the codes; one is written, then the other.
    with app.app_context(), meanwhile(app, "UPDATE user_account", send):
        answers.append(submit(one, "/accounts/mf-recovery", {"code": mine}).status_code)
    assert sorted(answers) == ([200, 302] if codes_used == "the same code" else [302, 302])
    assert [use_code(app, applicant, code)[0] for code in {mine, theirs}] == [200] * len({mine, theirs})
