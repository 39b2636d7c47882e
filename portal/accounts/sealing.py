"""The keys that seal what two-step sign-in stores, one of each kind for every secret key."""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portal.config import Settings

OLDEST_TAG = "1"
"""The tag of secrets that were sealed before tags named their key: the oldest key sealed them."""
TAG_LENGTH = 12  # characters


def one_time_code_secrets(settings: Settings) -> dict[str, str]:
    """The keys that seal the secrets of authenticator apps, by the tags that sealed secrets have. The first one seals;
    each opens what has its tag.
    """
    newest_first = [(_tag(key), _derived_key(key, "one-time codes").hex()) for key in reversed(settings.signing_keys)]
    return dict([*newest_first, (OLDEST_TAG, newest_first[-1][1])])


def recovery_code_keys(settings: Settings) -> list[bytes]:
    """The keys that seal recovery codes. The first one seals, and all are tried to open."""
    return [base64.urlsafe_b64encode(_derived_key(key, "recovery codes")) for key in reversed(settings.signing_keys)]


def _tag(secret_key: str) -> str:
    """A name for the key, which does not reveal it."""
    return f"k{_derived_key(secret_key, 'name of the key').hex()[:TAG_LENGTH]}"


def _derived_key(secret_key: str, purpose: str) -> bytes:
    """A separate key for each purpose, so that a signed text of one kind is never valid as another."""
    return hmac.new(secret_key.encode(), purpose.encode(), hashlib.sha256).digest()
