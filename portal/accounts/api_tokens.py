"""Tokens with which programs use the API: their scopes and lifetimes, making and revoking them, and their page."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from flask import Blueprint, make_response, redirect, render_template, url_for
from flask_wtf import FlaskForm
from sqlalchemy import select
from wtforms import SelectMultipleField, StringField
from wtforms.validators import InputRequired
from wtforms.widgets import CheckboxInput, ListWidget

from portal import audit
from portal.accounts import mailing
from portal.accounts.rules import tidy_name, why_not_name
from portal.accounts.service import AccountError, new_token, token_digest
from portal.db import db, lock_row
from portal.models import ApiToken, User
from portal.models.user import APPLICANT, PROFESSOR
from portal.web.access import actor, audience, or_404, with_recent_password
from portal.web.forms import WholeNumberField
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session


LONGEST_TOKEN_NAME = 80  # characters, as the column
LONGEST_LIFE = 365  # days
MOST_TOKENS = 50  # of one person, those in use


class Scope(NamedTuple):
    """A permission of a token; `role` is the role it requires, None for everybody."""

    name: str
    label: str
    role: str | None = None


LABS_READ, RANK, APPLICATION_READ, APPLICATION_WRITE, REVIEWS_READ, REVIEWS_WRITE = SCOPES = (
    Scope("labs:read", "Read labs, their works and systems, and the cycles to come"),
    Scope("rank", "Rank labs for a text, and explain matches"),
    Scope("application:read", "Read your applications and shortlist", APPLICANT),
    Scope("application:write", "Edit and submit your applications, answer offers, change your shortlist", APPLICANT),
    Scope("reviews:read", "Read the applicants of the labs you read for", PROFESSOR),
    Scope("reviews:write", "Decide about applicants of the labs you read for", PROFESSOR),
)


def scopes_for(user: User) -> tuple[Scope, ...]:
    """The scopes that a person's present roles permit."""
    return tuple(scope for scope in SCOPES if scope.role is None or user.has_role(scope.role))


def why_not_make(user: User, name: str, scopes: Collection[str], days: int, in_use: int) -> str | None:
    """The first reason against a new token."""
    reasons = (
        (not name, "Give the token a name, so that you can tell it from others."),
        (
            len(name) > LONGEST_TOKEN_NAME,
            f"Use at most {LONGEST_TOKEN_NAME} characters for the name; this has {len(name)}.",
        ),
        (not scopes, "Choose what the token is for."),
        (
            bool(set(scopes) - {scope.name for scope in scopes_for(user)}),
            "Your account does not allow one of the scopes.",
        ),
        (not 1 <= days <= LONGEST_LIFE, f"A token lasts between 1 and {LONGEST_LIFE} days."),
        (in_use >= MOST_TOKENS, f"You have {MOST_TOKENS} tokens. Revoke one that you do not use any more."),
    )
    return next((reason for against, reason in reasons if against), None) or why_not_name(name)


def why_not_use(token: ApiToken | None, now: datetime) -> str | None:
    """The first reason against a request with this token; None stands for an unknown one."""
    if token is None:
        return "This token is not known. It may be misspelt."
    if token.revoked_at is not None:
        return "This token was revoked."
    if token.expires_at <= now:
        return "This token has expired. Make a new one on the page of your tokens."
    if not token.user.active:
        return "The account of this token is suspended."
    return None


def usable(tokens: Sequence[ApiToken], now: datetime) -> list[ApiToken]:
    """The tokens that are neither revoked nor expired."""
    return [token for token in tokens if token.revoked_at is None and token.expires_at > now]


PREFIX = "phd_"
HINT = 8  # characters, of which four are random: too few to guess the rest
SECOND_CLICK = timedelta(seconds=10)  # a form that is sent again so soon was meant once
SELDOM = timedelta(minutes=10)  # between updates of the last use


def make_token(
    session: Session, user: User, *, name: str, scopes: Collection[str], days: int, now: datetime
) -> tuple[ApiToken, str]:
    """A new token and its text, which is not stored.

    Of two clicks a browser shows the second answer, so the token of the first, whose text nobody saw, is revoked.
    Side effects: locks the account until the transaction ends; writes audit entries. Raises AccountError.
    """
    tidied_name = tidy_name(name)
    lock_row(session, User.active, user.id)
    _revoke_unseen(session, user, tidied_name, sorted(scopes), now)
    reason = why_not_make(user, tidied_name, scopes, days, len(usable(tokens_of(session, user), now)))
    if reason is not None:
        raise AccountError(reason)
    text = PREFIX + new_token()
    token = ApiToken(
        user_id=user.id,
        name=tidied_name,
        digest=token_digest(text),
        hint=text[:HINT],
        scopes=sorted(scopes),
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    session.add(token)
    session.flush()
    _record(session, user, token, "make", now, after={"name": tidied_name, "scopes": sorted(scopes), "days": days})
    return token, text


def _revoke_unseen(session: Session, user: User, name: str, scopes: list[str], now: datetime) -> None:
    for earlier in usable(tokens_of(session, user), now):
        is_same = (earlier.name, sorted(earlier.scopes), earlier.last_used_at) == (name, scopes, None)
        if is_same and now - earlier.created_at < SECOND_CLICK:
            revoke_token(session, user, earlier, now=now)


def revoke_token(session: Session, user: User, token: ApiToken, *, now: datetime) -> bool:
    """Revoke a token; False if it already was. Side effects: writes an audit entry."""
    if token.revoked_at is not None:
        return False
    token.revoked_at = now
    _record(session, user, token, "revoke", now)
    return True


def tokens_of(session: Session, user: User) -> Sequence[ApiToken]:
    """All tokens of a person, newest first."""
    return session.scalars(select(ApiToken).where(ApiToken.user_id == user.id).order_by(ApiToken.id.desc())).all()


def token_of(session: Session, user: User, token_id: int) -> ApiToken | None:
    """One token of a person."""
    return session.scalar(select(ApiToken).where(ApiToken.user_id == user.id, ApiToken.id == token_id))


def token_with(session: Session, text: str) -> ApiToken | None:
    """The token with this text, whether usable or not."""
    return session.scalar(select(ApiToken).where(ApiToken.digest == token_digest(text)))


def note_use(token: ApiToken, now: datetime) -> None:
    """Update the time of last use, at most every ten minutes: not every read should write."""
    if token.last_used_at is None or now - token.last_used_at >= SELDOM:
        token.last_used_at = now


def _record(
    session: Session, user: User, token: ApiToken, act: str, now: datetime, after: dict[str, object] | None = None
) -> None:
    audit.record(session, user, f"token.{act}", "token", str(token.id), now, after=after)


blueprint = Blueprint("tokens", __name__, url_prefix="/accounts/tokens")
audience(blueprint, None)

USUAL_LIFE = 90  # days


class TokenForm(FlaskForm):  # type: ignore[misc]  # the library has no types
    """A new token."""

    name = StringField(
        "Name",
        validators=[InputRequired("Give the token a name, so that you can tell it from others.")],
        description="For yourself: which program uses it.",
        render_kw={"autocomplete": "off", "maxlength": LONGEST_TOKEN_NAME},
    )
    scopes = SelectMultipleField("What it may do", widget=ListWidget(prefix_label=False), option_widget=CheckboxInput())
    days = WholeNumberField(
        "Days until it expires",
        validators=[InputRequired(f"Write a number of days, 1 to {LONGEST_LIFE}.")],
        description=f"1 to {LONGEST_LIFE}.",
        default=USUAL_LIFE,
        render_kw={"inputmode": "numeric", "min": 1, "max": LONGEST_LIFE},
    )


@blueprint.get("/")
def tokens() -> str:
    """One's tokens, with their scopes and last use."""
    user, now = actor(), datetime.now(UTC)
    labels = {scope.name: scope.label for scope in SCOPES}
    permitted = {scope.name for scope in scopes_for(user)}
    return render_template(
        "accounts/tokens.html",
        tokens=[(token, why_not_use(token, now)) for token in tokens_of(db.session(), user)],
        labels=labels,
        held=permitted,
    )


@blueprint.route("/new", methods=["GET", "POST"])
@with_recent_password
def new() -> ResponseReturnValue:
    """Create a token. Its text is shown once, in the response."""
    user = actor()
    form = TokenForm()
    form.scopes.choices = [(scope.name, f"{scope.label} ({scope.name})") for scope in scopes_for(user)]
    if form.validate_on_submit():
        try:
            token, text = make_token(
                db.session(),
                user,
                name=form.name.data,
                scopes=form.scopes.data,
                days=form.days.data,
                now=datetime.now(UTC),
            )
        except AccountError as refusal:
            form.form_errors.append(str(refusal))
        else:
            granted = set(token.scopes)
            labels = sorted(scope.label for scope in SCOPES if scope.name in granted)
            mailing.send("token_notice", "A token for programs was made", user.email, token=token, labels=labels)
            response = make_response(render_template("accounts/token_made.html", token=token, text=text))
            response.headers["Cache-Control"] = "no-store"
            return response
    return render_template("accounts/new_token.html", form=form)


@blueprint.post("/<int:token_id>/revoke")
def revoke(token_id: int) -> ResponseReturnValue:
    """Revoke a token immediately."""
    user = actor()
    token = or_404(token_of(db.session(), user, token_id))
    if revoke_token(db.session(), user, token, now=datetime.now(UTC)):
        flash_message(f"“{token.name}” is revoked. Programs that use it are refused from now on.")
    return redirect(url_for("tokens.tokens"))
