"""Two-step sign-in: codes of an authenticator app and recovery codes, each valid once, the keys that seal them, and the
pages and forms where they differ from Flask-Security's.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import TYPE_CHECKING, Any

from flask import current_app, flash, redirect, render_template, url_for
from flask_security import (
    MfRecoveryCodesUtil,
    MfRecoveryForm,
    Totp,
    TwoFactorRescueForm,
    TwoFactorSetupForm,
    TwoFactorVerifyCodeForm,
    auth_required,
    check_and_get_token_status,
    current_user,
    tf_profile_changed,
)
from flask_security.forms import IsString, RequiredLocalize
from passlib.exc import TokenError
from passlib.totp import TOTP, AppWallet
from sqlalchemy import or_, update
from wtforms import RadioField, StringField
from wtforms.fields.choices import SelectChoice

from portal.accounts.forms import MESSAGES
from portal.accounts.guards import BLUEPRINT
from portal.db import db, lock_row
from portal.models import User

if TYPE_CHECKING:
    from flask import Flask
    from flask.typing import ResponseReturnValue
    from flask_security import UserMixin
    from sqlalchemy import CursorResult

    from portal.config import Settings


TAG_LENGTH = 12  # characters


def one_time_code_secrets(settings: Settings) -> dict[str, str]:
    """The key that seals the secrets of authenticator apps, by a tag that names it without revealing it: a secret that
    was sealed with another key is refused, instead of opened as something else.
    """
    tag = f"k{_derived_key(settings.secret_key, 'name of the key').hex()[:TAG_LENGTH]}"
    return {tag: _derived_key(settings.secret_key, "one-time codes").hex()}


def recovery_code_keys(settings: Settings) -> list[bytes]:
    """The key that seals recovery codes, in the list that Flask-Security takes."""
    return [base64.urlsafe_b64encode(_derived_key(settings.secret_key, "recovery codes"))]


def _derived_key(secret_key: str, purpose: str) -> bytes:
    """A separate key for each purpose, so that a signed text of one kind is never valid as another."""
    return hmac.new(secret_key.encode(), purpose.encode(), hashlib.sha256).digest()


class SingleUseRecoveryCodes(MfRecoveryCodesUtil):
    """Flask-Security's recovery codes, safe against two concurrent uses of one code."""

    def check_recovery_code(self, user: UserMixin, code: str) -> bool:
        """Whether `code` is an unused code of this person. Side effect: locks the account until the transaction ends,
        since two requests could use the same code, or one restore a code that the other used.
        """
        lock_row(db.session(), User.active, user.id)
        db.session.refresh(user, ["mf_recovery_codes"])
        return bool(super().check_recovery_code(user, code))


STEP = 30  # seconds; codes of the steps before and after are accepted, for inaccurate clocks


class SingleUseTotp(Totp):
    """Flask-Security's one-time codes (RFC 6238: SHA-1, 6 digits, 30 s), each accepted once (its section 5.2)."""

    def __init__(self, secrets: dict[str, str], issuer: str) -> None:
        """`secrets` has the key that seals and opens secrets, by its tag."""
        self._totp = TOTP.using(issuer=issuer, wallet=AppWallet(secrets, default_tag=next(iter(secrets))))

    def verify_totp(self, token: str, totp_secret: str, user: UserMixin, window: int = 0) -> bool:
        """Whether `token` is a current code that this person has not used yet. Side effect: stores its time step, in a
        statement that only one of two concurrent requests can win.
        """
        try:
            match = self._totp.verify(token, totp_secret, window=window)
        except (TokenError, KeyError):  # not the code; or sealed with another secret key
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


CODE_SIGNS = 12
CODE_GROUP = 4


class TwoStepForm(TwoFactorSetupForm):
    """Turn two-step sign-in on or off."""

    setup = RadioField(
        "Two-step sign-in",
        choices=[
            SelectChoice("authenticator", "Use an authenticator app"),
            SelectChoice("disable", "Sign in with the password only"),
        ],
        validate_choice=False,
    )


class OneTimeCodeForm(TwoFactorVerifyCodeForm):
    """A code of the authenticator app."""

    code = StringField(
        "Code from your app",
        description="Six digits; the app shows a new code every 30 seconds.",
        validators=[IsString(), RequiredLocalize(message="Enter the six digits that your app shows.")],
        render_kw={"autocomplete": "one-time-code", "inputmode": "numeric"},
    )


class NoOtherWayForm(TwoFactorRescueForm):
    """Flask-Security requires this form beside the code's; recovery codes, the only other way, have their own page."""

    help_setup = RadioField("Another way", choices=[SelectChoice("recovery_code", "Use a recovery code")])


def _grouped(typed: object) -> object:
    """A recovery code as printed: lower case, dashes between groups of four."""
    if not isinstance(typed, str):
        return typed
    characters = "".join(character for character in typed.lower() if character.isalnum())
    if len(characters) != CODE_SIGNS:
        return typed.strip()
    return "-".join(characters[start : start + CODE_GROUP] for start in range(0, CODE_SIGNS, CODE_GROUP))


class RecoveryCodeForm(MfRecoveryForm):
    """A recovery code in place of the app."""

    code = StringField(
        "Recovery code",
        description="Twelve letters and digits, as in 1a2b-3c4d-5e6f. Each code works once.",
        validators=[IsString(), RequiredLocalize(message="Enter one of your recovery codes.")],
        filters=[_grouped],
        render_kw={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"},
    )


AUTHENTICATOR = "authenticator"


@auth_required("session")
def two_factor_setup_validate(token: str) -> ResponseReturnValue:
    """Accept the first code of an app, which proves its setup; `token` is the signed and dated secret."""
    security = current_app.extensions["security"]
    expired, invalid, state = check_and_get_token_status(
        token, "tf_setup", current_app.config["SECURITY_TWO_FACTOR_SETUP_WITHIN"]
    )
    if expired or invalid:
        flash(*_message("TWO_FACTOR_SETUP_EXPIRED") if expired else _message("API_ERROR"))
        return redirect(url_for("security.two_factor_setup"))
    user = current_user._get_current_object()  # noqa: SLF001  (werkzeug's documented way out of the proxy)
    secret = state["totp_secret"]
    form = OneTimeCodeForm()
    form.user, form.primary_method, form.tf_totp_secret, form.is_setup = user, AUTHENTICATOR, secret, True
    if not form.validate_on_submit():
        setup_values = security.totp_factory.fetch_setup_values(secret, user)
        return render_template(
            "security/two_factor_setup.html",
            two_factor_setup_form=TwoStepForm(formdata=None),
            two_factor_verify_code_form=form,
            chosen_method=AUTHENTICATOR,
            state_token=token,
            authr_qrcode=setup_values["image"],
            authr_key=setup_values["key"],
        )
    security.datastore.tf_set(user, AUTHENTICATOR, secret)
    tf_profile_changed.send(current_app._get_current_object(), user=user, method=AUTHENTICATOR)  # type: ignore[attr-defined]  # noqa: SLF001
    flash(*_message("TWO_FACTOR_CHANGE_METHOD_SUCCESSFUL"))
    return redirect(url_for("security.mf_recovery_codes"))


def refuse_rescue() -> ResponseReturnValue:
    """Redirect Flask-Security's page of other ways to recovery codes, the only one there is."""
    return redirect(url_for("security.mf_recovery"))


def _message(name: str) -> tuple[str, str]:
    text, tone = MESSAGES[name]
    return text % {"within": "30 minutes"}, tone


def init_two_step(app: Flask) -> None:
    """Replace Flask-Security's views by these."""
    app.view_functions[f"{BLUEPRINT}.two_factor_setup_validate"] = two_factor_setup_validate
    app.view_functions[f"{BLUEPRINT}.two_factor_rescue"] = refuse_rescue
