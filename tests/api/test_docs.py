"""Every command of docs/api.md works as it is printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from portal.db import db
from portal.models import LabProfessor, Role
from tests.admission import add_admission
from tests.api.conftest import bearer

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

DOCS = Path(__file__).parents[2] / "docs" / "api.md"
BLOCK = re.compile(r"```bash\n(.*?)```", re.DOTALL)


def commands() -> list[str]:
    """The commands, each with the status that a comment after it names."""
    return [block for block in BLOCK.findall(DOCS.read_text(encoding="utf-8")) if block.startswith("curl ")]


def run(api: FlaskClient, command: str) -> int:
    """Send what a curl command would send; the status."""
    parts = shlex.split(command.replace("\\\n", " "), comments=True)
    headers: dict[str, str] = {}
    method, url, body = "", "", None
    rest = iter(parts[1:])
    for part in rest:
        match part:
            case "-X":
                method = next(rest)
            case "-H":
                name, _, value = next(rest).partition(": ")
                headers[name] = value
            case "-d":
                body = next(rest)
            case "-i":
                pass
            case _:
                url = part
    return api.open(url, method=method or ("POST" if body else "GET"), data=body, headers=headers).status_code


@pytest.fixture(scope="module")
def token(served: Flask) -> str:
    """Somebody with every role, a lab to read for and a cycle to apply in."""
    with served.app_context():
        admission = add_admission(served, slug="fall")
        lab = admission.add_lab("Alpha Lab")
        person = admission.add_applicant()
        user = admission.user(person)
        user.roles = list(db.session.query(Role))
        db.session.add(LabProfessor(lab_id=lab.id, user_id=user.id, position="leader"))
        db.session.commit()
    return bearer(person)["Authorization"].removeprefix("Bearer ")


def test_every_command_works_as_printed(api: FlaskClient, token: str) -> None:
    printed = commands()
    assert len(printed) > 12
    for command in printed:
        wanted = re.search(r"^# (\d{3})$", command, re.MULTILINE)
        filled = command.replace("$PORTAL", "").replace("$TOKEN", token)
        assert (command, run(api, filled)) == (command, int(wanted.group(1)) if wanted else 200)


def test_the_page_names_every_scope(api: FlaskClient) -> None:
    text = DOCS.read_text(encoding="utf-8")
    document = api.get("/api/v1/openapi.json").get_json()
    operations = [one for path in document["paths"].values() for name, one in path.items() if name != "parameters"]
    assert {scope for scope in {operation["x-scope"] for operation in operations} if f"`{scope}`" not in text} == set()


@pytest.mark.parametrize("path", ["/labs/{slug}", "/application/{cycle}", "/reviews/{slug}/choices/{choice_id}"])
def test_what_has_an_etag_says_how_to_ask_for_it_again(api: FlaskClient, path: str) -> None:
    operation = api.get("/api/v1/openapi.json").get_json()["paths"][f"/api/v1{path}"]["get"]
    assert "If-None-Match" in [parameter["name"] for parameter in operation["parameters"]]
    assert "304" in operation["responses"]
