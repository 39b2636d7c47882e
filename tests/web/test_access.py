from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask.testing import FlaskClient

    from tests.people import Person


def test_the_process_says_that_it_is_alive_and_ready(client: FlaskClient) -> None:
    assert client.get("/healthz").get_json() == {"status": "ok"}
    assert client.get("/readyz").get_json() == {"status": "ok"}


def test_an_unknown_address_gets_a_page_that_says_what_to_do(client: FlaskClient) -> None:
    response = client.get("/no-such-page")
    assert response.status_code == 404
    assert "There is no such page" in response.text


def test_a_person_can_sign_in(applicant: Person) -> None:
    assert applicant.sign_in().get("/").status_code == 200
