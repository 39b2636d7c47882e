"""Settings: environment variables PORTAL_* as one dataclass, each with its default and its check.

A check gives the value of a text, normalised where that matters, or raises `ValueError` with a sentence that begins
with a verb, as the name of the setting is put before it. No refusal repeats an address, since it may hold a password.
"""

from __future__ import annotations

import re
import secrets
import tomllib
from dataclasses import dataclass, field, fields
from email.utils import parseaddr
from functools import partial
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar
from urllib.parse import urlsplit

from email_validator import EmailNotValidError, validate_email

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from urllib.parse import SplitResult

    from flask import Flask


T = TypeVar("T")
Mode = Literal["production", "development", "demo", "testing"]
PACKAGE = Path(__file__).parent
SQLITE_FILE = "portal.sqlite"  # in the instance folder
# templates/, static/ and seeds/ are inside the package in a wheel, beside it in a checkout.
RESOURCES = PACKAGE if (PACKAGE / "templates").is_dir() else PACKAGE.parent
MODES: tuple[Mode, ...] = ("production", "development", "demo", "testing")
SHORTEST_KEY = 32
# In the client's order of precedence.
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
KEY, SECRET = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"
_BUCKET = re.compile(
    r"s3://(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9])"
    r"(?P<prefix>(?:/[A-Za-z0-9_-][A-Za-z0-9._-]*)*)/?(?P<http>\?http=allowed)?"
)


class SettingsError(ValueError):
    """An unusable setting; the message names the variable and says what to do."""


def _parts(url: str, schemes: tuple[str, ...], such_as: str) -> SplitResult:
    """The parts of a URL that has one of these schemes."""
    try:
        parts = urlsplit(url)
        readable = url.isprintable() and " " not in parts.netloc and (parts.port is None or parts.port > 0)
    except ValueError:
        readable = False
    if not readable or parts.scheme not in schemes:
        raise ValueError(
            f"takes an address such as {such_as}. In a user name or a password, # is written as %23, / as %2F, : as "
            "%3A, ? as %3F, @ as %40, [ as %5B, ] as %5D."
        )
    return parts


def _web_parts(url: str, such_as: str) -> SplitResult:
    parts = _parts(url, ("http", "https"), such_as)
    if not parts.hostname or parts.username is not None or " " in url:
        raise ValueError(f"takes an address such as {such_as}.")
    return parts


def _require(module: str, extra: str) -> None:
    """Check that a setting's driver is installed."""
    if find_spec(module) is None:
        raise ValueError(f"needs a driver that is not installed: pip install 'phd-portal[{extra}]'.")


def _database_url(url: str) -> str:
    """With the PostgreSQL driver that the portal uses."""
    such_as = "sqlite:////folder/portal.sqlite or postgresql://user:password@host/name"
    scheme = _parts(url, ("sqlite", "postgres", "postgresql", "postgresql+psycopg"), such_as).scheme
    _, separator, rest = url.partition("://")
    file = rest.partition("?")[0].removeprefix("/")
    # A SQLite database in memory would be another one in each process, and soon gone.
    if not separator or (scheme == "sqlite" and (not file or file.startswith((":memory:", "file:")))):
        raise ValueError(f"takes an address such as {such_as}.")
    if scheme == "sqlite":
        return url
    _require("psycopg", "postgres")
    return f"postgresql+psycopg://{rest}"


def _limits_url(url: str) -> str:
    if "://" not in url:
        raise ValueError("takes an address such as memory:// or redis://host:6379/1.")
    return _redis_url(url, "memory", "redis", "rediss", "redis+unix")


def _redis_url(url: str, *schemes: str) -> str:
    """Checks, too, the number of the database: its client takes anything else for 0."""
    parts = _parts(url, schemes, "redis://host:6379/1")
    number = parts.path.strip("/")
    if parts.scheme in {"redis", "rediss"} and number and not (number.isascii() and number.isdecimal()):
        raise ValueError("names a Redis database that is not a number. Write it as in redis://host:6379/1.")
    if parts.scheme != "memory":
        _require("redis", "redis")
    return url


def base_url(url: str) -> str:
    """The portal's public address, without a trailing slash."""
    such_as = "https://portal.example.edu"
    parts = _web_parts(url, such_as)
    if parts.query or parts.fragment:
        raise ValueError(f"takes an address such as {such_as}.")
    return url.rstrip("/")


def _page_url(url: str) -> str:
    _web_parts(url, "https://www.example.edu/privacy")
    return url


def _mail_url(url: str) -> str:
    such_as = "smtp://mail.example.edu:587 or file:///var/mail/portal"
    parts = _parts(url, ("file", "smtp", "smtps", "console", "memory"), such_as)
    is_whole_path = not parts.netloc and parts.path.startswith("/")
    if (parts.scheme in {"smtp", "smtps"} and not parts.hostname) or (parts.scheme == "file" and not is_whole_path):
        raise ValueError(f"takes an address such as {such_as}.")
    return url


def _mail_sender(sender: str) -> str:
    local, _, domain = parseaddr(sender)[1].rpartition("@")
    if not (sender.isprintable() and local and domain) or " " in f"{local}{domain}":
        raise ValueError("takes an address such as portal@example.edu or Ph.D. Portal <portal@example.edu>.")
    return sender


def _contact(address: str) -> str:
    try:
        checked = validate_email(address, check_deliverability=False, allow_smtputf8=False, test_environment=True)
    except EmailNotValidError:
        raise ValueError("takes one e-mail address, without a name, such as admissions@example.edu.") from None
    return checked.normalized


def _whole(text: str, *, least: int, most: int) -> int:
    number = int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None
    if number is None or not least <= number <= most:
        raise ValueError(f"takes a whole number from {least} to {most}, not {text!r}.")
    return number


def _one_line(text: str, *, longest: int) -> str:
    if not text.isprintable() or len(text) > longest:
        raise ValueError(f"takes one line of at most {longest} characters, not {text!r}.")
    return text


def _mode(text: str) -> str:
    if text not in MODES:
        raise ValueError(f"takes one of {', '.join(MODES)}, not {text!r}.")
    return text


def _folder(text: str) -> Path:
    return Path(text).expanduser().resolve()


def _concepts(text: str) -> Path:
    path = _folder(text) if text else RESOURCES / "seeds" / "concepts.toml"
    if not path.is_file():
        raise ValueError(f"takes the path of a file, and there is none at {path}.")
    return path


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
        raise ValueError(f"takes an address such as s3://bucket/folder; its keys are read from {KEY} and {SECRET}.")
    if bool(environ.get(KEY)) is not bool(environ.get(SECRET)):
        raise ValueError(f"needs {KEY} and {SECRET}, both or (where the host has a role of its own) neither.")
    variable = next((name for name in ENDPOINTS if environ.get(name)), None)
    plain_http = False
    if variable is not None:
        such_as = f"https://s3.example.edu in {variable}, without user or password"
        parts = _web_parts(environ[variable], such_as)
        plain_http = parts.scheme == "http"
        if plain_http and not match["http"] and not _is_this_host(parts.hostname or ""):
            raise ValueError(
                f"would send files in the clear: {variable} begins with http://. Use https://, or write ?http=allowed "
                "behind the address where nobody else is on that network."
            )
    return Bucket(match["name"], match["prefix"].strip("/"), plain_http)


def _is_this_host(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


KNOWN_PROVIDERS = {
    "orcid": {"label": "ORCID", "issuer": "https://orcid.org"},
    "google": {"label": "Google", "issuer": "https://accounts.google.com"},
}


class OpenIdProvider(NamedTuple):
    """A service of OpenID Connect with which people may sign in."""

    name: str
    label: str
    issuer: str
    client_id: str
    client_secret: str


def _openid(text: str) -> tuple[OpenIdProvider, ...]:
    """The providers in a TOML file: a table for each. Those of `KNOWN_PROVIDERS` need no label and no issuer."""
    _require("authlib", "openid")
    try:
        tables = tomllib.loads(_folder(text).read_text(encoding="utf-8"))
        found = [OpenIdProvider(name=name, **KNOWN_PROVIDERS.get(name, {}), **table) for name, table in tables.items()]
        parts = [_web_parts(each.issuer, "https://login.example.edu") for each in found]
    except (OSError, TypeError, ValueError) as error:
        raise ValueError(
            "takes a file of tables such as [google] with client_id and client_secret, and for other providers label "
            f"and issuer as well ({error})."
        ) from None
    if not all(re.fullmatch("[a-z0-9-]{1,40}", each.name) for each in found):
        raise ValueError("takes names of providers of small letters, digits and hyphens.")
    if not all(part.scheme == "https" or _is_this_host(part.hostname or "") for part in parts):
        raise ValueError("takes providers whose issuer begins with https://.")
    return tuple(found)


def _setting(variable: str, default: str = "", check: Callable[[str], object] = str) -> Any:  # noqa: ANN401  (dataclass fields take any type)
    return field(metadata={"variable": variable, "default": default, "check": check})


def _optional(variable: str, check: Callable[[str], object]) -> Any:  # noqa: ANN401  (as above)
    """A setting that may be empty, and then is not checked."""
    return _setting(variable, "", lambda text: check(text) if text else text)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings; docs/configuration.md says what each means. Create it with `read_settings`."""

    mode: Mode = _setting("PORTAL_MODE", "production", _mode)
    secret_key: str = _setting("PORTAL_SECRET_KEY")
    instance: Path = _setting("PORTAL_INSTANCE", "instance", _folder)
    database_url: str = _optional("PORTAL_DATABASE_URL", _database_url)
    files: Bucket | None = _setting("PORTAL_FILES_URL")
    base_url: str = _setting("PORTAL_BASE_URL", "http://localhost:8000", base_url)
    # It is in every title and in the header.
    name: str = _setting("PORTAL_NAME", "Ph.D. Portal", partial(_one_line, longest=60))
    operator: str = _optional("PORTAL_OPERATOR", partial(_one_line, longest=200))
    privacy_url: str = _optional("PORTAL_PRIVACY_URL", _page_url)
    imprint_url: str = _optional("PORTAL_IMPRINT_URL", _page_url)
    accessibility_url: str = _optional("PORTAL_ACCESSIBILITY_URL", _page_url)
    mail_url: str = _optional("PORTAL_MAIL_URL", _mail_url)
    mail_sender: str = _setting("PORTAL_MAIL_SENDER", "portal@localhost.localdomain", _mail_sender)
    contact: str = _optional("PORTAL_CONTACT", _contact)
    upload_mb: int = _setting("PORTAL_UPLOAD_MB", "5", partial(_whole, least=1, most=100))
    extraction_slots: int = _setting("PORTAL_EXTRACTION_SLOTS", "2", partial(_whole, least=1, most=64))
    limits_url: str = _setting("PORTAL_LIMITS_URL", "memory://", _limits_url)
    jobs_url: str = _optional("PORTAL_JOBS_URL", lambda url: _redis_url(url, "redis", "rediss", "unix"))
    proxies: int = _setting("PORTAL_PROXIES", "0", partial(_whole, least=0, most=10))
    openid: tuple[OpenIdProvider, ...] = _setting("PORTAL_OPENID", "", lambda text: _openid(text) if text else ())
    confirm_days: int = _setting("PORTAL_CONFIRM_DAYS", "180", partial(_whole, least=1, most=3650))
    concepts: Path = _setting("PORTAL_CONCEPTS", "", _concepts)
    demo_password: str = _setting("PORTAL_DEMO_PASSWORD")

    @property
    def sqlalchemy_url(self) -> str:
        """The database URL, or its default."""
        return self.database_url or f"sqlite:///{self.instance / SQLITE_FILE}"

    @property
    def uploads(self) -> Path | Bucket:
        """Where uploads are stored, or its default."""
        return self.files or self.instance / "uploads"

    @property
    def upload_bytes(self) -> int:
        """The maximum size of a resume in bytes."""
        return self.upload_mb * 1024 * 1024

    @property
    def cookie_path(self) -> str:
        """The path below which browsers send cookies: what else the host serves gets none of ours."""
        return urlsplit(self.base_url).path or "/"

    @property
    def secure_cookies(self) -> bool:
        """Whether cookies are restricted to https: if the portal is reached by https."""
        return urlsplit(self.base_url).scheme == "https"


def read_settings(environ: Mapping[str, str], *, serving: bool = True) -> Settings:
    """Read the settings from `environ`: PORTAL_*, and AWS_* if PORTAL_FILES_URL is set. Production needs a secret key
    if it is `serving`. Raises SettingsError if a variable is unknown or has an unusable value.
    """
    specifications = {spec.metadata["variable"]: spec for spec in fields(Settings)}
    unknown = sorted(
        name
        for name in environ
        if name.startswith("PORTAL_") and not name.startswith("PORTAL_TEST_") and name not in specifications
    )
    if unknown:
        raise SettingsError(f"Unknown setting {', '.join(unknown)}. Known are: {', '.join(sorted(specifications))}.")
    values: dict[str, Any] = {}
    for variable, spec in specifications.items():
        try:
            text = environ.get(variable, "").strip() or spec.metadata["default"]
            values[spec.name] = spec.metadata["check"](text)
            if spec.name == "files":
                values["files"] = read_bucket(text, environ) if text else None
        except ValueError as refusal:
            raise SettingsError(f"{variable} {refusal}") from None
    in_production = values["mode"] == "production"
    values["secret_key"] = _secret_key(values["secret_key"], is_needed=in_production and serving)
    if in_production and values["mail_url"].startswith("smtp") and not environ.get("PORTAL_MAIL_SENDER", "").strip():
        raise SettingsError(
            "PORTAL_MAIL_SENDER is not set, and mail servers refuse mails of nobody's domain. Set it to an address of "
            "yours, such as portal@example.edu."
        )
    return Settings(**values)


def _secret_key(key: str, *, is_needed: bool) -> str:
    if not is_needed:
        return key or secrets.token_urlsafe(SHORTEST_KEY)
    if not key:
        raise SettingsError(
            "PORTAL_SECRET_KEY is not set, and the portal does not start in production without it. Make one with "
            "`python3 -c 'import secrets; print(secrets.token_urlsafe(48))'`, or set PORTAL_MODE=development to try "
            "things out."
        )
    if len(key) < SHORTEST_KEY:
        raise SettingsError(
            f"PORTAL_SECRET_KEY is too short: {len(key)} characters, at least {SHORTEST_KEY} are needed."
        )
    return key


def extension(app: Flask, name: str, kind: type[T]) -> T:
    """The extension of an application that is stored under this name; TypeError if it is of another kind."""
    stored = app.extensions[name]
    if not isinstance(stored, kind):
        raise TypeError(f"{name} holds a {type(stored).__name__}")
    return stored


def settings_of(app: Flask) -> Settings:
    """The settings with which an application was made."""
    settings: Settings = app.config["PORTAL"]
    return settings
