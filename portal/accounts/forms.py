"""The forms and messages of accounts: Flask-Security's in the portal's words, and the portal's own."""

from __future__ import annotations

from typing import Any

from flask import request, session
from flask_security import (
    ChangePasswordForm,
    LoginForm,
    PasswordUtil,
    RegisterFormV2,
    ResetPasswordForm,
    VerifyForm,
    current_user,
)
from flask_security.forms import EmailValidation, EqualToLocalize, IsString, RequiredLocalize, unique_user_email
from flask_wtf import FlaskForm
from wtforms import BooleanField, EmailField, Field, PasswordField, StringField, ValidationError
from wtforms.validators import Length

from portal.accounts.rules import (
    LONGEST_NAME,
    LONGEST_PASSWORD,
    SHORTEST_PASSWORD,
    tidy_name,
    why_not_name,
    why_not_password,
)
from portal.accounts.sign_in import ADDRESS

SAME_ANSWER = "We sent a link to %(email)s. Open it to continue."

# Text and category by Flask-Security's name of the message.
MESSAGES: dict[str, tuple[str, str]] = {
    "GENERIC_AUTHN_FAILED": (
        "Wrong e-mail address or password. If you have just registered, open the link in our mail first.",
        "bad",
    ),
    "CONFIRM_REGISTRATION": (SAME_ANSWER, "good"),
    "CONFIRMATION_REQUEST": (SAME_ANSWER, "good"),
    "PASSWORD_RESET_REQUEST": (SAME_ANSWER, "good"),
    "CHANGE_EMAIL_SENT": (SAME_ANSWER, "good"),
    "EMAIL_CONFIRMED": ("Your address is confirmed. Sign in to continue.", "good"),
    "ALREADY_CONFIRMED": ("This address is already confirmed. You can sign in.", "info"),
    "CONFIRMED_AND_SIGNED_IN": ("This address is already confirmed, and you are signed in.", "info"),
    "INVALID_CONFIRMATION_TOKEN": (
        "This link does not work. It may be incomplete, or a newer one replaced it. Ask for a new one below.",
        "bad",
    ),
    "CONFIRMATION_EXPIRED": ("This link has expired: it was valid for %(within)s. Ask for a new one below.", "bad"),
    "INVALID_RESET_PASSWORD_TOKEN": (
        "This link does not work. It may be incomplete or used already. Ask for a new one below.",
        "bad",
    ),
    "PASSWORD_RESET_EXPIRED": ("This link has expired: it was valid for %(within)s. Ask for a new one below.", "bad"),
    "PASSWORD_RESET_NO_LOGIN": (
        "Your new password is saved, and you are signed out everywhere else. Sign in with it.",
        "good",
    ),
    "PASSWORD_CHANGE": ("Your new password is saved, and you are signed out everywhere else.", "good"),
    "CHANGE_EMAIL_CONFIRMED": ("Your new address is confirmed. Sign in with it from now on.", "good"),
    "CHANGE_EMAIL_EXPIRED": ("This link has expired: it was valid for %(within)s. Enter the address again.", "bad"),
    # Flask-Security shows it for links only: its own use, input of a program, is turned off.
    "API_ERROR": (
        "This link does not work. It may be incomplete or used already, or the address is taken.",
        "bad",
    ),
    "EMAIL_NOT_PROVIDED": ("Enter your e-mail address.", "bad"),
    "PASSWORD_NOT_PROVIDED": ("Enter your password.", "bad"),
    "INVALID_PASSWORD": ("This is not your password.", "bad"),
    "RETYPE_PASSWORD_MISMATCH": ("The two passwords differ.", "bad"),
    "PASSWORD_IS_THE_SAME": ("The new password is the same as this one. Choose another one.", "bad"),
    "UNAUTHENTICATED": ("Sign in to continue.", "info"),
    "REAUTHENTICATION_REQUIRED": ("To change how you sign in, enter your password again.", "info"),
    "REAUTHENTICATION_SUCCESSFUL": ("Thank you. You can continue.", "good"),
    "TWO_FACTOR_INVALID_TOKEN": (
        "This code is wrong or was used already. Wait for the next one in your app.",
        "bad",
    ),
    "TWO_FACTOR_LOGIN_SUCCESSFUL": ("You are signed in.", "good"),
    "TWO_FACTOR_CHANGE_METHOD_SUCCESSFUL": (
        "Two-step sign-in is on. Create recovery codes now, in case you lose your phone.",
        "good",
    ),
    "TWO_FACTOR_PERMISSION_DENIED": ("Enter your address and password first.", "info"),
    "TWO_FACTOR_METHOD_NOT_AVAILABLE": ("Choose one of the two.", "bad"),
    "TWO_FACTOR_DISABLED": ("Two-step sign-in is off. Your recovery codes no longer work.", "good"),
    "TWO_FACTOR_SETUP_EXPIRED": ("This took longer than %(within)s. Scan the new code below.", "bad"),
    "INVALID_RECOVERY_CODE": ("This is not one of your recovery codes. Each works once.", "bad"),
    "NO_RECOVERY_CODES_SETUP": ("There are no recovery codes yet.", "info"),
}


def message_config() -> dict[str, tuple[str, str]]:
    """The messages as Flask-Security's settings."""
    return {f"SECURITY_MSG_{name}": message for name, message in MESSAGES.items()}


PASSWORD_ADVICE = (
    f"At least {SHORTEST_PASSWORD} characters. Three or four unrelated words are easy to remember and hard to guess."
)


class PortalPasswordUtil(PasswordUtil):
    """Makes Flask-Security accept exactly those passwords that `passwords.why_not_password` accepts."""

    def validate(
        self,
        password: str,
        is_register: bool,  # noqa: FBT001  (the library's signature)
        **known: Any,  # noqa: ANN401  (columns of the account)
    ) -> tuple[list[str] | None, str]:
        """The reasons against a password, and its normal form. Keyword arguments describe the person."""
        normal = self.normalize(password)
        user = None if is_register else known["user"]
        email = user.email if user else known.get("email") or ""
        name = user.name if user else known.get("name") or ""
        reason = why_not_password(normal, email=email, name=name)
        return ([reason] if reason else None), normal


def _address_field(label: str, *more: Any, autocomplete: str = "email") -> EmailField:  # noqa: ANN401  (validators)
    return EmailField(
        label,
        validators=[
            IsString(),
            RequiredLocalize(message="EMAIL_NOT_PROVIDED"),
            EmailValidation(verify=False),
            *more,
        ],
        render_kw={"autocomplete": autocomplete, "autocapitalize": "none", "spellcheck": "false"},
    )


def _known_password(label: str = "Password") -> PasswordField:
    """A field for an existing password. One longer than the limit cannot be right and is not hashed."""
    return PasswordField(
        label,
        validators=[
            IsString(),
            RequiredLocalize(message="PASSWORD_NOT_PROVIDED"),
            Length(max=LONGEST_PASSWORD, message="A password has at most %(max)d characters."),
        ],
        render_kw={"autocomplete": "current-password"},
    )


def new_password(label: str) -> PasswordField:
    """A field for a password that is chosen."""
    return PasswordField(
        label,
        description=PASSWORD_ADVICE,
        validators=[IsString(), RequiredLocalize(message="Choose a password.")],
        render_kw={"autocomplete": "new-password"},
    )


def repeated_password(field: str) -> PasswordField:
    """A field in which the password of another field is typed again."""
    return PasswordField(
        "Repeat the password",
        validators=[
            IsString(),
            RequiredLocalize(message="Type the same password again."),
            EqualToLocalize(field, message="RETYPE_PASSWORD_MISMATCH"),
        ],
        render_kw={"autocomplete": "new-password"},
    )


def name_field() -> StringField:
    """A field for the name of a person, which may be empty."""
    return StringField(
        "Your name",
        description="Labs, referees and colleagues see it. It plays no part in matching.",
        default="",
        filters=[lambda typed: tidy_name(typed) if isinstance(typed, str) else typed],
        render_kw={"autocomplete": "name", "maxlength": LONGEST_NAME},
    )


def check_name(field: Field) -> None:
    """Refuse a name that cannot be shown."""
    reason = why_not_name(field.data or "")
    if reason:
        raise ValidationError(reason)


class SignInForm(LoginForm):
    """Sign in with address and password."""

    email = _address_field("E-mail address", autocomplete="username")
    password = _known_password()
    remember = BooleanField("Stay signed in on this device for 30 days")

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  (what the library's form takes)
        super().__init__(*args, **kwargs)
        if request.method == "GET":
            self.email.data = session.pop(ADDRESS, self.email.data)
        self._field_errors: dict[str, list[str]] = {}

    def validate(self, **kwargs: Any) -> bool:  # noqa: ANN401  (what the library's form takes)
        """Whether address and password belong together and the account may be used."""
        valid: bool = super().validate(**kwargs)
        if not valid and self.ifield is None:
            self._field_errors = {name: list(errors) for name, errors in self.errors.items() if name}
        return valid

    def restore_field_errors(self) -> None:
        """Restore the field errors that Flask-Security replaced by one general error.

        It hides them all, since some would reveal whether an account exists. Those found before any account was looked
        up (an empty field, an incomplete address) reveal nothing and belong beside their fields.
        """
        if self._field_errors:
            self.form_errors.clear()
            for name, errors in self._field_errors.items():
                self[name].errors = errors
        elif self.waits_for_confirmation:
            self.form_errors.clear()
        else:
            self.form_errors[:] = dict.fromkeys(self.form_errors)

    @property
    def waits_for_confirmation(self) -> bool:
        """Whether the password is right but the address unconfirmed. Shown only with the password."""
        return bool(self.user_authenticated and self.requires_confirmation)


class PasswordAgainForm(VerifyForm):
    """Enter the password again before changing how one signs in."""

    password = _known_password()


class RegistrationForm(RegisterFormV2):
    """Create an account."""

    name = name_field()
    email = _address_field("E-mail address", unique_user_email)
    password = new_password("Password")
    password_confirm = repeated_password("password")

    def validate_name(self, field: Field) -> None:
        """A name that can be shown, or none."""
        check_name(field)


class NewPasswordForm(ResetPasswordForm):
    """Choose a password after following a mailed link."""

    password = new_password("New password")
    password_confirm = repeated_password("password")


class OwnPasswordForm(ChangePasswordForm):
    """Replace a known password."""

    password = _known_password("Current password")
    new_password = new_password("New password")
    new_password_confirm = repeated_password("new_password")


class OwnAddressForm(FlaskForm):  # type: ignore[misc]  # the library has no types
    """Replace the address of the account."""

    email = _address_field("New e-mail address")

    def validate_email(self, field: Field) -> None:
        """Another one than now."""
        if field.data and field.data.lower() == current_user.email:
            raise ValidationError("You sign in with this address already. Enter another one.")


class AddressForm(FlaskForm):  # type: ignore[misc]  # the library has no types
    """The address to mail a link to."""

    email = _address_field("E-mail address")

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401  (what FlaskForm takes)
        super().__init__(*args, **kwargs)
        if request.method == "GET":
            self.email.data = request.args.get("email", self.email.data)


class NameForm(FlaskForm):  # type: ignore[misc]  # the library has no types
    """What the person is called."""

    name = name_field()

    def validate_name(self, field: Field) -> None:
        """A name that can be shown, or none."""
        check_name(field)
