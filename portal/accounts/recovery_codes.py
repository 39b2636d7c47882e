"""Recovery codes in place of an authenticator app, each good for one sign-in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask_security import MfRecoveryCodesUtil

from portal.db import db, lock_row
from portal.models import User

if TYPE_CHECKING:
    from flask_security import UserMixin


class SingleUseRecoveryCodes(MfRecoveryCodesUtil):
    """Flask-Security's recovery codes, where of two requests at once one alone has a code."""

    def check_recovery_code(self, user: UserMixin, code: str) -> bool:
        """Whether `code` is one that this person has not used yet.

        Side effects: nobody else changes the account until the transaction ends. Whoever comes in the same moment
        waits, and reads the codes that are left; otherwise both would sign in, or the list that is written last would
        bring back a code that the other one has used.
        """
        lock_row(db.session(), User.active, user.id)
        db.session.refresh(user, ["mf_recovery_codes"])
        return bool(super().check_recovery_code(user, code))
