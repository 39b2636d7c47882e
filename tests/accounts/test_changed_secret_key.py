"""A changed secret key signs everybody out and makes secrets of two-step sign-in unreadable; no page fails over it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.accounts.cli import reset_two_step
from portal.app import create_app
from tests.accounts.authenticator import first_step, later, make_codes, second_step, turn_on
from tests.accounts.mailbox import code_for, is_signed_in, link_to, sign_in
from tests.people import submit

if TYPE_CHECKING:
    import time_machine
    from flask import Flask

    from tests.conftest import Settings
    from tests.people import Person


def with_another_key(settings: Settings) -> Flask:
    return create_app({**settings, "PORTAL_SECRET_KEY": "n" * 40})


def test_nobody_stays_signed_in_and_no_mailed_link_is_valid(app: Flask, settings: Settings, applicant: Person) -> None:
    client = app.test_client()
    submit(client, "/accounts/reset", {"email": applicant.email})
    sign_in(client, applicant.email, remember="y")
    other = with_another_key(settings).test_client()
    for cookie in (client._cookies or {}).values():
        other.set_cookie(cookie.key, cookie.value, path=cookie.path)
    assert is_signed_in(client)
    assert not is_signed_in(other)
    assert other.get(link_to(app, applicant.email, "/reset/")).status_code == 302
    assert sign_in(other, applicant.email).status_code == 302
    assert is_signed_in(other)


def test_two_step_sign_in_is_refused_until_it_is_reset(
    settings: Settings, applicant: Person, clock: time_machine.Traveller
) -> None:
    client = applicant.sign_in()
    key = turn_on(client)
    codes = make_codes(client)
    changed = with_another_key(settings)
    later(clock)
    assert second_step(first_step(changed, applicant), code_for(key)) == 200
    assert submit(first_step(changed, applicant), "/accounts/mf-recovery", {"code": codes[0]}).status_code == 200
    assert changed.test_cli_runner().invoke(reset_two_step, [applicant.email]).exit_code == 0
    again = changed.test_client()
    assert sign_in(again, applicant.email).status_code == 302
    assert is_signed_in(again)
