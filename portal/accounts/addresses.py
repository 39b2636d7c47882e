"""E-mail addresses as accounts know them: checked by email-validator, one spelling each."""

from __future__ import annotations

from email_validator import EmailNotValidError, validate_email


class AddressError(ValueError):
    """A text that is no e-mail address; the message says what is wrong with it."""


def normal_address(text: str, *, test_domains: bool = True) -> str:
    """The one spelling under which an account keeps an address.

    The domain is normalised, the whole in NFC and in lower case: no provider tells Ann@ from ann@, and two accounts
    that differ in nothing else would be one person's mistake or another's trap. Whether the domain takes mail is
    not asked: many installations have no name server within reach, and the confirmation mail finds out anyway.

    Args:
        text: What was typed.
        test_domains: Whether names below .test are taken, as in tests and demos.

    Raises:
        AddressError: It is no address.
    """
    try:
        checked = validate_email(text.strip(), check_deliverability=False, test_environment=test_domains)
    except EmailNotValidError as error:
        # The library says "email"; the portal writes "e-mail" on every page.
        raise AddressError(str(error).replace("email address", "e-mail address")) from None
    return checked.normalized.lower()
