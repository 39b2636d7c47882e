"""The forms of two-step sign-in."""

from __future__ import annotations

from flask_security import MfRecoveryForm, TwoFactorRescueForm, TwoFactorSetupForm, TwoFactorVerifyCodeForm
from flask_security.forms import IsString, RequiredLocalize
from wtforms import RadioField, StringField
from wtforms.fields.choices import SelectChoice

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
