"""Every role against every address: scopes, roles that were taken away, tokens that ended, cookies that never count."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
import time_machine
from sqlalchemy import select

from portal.accounts.api_tokens import SCOPES
from portal.accounts.service import token_digest
from portal.api.callers import Needs, needs_of
from portal.db import db
from portal.models import ApiToken, Role, User
from portal.web.access import WHO
from tests.api.conftest import bearer
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.people import Person

PAGES = {"api-documents.openapi", "api-documents.documentation"}
ALL = frozenset(scope.name for scope in SCOPES)
ROLES: tuple[tuple[str, ...], ...] = ((), ("applicant",), ("professor",), ("admin",), ("applicant", "admin"))


@dataclass(frozen=True)
class Address:
    """A method of an address, with what it needs."""

    method: str
    path: str
    needs: Needs
    documented: frozenset[int]


def addresses(app: Flask) -> list[Address]:
    """Every method of every address of the interface but its two documents."""
    found = []
    paths = app.test_client().get("/api/v1/openapi.json").get_json()["paths"]
    with app.app_context():
        for rule in app.url_map.iter_rules():
            if not rule.rule.startswith("/api/") or rule.endpoint in PAGES:
                continue
            document = paths[re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule)]
            path = re.sub("<int:[a-z_]+>", "987654", rule.rule)
            for name in rule.arguments:
                path = path.replace(f"<{name}>", "no-such-thing")
            declared = needs_of(rule.endpoint)
            assert declared is not None, rule.rule
            assert declared.scope is not None, rule.rule
            for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
                responses = document[method.lower()]["responses"]
                found.append(Address(method, path, declared, frozenset(map(int, responses))))
    return found


def token_of(person: Person, scopes: Iterable[str], text: str) -> dict[str, str]:
    """A token with any scopes, as if its owner had held every role when it was made."""
    now = datetime.now(UTC)
    with person.app.app_context():
        end = now + timedelta(days=1)
        row = ApiToken(
            user_id=person.id, name="t", digest=token_digest(text), hint="t", scopes=sorted(scopes), created_at=now
        )
        row.expires_at = end
        db.session.add(row)
        db.session.commit()
    return {"Authorization": f"Bearer {text}"}


def ask(api: FlaskClient, address: Address, headers: dict[str, str] | None = None) -> tuple[int, str]:
    """The status of an answer, which the document has, and its sentence if it is a refusal."""
    response = api.open(address.path, method=address.method, json={}, headers=headers or {})
    assert response.status_code < 500, address
    assert response.status_code in address.documented, (address, response.status_code)
    return response.status_code, response.get_json().get("detail", "")


def test_the_document_says_the_scope_of_every_address(served: Flask, api: FlaskClient) -> None:
    paths = api.get("/api/v1/openapi.json").get_json()["paths"]
    said = [operation["x-scope"] for path in paths.values() for name, operation in path.items() if name != "parameters"]
    assert sorted(said) == sorted(address.needs.scope.name for address in addresses(served) if address.needs.scope)
    assert set(said) == ALL


@pytest.mark.usefixtures("wide_limits")
def test_without_a_token_only_what_is_public_answers_and_a_cookie_is_no_token(served: Flask) -> None:
    signed_in = add_person(served, "applicant", "professor").sign_in()
    for address in addresses(served):
        for client in (served.test_client(), signed_in):
            status, said = ask(client, address)
            if address.needs.public:
                assert status not in {401, 403}, address
            else:
                assert (status, said[:19]) == (401, "This needs a token:"), address


@pytest.mark.usefixtures("wide_limits")
def test_a_token_gives_no_more_than_the_roles_of_its_owner(served: Flask, api: FlaskClient) -> None:
    for roles in ROLES:
        headers = token_of(add_person(served, *roles), ALL, f"phd_all-{'-'.join(roles)}")
        for address in addresses(served):
            assert address.needs.scope is not None
            status, said = ask(api, address, headers)
            if address.needs.scope.role in {None, *roles}:
                assert status not in {401, 403}, (roles, address)
            else:
                assert (status, said) == (403, WHO[str(address.needs.scope.role)]), (roles, address)


@pytest.mark.usefixtures("wide_limits")
def test_a_token_without_the_scope_is_refused_whoever_owns_it(served: Flask, api: FlaskClient) -> None:
    person = add_person(served, "applicant", "professor")
    for scope in SCOPES:
        headers = token_of(person, ALL - {scope.name}, f"phd_without-{scope.name}")
        for address in addresses(served):
            if address.needs.scope == scope:
                said = f"This token was not made for this: it lacks the scope {scope.name}."
                assert ask(api, address, headers) == (403, said), address


def test_what_changes_for_the_owner_changes_for_the_token_at_once(served: Flask, api: FlaskClient) -> None:
    person = add_person(served, "professor")
    headers = bearer(person)

    def labs() -> tuple[int, str]:
        response = api.get("/api/v1/reviews/labs", headers=headers)
        return response.status_code, response.get_json().get("detail", "")

    assert labs() == (200, "")
    with served.app_context():
        user = db.session.get_one(User, person.id)
        user.roles = []
        db.session.commit()
    assert labs() == (403, WHO["professor"])
    with served.app_context():
        user = db.session.get_one(User, person.id)
        user.roles = list(db.session.scalars(select(Role).where(Role.name == "professor")))
        user.active = False
        db.session.commit()
    assert labs() == (401, "The account of this token is suspended.")
    with served.app_context():
        db.session.get_one(User, person.id).active = True
        db.session.commit()
    assert labs() == (200, "")
    with time_machine.travel(datetime.now(UTC) + timedelta(days=2)):
        assert labs() == (401, "This token has expired. Make a new one on the page of your tokens.")
    with served.app_context():
        token = db.session.scalars(select(ApiToken).where(ApiToken.user_id == person.id)).one()
        token.revoked_at = datetime.now(UTC)
        db.session.commit()
    assert labs() == (401, "This token was revoked.")


def test_no_answer_sets_a_cookie(served: Flask, api: FlaskClient) -> None:
    for headers in ({}, bearer(add_person(served, "professor"))):
        for path in ("/api/v1/labs", "/api/v1/reviews/labs", "/api/v1/nothing"):
            assert "Set-Cookie" not in api.get(path, headers=headers).headers
