"""Account commands for whoever runs the portal."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click
from flask import current_app
from flask.cli import with_appcontext
from sqlalchemy import or_, select

from portal import audit, instance
from portal.accounts import service
from portal.accounts.rules import tidy_name, why_not_password
from portal.accounts.service import AddressError, person_by_address
from portal.config import settings_of
from portal.db import db, lock_row
from portal.models import User
from portal.models.user import ADMIN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy.orm import Session

    from portal.accounts.two_step import SingleUseRecoveryCodes, SingleUseTotp


RESEAL = "account.reseal"


@dataclass(slots=True)
class Resealed:
    """How many accounts have two-step secrets, for how many they were sealed anew, and the addresses of those for which
    no key opens them.
    """

    accounts: int
    changed: int
    lost: list[str]


def sealed_accounts(session: Session) -> Sequence[int]:
    """The ids of the accounts with secrets of two-step sign-in."""
    has_secrets = or_(User.tf_totp_secret.is_not(None), User.mf_recovery_codes.is_not(None))
    return session.scalars(select(User.id).where(has_secrets).order_by(User.id)).all()


def reseal_all(
    session: Session,
    totp: SingleUseTotp,
    codes: SingleUseRecoveryCodes,
    *,
    now: datetime,
    step: Callable[[int], object],
) -> Resealed:
    """Seal anew what an earlier secret key sealed. Commits after each account and calls `step` with 1, so that it can
    be interrupted and repeated; what no key opens is left as it is.

    Side effect: an audit entry, if anything was sealed anew.
    """
    user_ids = sealed_accounts(session)
    outcome = Resealed(len(user_ids), 0, [])
    for user_id in user_ids:
        lock_row(session, User.active, user_id)
        person = session.get(User, user_id, populate_existing=True)
        if person is not None:
            _reseal_one(person, totp, codes, outcome)
        session.commit()
        step(1)
    if outcome.changed:
        after = {"accounts": outcome.changed}
        audit.record(session, actor=None, act=RESEAL, object_type="instance", object_key="", now=now, after=after)
        session.commit()
    return outcome


def _reseal_one(person: User, totp: SingleUseTotp, codes: SingleUseRecoveryCodes, outcome: Resealed) -> None:
    """Seal the secrets of one account anew, all or none, and count it in `outcome`.

    The secret of an authenticator app “opens” with a wrong key, too, as something else, if its tag does not name the
    key. Recovery codes do not: where no key opens them, the secret is left for the right one as well.
    """
    secret, stored_codes = person.tf_totp_secret, person.mf_recovery_codes
    new_secret = totp.resealed(secret) if secret else None
    new_codes = [new for code in stored_codes or () if (new := codes.resealed(code)) is not None]
    if (secret and new_secret is None) or len(new_codes) < len(stored_codes or ()):
        outcome.lost.append(person.email)
    elif new_secret != secret or new_codes != list(stored_codes or ()):
        outcome.changed += 1
        person.tf_totp_secret = new_secret
        person.mf_recovery_codes = new_codes if stored_codes is not None else None


INTERRUPTED = 130


@click.command("create-admin")
@click.argument("email")
@click.option("--name", default="", help="What the person is called.")
@click.option("--password-stdin", is_flag=True, help="Read the password as one line from standard input.")
@with_appcontext
def create_admin(email: str, name: str, *, password_stdin: bool) -> None:
    """Make somebody an administrator.

    If EMAIL has no account yet, one is made, and a password is asked for. It is asked for, too, if nobody has confirmed
    the address of the account: whoever registered it may be a stranger, whose password would be an administrator's.
    """
    instance.bring_tables_up_to_date()
    session, now = db.session(), datetime.now(UTC)
    person = _person(email)
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
        _take_over(person, name, password_stdin=password_stdin, now=now)
        click.echo(f"{person.email} is now an administrator, with the new password; nobody had confirmed the address.")
    else:
        granted = service.grant_role(session, person, ADMIN, author=None, now=now)
        stays = "password and name stay" if name else "the password stays"
        click.echo(f"{person.email} is {'now' if granted else 'already'} an administrator; {stays}.")
    session.commit()


@click.command("reset-two-step")
@click.argument("email")
@with_appcontext
def reset_two_step(email: str) -> None:
    """Turn two-step sign-in off for somebody.

    For people who lost both their phone and their recovery codes.
    """
    session, now = db.session(), datetime.now(UTC)
    person = _person(email)
    if person is None:
        raise click.ClickException(f"{email} has no account.")
    if person.tf_primary_method is None:
        click.echo(f"{person.email} has two-step sign-in turned off already.")
        return
    service.forget_second_factor(session, person, author=None, now=now)
    session.commit()
    click.echo(f"Turned two-step sign-in off for {person.email}: the password alone signs in.")


@click.command("reseal")
@with_appcontext
def reseal() -> None:
    """Seal two-step secrets with the new PORTAL_SECRET_KEY.

    Run it once after the secret key was changed, with the key before in PORTAL_SECRET_KEY_FALLBACKS: then people with
    two-step sign-in no longer need that key. You can stop it and run it again.
    """
    if not os.environ.get("PORTAL_SECRET_KEY", "").strip():
        raise click.ClickException("PORTAL_SECRET_KEY is not set. Set it as for the portal itself.")
    if instance.is_of_another_key(settings_of(current_app)):
        raise click.ClickException(
            "The secret key that this host used before is neither PORTAL_SECRET_KEY nor in "
            "PORTAL_SECRET_KEY_FALLBACKS. Name it there: secrets that are opened with a wrong key are lost for good. "
            f"If nobody has it any more, delete {Path(current_app.instance_path) / instance.KEY_NOTE} first."
        )
    session, security = db.session(), current_app.extensions["security"]
    total = len(sealed_accounts(session))
    try:
        with click.progressbar(
            length=total, label="Sealing", file=sys.stderr, hidden=sys.stderr is None or not sys.stderr.isatty()
        ) as bar:
            outcome = reseal_all(
                session,
                security.totp_factory,
                security.mf_recovery_codes_util,
                now=datetime.now(UTC),
                step=bar.update,
            )
    except KeyboardInterrupt:
        session.invalidate()
        click.echo("\nStopped. What was sealed anew stays. To continue, run the same command again.", err=True)
        sys.exit(INTERRUPTED)
    for email in outcome.lost:
        click.echo(f"{email}: sealed with another key. Run portal reset-two-step {email}, or name that key.", err=True)
    click.echo(f"Accounts with two-step secrets: {outcome.accounts:,}; sealed anew: {outcome.changed:,}.")
    if outcome.lost:
        sys.exit(1)


def _person(email: str) -> User | None:
    try:
        return person_by_address(db.session(), email)
    except AddressError as error:
        raise click.ClickException(f"{email!r} is no e-mail address: {error}") from None


def _take_over(person: User, name: str, *, password_stdin: bool, now: datetime) -> None:
    """Make an account an administrator's that anybody may have registered: with another password, and so without the
    sessions and links of before.
    """
    session = db.session()
    password = _new_password(person.email, tidy_name(name) or person.name, password_stdin=password_stdin)
    service.set_password(session, person, password, author=None, now=now)
    if name:
        try:
            service.rename(session, person, name)
        except service.AccountError as error:
            raise click.ClickException(str(error)) from None
    service.confirm(session, person, now=now)
    service.grant_role(session, person, ADMIN, author=None, now=now)


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
