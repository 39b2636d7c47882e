"""E-mail addresses of accounts: validated by email-validator, one spelling each."""

from __future__ import annotations

from email_validator import EmailNotValidError, validate_email


class AddressError(ValueError):
    """A text that is not an e-mail address; the message says what is wrong with it."""


def normal_address(text: str, *, test_domains: bool = True) -> str:
    """The spelling under which an account stores an address: normalised domain, lower case.

    No provider distinguishes Ann@ from ann@, and two accounts that differ in nothing else would be a mistake or a trap.
    Letters beyond ASCII are for the domain alone: before the @ they need SMTPUTF8, which the mail library does not
    speak, so that its mails would go to another address.
    Whether the domain accepts mail is not checked: many installations have no name server within reach, and the
    confirmation mail finds out anyway.

    Args:
        text: What was typed.
        test_domains: Whether domains under .test are accepted, as in tests and demos.

    Raises:
        AddressError: It is not an address.
    """
    try:
        checked = validate_email(
            text.strip(), check_deliverability=False, allow_smtputf8=False, test_environment=test_domains
        )
    except EmailNotValidError as error:
        # The library says "email"; the portal writes "e-mail" on every page.
        raise AddressError(str(error).replace("email address", "e-mail address")) from None
    return checked.normalized.lower()
