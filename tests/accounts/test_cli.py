from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click import ClickException

from portal.accounts.cli import create_admin, reset_two_step
from portal.app import create_app
from portal.db import db
from portal.models import User
from tests.accounts.mailbox import account, register, sign_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click import Command
    from click.testing import Result
    from flask import Flask

    from tests.people import Person

PASSWORD = "a quiet harbour at night"


def run(app: Flask, command: Command, *arguments: str, typed: str = "") -> Result:
    return app.test_cli_runner().invoke(command, arguments, input=typed)


def test_the_first_administrator_is_made_from_the_command_line(app: Flask) -> None:
    result = run(app, create_admin, "Boss@Example.edu", "--name", "The Boss", typed=f"{PASSWORD}\n{PASSWORD}\n")
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "Made boss@example.edu, an administrator.")
    assert PASSWORD not in result.output
    client = app.test_client()
    assert sign_in(client, "boss@example.edu", PASSWORD).status_code == 302
    assert client.get("/accounts/landing").location == "/admin/"


def test_the_password_may_come_from_a_program(app: Flask) -> None:
    result = run(app, create_admin, "boss@example.edu", "--password-stdin", typed=f"{PASSWORD}\r\n")
    assert result.exit_code == 0
    assert sign_in(app.test_client(), "boss@example.edu", PASSWORD).status_code == 302


def test_somebody_with_an_account_becomes_an_administrator_and_keeps_the_password(
    app: Flask, applicant: Person
) -> None:
    result = run(app, create_admin, applicant.email)
    assert result.output == f"{applicant.email} is now an administrator; the password stays.\n"
    again = run(app, create_admin, applicant.email)
    assert again.output == f"{applicant.email} is already an administrator; the password stays.\n"
    assert applicant.sign_in().get("/accounts/landing").location == "/admin/"


def test_an_account_that_nobody_confirmed_does_not_become_an_administrators(app: Flask) -> None:
    """Whoever registered it may be a stranger, who knows its password and holds its sessions."""
    register(app.test_client(), "boss@example.edu", "a password of a stranger")
    result = run(app, create_admin, "boss@example.edu", typed=f"{PASSWORD}\n{PASSWORD}\n")
    assert (result.exit_code, "Nobody has confirmed the address" in result.output) == (1, True)
    after = account(app, "boss@example.edu")
    assert after is not None
    assert [role.name for role in after.roles] == ["applicant"]


def test_a_suspended_account_does_not_become_an_administrators(app: Flask, applicant: Person) -> None:
    with app.app_context():
        db.session.get_one(User, applicant.id).active = False
        db.session.commit()
    result = run(app, create_admin, applicant.email)
    assert (result.exit_code, result.output) == (
        1,
        f"Error: The account of {applicant.email} is suspended, or was merged into another one.\n",
    )


def test_a_name_for_somebody_who_has_one_is_said_not_to_be_taken(app: Flask, applicant: Person) -> None:
    result = run(app, create_admin, applicant.email, "--name", "Another Name")
    assert result.output == f"{applicant.email} is now an administrator; password and name stay.\n"


def test_a_password_is_not_read_from_closed_standard_input(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with app.app_context(), pytest.raises(ClickException, match="Standard input is closed"):
        create_admin.main(["boss@example.edu", "--password-stdin"], standalone_mode=False)


@pytest.mark.parametrize(
    ("email", "password", "reason"),
    [
        ("boss", PASSWORD, "'boss' is no e-mail address"),
        ("boss@example.edu", "short", "Use at least 10 characters"),
        ("boss@example.edu", "", "Use at least 10 characters"),
    ],
)
def test_what_cannot_be_an_account_is_refused(app: Flask, email: str, password: str, reason: str) -> None:
    result = run(app, create_admin, email, "--password-stdin", typed=password)
    assert result.exit_code == 1
    assert reason in result.output
    with app.app_context():
        assert db.session.query(User).count() == 0


def test_a_fresh_instance_gets_its_tables(tmp_path: Path) -> None:
    app = create_app({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(tmp_path), "PORTAL_MAIL_URL": "memory:"})
    result = run(app, create_admin, "boss@example.edu", "--password-stdin", typed=PASSWORD)
    assert result.exit_code == 0, result.output
    with app.app_context():
        db.engine.dispose()


def test_two_step_sign_in_is_turned_off_for_who_lost_everything(app: Flask, person: Callable[..., Person]) -> None:
    somebody = person("admin")
    assert "turned off already" in run(app, reset_two_step, somebody.email).output
    with app.app_context():
        user = db.session.query(User).one()
        user.tf_primary_method, user.tf_totp_secret = "authenticator", "{}"
        db.session.commit()
    assert "Turned two-step sign-in off" in run(app, reset_two_step, somebody.email).output
    user_now = account(app, somebody.email)
    assert user_now is not None
    assert user_now.tf_primary_method is None
    assert run(app, reset_two_step, "nobody@example.edu").exit_code == 1
    assert run(app, reset_two_step, "nobody").exit_code == 1
