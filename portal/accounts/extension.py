"""Flask-Security on the portal's tables, with its pages under /accounts/."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from flask import render_template
from flask_security import Security, SQLAlchemyUserDatastore

from portal.accounts import forms, two_step
from portal.accounts.forms import message_config
from portal.accounts.guards import init_guards
from portal.accounts.mailed_links import init_mailed_links
from portal.accounts.mailing import PortalMailUtil, init_mailing, link
from portal.accounts.openid import init_openid
from portal.accounts.rules import SHORTEST_PASSWORD
from portal.accounts.service import normal_address
from portal.accounts.sessions import init_sign_ins
from portal.accounts.sign_in import init_sign_in
from portal.accounts.two_step import (
    AUTHENTICATOR,
    STEP,
    SingleUseRecoveryCodes,
    SingleUseTotp,
    init_two_step,
    one_time_code_secrets,
    recovery_code_keys,
)
from portal.db import db
from portal.models import Role, User
from portal.web.work import LONGEST_SIGN_IN

if TYPE_CHECKING:
    from flask import Flask
    from flask_security import UserMixin

    from portal.config import Settings

# How long after giving the password a person may change how they sign in.
FRESH = timedelta(minutes=30)
# What a password's hash costs: OWASP's minimum for Argon2id is 19 MiB and 2 passes; this is twice the memory.
ARGON2_COST = {"argon2__memory_cost": 38 * 1024, "argon2__rounds": 2, "argon2__parallelism": 1}  # memory in KiB
ARGON2_CHEAP = {"argon2__memory_cost": 8, "argon2__rounds": 1, "argon2__parallelism": 1}


class Accounts(SQLAlchemyUserDatastore):
    """Flask-Security's data store. It never commits: the end of the request does."""

    def commit(self) -> None:
        """Flush, within the transaction of the request."""
        self.db.session.flush()

    def put(self, model: User) -> User:
        """Flush at once, so that a taken address is refused inside the view that asked for it."""
        self.db.session.add(model)
        self.db.session.flush()
        return model

    def create_user(self, **values: Any) -> UserMixin:  # noqa: ANN401  (columns of the account)
        """Add an account under the normal spelling of its address."""
        return super().create_user(**{**values, "email": normal_address(values["email"])})


user_datastore = Accounts(db, User, Role)


def now_utc() -> datetime:
    """Now, with its zone: our time columns refuse naive datetimes."""
    return datetime.now(UTC)


def security_config(settings: Settings) -> dict[str, Any]:
    """Flask-Security's settings."""
    return {
        **_page_config(settings),
        **_password_config(settings),
        **_two_step_config(settings),
        **message_config(),
    }


def _page_config(settings: Settings) -> dict[str, Any]:
    return {
        "SECURITY_URL_PREFIX": "/accounts",
        "SECURITY_STATIC_FOLDER": None,
        "SECURITY_REGISTERABLE": True,
        "SECURITY_CONFIRMABLE": True,
        "SECURITY_RECOVERABLE": True,
        "SECURITY_CHANGEABLE": True,
        "SECURITY_CHANGE_EMAIL": True,
        "SECURITY_RETURN_GENERIC_RESPONSES": True,
        "SECURITY_POST_LOGIN_VIEW": "accounts.landing",
        "SECURITY_POST_LOGOUT_VIEW": "labs.home",
        "SECURITY_POST_REGISTER_VIEW": "mailed.check_mail",
        "SECURITY_POST_CHANGE_VIEW": "accounts.account",
        "SECURITY_POST_CHANGE_EMAIL_VIEW": "accounts.account",
        "SECURITY_POST_VERIFY_VIEW": "accounts.account",
        "SECURITY_TWO_FACTOR_POST_SETUP_VIEW": "accounts.account",
        "SECURITY_EMAIL_HTML": False,  # it is rendered from the text
        "SECURITY_EMAIL_SUBJECT_REGISTER": f"Your registration at {settings.name}",
        "SECURITY_EMAIL_SUBJECT_CONFIRM": "Confirm your address",
        "SECURITY_EMAIL_SUBJECT_PASSWORD_RESET": "Choose a new password",
        "SECURITY_EMAIL_SUBJECT_PASSWORD_NOTICE": "Your password was changed",
        "SECURITY_EMAIL_SUBJECT_PASSWORD_CHANGE_NOTICE": "Your password was changed",
        # The default is written as "no-store=True", which browsers ignore: they would cache pages with secrets.
        "SECURITY_CACHE_CONTROL": {"private": None, "no-store": None},
        "SECURITY_FRESHNESS": FRESH,
        "SECURITY_FRESHNESS_GRACE_PERIOD": timedelta(minutes=10),
        "SECURITY_DATETIME_FACTORY": now_utc,
        # Addresses have one spelling, so that look-ups can use the index.
        "SECURITY_USER_IDENTITY_ATTRIBUTES": [{"email": {"mapper": normal_address, "case_insensitive": False}}],
        # Programs use the API's tokens with scopes; Flask-Security's tokens would permit everything.
        "SECURITY_API_ENABLED_METHODS": ["session"],
        # `flask users …` would bypass the audit log; the portal has its own commands.
        "SECURITY_CLI_USERS_NAME": None,
        "SECURITY_CLI_ROLES_NAME": None,
        "REMEMBER_COOKIE_DURATION": LONGEST_SIGN_IN,
        # Flask-Login would mark sessions that are not fresh, which nothing reads: SECURITY_FRESHNESS goes by time. The
        # mark changes every visitor's cookie at the second request; browsers then drop the page before (Vary: Cookie),
        # and going back to what a form has answered fails.
        "SESSION_PROTECTION": None,
    }


def _password_config(settings: Settings) -> dict[str, Any]:
    return {
        "SECURITY_PASSWORD_LENGTH_MIN": SHORTEST_PASSWORD,
        "SECURITY_PASSWORD_SCHEMES": ["argon2"],
        "SECURITY_PASSWORD_HASH_PASSLIB_OPTIONS": ARGON2_CHEAP if settings.mode == "testing" else ARGON2_COST,
        # Argon2 salts. A second hash keyed with the secret key would invalidate all passwords when that key changes.
        "SECURITY_PASSWORD_SINGLE_HASH": {"argon2"},
        # For values in signed links, which cannot be reversed; a slow hash would show in response times.
        "SECURITY_HASHING_SCHEMES": ["hex_sha256"],
    }


def _two_step_config(settings: Settings) -> dict[str, Any]:
    return {
        "SECURITY_TWO_FACTOR": True,
        "SECURITY_TWO_FACTOR_ENABLED_METHODS": [AUTHENTICATOR],
        "SECURITY_TWO_FACTOR_IMPLEMENTATIONS": {"code": "flask_security.twofactor.CodeTfPlugin"},
        "SECURITY_TWO_FACTOR_AUTHENTICATOR_VALIDITY": STEP,
        # Not by mail: the mailbox, which can already reset the password, must not be the second step too.
        "SECURITY_TWO_FACTOR_RESCUE_EMAIL": False,
        "SECURITY_TOTP_ISSUER": settings.name,
        "SECURITY_TOTP_SECRETS": one_time_code_secrets(settings),
        "SECURITY_MULTI_FACTOR_RECOVERY_CODES": True,
        "SECURITY_MULTI_FACTOR_RECOVERY_CODES_N": 10,
        "SECURITY_MULTI_FACTOR_RECOVERY_CODES_KEYS": recovery_code_keys(settings),
    }


def _render(template: str, **values: Any) -> str:  # noqa: ANN401  (what the page is given)
    form = values.get("login_user_form")
    if isinstance(form, forms.SignInForm):
        form.restore_field_errors()
    return render_template(template, **values)


def init_accounts(app: Flask, settings: Settings) -> None:
    """Set up accounts on `app`, which already has its database, mail, limits and form tokens."""
    app.config.update(security_config(settings))
    security = Security(
        app,
        user_datastore,
        login_form=forms.SignInForm,
        verify_form=forms.PasswordAgainForm,
        register_form=forms.RegistrationForm,
        reset_password_form=forms.NewPasswordForm,
        change_password_form=forms.OwnPasswordForm,
        two_factor_setup_form=two_step.TwoStepForm,
        two_factor_verify_code_form=two_step.OneTimeCodeForm,
        two_factor_rescue_form=two_step.NoOtherWayForm,
        mf_recovery_form=two_step.RecoveryCodeForm,
        mail_util_cls=PortalMailUtil,
        password_util_cls=forms.PortalPasswordUtil,
        totp_cls=SingleUseTotp,
        mf_recovery_codes_util_cls=SingleUseRecoveryCodes,
        render_template=_render,
    )
    security.principal.skip_static = True  # otherwise each of them costs a look-up of who is signed in
    security.want_json(lambda _request: False)
    security.login_manager.request_loader(lambda _request: None)
    init_sign_ins(app, security.login_manager)
    security.mail_context_processor(lambda: {"link": link})
    init_mailed_links(app)
    init_two_step(app)
    init_guards(app)
    init_sign_in(app)
    init_mailing(app)
    init_openid(app)
