"""Sessions that the server knows: a cookie opens the portal only while its sign-in has a row.

Signing out deletes the row, so a copy of the cookie opens nothing afterwards; so does the owner from another device.
Whatever renews the identity of an account (a new password, a suspension, signing out everywhere) ends all of them at
once, because a row holds for the identity under which it was made.
"""

from __future__ import annotations

import re
import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import request, session
from flask_login import user_logged_in, user_logged_out
from sqlalchemy import delete, select

from portal.db import db
from portal.models import SignIn, User
from portal.moments import readers_zone
from portal.web.work import LONGEST_SIGN_IN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask import Flask
    from flask_login import AnonymousUserMixin, LoginManager
    from sqlalchemy.orm import Session

KEY = "portal.sign_in"  # of this request, in its WSGI environment
COOKIE_KEY = "_user_id"
"""Where Flask-Login keeps who is signed in, in the session and, from there, in the cookie of “Stay signed in”."""
BROWSERS = (("Edg", "Edge"), ("OPR/", "Opera"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
SYSTEMS = (
    ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS X", "macOS"),
    ("CrOS", "ChromeOS"), ("Linux", "Linux"),
)  # fmt: skip


def device_named(user_agent: str) -> str:
    """A browser and its system in words, as far as the header `User-Agent` tells: “Firefox on Linux”."""
    browser = next((name for mark, name in BROWSERS if mark in user_agent), None)
    system = next((name for mark, name in SYSTEMS if re.search(rf"\b{mark}\b", user_agent)), None)
    if browser is None:
        return f"A program on {system}" if system else "A program"
    return f"{browser} on {system}" if system else browser


def sign_ins_of(session: Session, user: User, now: datetime) -> Sequence[SignIn]:
    """The sign-ins that open the account now, the newest first."""
    mine = select(SignIn).where(SignIn.user_id == user.id, SignIn.identity == user.fs_uniquifier)
    return session.scalars(mine.where(SignIn.created_at > now - LONGEST_SIGN_IN).order_by(SignIn.id.desc())).all()


def end_sign_in(session: Session, user: User, sign_in_id: int) -> None:
    """Sign the person out where they signed in with this id. It may have ended already; it may not be another's."""
    session.execute(delete(SignIn).where(SignIn.id == sign_in_id, SignIn.user_id == user.id))


def current_key() -> str | None:
    """The key of the sign-in by which this request is somebody's; None for visitors."""
    key: str | None = request.environ.get(KEY)
    return key


def _identity_of(key: str) -> str | None:
    """The identity that a sign-in stands for; None if it has ended. A renewed identity belongs to nobody any more."""
    holds = (SignIn.key == key, SignIn.created_at > datetime.now(UTC) - LONGEST_SIGN_IN)
    return db.session.scalar(select(SignIn.identity).where(*holds))


def _begin(_app: Flask, user: User, **_more: object) -> None:
    """Make a row for who has just signed in, in place of the one of this browser before; note its time zone."""
    _end_current()
    request.environ[KEY] = session[COOKIE_KEY] = secrets.token_urlsafe(24)
    user.zone = readers_zone(user.zone)
    db.session.add(
        SignIn(
            key=request.environ[KEY],
            user_id=user.id,
            identity=user.fs_uniquifier,
            device=device_named(request.headers.get("User-Agent", "")),
            created_at=datetime.now(UTC),
        )
    )


def _on_signed_out(_app: Flask, user: User | AnonymousUserMixin | None, **_more: object) -> None:
    if user is not None:
        _end_current()


def _end_current() -> None:
    key = request.environ.pop(KEY, None)
    if key is not None:
        db.session.execute(delete(SignIn).where(SignIn.key == key))


def init_sign_ins(app: Flask, login_manager: LoginManager) -> None:
    """Have Flask-Login ask for the row of a sign-in wherever it reads a cookie, before Flask-Security's own loader."""
    load = login_manager._user_callback  # noqa: SLF001  (what Flask-Security has set)

    def load_signed_in(key: str) -> User | None:
        identity = _identity_of(key)
        user: User | None = load(identity) if identity else None
        if user is not None:
            request.environ[KEY] = key
        return user

    login_manager.user_loader(load_signed_in)
    user_logged_in.connect(_begin, app)
    user_logged_out.connect(_on_signed_out, app)
