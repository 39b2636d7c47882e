"""Settings: environment variables PORTAL_* as one dataclass, each with its default and its meaning."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast
from urllib.parse import urlsplit

from portal import config_addresses as addresses

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Flask

    from portal.config_addresses import Bucket, Network


T = TypeVar("T")
U = TypeVar("U")
Mode = Literal["production", "development", "demo", "testing"]
PACKAGE = Path(__file__).parent
SQLITE_FILE = "portal.sqlite"  # in the instance folder
# templates/, static/ and seeds/ are inside the package in a wheel, beside it in a checkout.
RESOURCES = PACKAGE if (PACKAGE / "templates").is_dir() else PACKAGE.parent
MODES: tuple[Mode, ...] = ("production", "development", "demo", "testing")
LONGEST_NAME = 60  # of the portal: it stands in every title and in the header
LONGEST_OPERATOR = 200
SHORTEST_KEY = 32


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
        "PORTAL_BASE_URL", "http://localhost:8000", "Public address of the portal, for mails and the sitemap."
    )
    name: str = _setting(
        "PORTAL_NAME",
        "Ph.D. Portal",
        "Name of the portal in the header of pages, in mails and calendars; at most 60 characters.",
    )
    operator: str = _setting(
        "PORTAL_OPERATOR",
        "",
        "Who runs the portal, such as Department of Computer Science, Example University: named at the foot of pages "
        "and mails; empty: nobody is named.",
    )
    privacy_url: str = _setting(
        "PORTAL_PRIVACY_URL",
        "",
        "Address of your privacy notice: linked at the foot of pages and mails and where people register, upload a "
        "resume or write a letter; empty: none.",
    )
    imprint_url: str = _setting(
        "PORTAL_IMPRINT_URL",
        "",
        "Address of your imprint or legal notice, linked at the foot of pages; empty: none.",
    )
    accessibility_url: str = _setting(
        "PORTAL_ACCESSIBILITY_URL",
        "",
        "Address of your accessibility statement, linked at the foot of pages; empty: none.",
    )
    mail_url: str = _setting(
        "PORTAL_MAIL_URL",
        "",
        "smtp://user:password@host:587, smtps://…, file:///folder, console: or memory:; empty: the folder mail/ "
        "in the instance folder.",
    )
    mail_sender: str = _setting(
        "PORTAL_MAIL_SENDER",
        "portal@localhost.localdomain",
        "From address of mails. Required in production with a mail server.",
    )
    contact: str = _setting(
        "PORTAL_CONTACT",
        "",
        "Whom to write to: an e-mail address that pages and mails name where they say to contact the administrators, "
        "and to which answers to mails go; empty: none is named.",
    )
    upload_mb: int = _setting("PORTAL_UPLOAD_MB", "5", "Largest resume, in MB (1 MB = 1,048,576 bytes).")
    extraction_slots: int = _setting(
        "PORTAL_EXTRACTION_SLOTS", "2", "How many resumes are processed at the same time on this host."
    )
    limits_url: str = _setting(
        "PORTAL_LIMITS_URL",
        "memory://",
        "Where rate limits are counted; redis://… when several processes serve.",
    )
    shared_networks: tuple[Network, ...] = _setting(
        "PORTAL_SHARED_NETWORKS",
        "",
        "Networks of which many people share an address, such as a campus: 203.0.113.7 or 198.51.100.0/24, separated "
        "by commas. Limits for each network are ten times as high there; empty: none.",
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
    concepts: Path = _setting(
        "PORTAL_CONCEPTS",
        "",
        "File of concepts, the field's terms for plain words; empty: the file that comes with the portal.",
    )
    demo_password: str = _setting(
        "PORTAL_DEMO_PASSWORD", "", "Password of the demo accounts; empty: one is generated and printed."
    )

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


def _whole(variable: str, text: str, least: int, most: int) -> int:
    try:
        number = int(text)
    except ValueError:
        raise SettingsError(f"{variable} takes a whole number, not {text!r}.") from None
    if not least <= number <= most:
        raise SettingsError(f"{variable} takes a number from {least} to {most}, not {number}.")
    return number


def _one_line(variable: str, text: str, longest: int) -> str:
    if not text.isprintable() or len(text) > longest:
        raise SettingsError(f"{variable} takes one line of at most {longest} characters, not {text!r}.")
    return text


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
    settings = Settings(
        mode=mode,
        secret_key=_secret_key(values["secret_key"], mode, serving=serving),
        instance=Path(values["instance"]).expanduser().resolve(),
        database_url=_accepted("PORTAL_DATABASE_URL", addresses.database_url, values["database_url"], ""),
        files=_accepted("PORTAL_FILES_URL", partial(addresses.read_bucket, environ=environ), values["files"], None),
        base_url=_accepted("PORTAL_BASE_URL", addresses.base_url, values["base_url"], ""),
        name=_one_line("PORTAL_NAME", values["name"], LONGEST_NAME),
        operator=_one_line("PORTAL_OPERATOR", values["operator"], LONGEST_OPERATOR),
        privacy_url=_accepted("PORTAL_PRIVACY_URL", addresses.page_url, values["privacy_url"], ""),
        imprint_url=_accepted("PORTAL_IMPRINT_URL", addresses.page_url, values["imprint_url"], ""),
        accessibility_url=_accepted("PORTAL_ACCESSIBILITY_URL", addresses.page_url, values["accessibility_url"], ""),
        mail_url=_accepted("PORTAL_MAIL_URL", addresses.mail_url, values["mail_url"], ""),
        mail_sender=_accepted("PORTAL_MAIL_SENDER", addresses.mail_sender, values["mail_sender"], ""),
        contact=_accepted("PORTAL_CONTACT", addresses.contact, values["contact"], ""),
        upload_mb=_whole("PORTAL_UPLOAD_MB", values["upload_mb"], 1, 100),
        extraction_slots=_whole("PORTAL_EXTRACTION_SLOTS", values["extraction_slots"], 1, 64),
        limits_url=_accepted("PORTAL_LIMITS_URL", addresses.limits_url, values["limits_url"], ""),
        shared_networks=_accepted("PORTAL_SHARED_NETWORKS", addresses.networks, values["shared_networks"], ()),
        jobs_url=_accepted("PORTAL_JOBS_URL", addresses.jobs_url, values["jobs_url"], ""),
        proxies=_whole("PORTAL_PROXIES", values["proxies"], 0, 10),
        confirm_days=_whole("PORTAL_CONFIRM_DAYS", values["confirm_days"], 1, 3650),
        concepts=_concepts(values["concepts"]),
        demo_password=values["demo_password"],
    )
    if mode == "production":
        _require_sender(environ, settings.mail_url)
    return settings


def _require_sender(environ: Mapping[str, str], mail_url: str) -> None:
    if mail_url.startswith("smtp") and not environ.get("PORTAL_MAIL_SENDER", "").strip():
        raise SettingsError(
            "PORTAL_MAIL_SENDER is not set, and mail servers refuse mails of nobody's domain. Set it to an address of "
            "yours, such as portal@example.edu."
        )


def _accepted(variable: str, check: Callable[[str], T], text: str, none: U) -> T | U:
    """The address that `check` gives, or `none` where the text is empty."""
    try:
        return check(text) if text else none
    except addresses.AddressRefused as refusal:
        raise SettingsError(f"{variable} {refusal}") from None


def _concepts(text: str) -> Path:
    path = Path(text).expanduser().resolve() if text else RESOURCES / "seeds" / "concepts.toml"
    if not path.is_file():
        raise SettingsError(f"PORTAL_CONCEPTS takes the path of a file, and there is none at {path}.")
    return path


def _secret_key(key: str, mode: Mode, *, serving: bool) -> str:
    if mode != "production" or not serving:
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
    """The extension of an application that is stored under this name.

    Raises:
        KeyError: There is none.
        TypeError: It is of another kind.
    """
    stored = app.extensions[name]
    if not isinstance(stored, kind):
        raise TypeError(f"{name} holds a {type(stored).__name__}")
    return stored


def settings_of(app: Flask) -> Settings:
    """The settings with which an application was made."""
    settings: Settings = app.config["PORTAL"]
    return settings
