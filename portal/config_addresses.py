"""Checks the addresses in settings: of the database, the queue, the rate limits' store, mail, the portal, its contact,
pages that it links to.

Each function returns the address, normalised where that matters, or raises `AddressRefused`.
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


# In the client's order of precedence.
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
KEY, SECRET = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"
_ADDRESS = re.compile(
    r"s3://(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9])"
    r"(?P<prefix>(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)/?(?P<http>\?http=allowed)?"
)


class BucketRefused(ValueError):
    """A URL or an environment that cannot be used. The text begins with a verb and repeats neither."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket, and the portal's folder in it. Endpoint, region and keys come from the environment."""

    name: str
    prefix: str = ""
    plain_http: bool = False

    def __str__(self) -> str:
        return "/".join(part for part in (f"s3://{self.name}", self.prefix) if part)


def read_bucket(address: str, environ: Mapping[str, str]) -> Bucket:
    """The bucket that a URL names.

    Raises:
        BucketRefused: The URL cannot be parsed, or the environment has only half of the keys or an endpoint that would
            send files over a network unencrypted.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise BucketRefused(
            "takes an address such as s3://bucket or s3://bucket/folder, without keys: these are read from "
            f"{KEY} and {SECRET}."
        )
    if bool(environ.get(KEY)) is not bool(environ.get(SECRET)):
        raise BucketRefused(f"needs {KEY} and {SECRET}, both or (where the host has a role of its own) neither.")
    variable = next((name for name in ENDPOINTS if environ.get(name)), "")
    plain_http = bool(variable) and _is_plain_http(environ[variable], variable, allowed=bool(match["http"]))
    return Bucket(match["name"], match["prefix"].strip("/"), plain_http)


def _is_plain_http(endpoint: str, variable: str, *, allowed: bool) -> bool:
    try:
        parts = urlsplit(endpoint)
        usable = endpoint.isprintable() and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or "@" in parts.netloc:
        raise BucketRefused(f"needs an address such as https://s3.example.edu in {variable}, without user or password.")
    if parts.scheme == "http" and not allowed and not _is_this_host(parts.hostname):
        raise BucketRefused(
            f"would send files in the clear: {variable} begins with http://. Use https://, or write ?http=allowed "
            "behind the address where nobody else is on that network."
        )
    return parts.scheme == "http"


def _is_this_host(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


Network: TypeAlias = IPv4Network | IPv6Network
IPV6_NETWORK = 64  # bits of the smallest block that is counted, which is what one customer gets
MAIL_SCHEMES = ("file", "smtp", "smtps", "console", "memory")
LIMITS_SCHEMES = ("memory", "redis", "rediss", "redis+unix")


class AddressRefused(ValueError):
    """An address that cannot be used. The text begins with a verb, as the name of the setting is put before it."""


def _parts(url: str) -> SplitResult:
    """The parts of a URL.

    Raises:
        AddressRefused: It cannot be parsed. The message does not repeat it, since it may contain a password.
    """
    try:
        parts = urlsplit(url)
        readable = url.isprintable() and " " not in parts.netloc and (parts.port is None or parts.port > 0)
    except ValueError:
        readable = False
    if not readable:
        raise AddressRefused(
            "is an address that cannot be read: look at its host and its port. In a user name or a "
            "password, # is written as %23, / as %2F, : as %3A, ? as %3F, @ as %40, [ as %5B, ] as %5D."
        )
    return parts


def database_url(url: str) -> str:
    """The database's address, with the PostgreSQL driver that the portal uses; empty stays empty."""
    scheme, separator, server_and_name = url.partition("://")
    if not url:
        return url
    if separator and scheme == "sqlite":
        _require_file(server_and_name)
        return url
    if not separator or scheme not in {"postgres", "postgresql", "postgresql+psycopg"}:
        # The URL is not repeated, since it may contain a password.
        raise AddressRefused(
            "takes an address such as sqlite:////folder/portal.sqlite or postgresql://user:password@host/name."
        )
    _parts(url)
    _require("psycopg", "postgres")
    _require_known_parameters(server_and_name)
    return f"postgresql+psycopg://{server_and_name}"


def _require_file(path: str) -> None:
    """Check that a SQLite database is a file: one in memory would be another one in each process, and soon gone."""
    file = path.partition("?")[0].removeprefix("/")
    if not file or file.startswith((":memory:", "file:")):
        raise AddressRefused("takes the file of a SQLite database, as in sqlite:////folder/portal.sqlite.")


def _require_known_parameters(server_and_name: str) -> None:
    """Check that PostgreSQL's client knows all parameters of an address; it would otherwise fail at each request."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    try:
        conninfo_to_dict(f"postgresql://{server_and_name}")
    except ProgrammingError:
        known = "such as ?sslmode=require or ?connect_timeout=3"
        raise AddressRefused(
            f"has a parameter after its ? that PostgreSQL does not know. Known are those {known}."
        ) from None


def limits_url(url: str) -> str:
    """The address of the rate limits' store."""
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in LIMITS_SCHEMES:
        raise AddressRefused(f"takes an address with one of {', '.join(LIMITS_SCHEMES)} before ://.")
    if scheme != "memory":
        _require_database_number(_parts(url))
        _require("redis", "redis")
    return url


def jobs_url(url: str) -> str:
    """The address of the queue; empty stays empty."""
    if not url:
        return url
    parts = _parts(url)
    if parts.scheme not in {"redis", "rediss", "unix"}:
        raise AddressRefused("takes an address such as redis://host:6379/1, or nothing.")
    _require_database_number(parts)
    _require("redis", "redis")
    return url


def _require_database_number(parts: SplitResult) -> None:
    """Check the number of a Redis database; its client takes anything else for 0. A socket's path is none."""
    number = parts.path.strip("/")
    if parts.scheme in {"redis", "rediss"} and number and not (number.isascii() and number.isdecimal()):
        raise AddressRefused("names a Redis database that is not a number. Write it as in redis://host:6379/1.")


def _require(module: str, extra: str) -> None:
    """Check that a setting's driver is installed."""
    if find_spec(module) is None:
        raise AddressRefused(f"needs a driver that is not installed: pip install 'phd-portal[{extra}]'.")


def base_url(url: str) -> str:
    """The portal's public address, without a trailing slash."""
    parts = _parts(url)
    has_extra_parts = parts.query or parts.fragment or parts.username is not None
    if parts.scheme not in {"http", "https"} or not parts.hostname or has_extra_parts:
        raise AddressRefused(f"takes an address such as https://portal.example.edu, not {url!r}.")
    return url.rstrip("/")


def networks(text: str) -> tuple[Network, ...]:
    """Networks, separated by commas, each once. Of IPv6, none is smaller than what is counted as one network."""
    found: list[Network] = []
    for part in filter(None, map(str.strip, text.split(","))):
        try:
            network = ip_network(part)
        except ValueError as error:
            raise AddressRefused(
                f"takes networks such as 203.0.113.7 or 198.51.100.0/24, not {part!r}: {error}."
            ) from None
        is_part = isinstance(network, IPv6Network) and network.prefixlen > IPV6_NETWORK
        found.append(network.supernet(new_prefix=IPV6_NETWORK) if is_part else network)
    return tuple(dict.fromkeys(found))


def page_url(url: str) -> str:
    """The address of a page on the web; empty stays empty."""
    if not url:
        return url
    parts = _parts(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None or " " in url:
        raise AddressRefused(f"takes the address of a page, such as https://www.example.edu/privacy, not {url!r}.")
    return url


def mail_url(url: str) -> str:
    """The address of the mail server or folder; empty stays empty."""
    if not url:
        return url
    parts = _parts(url)
    if parts.scheme not in MAIL_SCHEMES:
        raise AddressRefused(f"takes one of the schemes {', '.join(MAIL_SCHEMES)}.")
    if parts.scheme in {"smtp", "smtps"} and not parts.hostname:
        raise AddressRefused("names no mail server. Write it as in smtp://mail.example.edu:587.")
    if parts.scheme == "file" and (parts.netloc or not parts.path.startswith("/")):
        raise AddressRefused("takes the whole path of a folder, as in file:///var/mail/portal.")
    return url


def mail_sender(sender: str) -> str:
    """The sender of mails."""
    _, address = parseaddr(sender)
    local, _, domain = address.rpartition("@")
    if not (sender.isprintable() and local and domain) or " " in address:
        raise AddressRefused(
            f"takes an address such as portal@example.edu or Ph.D. Portal <portal@example.edu>, not {sender!r}."
        )
    return sender


def contact(address: str) -> str:
    """The address that people can write to; empty stays empty."""
    if not address:
        return address
    try:
        return validate_email(
            address, check_deliverability=False, allow_smtputf8=False, test_environment=True
        ).normalized
    except EmailNotValidError:
        raise AddressRefused(
            f"takes one e-mail address, without a name, such as admissions@example.edu, not {address!r}."
        ) from None
