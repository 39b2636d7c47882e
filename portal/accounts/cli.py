"""Account commands for whoever runs the portal."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click
from flask.cli import with_appcontext

from portal import instance
from portal.accounts import service
from portal.accounts.rules import tidy_name, why_not_password
from portal.accounts.service import AddressError, person_by_address
from portal.db import db
from portal.models.user import ADMIN

if TYPE_CHECKING:
    from portal.models import User


@click.command("create-admin")
@click.argument("email")
@click.option("--name", default="", help="What the person is called.")
@click.option("--password-stdin", is_flag=True, help="Read the password as one line from standard input.")
@with_appcontext
def create_admin(email: str, name: str, *, password_stdin: bool) -> None:
    """Make somebody an administrator. If EMAIL has no account yet, one is made, and a password is asked for."""
    instance.bring_tables_up_to_date()
    session, now = db.session(), datetime.now(UTC)
    person = _if_any(email)
    if person is None:
        password = _new_password(email, tidy_name(name), password_stdin=password_stdin)
        try:
            person = service.create_person(session, email, password, [ADMIN], name=name, confirmed=True, now=now)
        except service.AccountError as error:
            raise click.ClickException(str(error)) from None
        click.echo(f"Made {person.email}, an administrator.")
    elif not person.active:
        raise click.ClickException(f"The account of {person.email} is suspended, or was merged into another one.")
    elif person.confirmed_at is None:
        raise click.ClickException(
            f"Nobody has confirmed the address of {person.email}, so that its password may be a stranger's. Choose "
            "another one by “Forgot your password?” on the sign-in page, then run this again."
        )
    else:
        granted = service.grant_role(session, person, ADMIN, author=None, now=now)
        stays = "password and name stay" if name else "the password stays"
        click.echo(f"{person.email} is {'now' if granted else 'already'} an administrator; {stays}.")
    session.commit()


@click.command("reset-two-step")
@click.argument("email")
@with_appcontext
def reset_two_step(email: str) -> None:
    """Turn two-step sign-in off for somebody. For people who lost both their phone and their recovery codes."""
    session, now = db.session(), datetime.now(UTC)
    person = account_of(email)
    if person.tf_primary_method is None:
        click.echo(f"{person.email} has two-step sign-in turned off already.")
        return
    service.forget_second_factor(session, person, author=None, now=now)
    session.commit()
    click.echo(f"Turned two-step sign-in off for {person.email}: the password alone signs in.")


def account_of(email: str) -> User:
    """The account with an address, for a command. Raises `click.ClickException`: there is none, or it is no address."""
    person = _if_any(email)
    if person is None:
        raise click.ClickException(f"{email} has no account.")
    return person


def _if_any(email: str) -> User | None:
    try:
        return person_by_address(db.session(), email)
    except AddressError as error:
        raise click.ClickException(f"{email!r} is no e-mail address: {error}") from None


def _new_password(email: str, name: str, *, password_stdin: bool) -> str:
    if password_stdin and sys.stdin is None:
        raise click.ClickException("Standard input is closed, and --password-stdin reads from it.")
    if password_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
    else:
        password = str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
    reason = why_not_password(password, email=email, name=name)
    if reason is not None:
        raise click.ClickException(reason)
    return password
