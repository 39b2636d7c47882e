"""Signing in with ORCID, Google or an institution, by OpenID Connect; off unless `PORTAL_OPENID` names providers.

An account is known to a provider by the provider's own name for its owner (`iss` and `sub`), never by an address: who
has an account connects it while signed in. State, nonce and PKCE are Authlib's, kept in the session.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import Blueprint, current_app, flash, redirect, request, session, url_for
from flask_security import current_user, login_user
from sqlalchemy import select

from portal.accounts import mailing, service
from portal.accounts.rate_limits import REGISTRATION, SIGN_IN_BY_NETWORK
from portal.accounts.rules import is_local_path, tidy_name, why_not_name
from portal.accounts.service import AddressError, normal_address, person_by_address
from portal.config import settings_of
from portal.db import db
from portal.models import OpenIdentity, User
from portal.models.user import APPLICANT
from portal.web.access import actor, audience, or_404, with_recent_password
from portal.web.limits import network_of_request
from portal.web.navigation import LONGEST_NEXT

if TYPE_CHECKING:
    from flask import Flask
    from flask.typing import ResponseReturnValue

    from portal.config import OpenIdProvider

EXTENSION = "portal_openid"
BEGUN = "_state_"  # begins the names of what Authlib keeps in the session
NEXT = "openid_next"  # in the session, until the provider has answered
RECENTLY = 300  # seconds since a provider has asked who somebody is
LONGEST_WAIT = 10  # seconds for an answer of a provider
FAILED = "%s did not sign you in. Try again, or use your password."
CLOSED = "The account of this sign-in is suspended or closed. Write to the administrators of the portal."
TAKEN = "There is an account with your address. Sign in with its password, then connect %s on the page of your account."
NO_ADDRESS = (
    "%s told us no address that it has checked. Register with your address, then connect it on your account page."
)
NOT_ASKED = "%s did not ask who you are again. Enter your password here, or choose a new one by mail."

blueprint = Blueprint("openid", __name__, url_prefix="/accounts/openid")
connections = Blueprint("openid_connections", __name__, url_prefix="/accounts/openid")
audience(connections, None)


class Refused(Exception):
    """Somebody was not signed in; the text says why and what to do."""


def providers() -> dict[str, OpenIdProvider]:
    """The providers of this portal, by name."""
    return {provider.name: provider for provider in settings_of(current_app).openid}


def connected_providers(user: User) -> dict[str, OpenIdentity]:
    """What somebody may sign in with, by the name of the provider."""
    rows = {row.issuer: row for row in service.identities_of(db.session(), user)}
    return {name: rows[provider.issuer] for name, provider in providers().items() if provider.issuer in rows}


def _client(provider: OpenIdProvider) -> Any:  # noqa: ANN401  (the library has no types)
    return current_app.extensions[EXTENSION].create_client(provider.name)


@blueprint.get("/<name>")
def begin(name: str) -> ResponseReturnValue:
    """Send somebody to a provider, which sends them back to `answered`."""
    provider, target = or_404(providers().get(name)), request.args.get("next", "")
    for begun in [key for key in session if key.startswith(BEGUN)]:  # and not ended; browsers keep no long cookie
        session.pop(begun)
    session[NEXT] = target if is_local_path(target) and len(target) <= LONGEST_NEXT else ""
    again = {"max_age": 0} if current_user.is_authenticated else {}  # it is to ask who this is, whatever it remembers
    try:
        answer: ResponseReturnValue = _client(provider).authorize_redirect(
            mailing.link("openid.answered", name=name), **again
        )
    except (OSError, ValueError, RuntimeError):  # no answer, or none that can be read
        return _not_signed_in(FAILED % provider.label)
    return answer


@blueprint.get("/<name>/answer")
def answered(name: str) -> ResponseReturnValue:
    """Sign in whom a provider has sent back; to somebody signed in already, connect the provider."""
    provider, network, now = or_404(providers().get(name)), network_of_request(), datetime.now(UTC)
    SIGN_IN_BY_NETWORK.require(network)
    try:
        claims = _claims(provider)
        user = _person(provider, claims, now)
    except Refused as refusal:
        SIGN_IN_BY_NETWORK.use(network)
        return _not_signed_in(str(refusal))
    target, asked_at = session.pop(NEXT, ""), claims.get("auth_time")
    has_just_asked = isinstance(asked_at, int) and now.timestamp() - asked_at <= RECENTLY
    if current_user.is_authenticated:
        if has_just_asked:
            session["fs_paa"] = now.timestamp()  # as good as giving the password again
        elif target:
            flash(NOT_ASKED % provider.label, "info")
        return redirect(target or url_for("accounts.account"))
    target = target or url_for("accounts.landing")
    second_step = current_app.extensions["security"].two_factor_plugins.tf_enter(user, False, "openid", next_loc=target)
    if second_step:
        return second_step  # type: ignore[no-any-return]  # the library has no types
    login_user(user, authn_via=["openid"])
    if not has_just_asked:  # whoever sits at a browser that the provider remembers is asked before anything serious
        session.pop("fs_paa", None)
    return redirect(target)


def _claims(provider: OpenIdProvider) -> dict[str, Any]:
    """What the provider says of the person, checked: signature, issuer, audience, nonce and time."""
    from authlib.integrations.base_client import MismatchingStateError, OAuthError
    from joserfc.errors import JoseError

    options = {"iss": {"essential": True, "values": [provider.issuer]}}
    options |= {"aud": {"essential": True, "values": [provider.client_id]}, "sub": {"essential": True}}
    try:
        token = _client(provider).authorize_access_token(claims_options=options)
    except MismatchingStateError:
        raise Refused("This took too long, or began in another browser. Try again.") from None
    except (OAuthError, JoseError, OSError, ValueError, RuntimeError, KeyError) as error:
        current_app.logger.warning("%s signed nobody in: %s", provider.label, type(error).__name__)
        raise Refused(FAILED % provider.label) from None
    claims: dict[str, Any] = token.get("userinfo") or {}
    subject = claims.get("sub")  # PostgreSQL keeps no NUL
    if not isinstance(subject, str) or not 0 < len(subject) <= OpenIdentity.LONGEST_SUBJECT or "\0" in subject:
        raise Refused(FAILED % provider.label)
    return claims


def _person(provider: OpenIdProvider, claims: dict[str, Any], now: datetime) -> User:
    """Whom these claims sign in: the owner of the connection, or else who is signed in here, or a new applicant."""
    known = select(OpenIdentity).where(OpenIdentity.issuer == provider.issuer, OpenIdentity.subject == claims["sub"])
    identity = db.session.scalar(known)
    if identity is not None:
        if not identity.user.active:
            raise Refused(CLOSED)
        if current_user.is_authenticated and current_user.id != identity.user_id:
            raise Refused(f"This {provider.label} sign-in belongs to another account here. Sign out to use it.")
        return identity.user
    if current_user.is_authenticated:
        if session.pop(CONNECTING, "") != f"{provider.name} {current_user.id}":
            raise Refused(FAILED % provider.label)
        user = actor()
        flash(f"{provider.label} is connected: from now on it signs you in here.", "good")
    else:
        user = _registered(provider, claims, now)
    db.session.add(OpenIdentity(user_id=user.id, issuer=provider.issuer, subject=claims["sub"], connected_at=now))
    service.record_change(db.session(), user, "account.connect", now=now, after={"provider": provider.label})
    mailing.send("openid_notice", f"You can sign in with {provider.label}", user.email, label=provider.label)
    return user


def _registered(provider: OpenIdProvider, claims: dict[str, Any], now: datetime) -> User:
    """A new applicant, under an address that the provider has checked and that has no account."""
    email, name = str(claims.get("email") or ""), tidy_name(str(claims.get("name") or ""))
    try:
        is_taken = person_by_address(db.session(), email) is not None
        normal_address(email, test_domains=settings_of(current_app).mode != "production")
    except AddressError:
        raise Refused(NO_ADDRESS % provider.label) from None
    if claims.get("email_verified") is not True:
        raise Refused(NO_ADDRESS % provider.label)
    if is_taken:
        raise Refused(TAKEN % provider.label)
    REGISTRATION.spend(network_of_request())
    # Nobody knows the password; its owner may choose another one by mail.
    password, name = secrets.token_urlsafe(32), "" if why_not_name(name) else name
    return service.create_person(db.session(), email, password, [APPLICANT], name=name, confirmed=True, now=now)


def _not_signed_in(reason: str) -> ResponseReturnValue:
    session.pop(NEXT, None)
    flash(reason, "warn")
    return redirect(url_for("accounts.account" if current_user.is_authenticated else "security.login"))


CONNECTING = "openid_connecting"  # in the session: what is connected by whom, who gave their password lately


@connections.get("/<name>/connect")
@with_recent_password
def connect(name: str) -> ResponseReturnValue:
    """Connect a provider with the account of who is signed in. A link, since no form of ours may lead elsewhere."""
    session[CONNECTING] = f"{or_404(providers().get(name)).name} {actor().id}"
    return redirect(url_for("openid.begin", name=name))


@connections.post("/<name>/disconnect")
@with_recent_password
def disconnect(name: str) -> ResponseReturnValue:
    """Sign in with a provider no longer; the password stays, or can be chosen by mail."""
    provider, user = or_404(providers().get(name)), actor()
    theirs = [one for one in service.identities_of(db.session(), user) if one.issuer == provider.issuer]
    for identity in theirs:  # of two accounts there, which both open this one
        db.session.delete(identity)
    if theirs:
        after = {"provider": provider.label}
        service.record_change(db.session(), user, "account.disconnect", now=datetime.now(UTC), after=after)
    flash(
        f"{provider.label} does not sign you in any more. Your password does; you can choose a new one by mail.", "good"
    )
    return redirect(url_for("accounts.account"))


def init_openid(app: Flask) -> None:
    """Register the providers of `app` with Authlib, if there are any; they are asked for their addresses when used."""
    app.jinja_env.globals["openid_providers"] = lambda: list(providers().values())
    if not settings_of(app).openid:
        return
    from authlib.integrations.flask_client import OAuth

    app.extensions[EXTENSION] = oauth = OAuth(app)
    for provider in settings_of(app).openid:
        oauth.register(
            provider.name,
            client_id=provider.client_id,
            client_secret=provider.client_secret,
            server_metadata_url=f"{provider.issuer}/.well-known/openid-configuration",
            client_kwargs={
                "scope": "openid email profile",
                "code_challenge_method": "S256",
                "default_timeout": LONGEST_WAIT,
            },
        )
