"""Does the JSON interface keep its word? Schemathesis asks every address what its OpenAPI document allows, and worse.

    python -m benchmarks.api_contract [examples for each address, usually 100]

Each address is asked with generated parameters and bodies, right and wrong ones, in the name of somebody who holds
every role; half of the time, what names a lab, a cycle or a number names one that exists. Printed are the answers by
address and status. It fails on a status of 500 or more, on a status or a media type that the document does not have,
and on a body that is not as the document says. PORTAL_DATABASE_URL, if set, names an empty database to do it with.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import schemathesis
from flask_migrate import upgrade
from hypothesis import HealthCheck, Phase, given, settings
from limits import parse
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Err
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from portal.accounts.token_rules import SCOPES
from portal.accounts.token_service import make_token
from portal.api import callers
from portal.api.limits import Budget
from portal.app import create_app
from portal.db import db
from portal.models import LabProfessor, LabProposal, Role, User
from tests.admission import Admission, add_admission

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

EXAMPLES = 100
WIDE = parse("1000000 per second")
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


def made_world(folder: str) -> tuple[Flask, dict[str, str], dict[str, list[str]]]:
    """An application with an admission, the headers of somebody who may do everything, and names that exist."""
    app = create_app({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": folder, "PORTAL_MAIL_URL": "memory:"})
    app.config["PROPAGATE_EXCEPTIONS"] = False
    with app.app_context():
        upgrade()
        now = datetime.now(UTC)
        open_now = add_admission(app, questions=[{"key": "why", "text": "Why?", "required": False, "most": 100}])
        for name in ("Alpha Lab", "Beta Lab"):
            open_now.add_lab(name)
        decided = add_admission(app, deadline_in=timedelta(days=-1), opens_at=now - timedelta(days=60))
        decided.labs, decided.leaders, decided.reviewers = open_now.labs, open_now.leaders, open_now.reviewers
        mine = open_now.add_applicant("Ada Weaver 李")
        numbers = [str(choice) for choice in _decided_choices(decided, mine)]
        open_now.draft(mine, "Alpha Lab")
        user = db.session.get_one(User, mine.id)
        user.roles = list(db.session.query(Role))
        db.session.add(LabProfessor(lab_id=open_now.labs["Alpha Lab"], user_id=user.id, position="leader"))
        db.session.add_all(
            LabProposal(
                lab_id=open_now.labs["Beta Lab"],
                path="place",
                current="",
                proposed=f"Place {number}",
                why="The page says so.",
                fingerprint=f"{number}",
                created_at=now,
            )
            for number in range(5)
        )
        scopes = {scope.name for scope in SCOPES}
        _token, text = make_token(db.session(), user, name="contract", scopes=scopes, days=1, now=now)
        db.session.commit()
        known = {
            "slug": ["alpha-lab", "beta-lab"],
            "lab": ["alpha-lab", "beta-lab"],
            "cycle": [open_now.cycle.slug, decided.cycle.slug],
            "number": ["1", "2", *numbers],
        }
    return app, {"Authorization": f"Bearer {text}"}, known


def _decided_choices(decided: Admission, mine: Any) -> Iterator[int]:  # noqa: ANN401  (a person of the tests)
    """An application of mine with a released offer, and one of somebody else."""
    application = decided.eligible(mine, "Beta Lab", "Alpha Lab")
    choice = decided.choice(application, "Beta Lab")
    decided.move(choice, "start_review", "shortlist", "rank", "offer", as_="leader", message="Come to us.")
    decided.one_move(choice, "release", "admin")
    other = decided.eligible(decided.add_applicant(), "Alpha Lab")
    yield from (one.id for one in (*application.choices, *other.choices))


def main(examples: int) -> int:
    """Ask every address; the number of addresses that broke their word."""
    for name in ("READING", "RANKING", "CHANGING"):
        setattr(callers, name, Budget(getattr(callers, name).name, WIDE, WIDE))
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        app, headers, known = made_world(folder)
        schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
        begun = time.perf_counter()
        for result in schema.get_all_operations():
            if isinstance(result, Err):
                raise result.err()
            operation = result.ok()
            statuses: Counter[int] = Counter()
            try:
                _ask(operation.as_strategy(), headers, known, statuses, examples)
                if operation.body or operation.query:
                    wrong = operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)
                    _ask(wrong, headers, known, statuses, examples)
            except Exception as error:  # noqa: BLE001  (what broke is told, and the next address is asked)
                broken += 1
                print(f"BROKEN {operation.method.upper()} {operation.path}\n{error}")
                for inner in getattr(error, "exceptions", ()):
                    print(inner)
            print(f"{operation.method.upper():5} {operation.path:55} {dict(sorted(statuses.items()))}")
        print(f"{time.perf_counter() - begun:.0f} s, {broken} broken")
    return broken


def _ask(
    cases: Any,  # noqa: ANN401  (the library's)
    headers: dict[str, str],
    known: dict[str, list[str]],
    statuses: Counter[int],
    examples: int,
) -> None:
    turn = iter(range(10**9))

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def asked(case: Any) -> None:  # noqa: ANN401  (the library's)
        at = next(turn)
        if isinstance(case.query, dict) and at % 3:
            case.query.pop("cursor", None)
        if at % 2 == 0:
            _name_what_exists(case, known, at // 2)
        response = case.call(headers=headers)
        statuses[response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    asked()


def _name_what_exists(case: Any, known: dict[str, list[str]], at: int) -> None:  # noqa: ANN401  (the library's)
    for name in case.path_parameters or {}:
        values = known.get(name, ["nobody"])
        case.path_parameters[name] = values[at % len(values)]
    body = case.body if isinstance(case.body, dict) else {}
    choices = body.get("choices")
    for part in (body, *(choices if isinstance(choices, list) else ())):
        if isinstance(part, dict) and "lab" in part:
            part["lab"] = known["lab"][at % 2]
    if "lab_revision" in body:
        body["lab_revision"] = 1
    if case.method.upper() == "PUT" and case.headers is not None:
        case.headers["If-Match"] = "*"


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES) else 0)
