"""Flask-Security's messages in the portal's words, with what to do next."""

from __future__ import annotations

SAME_ANSWER = "We have sent a mail to %(email)s. Open it and follow the link in it."

# Text and category by Flask-Security's name of the message.
MESSAGES: dict[str, tuple[str, str]] = {
    "GENERIC_AUTHN_FAILED": (
        "The address or the password is not right. Check both; if you have just registered, open our mail first.",
        "bad",
    ),
    "CONFIRM_REGISTRATION": (SAME_ANSWER, "good"),
    "CONFIRMATION_REQUEST": (SAME_ANSWER, "good"),
    "PASSWORD_RESET_REQUEST": (SAME_ANSWER, "good"),
    "CHANGE_EMAIL_SENT": (SAME_ANSWER, "good"),
    "EMAIL_CONFIRMED": ("Your address is confirmed. Sign in to continue.", "good"),
    "ALREADY_CONFIRMED": ("This address is confirmed already. You can sign in.", "info"),
    "CONFIRMED_AND_SIGNED_IN": ("This address is confirmed already, and you are signed in.", "info"),
    "INVALID_CONFIRMATION_TOKEN": (
        "This link does not work: it is incomplete, or a newer one has replaced it. Ask for a new one below.",
        "bad",
    ),
    "CONFIRMATION_EXPIRED": ("This link has expired: it was valid for %(within)s. Ask for a new one below.", "bad"),
    "INVALID_RESET_PASSWORD_TOKEN": (
        "This link does not work: it is incomplete, or has been used already. Ask for a new one below.",
        "bad",
    ),
    "PASSWORD_RESET_EXPIRED": ("This link has expired: it was valid for %(within)s. Ask for a new one below.", "bad"),
    "PASSWORD_RESET_NO_LOGIN": (
        "Your new password is saved, and every other session was ended. Sign in with the new password.",
        "good",
    ),
    "PASSWORD_CHANGE": ("Your new password is saved, and every other session was ended.", "good"),
    "CHANGE_EMAIL_CONFIRMED": ("Your new address is confirmed. From now on you sign in with it.", "good"),
    "CHANGE_EMAIL_EXPIRED": ("This link has expired: it was valid for %(within)s. Enter the address again.", "bad"),
    # Flask-Security shows it for links only: its own use, input of a program, is turned off.
    "API_ERROR": (
        "This link does not work: it is incomplete, was used already, or the address is taken meanwhile.",
        "bad",
    ),
    "EMAIL_NOT_PROVIDED": ("Enter your e-mail address.", "bad"),
    "PASSWORD_NOT_PROVIDED": ("Enter your password.", "bad"),
    "INVALID_PASSWORD": ("This is not your password.", "bad"),
    "RETYPE_PASSWORD_MISMATCH": ("The two passwords differ. Type the same one twice.", "bad"),
    "PASSWORD_IS_THE_SAME": ("This is your current password. Choose another one.", "bad"),
    "UNAUTHENTICATED": ("Sign in to continue.", "info"),
    "REAUTHENTICATION_REQUIRED": ("This changes how you sign in, so please enter your password again.", "info"),
    "REAUTHENTICATION_SUCCESSFUL": ("Thank you. You can go on.", "good"),
    "TWO_FACTOR_INVALID_TOKEN": (
        "This code is not right, or has been used already. Wait for the next one in your app and enter that.",
        "bad",
    ),
    "TWO_FACTOR_LOGIN_SUCCESSFUL": ("You are signed in.", "good"),
    "TWO_FACTOR_CHANGE_METHOD_SUCCESSFUL": (
        "Two-step sign-in is on. Create recovery codes now, for a day when you do not have your phone.",
        "good",
    ),
    "TWO_FACTOR_PERMISSION_DENIED": ("Enter your address and password first; the code comes after.", "info"),
    "TWO_FACTOR_METHOD_NOT_AVAILABLE": ("Choose one of the two.", "bad"),
    "TWO_FACTOR_DISABLED": ("Two-step sign-in is off. Your recovery codes no longer work.", "good"),
    "TWO_FACTOR_SETUP_EXPIRED": ("This took longer than %(within)s. Scan the new code below.", "bad"),
    "INVALID_RECOVERY_CODE": ("This is not one of your recovery codes. Each works once.", "bad"),
    "NO_RECOVERY_CODES_SETUP": ("There are no recovery codes yet.", "info"),
}


def message_config() -> dict[str, tuple[str, str]]:
    """The messages as Flask-Security's settings."""
    return {f"SECURITY_MSG_{name}": message for name, message in MESSAGES.items()}
