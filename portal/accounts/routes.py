"""The account page; signing in, registering and passwords are Flask-Security's pages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Blueprint, redirect, render_template, request, url_for
from flask_security import logout_user

from portal.accounts import mailing, service
from portal.accounts.forms import NameForm
from portal.accounts.openid import connected_providers
from portal.accounts.rate_limits import account_key
from portal.accounts.rules import landing_path
from portal.accounts.service import has_stated_interests, is_under_way, labs_read_by
from portal.accounts.sessions import current_key, end_sign_in, sign_ins_of
from portal.db import db
from portal.models.user import APPLICANT
from portal.web.access import actor, audience
from portal.web.messages import flash_message, text_for

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

blueprint = Blueprint("accounts", __name__, url_prefix="/accounts")
audience(blueprint, None)

# The page between asking for a mail and opening it.
mailed_pages = Blueprint("mailed", __name__, url_prefix="/accounts")


@blueprint.get("/")
def account() -> str:
    """One's own account, with a link to change each part."""
    user = actor()
    return render_template(
        "security/account.html",
        user=user,
        roles=[role.name for role in user.roles],
        labs=labs_read_by(db.session(), user),
        two_step=user.tf_primary_method is not None,
        recovery_codes_left=len(user.mf_recovery_codes or []),
        identities=connected_providers(user),
        sign_ins=[(each, each.key == current_key()) for each in sign_ins_of(db.session(), user, datetime.now(UTC))],
    )


@blueprint.route("/name", methods=["GET", "POST"])
def name() -> ResponseReturnValue:
    """Change what one is called."""
    user = actor()
    form = NameForm(obj=user)
    if form.validate_on_submit():
        if service.rename(db.session(), user, form.name.data or ""):
            flash_message("Your name is saved.")
        return redirect(url_for("accounts.account"))
    return render_template("security/change_name.html", form=form)


@blueprint.post("/sign-ins/<int:sign_in_id>/end")
def end_one(sign_in_id: int) -> ResponseReturnValue:
    """Sign out on another device. One that has signed out itself is answered alike."""
    end_sign_in(db.session(), actor(), sign_in_id)
    flash_message("You are signed out there.")
    return redirect(url_for("accounts.account"))


@blueprint.post("/sign-out-everywhere")
def sign_out_everywhere() -> ResponseReturnValue:
    """End every session of the account, including this one."""
    user = actor()
    service.end_all_sessions(db.session(), user, author=user, now=datetime.now(UTC))
    mailing.send("sessions_notice", "You were signed out everywhere", user.email)
    logout_user()
    flash_message("You are signed out on every device. Sign in to go on here.")
    return redirect(url_for("security.login"))


@blueprint.get("/landing")
def landing() -> ResponseReturnValue:
    """Where a sign-in without a `next` address leads."""
    user = actor()
    roles = [role.name for role in user.roles]
    session = db.session()
    if APPLICANT in roles and text_for(account_key(user.email), datetime.now(UTC)) is not None:
        return redirect(f"{request.script_root}/me/interests")
    path = landing_path(roles, has_stated=has_stated_interests(session, user), is_under_way=is_under_way(session, user))
    return redirect(request.script_root + path)


@mailed_pages.get("/check-mail")
def check_mail() -> str:
    """Says that a mail was sent and what to do if it does not come. The same for everybody."""
    return render_template("security/check_mail.html")
