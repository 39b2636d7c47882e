"""Recovery codes that replace an authenticator app, each valid for one sign-in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask_security import MfRecoveryCodesUtil

from portal.db import db, lock_row
from portal.models import User

if TYPE_CHECKING:
    from flask_security import UserMixin


class SingleUseRecoveryCodes(MfRecoveryCodesUtil):
    """Flask-Security's recovery codes, safe against two concurrent uses of one code."""

    def check_recovery_code(self, user: UserMixin, code: str) -> bool:
        """Whether `code` is an unused code of this person.

        Side effects: locks the account until the transaction ends and reads the remaining codes again. Without the
        lock, two requests could use the same code, or the list written last could restore a code that the other one
        used.
        """
        lock_row(db.session(), User.active, user.id)
        db.session.refresh(user, ["mf_recovery_codes"])
        return bool(super().check_recovery_code(user, code))
