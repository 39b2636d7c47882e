"""Checks the addresses in settings: of the database, the queue, the rate limits' store, files, mail and pages.

Each function returns the address, normalised where that matters, or raises `AddressRefused`. No refusal repeats an
address, since it may hold a password.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import parseaddr
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from email_validator import EmailNotValidError, validate_email

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult


Network: TypeAlias = IPv4Network | IPv6Network
IPV6_NETWORK = 64  # bits of the smallest block that is counted, which is what one customer gets
# In the client's order of precedence.
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
KEY, SECRET = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"
_BUCKET = re.compile(
    r"s3://(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9])"
    r"(?P<prefix>(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)/?(?P<http>\?http=allowed)?"
)


class AddressRefused(ValueError):
    """An address that cannot be used. The text begins with a verb, as the name of the setting is put before it."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket, and the portal's folder in it. Endpoint, region and keys come from the environment."""

    name: str
    prefix: str = ""
    plain_http: bool = False

    def __str__(self) -> str:
        return "/".join(part for part in (f"s3://{self.name}", self.prefix) if part)


def read_bucket(address: str, environ: Mapping[str, str]) -> Bucket:
    """The bucket that a URL names. Refused, too, if the environment has only half of the keys, or an endpoint that
    would send files over a network unencrypted.
    """
    match = _BUCKET.fullmatch(address)
    if match is None:
        raise AddressRefused(f"takes an address such as s3://bucket/folder; its keys are read from {KEY} and {SECRET}.")
    if bool(environ.get(KEY)) is not bool(environ.get(SECRET)):
        raise AddressRefused(f"needs {KEY} and {SECRET}, both or (where the host has a role of its own) neither.")
    variable = next((name for name in ENDPOINTS if environ.get(name)), None)
    plain_http = False
    if variable is not None:
        such_as = f"https://s3.example.edu in {variable}, without user or password"
        parts = _web_parts(environ[variable], such_as)
        plain_http = parts.scheme == "http"
        if plain_http and not match["http"] and not _is_this_host(parts.hostname or ""):
            raise AddressRefused(
                f"would send files in the clear: {variable} begins with http://. Use https://, or write ?http=allowed "
                "behind the address where nobody else is on that network."
            )
    return Bucket(match["name"], match["prefix"].strip("/"), plain_http)


def _is_this_host(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def _parts(url: str, schemes: tuple[str, ...], such_as: str) -> SplitResult:
    """The parts of a URL that has one of these schemes."""
    try:
        parts = urlsplit(url)
        readable = url.isprintable() and " " not in parts.netloc and (parts.port is None or parts.port > 0)
    except ValueError:
        readable = False
    if not readable or parts.scheme not in schemes:
        raise AddressRefused(
            f"takes an address such as {such_as}. In a user name or a password, # is written as %23, / as %2F, : as "
            "%3A, ? as %3F, @ as %40, [ as %5B, ] as %5D."
        )
    return parts


def _web_parts(url: str, such_as: str) -> SplitResult:
    parts = _parts(url, ("http", "https"), such_as)
    if not parts.hostname or parts.username is not None or " " in url:
        raise AddressRefused(f"takes an address such as {such_as}.")
    return parts


def database_url(url: str) -> str:
    """The database's address, with the PostgreSQL driver that the portal uses."""
    such_as = "sqlite:////folder/portal.sqlite or postgresql://user:password@host/name"
    scheme = _parts(url, ("sqlite", "postgres", "postgresql", "postgresql+psycopg"), such_as).scheme
    _, separator, rest = url.partition("://")
    file = rest.partition("?")[0].removeprefix("/")
    # A SQLite database in memory would be another one in each process, and soon gone.
    if not separator or (scheme == "sqlite" and (not file or file.startswith((":memory:", "file:")))):
        raise AddressRefused(f"takes an address such as {such_as}.")
    if scheme == "sqlite":
        return url
    _require("psycopg", "postgres")
    return f"postgresql+psycopg://{rest}"


def limits_url(url: str) -> str:
    """The address of the rate limits' store."""
    such_as = "memory:// or redis://host:6379/1"
    if "://" not in url:
        raise AddressRefused(f"takes an address such as {such_as}.")
    _check_redis(_parts(url, ("memory", "redis", "rediss", "redis+unix"), such_as))
    return url


def jobs_url(url: str) -> str:
    """The address of the queue."""
    _check_redis(_parts(url, ("redis", "rediss", "unix"), "redis://host:6379/1"))
    return url


def _check_redis(parts: SplitResult) -> None:
    """Check the driver, and the number of a Redis database: its client takes anything else for 0."""
    number = parts.path.strip("/")
    if parts.scheme in {"redis", "rediss"} and number and not (number.isascii() and number.isdecimal()):
        raise AddressRefused("names a Redis database that is not a number. Write it as in redis://host:6379/1.")
    if parts.scheme != "memory":
        _require("redis", "redis")


def _require(module: str, extra: str) -> None:
    """Check that a setting's driver is installed."""
    if find_spec(module) is None:
        raise AddressRefused(f"needs a driver that is not installed: pip install 'phd-portal[{extra}]'.")


def base_url(url: str) -> str:
    """The portal's public address, without a trailing slash."""
    such_as = "https://portal.example.edu"
    parts = _web_parts(url, such_as)
    if parts.query or parts.fragment:
        raise AddressRefused(f"takes an address such as {such_as}.")
    return url.rstrip("/")


def page_url(url: str) -> str:
    """The address of a page on the web."""
    _web_parts(url, "https://www.example.edu/privacy")
    return url


def networks(text: str) -> tuple[Network, ...]:
    """Networks, separated by commas, each once. Of IPv6, none is smaller than what is counted as one network."""
    found: list[Network] = []
    for part in filter(None, map(str.strip, text.split(","))):
        try:
            network = ip_network(part)
        except ValueError as error:
            raise AddressRefused(f"takes networks such as 198.51.100.0/24, not {part!r}: {error}.") from None
        is_part = isinstance(network, IPv6Network) and network.prefixlen > IPV6_NETWORK
        found.append(network.supernet(new_prefix=IPV6_NETWORK) if is_part else network)
    return tuple(dict.fromkeys(found))


def mail_url(url: str) -> str:
    """The address of the mail server or folder."""
    such_as = "smtp://mail.example.edu:587 or file:///var/mail/portal"
    parts = _parts(url, ("file", "smtp", "smtps", "console", "memory"), such_as)
    is_whole_path = not parts.netloc and parts.path.startswith("/")
    if (parts.scheme in {"smtp", "smtps"} and not parts.hostname) or (parts.scheme == "file" and not is_whole_path):
        raise AddressRefused(f"takes an address such as {such_as}.")
    return url


def mail_sender(sender: str) -> str:
    """The sender of mails."""
    _, address = parseaddr(sender)
    local, _, domain = address.rpartition("@")
    if not (sender.isprintable() and local and domain) or " " in address:
        raise AddressRefused("takes an address such as portal@example.edu or Ph.D. Portal <portal@example.edu>.")
    return sender


def contact(address: str) -> str:
    """The address that people can write to."""
    try:
        checked = validate_email(address, check_deliverability=False, allow_smtputf8=False, test_environment=True)
    except EmailNotValidError:
        raise AddressRefused("takes one e-mail address, without a name, such as admissions@example.edu.") from None
    return checked.normalized
