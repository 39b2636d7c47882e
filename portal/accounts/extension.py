"""Flask-Security over our tables, with its addresses under /accounts/."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask_security import Security, SQLAlchemyUserDatastore

from portal.db import db
from portal.models import Role, User

if TYPE_CHECKING:
    from flask import Flask

    from portal.config import Settings

user_datastore = SQLAlchemyUserDatastore(db, User, Role)
security = Security(datastore=user_datastore, register_blueprint=True)

SHORTEST_PASSWORD = 10  # characters


def now_utc() -> datetime:
    """Now, with its zone: our time columns refuse naive datetimes."""
    return datetime.now(UTC)


def security_config(settings: Settings) -> dict[str, Any]:
    """Flask-Security's settings."""
    return {
        "SECURITY_URL_PREFIX": "/accounts",
        "SECURITY_PASSWORD_SALT": settings.secret_key,
        "SECURITY_PASSWORD_LENGTH_MIN": SHORTEST_PASSWORD,
        "SECURITY_DATETIME_FACTORY": now_utc,
        "SECURITY_REGISTERABLE": True,
        "SECURITY_CONFIRMABLE": True,
        "SECURITY_RECOVERABLE": True,
        "SECURITY_CHANGEABLE": True,
        "SECURITY_RETURN_GENERIC_RESPONSES": True,
    }


def init_accounts(app: Flask, settings: Settings) -> None:
    """Set up sign-in on `app`."""
    app.config.update(security_config(settings))
    security.init_app(app)
