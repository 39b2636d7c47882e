"""The settings of this instance as administrators may see them: only what is listed here is shown."""

from __future__ import annotations

from dataclasses import dataclass, fields
from urllib.parse import urlsplit

from portal.config import Settings

PLAIN = frozenset(
    (
        "mode",
        "instance",
        "files",
        "name",
        "operator",
        "privacy_url",
        "imprint_url",
        "accessibility_url",
        "shared_networks",
        "mail_sender",
        "contact",
        "upload_mb",
        "extraction_slots",
        "proxies",
        "confirm_days",
        "approval",
    )
)
ADDRESSES = frozenset({"base_url", "database_url", "mail_url", "limits_url", "jobs_url"})
SECRET = frozenset({"secret_key", "secret_key_fallbacks", "demo_password"})
HIDDEN = "•••"


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """A setting: its variable, its value (never a secret), and its meaning."""

    variable: str
    value: str
    meaning: str


def shown_settings(settings: Settings) -> list[ShownSetting]:
    """Every setting; for secrets only whether they are set, and URLs without user, password and query."""
    return [
        ShownSetting(spec.metadata["variable"], _value(settings, spec.name), spec.metadata["meaning"])
        for spec in fields(Settings)
    ]


def masked_address(address: str) -> str:
    """An address without what may be secret in it: user and password, the query, the fragment."""
    try:
        parts = urlsplit(address)
        host, port = parts.netloc.rpartition("@")[2], parts.port
    except ValueError:
        return HIDDEN
    # An @ after the host, or an invalid port, means that a password contains characters that end a host.
    if (
        not parts.scheme
        or "@" in f"{parts.path}{parts.query}{parts.fragment}"
        or (port is None and ":" in host.strip("[]:"))
    ):
        return HIDDEN
    user = f"{HIDDEN}@" if "@" in parts.netloc else ""
    slashes = "//" if parts.netloc or address.partition(":")[2].startswith("//") else ""
    query = f"?{HIDDEN}" if parts.query or parts.fragment else ""
    return f"{parts.scheme}:{slashes}{user}{host}{parts.path}{query}"


def _value(settings: Settings, name: str) -> str:
    value = getattr(settings, name)
    if name in ADDRESSES:
        return masked_address(value) if value else ""
    if name in PLAIN:
        shown = ", ".join(sorted(map(str, value))) if isinstance(value, frozenset | tuple) else value
        return "" if shown is None else str(shown)
    return f"{HIDDEN} (set)" if value else ""
