"""Roles, labs and suspension: what is done, what is refused with a reason, what the log says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from portal.accounts.service import labs_read_by
from portal.db import db
from portal.models import AuditEntry, User
from tests.people import csrf_token

if TYPE_CHECKING:
    from collections.abc import Callable

    from werkzeug.test import TestResponse

    from tests.admin.desk import Desk
    from tests.people import Person


def act(desk: Desk, person: Person, name: str, **data: Any) -> TestResponse:  # noqa: ANN401
    return desk.post(f"/admin/people/{person.id}/{name}", data, page=f"/admin/people/{person.id}")


def roles_of(desk: Desk, person: Person) -> set[str]:
    with desk.app.app_context():
        user = db.session.get(User, person.id)
        assert user is not None
        return {role.name for role in user.roles}


def labs_of(desk: Desk, person: Person) -> list[str]:
    with desk.app.app_context():
        user = db.session.get(User, person.id)
        assert user is not None
        return [lab.slug for lab in labs_read_by(db.session(), user)]


def last_act(desk: Desk) -> tuple[str, str, str]:
    with desk.app.app_context():
        entry = db.session.query(AuditEntry).order_by(AuditEntry.id.desc()).first()
        assert entry is not None
        return entry.actor_label, entry.act, entry.object_key


def test_people_are_listed_searched_and_narrowed_to_a_role(desk: Desk, person: Callable[..., Person]) -> None:
    person("professor", email="li@example.edu", name="李雷")
    person("applicant", email="han@example.edu", name="Émile Han")
    page = desk.client.get("/admin/people/").text
    assert "3 people" in page
    for query, names in (
        ("李", ["李雷"]),
        ("émile", ["Émile"]),
        ("EMILE", ["Émile"]),
        ("LI@example", ["李雷"]),
        ("%", []),
    ):
        found = desk.client.get("/admin/people/", query_string={"q": query}).text
        assert [name for name in ("李雷", "Émile") if name in found] == names
    professors = desk.client.get("/admin/people/?role=professor").text
    assert ("李雷" in professors, "Émile" in professors) == (True, False)
    assert "Nobody fits" in desk.client.get("/admin/people/?q=nobody").text


def test_people_are_narrowed_by_account_and_lab_and_sorted(desk: Desk, person: Callable[..., Person]) -> None:
    ada, bo = person("professor", email="z-ada@example.edu", name="ada"), person("applicant", email="bo@example.edu")
    assert act(desk, ada, "attach", lab="relaxed-lab", position="reviewer").status_code == 302
    assert act(desk, bo, "suspend", reason="Asked for it.").status_code == 302

    def found(query: str) -> list[str]:
        page = desk.client.get(f"/admin/people/?{query}").text.partition("<tbody>")[2]
        return re.findall(r'people/\d+">([^<]+)</a>', page)

    assert found("account=suspended") == ["bo@example.edu"]
    assert found("lab=relaxed-lab") == ["ada"]
    assert found("lab=no-such-lab") == []
    assert found("account=nonsense&sort=nonsense") == found("") == found("sort=name")
    assert found("sort=name&order=descending") == found("")[::-1]
    assert {"ada", "bo@example.edu"} < set(found("sort=made"))


def test_many_people_are_paged_with_few_queries(desk: Desk, count_queries: Any, person: Callable[..., Person]) -> None:  # noqa: ANN401
    with desk.app.app_context():
        db.session.add_all(User(email=f"p{n:03}@x.example", fs_uniquifier=str(n), active=True) for n in range(120))
        db.session.commit()
    person("professor")
    with count_queries() as queries:
        page = desk.client.get("/admin/people/").text
    assert "1–25 of 122 people" in page
    assert len(queries) <= 9


def test_a_role_is_given_and_taken_with_a_trace(desk: Desk, applicant: Person) -> None:
    assert act(desk, applicant, "give-role", role="admin").status_code == 302
    assert roles_of(desk, applicant) == {"applicant", "admin"}
    assert last_act(desk) == (desk.email, "account.grant_role", applicant.email)
    client = applicant.sign_in()
    assert client.get("/admin/").status_code == 200
    assert act(desk, applicant, "take-role", role="admin").status_code == 302
    assert roles_of(desk, applicant) == {"applicant"}
    assert last_act(desk) == (desk.email, "account.take_role", applicant.email)
    assert client.get("/admin/").status_code == 403


@pytest.mark.parametrize(
    ("name", "role", "status", "message"),
    [
        ("give-role", "king", 403, "There is no role “king”. Roles are: applicant, professor, admin."),
        ("take-role", "", 403, "There is no role “”."),
        ("give-role", "applicant", 302, "has the role applicant already."),
        ("take-role", "professor", 302, "does not have the role professor."),
    ],
)
def test_a_role_that_cannot_be_changed_as_asked_for_stays_with_a_message(
    desk: Desk, applicant: Person, name: str, role: str, status: int, message: str
) -> None:
    response = act(desk, applicant, name, role=role)
    assert response.status_code == status
    page = response if status == 403 else desk.client.get(f"/admin/people/{applicant.id}")
    assert message in page.text
    assert roles_of(desk, applicant) == {"applicant"}


@pytest.mark.parametrize(
    ("name", "sent", "said", "again"),
    [
        ("give-role", {"role": "professor"}, "now has the role professor.", "has the role professor already."),
        ("take-role", {"role": "applicant"}, "no longer has the role applicant.", "does not have the role applicant."),
        ("detach", {"lab": "relaxed-lab"}, "is detached from Relaxed Lab.", "is not attached to Relaxed Lab."),
    ],
)
def test_an_act_can_be_undone_and_a_second_click_changes_nothing(
    desk: Desk, applicant: Person, name: str, sent: dict[str, str], said: str, again: str
) -> None:
    if name == "detach":
        act(desk, applicant, "attach", lab="relaxed-lab", position="leader")
    page = f"/admin/people/{applicant.id}"
    assert act(desk, applicant, name, **sent).status_code == 302
    shown, done = desk.client.get(page).text, last_act(desk)
    assert (said in shown, "Undo</button>" in shown) == (True, True)
    assert ('name="position" value="leader"' in shown) == (name == "detach")
    assert act(desk, applicant, name, **sent).status_code == 302
    assert (again in desk.client.get(page).text, last_act(desk)) == (True, done)


def test_the_last_administrator_stays(desk: Desk, admin: Person, person: Callable[..., Person]) -> None:
    page = desk.client.get(f"/admin/people/{admin.id}").text
    assert "This is the last administrator. Make somebody else an administrator first." in page
    for name, data in (("take-role", {"role": "admin"}), ("suspend", {"reason": "Why"})):
        assert act(desk, admin, name, **data).status_code == 403
    assert roles_of(desk, admin) == {"admin"}
    # A suspended administrator is none who could act.
    other = person("admin")
    assert act(desk, other, "suspend", reason="On leave").status_code == 302
    assert act(desk, admin, "take-role", role="admin").status_code == 403
    assert act(desk, other, "restore", reason="Back").status_code == 302
    assert act(desk, admin, "take-role", role="admin").location == "/accounts/"
    assert desk.client.get("/admin/").status_code == 403


def test_a_person_is_attached_to_a_lab_as_a_professor_and_detached(desk: Desk, applicant: Person) -> None:
    assert act(desk, applicant, "attach", lab="relaxed-lab", position="reviewer").status_code == 302
    assert labs_of(desk, applicant) == ["relaxed-lab"]
    assert roles_of(desk, applicant) == {"applicant", "professor"}
    assert "reviewer" in desk.client.get("/admin/labs/relaxed-lab").text
    assert applicant.sign_in().get("/reviews/").status_code in {200, 302}
    kept = act(desk, applicant, "take-role", role="professor")
    assert kept.status_code == 403
    assert "is attached to Relaxed Lab. Detach them from every lab first." in kept.text
    assert act(desk, applicant, "attach", lab="relaxed-lab", position="leader").status_code == 302
    assert "leader" in desk.client.get(f"/admin/people/{applicant.id}").text
    assert act(desk, applicant, "detach", lab="relaxed-lab").status_code == 302
    assert 'name="position" value="leader"' in desk.client.get("/admin/labs/").text
    assert labs_of(desk, applicant) == []
    assert last_act(desk) == (desk.email, "lab.detach_professor", "relaxed-lab")
    assert act(desk, applicant, "take-role", role="professor").status_code == 302


@pytest.mark.parametrize(
    ("name", "data"), [("give-role", {"role": "admin"}), ("attach", {"lab": "relaxed-lab", "position": "leader"})]
)
def test_an_account_that_nobody_confirmed_gets_no_rights(
    desk: Desk, applicant: Person, name: str, data: dict[str, str]
) -> None:
    """A stranger may have registered it, with a password of theirs; once its owner confirmed it, that would do."""
    with desk.app.app_context():
        db.session.get_one(User, applicant.id).confirmed_at = None
        db.session.commit()
    refused = act(desk, applicant, name, **data)
    assert (refused.status_code, "may be a stranger’s. Invite the address instead" in refused.text) == (403, True)
    assert (roles_of(desk, applicant), labs_of(desk, applicant)) == ({"applicant"}, [])


def test_attaching_to_nothing_is_refused(desk: Desk, applicant: Person) -> None:
    assert act(desk, applicant, "attach", lab="no-lab", position="leader").status_code == 422
    refused = act(desk, applicant, "attach", lab="relaxed-lab", position="boss")
    assert refused.status_code == 403
    assert "Positions are: leader, reviewer." in refused.text
    assert labs_of(desk, applicant) == []


def test_suspension_ends_every_session_at_once_and_can_be_lifted(desk: Desk, professor: Person) -> None:
    client = professor.sign_in()
    assert client.get("/accounts/").status_code == 200
    without_reason = act(desk, professor, "suspend", reason=" ")
    assert without_reason.status_code == 422
    assert act(desk, professor, "suspend", reason="Left the university").status_code == 302
    assert client.get("/accounts/").status_code == 302
    stranger = desk.app.test_client()
    token = csrf_token(stranger, "/accounts/login")
    data = {"csrf_token": token, "email": professor.email, "password": professor.password}
    assert stranger.post("/accounts/login", data=data).status_code != 302
    again = act(desk, professor, "suspend", reason="Again")
    assert again.status_code == 302
    assert "is suspended already." in desk.client.get(again.location).text
    assert "suspended" in desk.client.get("/admin/people/").text
    assert act(desk, professor, "attach", lab="relaxed-lab", position="leader").status_code == 403
    assert act(desk, professor, "restore", reason="Came back").status_code == 302
    again = act(desk, professor, "restore", reason="Came back")
    assert "is not suspended." in desk.client.get(again.location).text
    # The old session stays dead; the person signs in anew.
    assert client.get("/accounts/").status_code == 302
    assert professor.sign_in().get("/accounts/").status_code == 200


def test_nobody_suspends_themselves(desk: Desk, admin: Person, person: Callable[..., Person]) -> None:
    person("admin")
    response = act(desk, admin, "suspend", reason="Tired")
    assert response.status_code == 403
    assert "You cannot suspend yourself. Ask another administrator." in response.text
