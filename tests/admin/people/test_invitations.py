"""Inviting people by mail: what each gets, what a link opens and for how long, and that nobody gains more by it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select, update

from portal.accounts.service import labs_read_by, opened_by
from portal.admin.people.invitations import read_addresses
from portal.db import db
from portal.models import AccountInvitation, AuditEntry, Lab, User
from tests.people import PASSWORD, submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.admin.desk import Desk
    from tests.people import Person

PAGE = "/admin/people/invitations"


def invite(desk: Desk, addresses: str, *roles: str, **more: Any) -> TestResponse:  # noqa: ANN401
    return desk.post(PAGE, {"addresses": addresses, "roles": list(roles), "lab": "", **more})


def mails(desk: Desk) -> list[tuple[str, str]]:
    """Address and subject of all mail that went out, the oldest first."""
    # There is no list before the first mail.
    return [(mail.to[0], mail.subject) for mail in getattr(desk.app.extensions["mailman"], "outbox", ())]


def newest_mail(desk: Desk, email: str) -> str:
    """What the newest mail to somebody says."""
    body: str = [mail.body for mail in desk.app.extensions["mailman"].outbox if mail.to == [email]][-1]
    return body


def link_to(desk: Desk, email: str) -> str:
    """The path of the link in the newest mail to somebody."""
    found = re.search(r"/join/\S+", newest_mail(desk, email))
    assert found is not None
    return found.group()


def take(client: FlaskClient, link: str, **more: Any) -> TestResponse:  # noqa: ANN401
    data = {"name": "李雷", "password": "three calm otters", "password_confirm": "three calm otters", **more}
    return submit(client, link, data)


def account(desk: Desk, email: str) -> tuple[set[str], list[str], bool, str] | None:
    """Roles, labs, whether the address is confirmed, and the name of an account."""
    with desk.app.app_context():
        user = db.session.scalar(select(User).where(User.email == email))
        if user is None:
            return None
        labs = [lab.slug for lab in labs_read_by(db.session(), user)]
        return {role.name for role in user.roles}, labs, user.confirmed_at is not None, user.name


def change(desk: Desk, **values: Any) -> None:  # noqa: ANN401
    with desk.app.app_context():
        db.session.execute(update(AccountInvitation).values(**values))
        db.session.commit()


def test_an_invited_person_makes_the_account_that_was_promised(desk: Desk, client: FlaskClient) -> None:
    answer = invite(desk, "Li@example.edu\nbob@example.edu", lab="relaxed-lab", position="leader")
    assert answer.status_code == 302
    assert mails(desk) == [
        ("li@example.edu", "Your invitation to Ph.D. Portal"),
        ("bob@example.edu", "Your invitation to Ph.D. Portal"),
    ]
    link = link_to(desk, "li@example.edu")
    page = desk.client.get(PAGE).text
    assert ("2 people are invited" in page, "professor; leader at" in page, link in page) == (True, True, False)
    opened = client.get(link)
    assert "Relaxed Lab" in opened.text
    assert opened.headers["Referrer-Policy"] == "no-referrer"
    # What a form says of roles counts for nothing.
    assert take(client, link, roles="admin", email="evil@example.edu", lab="other").location == "/accounts/landing"
    assert account(desk, "li@example.edu") == ({"professor"}, ["relaxed-lab"], True, "李雷")
    assert account(desk, "evil@example.edu") is None
    # They hold the link and have chosen the password, which is what a sign-in asks for.
    assert client.get("/accounts/landing").location == "/reviews/"
    assert client.get("/admin/").status_code == 403
    login = {"email": "li@example.edu", "password": "three calm otters"}
    assert submit(desk.app.test_client(), "/accounts/login", login).status_code == 302
    assert client.get(link).status_code == 404
    assert "li@example.edu" not in desk.client.get(PAGE).text
    with desk.app.app_context():
        acts = list(db.session.scalars(select(AuditEntry.act).where(AuditEntry.object_key == "li@example.edu")))
    assert acts == [
        "account.invite",
        "account.create",
        "account.grant_role",
        "account.take_invitation",
    ]


def test_a_draft_is_named_to_nobody_but_its_leader(
    desk: Desk, client: FlaskClient, person: Callable[..., Person]
) -> None:
    known, led = person("professor"), person("professor")
    with desk.app.app_context():
        db.session.execute(update(Lab).where(Lab.slug == "relaxed-lab").values(is_draft=True))
        db.session.commit()
    invite(desk, f"li@example.edu\n{known.email}", lab="relaxed-lab", position="reviewer")
    told = {email: newest_mail(desk, email) for email in ("li@example.edu", known.email)}
    assert [email for email, text in told.items() if "Relaxed Lab" in text] == []
    assert "professor" in told["li@example.edu"]
    assert "Relaxed Lab" not in client.get(link_to(desk, "li@example.edu")).text
    assert "Relaxed Lab" not in known.sign_in().get("/accounts/news").text
    invite(desk, f"bo@example.edu\n{led.email}", lab="relaxed-lab", position="leader")
    assert ["Relaxed Lab" in newest_mail(desk, email) for email in ("bo@example.edu", led.email)] == [True, True]
    assert "leader at Relaxed Lab" in client.get(link_to(desk, "bo@example.edu")).text


def test_a_link_signs_nobody_in_where_somebody_is_signed_in_or_without_a_new_password(
    desk: Desk, person: Callable[..., Person]
) -> None:
    invite(desk, "li@example.edu\nbo@example.edu", "professor")
    other = person("applicant").sign_in()
    assert take(other, link_to(desk, "li@example.edu")).location == "/accounts/login"
    assert other.get("/reviews/").status_code == 403
    person("applicant", email="bo@example.edu")
    stranger = desk.app.test_client()
    assert take(stranger, link_to(desk, "bo@example.edu")).location == "/accounts/login"
    assert stranger.get("/accounts/").status_code == 302


def test_the_same_form_twice_sends_one_mail_and_other_terms_are_refused(desk: Desk) -> None:
    for _ in range(2):
        assert invite(desk, "li@example.edu", "professor").status_code == 302
    assert len(mails(desk)) == 1
    assert "Already invited or with these rights" in desk.client.get(PAGE).text
    refused = invite(desk, "new@example.edu\nli@example.edu", "admin")
    assert refused.status_code == 422
    assert "li@example.edu: this address is invited already" in refused.text
    assert len(mails(desk)) == 1


@pytest.mark.parametrize(
    ("addresses", "more", "said"),
    [
        ("ann@example.edu\nbad one\nbob@", {"roles": ["professor"]}, ["Line 2: “bad one”", "Line 3: “bob@”"]),
        ("", {"roles": ["professor"]}, ["Write the address of somebody to invite."]),
        ("ann@example.edu", {"roles": []}, ["Choose a role, or a lab."]),
        (
            "ann@example.edu",
            {"roles": ["king"]},
            ["Choose one from the list."],
        ),
        (
            "ann@example.edu",
            {"lab": "relaxed-lab", "position": "boss"},
            ["Choose one from the list."],
        ),
        ("ann@example.edu", {"lab": "no-lab"}, ["No lab is called “no-lab”."]),
        ("\n".join(f"p{n}@example.edu" for n in range(201)), {"roles": ["professor"]}, ["at most 200 people"]),
    ],
)
def test_what_cannot_be_sent_is_said_beside_its_field_and_kept(
    desk: Desk, addresses: str, more: dict[str, Any], said: list[str]
) -> None:
    answer = desk.post(PAGE, {"addresses": addresses, "position": "leader", "lab": "", **more})
    assert answer.status_code == 422
    assert [words for words in said if words not in answer.text] == []
    assert addresses in answer.text.replace("\r\n", "\n")
    assert mails(desk) == []


def test_who_has_an_account_gets_the_rights_and_a_mail_once(desk: Desk, applicant: Person) -> None:
    for _ in range(2):
        assert invite(desk, applicant.email, lab="relaxed-lab", position="reviewer").status_code == 302
    assert account(desk, applicant.email) == ({"applicant", "professor"}, ["relaxed-lab"], True, "")
    assert mails(desk) == [(applicant.email, "Your account has new rights")]
    assert desk.post(
        f"/admin/people/{applicant.id}/suspend", {"reason": "Left"}, page=f"/admin/people/{applicant.id}"
    ).location
    refused = invite(desk, applicant.email, "admin")
    assert "is suspended. Restore it first." in refused.text


def test_an_account_that_nobody_confirmed_is_not_trusted(desk: Desk, client: FlaskClient, applicant: Person) -> None:
    """A stranger registered with the address of somebody who is invited later."""
    with desk.app.app_context():
        db.session.execute(update(User).where(User.id == applicant.id).values(confirmed_at=None))
        db.session.commit()
    invite(desk, applicant.email, "professor")
    assert account(desk, applicant.email) == ({"applicant"}, [], False, "")
    assert take(client, link_to(desk, applicant.email)).status_code == 302
    assert account(desk, applicant.email) == ({"applicant", "professor"}, [], True, "李雷")
    for password, status in ((PASSWORD, 200), ("three calm otters", 302)):
        answer = submit(desk.app.test_client(), "/accounts/login", {"email": applicant.email, "password": password})
        assert answer.status_code == status


def test_who_confirmed_an_account_meanwhile_keeps_the_password(
    desk: Desk, client: FlaskClient, person: Callable[..., Person]
) -> None:
    invite(desk, "li@example.edu", "professor")
    li = person("applicant", email="li@example.edu")
    link = link_to(desk, li.email)
    assert "You already have an account with this address." in client.get(link).text
    assert take(client, link).status_code == 302
    assert account(desk, li.email) == ({"applicant", "professor"}, [], True, "")
    li.sign_in()


def test_a_link_closes_when_it_expires_is_revoked_replaced_or_nobody_vouches_for_it(
    desk: Desk, client: FlaskClient, admin: Person
) -> None:
    invite(desk, "li@example.edu", "admin")
    first = link_to(desk, "li@example.edu")
    now = datetime.now(UTC)
    too_soon = desk.post(f"{PAGE}/1/resend", {}, page=PAGE)
    assert (too_soon.status_code, "Wait five minutes" in too_soon.text) == (403, True)
    change(desk, linked_at=now - timedelta(hours=1), expires_at=now - timedelta(seconds=1))
    assert (client.get(first).status_code, "Expired" in desk.client.get(PAGE).text) == (410, True)
    assert "nobody created an account with it" in client.get(first).text
    assert desk.post(f"{PAGE}/1/resend", {}, page=PAGE).status_code == 302
    second = link_to(desk, "li@example.edu")
    assert (second != first, client.get(first).status_code, client.get(second).status_code) == (True, 404, 200)
    with desk.app.app_context():
        db.session.execute(update(User).where(User.id == admin.id).values(active=False))
        db.session.commit()
    assert client.get(second).status_code == 410
    with desk.app.app_context():
        db.session.execute(update(User).where(User.id == admin.id).values(active=True))
        db.session.commit()
    assert desk.post(f"{PAGE}/1/revoke", {}, page=PAGE).status_code == 302
    assert client.get(second).status_code == 404
    assert "Nobody is invited now." in desk.client.get(PAGE, follow_redirects=True).text
    assert desk.post(f"{PAGE}/1/resend", {}, page="/admin/people/invitations").status_code == 403
    assert account(desk, "li@example.edu") is None


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"password": "short", "password_confirm": "short"}, "Use at least 10 characters"),
        ({"password": "li li li li", "password_confirm": "li li li li"}, "repeats the same few"),
        ({"password": "short", "password_confirm": "short too"}, "Use at least 10 characters"),
        ({"password": "short", "password_confirm": "short too"}, "The two passwords differ"),
        ({"password_confirm": "another thing"}, "The two passwords differ"),
        ({"name": "x" * 201}, "Use at most 200 characters"),
    ],
)
def test_a_bad_password_or_name_is_refused_and_the_link_stays_open(
    desk: Desk, client: FlaskClient, values: dict[str, str], said: str
) -> None:
    invite(desk, "li@example.edu", "professor")
    link = link_to(desk, "li@example.edu")
    answer = take(client, link, **values)
    assert (answer.status_code, said in answer.text) == (422, True)
    assert account(desk, "li@example.edu") is None
    assert client.post(link, data={"password": "three calm otters"}).status_code == 400
    assert take(client, link).status_code == 302


def test_the_token_is_kept_as_a_digest_and_half_of_it_opens_nothing(desk: Desk, client: FlaskClient) -> None:
    invite(desk, "li@example.edu", "professor")
    token = link_to(desk, "li@example.edu").removeprefix("/join/")
    with desk.app.app_context():
        kept = db.session.scalars(select(AccountInvitation.token_hash)).one()
        assert kept is not None
        assert token not in kept
        for wrong in (token[:-1], f"{token}x", kept, "", "%00"):
            assert opened_by(db.session(), AccountInvitation, wrong) is None
    assert client.get(f"/join/{token[:-1]}").status_code == 404


def test_only_open_invitations_stand_in_the_way_of_a_list_all_of_whom_are_read_with_few_queries(
    desk: Desk,
    count_queries: Any,  # noqa: ANN401
) -> None:
    invite(desk, "\n".join(f"p{n}@example.edu" for n in range(40)), "professor")
    assert len(mails(desk)) == 40
    with count_queries() as queries:
        page = desk.client.get(PAGE).text
    assert "1–25 of 40 invitations" in page
    assert len(queries) <= 12


LIST = """Ann@Example.edu
li@example.edu；

mei＠example.edu,
ann@example.edu
not an address
Li <li@example.edu>"""


def test_addresses_are_read_a_line_at_a_time_and_each_once() -> None:
    emails, problems = read_addresses(LIST, test_domains=True)
    assert emails == ["ann@example.edu", "li@example.edu", "mei@example.edu"]
    assert [problem.split("”")[0] for problem in problems] == [
        "Line 6: “not an address",
        "Line 7: “Li <li@example.edu>",
    ]


@given(st.text(alphabet=st.sampled_from('ab@.,;<>" \n，\x00é李')))
def test_nothing_typed_is_lost_without_a_word(text: str) -> None:
    people, problems = read_addresses(text, test_domains=True)
    assert bool(people or problems) == any(sign not in " \n,;，" for sign in text)
    assert len(set(people)) == len(people)


def test_a_long_line_is_read_in_no_time_and_cut_in_what_is_said_of_it() -> None:
    people, problems = read_addresses('"' * 20_000 + "<" * 20_000, test_domains=True)
    assert people == []
    assert all(len(problem) < 300 for problem in problems)
