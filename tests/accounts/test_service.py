from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.accounts import service
from portal.accounts.service import AddressError, has_stated_interests, labs_read_by, person_by_address
from portal.models import AuditEntry, Interests, InterestTopic, Lab, LabProfessor, Resume, Role, User
from tests.accounts.mailbox import sign_in

if TYPE_CHECKING:
    from flask import Flask
    from sqlalchemy.orm import Session

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PASSWORD = "caf\u00e9 au lait matin"


def make(session: Session, email: str = "Mei@Example.edu", *roles: str) -> User:
    return service.create_person(session, email, PASSWORD, roles, name=" Li  Mei", confirmed=True, now=NOW)


def test_a_made_person_can_sign_in(app: Flask, session: Session) -> None:
    user = make(session, "Mei@Example.edu", "professor", "admin", "professor")
    assert (user.email, user.name, user.confirmed_at, user.created_at) == ("mei@example.edu", "Li Mei", NOW, NOW)
    assert sorted(role.name for role in user.roles) == ["admin", "professor"]
    session.commit()
    assert sign_in(app.test_client(), "mei@example.edu", PASSWORD).status_code == 302


def test_making_a_person_is_in_the_audit_log_without_the_password(session: Session) -> None:
    make(session, "mei@example.edu", "admin")
    (entry,) = session.scalars(select(AuditEntry))
    assert (entry.act, entry.object_key, entry.actor_label) == ("account.create", "mei@example.edu", "command line")
    assert entry.after == {"email": "mei@example.edu", "roles": ["admin"]}


def test_one_address_has_one_account(session: Session) -> None:
    make(session)
    with pytest.raises(service.AccountError, match="has an account already"):
        make(session, "MEI@example.edu")


@pytest.mark.parametrize(
    ("email", "roles", "name", "error"),
    [
        ("mei", ["admin"], "", AddressError),
        ("mei@example.edu", ["admin"], "x" * 201, service.AccountError),
    ],
)
def test_what_cannot_be_an_account_is_refused(
    session: Session, email: str, roles: list[str], name: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        service.create_person(session, email, PASSWORD, roles, name=name, confirmed=True, now=NOW)
    assert session.scalars(select(User)).all() == []


def test_the_roles_are_made_once(session: Session) -> None:
    assert sorted(service.ensure_roles(session)) == ["admin", "applicant", "professor"]
    session.flush()
    service.ensure_roles(session)
    assert len(session.scalars(select(Role)).all()) == 3


def test_a_role_is_given_once_and_logged(session: Session) -> None:
    user = make(session)
    assert service.grant_role(session, user, "professor", author=user, now=NOW)
    assert not service.grant_role(session, user, "professor", author=user, now=NOW)
    acts = session.scalars(select(AuditEntry.act).order_by(AuditEntry.id)).all()
    assert acts == ["account.create", "account.grant_role"]


def test_a_new_password_ends_all_sessions(session: Session) -> None:
    user = make(session)
    before = user.fs_uniquifier
    service.set_password(session, user, "another long password", author=None, now=NOW)
    assert user.fs_uniquifier != before


def test_a_name_that_cannot_be_shown_is_not_written(session: Session) -> None:
    user = make(session)
    with pytest.raises(service.AccountError):
        service.rename(session, user, "a\x00b")
    assert user.name == "Li Mei"


def test_an_address_confirmed_once_keeps_its_date(session: Session) -> None:
    user = make(session)
    service.confirm(session, user, now=datetime(2027, 1, 1, tzinfo=UTC))
    assert user.confirmed_at == NOW


def test_the_second_step_is_forgotten_wholly(session: Session) -> None:
    user = make(session)
    user.tf_primary_method, user.tf_totp_secret, user.tf_last_counter = "authenticator", "{}", 7
    user.mf_recovery_codes = ["x"]
    service.forget_second_factor(session, user, author=None, now=NOW)
    session.flush()
    session.expire(user)
    kept = [user.tf_primary_method, user.tf_totp_secret, user.tf_last_counter, user.mf_recovery_codes]
    assert kept == [None] * 4


def test_a_person_is_found_by_every_spelling_of_the_address(session: Session) -> None:
    user = make(session)
    assert person_by_address(session, " MEI@EXAMPLE.EDU") is user
    assert person_by_address(session, "nobody@example.edu") is None


@pytest.mark.parametrize(
    ("what", "stated"),
    [
        ("nothing", False),
        ("empty interests", False),
        ("topic", True),
        ("statement", True),
        ("resume", False),
        ("confirmed resume", True),
        ("topic of somebody else", False),
    ],
)
def test_what_counts_as_stated(session: Session, what: str, stated: bool) -> None:  # noqa: FBT001
    user, other = make(session), make(session, "other@example.edu")
    owner = other if what == "topic of somebody else" else user
    if what in {"empty interests", "topic", "statement", "topic of somebody else"}:
        interests = Interests(user_id=owner.id, changed_at=NOW, statement="x" if what == "statement" else "")
        if what.startswith("topic"):
            interests.topics.append(InterestTopic(position=0, text="LLM serving"))
        session.add(interests)
    if what.endswith("resume"):
        confirmed = NOW if what.startswith("confirmed") else None
        session.add(Resume(user_id=user.id, kind="pasted", text="x", uploaded_at=NOW, confirmed_at=confirmed))
    session.flush()
    assert has_stated_interests(session, user) is stated


def test_the_labs_of_a_professor_are_listed_by_name(session: Session) -> None:
    user, other = make(session), make(session, "other@example.edu")
    for slug, name, reader in (("b", "Beta", user), ("a", "Alpha", user), ("c", "Gamma", other)):
        lab = Lab(slug=slug, name=name, changed_at=NOW)
        session.add(lab)
        session.flush()
        session.add(LabProfessor(lab_id=lab.id, user_id=reader.id))
    session.flush()
    assert [lab.name for lab in labs_read_by(session, user)] == ["Alpha", "Beta"]
