"""The page of one's API tokens."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Blueprint, make_response, redirect, render_template, url_for
from flask_wtf import FlaskForm
from wtforms import SelectMultipleField, StringField
from wtforms.validators import InputRequired
from wtforms.widgets import CheckboxInput, ListWidget

from portal.accounts import mailing
from portal.accounts.service import AccountError
from portal.accounts.token_rules import LONGEST_LIFE, LONGEST_TOKEN_NAME, SCOPES, scopes_for, why_not_use
from portal.accounts.token_service import make_token, revoke_token, token_of, tokens_of
from portal.db import db
from portal.web.access import actor, audience, or_404, with_recent_password
from portal.web.messages import flash_message
from portal.web.whole_numbers import WholeNumberField

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

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
