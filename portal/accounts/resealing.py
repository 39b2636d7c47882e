"""Seals anew, with the secret key in use, what an earlier one sealed for two-step sign-in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import or_, select

from portal import audit
from portal.db import lock_row
from portal.models import User

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.accounts.recovery_codes import SingleUseRecoveryCodes
    from portal.accounts.totp import SingleUseTotp

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


def reseal(
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
