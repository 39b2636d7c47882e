"""The URL of a bucket in an S3-compatible service, and the environment variables that go with it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

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
