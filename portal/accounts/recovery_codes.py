"""Recovery codes that replace an authenticator app, each valid for one sign-in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from flask_security import MfRecoveryCodesUtil

from portal.db import db, lock_row
from portal.models import User

if TYPE_CHECKING:
    from flask_security import UserMixin


class SingleUseRecoveryCodes(MfRecoveryCodesUtil):
    """Flask-Security's recovery codes, safe against two concurrent uses of one code."""

    def setup_cryptor(self, keys: list[bytes]) -> None:
        """Take the keys: the first one seals, and all are tried to open."""
        self._newest = Fernet(keys[0])
        self.cryptor = self._any = MultiFernet([self._newest, *map(Fernet, keys[1:])])

    def resealed(self, code: str) -> str | None:
        """A sealed code, sealed with the first key: as it is, if that sealed it. None if no key opens it."""
        try:
            self._newest.decrypt(code)
        except InvalidToken:
            try:
                return self._any.rotate(code).decode()
            except InvalidToken:
                return None
        return code

    def check_recovery_code(self, user: UserMixin, code: str) -> bool:
        """Whether `code` is an unused code of this person.

        Side effects: locks the account until the transaction ends and reads the remaining codes again. Without the
        lock, two requests could use the same code, or the list written last could restore a code that the other one
        used.
        """
        lock_row(db.session(), User.active, user.id)
        db.session.refresh(user, ["mf_recovery_codes"])
        return bool(super().check_recovery_code(user, code))
