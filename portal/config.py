"""Settings: environment variables PORTAL_* as one dataclass, each with its default and its meaning."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, fields
from email.utils import parseaddr
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from urllib.parse import urlsplit

from portal.bucket import Bucket, BucketRefused, read_bucket

if TYPE_CHECKING:
    from collections.abc import Mapping
    from urllib.parse import SplitResult

Mode = Literal["production", "development", "demo", "testing"]
PACKAGE = Path(__file__).parent
# templates/, static/ and seeds/ are inside the package in a wheel, beside it in a checkout.
RESOURCES = PACKAGE if (PACKAGE / "templates").is_dir() else PACKAGE.parent
MODES: tuple[Mode, ...] = ("production", "development", "demo", "testing")
MAIL_SCHEMES = ("file", "smtp", "smtps", "console", "memory")
# Parts of a profile for which a setting can require an administrator's approval.
EDIT_GROUPS = ("identity", "texts", "people", "works", "systems", "activities", "openings")
LIMITS_SCHEMES = ("memory", "redis", "rediss", "redis+unix")


class SettingsError(ValueError):
    """An unusable setting; the message names the variable and says what to do."""


def _setting(variable: str, default: str, meaning: str) -> Any:  # noqa: ANN401  (dataclass fields take any type)
    return field(metadata={"variable": variable, "default": default, "meaning": meaning})


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings. Create it with `read_settings`."""

    mode: Mode = _setting(
        "PORTAL_MODE",
        "production",
        "production, development, demo or testing. Production refuses what is unsafe: a missing secret key, "
        "a demo database.",
    )
    secret_key: str = _setting(
        "PORTAL_SECRET_KEY",
        "",
        "Signs sessions and mailed links; at least 32 characters. Required in production.",
    )
    instance: Path = _setting(
        "PORTAL_INSTANCE", "instance", "Folder for the SQLite file, uploads and the file mailbox."
    )
    database_url: str = _setting(
        "PORTAL_DATABASE_URL", "", "SQLAlchemy address; empty: portal.sqlite in the instance folder."
    )
    files: Bucket | None = _setting(
        "PORTAL_FILES_URL",
        "",
        "Where uploads are stored: s3://bucket/folder of an S3-compatible service, with its keys in AWS_* variables; "
        "empty: the folder uploads/ in the instance folder.",
    )
    base_url: str = _setting(
        "PORTAL_BASE_URL", "http://localhost:8000", "Public address of the portal, for mails and feeds."
    )
    mail_url: str = _setting(
        "PORTAL_MAIL_URL",
        "",
        "smtp://user:password@host:587, smtps://…, file:///folder, console: or memory:; empty: the folder mail/ "
        "in the instance folder.",
    )
    mail_sender: str = _setting("PORTAL_MAIL_SENDER", "portal@localhost.localdomain", "From address of mails.")
    upload_mb: int = _setting("PORTAL_UPLOAD_MB", "5", "Largest resume, in MB (1 MB = 1,048,576 bytes).")
    extraction_slots: int = _setting(
        "PORTAL_EXTRACTION_SLOTS", "2", "How many resumes are processed at the same time on this host."
    )
    limits_url: str = _setting(
        "PORTAL_LIMITS_URL",
        "memory://",
        "Where rate limits are counted; redis://… when several processes serve.",
    )
    jobs_url: str = _setting(
        "PORTAL_JOBS_URL",
        "",
        "Queue of jobs and mail: redis://… when several hosts serve; empty: jobs.sqlite in the instance folder.",
    )
    proxies: int = _setting(
        "PORTAL_PROXIES",
        "0",
        "How many reverse proxies are in front of the portal and set X-Forwarded-* headers.",
    )
    confirm_days: int = _setting(
        "PORTAL_CONFIRM_DAYS",
        "180",
        "How many days a lab's confirmation of its profile lasts; then the profile is marked and its leaders are "
        "reminded.",
    )
    approval: frozenset[str] = _setting(
        "PORTAL_APPROVAL",
        "identity",
        "Which edits by a lab's leaders need an administrator's approval: identity (names, institution, place, home "
        "page), texts, people, works, systems, activities, openings, separated by commas; all; or none.",
    )
    demo_password: str = _setting(
        "PORTAL_DEMO_PASSWORD", "", "Password of the demo accounts; empty: one is generated and printed."
    )

    @property
    def sqlalchemy_url(self) -> str:
        """The database URL, or its default."""
        return self.database_url or f"sqlite:///{self.instance / 'portal.sqlite'}"

    @property
    def uploads(self) -> Path | Bucket:
        """Where uploads are stored, or its default."""
        return self.files or self.instance / "uploads"

    @property
    def upload_bytes(self) -> int:
        """The maximum size of a resume in bytes."""
        return self.upload_mb * 1024 * 1024

    @property
    def secure_cookies(self) -> bool:
        """Whether cookies are restricted to https: if the portal is reached by https."""
        return urlsplit(self.base_url).scheme == "https"


def _whole(variable: str, text: str, least: int, most: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise SettingsError(f"{variable} takes a whole number, not {text!r}.") from None
    if not least <= number <= most:
        raise SettingsError(f"{variable} takes a number from {least} to {most}, not {number}.")
    return number


def read_settings(environ: Mapping[str, str], *, serving: bool = True) -> Settings:
    """Read the settings from `environ`.

    Args:
        environ: Variables by name. Besides PORTAL_*, only AWS_* are read, and only if PORTAL_FILES_URL is set.
        serving: Whether requests will be served; only then does production need a secret key.

    Raises:
        SettingsError: A variable is unknown or has an unusable value.
    """
    specifications = {spec.metadata["variable"]: spec for spec in fields(Settings)}
    unknown = sorted(
        name
        for name in environ
        if name.startswith("PORTAL_") and not name.startswith("PORTAL_TEST_") and name not in specifications
    )
    if unknown:
        known = ", ".join(sorted(specifications))
        raise SettingsError(f"Unknown setting {', '.join(unknown)}. Known are: {known}.")
    values = {
        spec.name: environ.get(variable, "").strip() or spec.metadata["default"]
        for variable, spec in specifications.items()
    }
    if values["mode"] not in MODES:
        raise SettingsError(f"PORTAL_MODE takes one of {', '.join(MODES)}, not {values['mode']!r}.")
    mode = cast("Mode", values["mode"])
    return Settings(
        mode=mode,
        secret_key=_secret_key(values["secret_key"], mode, serving=serving),
        instance=Path(values["instance"]).expanduser().resolve(),
        database_url=_database_url(values["database_url"]),
        files=_files(values["files"], environ),
        base_url=_base_url(values["base_url"]),
        mail_url=_mail_url(values["mail_url"]),
        mail_sender=_mail_sender(values["mail_sender"]),
        upload_mb=_whole("PORTAL_UPLOAD_MB", values["upload_mb"], 1, 100),
        extraction_slots=_whole("PORTAL_EXTRACTION_SLOTS", values["extraction_slots"], 1, 64),
        limits_url=_limits_url(values["limits_url"]),
        jobs_url=_jobs_url(values["jobs_url"]),
        proxies=_whole("PORTAL_PROXIES", values["proxies"], 0, 10),
        confirm_days=_whole("PORTAL_CONFIRM_DAYS", values["confirm_days"], 1, 3650),
        approval=_approval(values["approval"]),
        demo_password=values["demo_password"],
    )


def _approval(text: str) -> frozenset[str]:
    if text in {"all", "none"}:
        return frozenset(EDIT_GROUPS if text == "all" else ())
    groups = frozenset(part.strip() for part in text.split(","))
    if not groups <= set(EDIT_GROUPS):
        raise SettingsError(f"PORTAL_APPROVAL takes all, none, or some of {', '.join(EDIT_GROUPS)}, not {text!r}.")
    return groups


def _secret_key(key: str, mode: Mode, *, serving: bool) -> str:
    shortest = 32
    if mode != "production" or not serving:
        return key or secrets.token_urlsafe(shortest)
    if not key:
        raise SettingsError(
            "PORTAL_SECRET_KEY is not set, and the portal does not start in production without it. Make one with "
            "`python3 -c 'import secrets; print(secrets.token_urlsafe(48))'`, or set PORTAL_MODE=development to try "
            "things out."
        )
    if len(key) < shortest:
        raise SettingsError(f"PORTAL_SECRET_KEY is too short: {len(key)} characters, at least {shortest} are needed.")
    return key


def _parts(variable: str, url: str) -> SplitResult:
    """The parts of a URL.

    Raises:
        SettingsError: It cannot be parsed. The message does not repeat it, since it may contain a password.
    """
    try:
        parts = urlsplit(url)
        readable = url.isprintable() and " " not in parts.netloc and (parts.port is None or parts.port > 0)
    except ValueError:
        readable = False
    if not readable:
        raise SettingsError(
            f"{variable} is an address that cannot be read: look at its host and its port. In a user name or a "
            "password, # is written as %23, / as %2F, : as %3A, ? as %3F, @ as %40, [ as %5B, ] as %5D."
        )
    return parts


def _database_url(url: str) -> str:
    scheme, separator, rest = url.partition("://")
    if not url or (separator and scheme == "sqlite"):
        return url
    if not separator or scheme not in {"postgres", "postgresql", "postgresql+psycopg"}:
        # The URL is not repeated, since it may contain a password.
        raise SettingsError(
            "PORTAL_DATABASE_URL takes an address such as sqlite:////folder/portal.sqlite or "
            "postgresql://user:password@host/name."
        )
    _parts("PORTAL_DATABASE_URL", url)
    _require("psycopg", "postgres", "PORTAL_DATABASE_URL")
    return f"postgresql+psycopg://{rest}"


def _files(url: str, environ: Mapping[str, str]) -> Bucket | None:
    try:
        return read_bucket(url, environ) if url else None
    except BucketRefused as refusal:
        raise SettingsError(f"PORTAL_FILES_URL {refusal}") from None


def _limits_url(url: str) -> str:
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in LIMITS_SCHEMES:
        raise SettingsError(f"PORTAL_LIMITS_URL takes an address with one of {', '.join(LIMITS_SCHEMES)} before ://.")
    if scheme != "memory":
        _parts("PORTAL_LIMITS_URL", url)
        _require("redis", "redis", "PORTAL_LIMITS_URL")
    return url


def _jobs_url(url: str) -> str:
    if not url:
        return url
    if _parts("PORTAL_JOBS_URL", url).scheme not in {"redis", "rediss", "unix"}:
        raise SettingsError("PORTAL_JOBS_URL takes an address such as redis://host:6379/1, or nothing.")
    _require("redis", "redis", "PORTAL_JOBS_URL")
    return url


def _require(module: str, extra: str, variable: str) -> None:
    """Check that a setting's driver is installed."""
    if find_spec(module) is None:
        raise SettingsError(f"{variable} needs a driver that is not installed: pip install 'phd-portal[{extra}]'.")


def _base_url(url: str) -> str:
    parts = _parts("PORTAL_BASE_URL", url)
    more = parts.query or parts.fragment or parts.username is not None
    if parts.scheme not in {"http", "https"} or not parts.hostname or more:
        raise SettingsError(f"PORTAL_BASE_URL takes an address such as https://portal.example.edu, not {url!r}.")
    return url.rstrip("/")


def _mail_url(url: str) -> str:
    if not url:
        return url
    parts = _parts("PORTAL_MAIL_URL", url)
    if parts.scheme not in MAIL_SCHEMES:
        raise SettingsError(f"PORTAL_MAIL_URL takes one of the schemes {', '.join(MAIL_SCHEMES)}.")
    if parts.scheme in {"smtp", "smtps"} and not parts.hostname:
        raise SettingsError("PORTAL_MAIL_URL names no mail server. Write it as in smtp://mail.example.edu:587.")
    if parts.scheme == "file" and (parts.netloc or not parts.path.startswith("/")):
        raise SettingsError("PORTAL_MAIL_URL takes the whole path of a folder, as in file:///var/mail/portal.")
    return url


def _mail_sender(sender: str) -> str:
    _, address = parseaddr(sender)
    local, _, domain = address.rpartition("@")
    if not (sender.isprintable() and local and domain) or " " in address:
        raise SettingsError(
            "PORTAL_MAIL_SENDER takes an address such as portal@example.edu or Ph.D. Portal <portal@example.edu>, "
            f"not {sender!r}."
        )
    return sender
