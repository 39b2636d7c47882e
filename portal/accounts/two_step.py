"""Two-step sign-in where it differs from Flask-Security's: after a wrong first code, setup continues."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from flask import current_app, flash, redirect, render_template, request, url_for
from flask_security import auth_required, check_and_get_token_status, current_user, tf_profile_changed

from portal.accounts.guards import BLUEPRINT
from portal.accounts.two_step_forms import OneTimeCodeForm, TwoStepForm
from portal.accounts.wording import MESSAGES

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.typing import ResponseReturnValue

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
        return _page_again(form, token, security.totp_factory.fetch_setup_values(secret, user))
    security.datastore.tf_set(user, AUTHENTICATOR, secret)
    tf_profile_changed.send(current_app._get_current_object(), user=user, method=AUTHENTICATOR)  # type: ignore[attr-defined]  # noqa: SLF001
    flash(*_message("TWO_FACTOR_CHANGE_METHOD_SUCCESSFUL"))
    return redirect(url_for("security.mf_recovery_codes"))


def _counting_codes(view: Callable[..., Any]) -> Callable[..., ResponseReturnValue]:
    """After a sign-in with a recovery code, say how many are left."""

    @wraps(view)
    def mf_recovery() -> ResponseReturnValue:
        response: ResponseReturnValue = view()
        if request.method == "POST" and current_user.is_authenticated:
            left = len(current_user.mf_recovery_codes or [])
            flash(f"You are signed in. Recovery codes left: {left}. Make new ones before they run out.", "info")
        return response

    return mf_recovery


def refuse_rescue() -> ResponseReturnValue:
    """Redirect Flask-Security's page of other ways to recovery codes, the only one there is."""
    return redirect(url_for("security.mf_recovery"))


def _message(name: str) -> tuple[str, str]:
    text, tone = MESSAGES[name]
    return text % {"within": "30 minutes"}, tone


def _page_again(form: OneTimeCodeForm, token: str, setup_values: dict[str, str]) -> str:
    return render_template(
        "security/two_factor_setup.html",
        two_factor_setup_form=TwoStepForm(formdata=None),
        two_factor_verify_code_form=form,
        chosen_method=AUTHENTICATOR,
        state_token=token,
        authr_qrcode=setup_values["image"],
        authr_key=setup_values["key"],
    )


def init_two_step(app: Flask) -> None:
    """Replace Flask-Security's views by these."""
    app.view_functions[f"{BLUEPRINT}.two_factor_setup_validate"] = two_factor_setup_validate
    app.view_functions[f"{BLUEPRINT}.two_factor_rescue"] = refuse_rescue
    app.view_functions[f"{BLUEPRINT}.mf_recovery"] = _counting_codes(app.view_functions[f"{BLUEPRINT}.mf_recovery"])
