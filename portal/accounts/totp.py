"""One-time codes of an authenticator app, each valid for one sign-in."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import qrcode
from flask_security import Totp
from passlib.exc import TokenError
from passlib.totp import TOTP, AppWallet
from qrcode.image.svg import SvgPathFillImage
from sqlalchemy import or_, update

from portal.db import db
from portal.models import User

if TYPE_CHECKING:
    from flask_security import UserMixin
    from sqlalchemy import CursorResult

STEP = 30  # seconds; codes of the steps before and after are accepted, for inaccurate clocks


class SingleUseTotp(Totp):
    """Flask-Security's one-time codes (RFC 6238: SHA-1, 6 digits, 30 s), each accepted once (its section 5.2)."""

    def __init__(self, secrets: dict[str, str], issuer: str) -> None:
        """`secrets` are the keys that open sealed secrets, by their tags; the first one seals."""
        self._totp = TOTP.using(issuer=issuer, wallet=AppWallet(secrets, default_tag=next(iter(secrets))))

    def resealed(self, totp_secret: str) -> str | None:
        """The secret sealed with the first key: as it is, if that sealed it. None if no key has its tag."""
        try:
            opened = self._totp.from_source(totp_secret)
        except KeyError:
            return None
        return str(opened.to_json(encrypt=True)) if opened.changed else totp_secret

    def verify_totp(self, token: str, totp_secret: str, user: UserMixin, window: int = 0) -> bool:
        """Whether `token` is a current code that this person has not used yet.

        Side effects: stores the time step of the code, in a statement that only one of two concurrent requests can win.
        """
        try:
            match = self._totp.verify(token, totp_secret, window=window)
        except (TokenError, KeyError):  # not the code; or sealed with a key that is not known any more
            return False
        claimed: CursorResult[Any] = db.session.execute(  # type: ignore[assignment]  # an UPDATE answers with a cursor
            update(User)
            .where(
                User.fs_uniquifier == user.fs_uniquifier,
                or_(User.tf_last_counter.is_(None), User.tf_last_counter < match.counter),
            )
            .values(tf_last_counter=match.counter)
            .execution_options(synchronize_session="fetch")
        )
        return claimed.rowcount == 1

    def generate_qrcode(self, username: str, totp: str) -> str:
        """The QR code as a data: URL of an image on a white background, readable on dark pages too."""
        picture = qrcode.make(self.get_totp_uri(username, totp), image_factory=SvgPathFillImage)
        with io.BytesIO() as stream:
            picture.save(stream)
            encoded = base64.b64encode(stream.getvalue()).decode("ascii")
        return f"data:image/svg+xml;base64,{encoded}"
