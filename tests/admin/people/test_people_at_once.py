"""Invitations when several do the same in one moment, on SQLite and on PostgreSQL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from flask_security import verify_password
from sqlalchemy import func, select

from portal.db import db
from portal.models import AccountInvitation, User
from tests.at_once import at_once
from tests.databases import application_over_each
from tests.meanwhile import meanwhile
from tests.people import add_person, csrf_token, submit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse


INVITE = "/admin/people/invitations"
FOUR = range(4)
app = application_over_each(requests_anew=True)


def statuses(acts: list[Callable[[], TestResponse]]) -> list[int]:
    return sorted(answer.status_code for answer in at_once(lambda number: acts[number](), len(acts)))


def posts(client: FlaskClient, url: str, data: Mapping[str, object], page: str) -> Callable[[], TestResponse]:
    """The form is filled in now and sent later."""
    filled = {"csrf_token": csrf_token(client, page), **data}
    return lambda: client.post(url, data=filled)


def opens(client: FlaskClient, url: str) -> Callable[[], TestResponse]:
    return lambda: client.get(url)


def test_people_who_do_the_same_at_once_do_it_once(app: Flask) -> None:
    desks = [add_person(app, "admin").sign_in() for _ in FOUR]
    form = {"addresses": "li@example.edu", "roles": ["professor"], "lab": ""}
    assert statuses([posts(desk, INVITE, form, INVITE) for desk in desks]) == [302] * 4
    mails = app.extensions["mailman"].outbox
    assert [mail.to for mail in mails] == [["li@example.edu"]]
    found = re.search(r"/join/\S+", mails[0].body)
    assert found is not None
    link, word = found.group(), "three calm otters"
    data = {"name": "Li", "password": word, "password_confirm": word}
    taken = statuses([posts(app.test_client(), link, data, link) for _ in FOUR])
    assert (taken[0], set(taken[1:]) <= {404, 410}) == (302, True)
    assert db.session.scalar(select(func.count()).select_from(User).where(User.email == "li@example.edu")) == 1
    assert db.session.scalars(select(AccountInvitation.taken_at)).one() is not None


def test_who_registers_in_the_moment_in_which_they_take_an_invitation_has_one_account_with_its_rights(
    app: Flask,
) -> None:
    add_person(app, "applicant", "professor")
    desk, address, word = add_person(app, "admin").sign_in(), "li@example.edu", "three calm otters"
    submit(desk, INVITE, {"addresses": address, "roles": ["professor"], "lab": ""})
    found = re.search(r"/join/\S+", app.extensions["mailman"].outbox[0].body)
    assert found is not None
    joins = posts(
        app.test_client(), found.group(), {"name": "Li", "password": word, "password_confirm": word}, found[0]
    )
    account = {"email": address, "password": "another long word", "password_confirm": "another long word"}
    registers = posts(app.test_client(), "/accounts/register", account, "/accounts/register")
    with meanwhile(app, "INSERT INTO user_account", registers):
        taken = joins()
    assert (taken.status_code, taken.location) == (302, "/accounts/landing")
    db.session.expire_all()
    person = db.session.scalars(select(User).where(User.email == address)).one()
    assert (person.confirmed_at is not None, verify_password(word, person.password or "")) == (True, True)
    assert "professor" in {role.name for role in person.roles}
