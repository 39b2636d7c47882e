from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from portal.config import Settings, SettingsError, read_settings
from portal.mail.transport import mail_config

KEY = "k" * 32


def test_defaults_are_a_sqlite_file_and_a_mailbox_in_the_instance_folder(tmp_path: Path) -> None:
    settings = read_settings({"PORTAL_SECRET_KEY": KEY, "PORTAL_INSTANCE": str(tmp_path)})
    assert settings.mode == "production"
    assert settings.sqlalchemy_url == f"sqlite:///{tmp_path}/portal.sqlite"
    assert settings.upload_bytes == 5 * 1024 * 1024


@pytest.mark.parametrize("key", ["", "short"])
def test_production_does_not_start_without_a_good_secret_key(key: str) -> None:
    with pytest.raises(SettingsError, match="PORTAL_SECRET_KEY"):
        read_settings({"PORTAL_SECRET_KEY": key})


def test_a_command_that_answers_no_requests_needs_no_secret_key() -> None:
    assert len(read_settings({}, serving=False).secret_key) >= 32


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PORTAL_MODE", "staging"),
        ("PORTAL_UPLOAD_MB", "many"),
        ("PORTAL_UPLOAD_MB", "0"),
        ("PORTAL_BASE_URL", "portal.example.edu"),
        ("PORTAL_MAIL_URL", "pigeon://loft"),
        ("PORTAL_PROXIES", "-1"),
        ("PORTAL_DATABASE_URL", "portal.sqlite"),
        ("PORTAL_DATABASE_URL", "mysql://host/portal"),
        ("PORTAL_LIMITS_URL", "memcached://host"),
        ("PORTAL_LIMITS_URL", "memory"),
        ("PORTAL_BASE_URL", "https://[portal"),
        ("PORTAL_BASE_URL", "https://portal.example.edu:99999"),
        ("PORTAL_BASE_URL", "https://portal\n.example.edu"),
        ("PORTAL_BASE_URL", "https://portal.example.edu/?from=mail"),
        ("PORTAL_BASE_URL", "https://user:word@portal.example.edu"),
        ("PORTAL_MAIL_URL", "smtp://user:pass#word@mail.example.edu:587"),
        ("PORTAL_MAIL_URL", "smtp:mail.example.edu"),
        ("PORTAL_MAIL_URL", "file://folder"),
        ("PORTAL_MAIL_SENDER", "the portal"),
        ("PORTAL_MAIL_SENDER", "portal@example.edu\nBcc: other@example.edu"),
        ("PORTAL_CONTACT", "café@example.edu"),
        ("PORTAL_CONTACT", "the admissions office"),
        ("PORTAL_CONTACT", "Admissions <admissions@example.edu>"),
        ("PORTAL_CONTACT", "a@example.edu, b@example.edu"),
        ("PORTAL_CONTACT", "admissions@example.edu\nBcc: other@example.edu"),
        ("PORTAL_NAME", "Two\nlines"),
        ("PORTAL_NAME", "P" * 61),
        ("PORTAL_OPERATOR", "Example University\u2028Bcc: other@example.edu"),
        ("PORTAL_PRIVACY_URL", "www.example.edu/privacy"),
        ("PORTAL_PRIVACY_URL", "javascript:alert(1)"),
        ("PORTAL_IMPRINT_URL", "https://www.example.edu/im print"),
        ("PORTAL_ACCESSIBILITY_URL", "https://user:word@www.example.edu/"),
        ("PORTAL_DATABASE_URL", "postgresql://user:word@host:port/portal"),
        ("PORTAL_LIMITS_URL", "redis://host:port"),
        ("PORTAL_JOBS_URL", "redis://host:port/1"),
        ("PORTAL_DATABASE_URL", "sqlite://"),
        ("PORTAL_DATABASE_URL", "sqlite:///:memory:"),
        ("PORTAL_LIMITS_URL", "redis://host:6379/limits"),
        ("PORTAL_JOBS_URL", "rediss://host:6379/jobs"),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_by_its_name(variable: str, value: str) -> None:
    with pytest.raises(SettingsError, match=variable):
        read_settings({"PORTAL_SECRET_KEY": KEY, variable: value})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PORTAL_DATABASE_URL", "mysql://u:secret-word@host/portal"),
        ("PORTAL_DATABASE_URL", "postgresql://u:secret-word@host:port/portal"),
        ("PORTAL_MAIL_URL", "stmp://u:secret-word@host:587"),
        ("PORTAL_MAIL_URL", "smtp://u:secret-word#@host:587"),
        ("PORTAL_JOBS_URL", "redis://u:secret-word@host:port"),
        ("PORTAL_JOBS_URL", "redis://u:secret-word@host/jobs"),
    ],
)
def test_the_reason_against_an_address_does_not_repeat_its_password(variable: str, value: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_settings({"PORTAL_SECRET_KEY": KEY, variable: value})
    assert "secret-word" not in str(refused.value)


def test_a_sender_may_have_a_name() -> None:
    sender = "Ph.D. Portal <portal@example.edu>"
    assert read_settings({"PORTAL_SECRET_KEY": KEY, "PORTAL_MAIL_SENDER": sender}).mail_sender == sender


def test_a_contact_is_one_address_or_none() -> None:
    contacts = {
        text: read_settings({"PORTAL_CONTACT": text}, serving=False).contact for text in ("", " hi@Example.EDU ")
    }
    assert contacts == {"": "", " hi@Example.EDU ": "hi@example.edu"}


def test_a_misspelt_setting_is_refused_and_the_known_ones_are_listed() -> None:
    with pytest.raises(SettingsError, match=r"PORTAL_DATABSE_URL.*PORTAL_DATABASE_URL"):
        read_settings({"PORTAL_SECRET_KEY": KEY, "PORTAL_DATABSE_URL": "sqlite://"})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PORTAL_BASE_URL", "https://portal.example.edu/phd"),
        ("PORTAL_DATABASE_URL", "sqlite:////srv/portal.sqlite"),
        ("PORTAL_DATABASE_URL", "sqlite:///portal.sqlite?timeout=20"),
        ("PORTAL_DATABASE_URL", "postgresql://u@/portal?host=/run/postgresql&connect_timeout=3"),
        ("PORTAL_DATABASE_URL", "postgresql://u@/portal?host=one:5432&host=two:5432&target_session_attrs=read-write"),
        ("PORTAL_LIMITS_URL", "redis://host:6379/2"),
        ("PORTAL_LIMITS_URL", "redis+unix:///run/redis.sock"),
        ("PORTAL_JOBS_URL", "unix:///run/redis.sock?db=1"),
        ("PORTAL_JOBS_URL", "redis://host"),
    ],
)
def test_an_address_in_any_of_its_usual_forms_is_accepted(variable: str, value: str) -> None:
    assert read_settings({"PORTAL_SECRET_KEY": KEY, variable: value}).mode == "production"


def test_a_mailbox_folder_that_cannot_be_made_is_refused_by_the_name_of_its_setting(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(SettingsError, match="PORTAL_MAIL_URL"):
        mail_config(read_settings({"PORTAL_SECRET_KEY": KEY, "PORTAL_MAIL_URL": f"file://{tmp_path}/file/mail"}))


@pytest.mark.parametrize("scheme", ["postgres", "postgresql"])
def test_a_postgresql_address_gets_the_driver_that_is_installed(scheme: str) -> None:
    settings = read_settings({"PORTAL_SECRET_KEY": KEY, "PORTAL_DATABASE_URL": f"{scheme}://u:p@host/db"})
    assert settings.sqlalchemy_url == "postgresql+psycopg://u:p@host/db"


def test_cookies_are_for_https_only_where_the_portal_is() -> None:
    assert read_settings({"PORTAL_SECRET_KEY": KEY, "PORTAL_BASE_URL": "https://p.example"}).secure_cookies is True
    assert read_settings({"PORTAL_SECRET_KEY": KEY, "PORTAL_BASE_URL": "http://p.example"}).secure_cookies is False


def test_every_setting_is_documented() -> None:
    documented = (Path(__file__).parents[1] / "docs" / "configuration.md").read_text(encoding="utf-8")
    missing = [spec.metadata["variable"] for spec in fields(Settings) if spec.metadata["variable"] not in documented]
    assert missing == []


@pytest.mark.parametrize("url", ["smtp://mail.example.edu", "smtps://u:p@mail.example.edu"])
def test_production_with_a_mail_server_needs_a_sender(url: str) -> None:
    settings = {"PORTAL_MAIL_URL": url, "PORTAL_MAIL_SENDER": " "}
    with pytest.raises(SettingsError, match="PORTAL_MAIL_SENDER is not set"):
        read_settings(settings, serving=False)
    named = read_settings({**settings, "PORTAL_MAIL_SENDER": "portal@example.edu"}, serving=False)
    assert named.mail_sender == "portal@example.edu"
    assert read_settings({**settings, "PORTAL_MODE": "development"}).mail_sender == "portal@localhost.localdomain"
    assert read_settings({"PORTAL_MAIL_URL": "file:///mails"}, serving=False).mail_url == "file:///mails"
