"""Does the JSON API do what its OpenAPI document says? Schemathesis sends requests to every address, valid and invalid.

    python -m benchmarks.api_contract [examples for each address, usually 100]

Parameters and bodies are generated, right and wrong ones; the requests come from somebody who has every role. In half
of them, a lab, a cycle or a number that is named exists. Prints the number of responses by address and status. Fails on
a status of 500 or more, on a status or media type that the document does not list, and on a body that does not conform
to it. PORTAL_DATABASE_URL, if set, names an empty database to use.
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

from portal.accounts.api_tokens import SCOPES, make_token
from portal.api import callers
from portal.api.callers import Budget
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
    """An application with an admission, the headers of somebody who may do everything, and names that exist by kind."""
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
        applicant = open_now.add_applicant("Ada Weaver 李")
        choice_ids = [str(choice) for choice in _decided_choices(decided, applicant)]
        open_now.draft(applicant, "Alpha Lab")
        user = db.session.get_one(User, applicant.id)
        user.roles = list(db.session.query(Role))
        db.session.add(LabProfessor(lab_id=open_now.labs["Alpha Lab"], user_id=user.id, position="leader"))
        db.session.add_all(
            LabProposal(
                lab_id=open_now.labs["Beta Lab"],
                path="place",
                current="",
                proposed=f"Place {proposal_number}",
                why="The page says so.",
                fingerprint=f"{proposal_number}",
                created_at=now,
            )
            for proposal_number in range(5)
        )
        scopes = {scope.name for scope in SCOPES}
        _token, token = make_token(db.session(), user, name="contract", scopes=scopes, days=1, now=now)
        db.session.commit()
        existing = {
            "slug": ["alpha-lab", "beta-lab"],
            "lab": ["alpha-lab", "beta-lab"],
            "cycle": [open_now.cycle.slug, decided.cycle.slug],
            "choice_id": ["1", "2", *choice_ids],
            "proposal_id": ["1", "2"],
            "number": ["1", "2"],
        }
    return app, {"Authorization": f"Bearer {token}"}, existing


def _decided_choices(decided: Admission, applicant: Any) -> Iterator[int]:  # noqa: ANN401  (a person of the tests)
    """The choices of an application of `applicant` with a released offer, and of one by somebody else."""
    application = decided.eligible(applicant, "Beta Lab", "Alpha Lab")
    offered_choice = decided.choice(application, "Beta Lab")
    decided.move(offered_choice, "start_review", "shortlist", "rank", "offer", as_="leader", message="Come to us.")
    decided.one_move(offered_choice, "release", "admin")
    other_application = decided.eligible(decided.add_applicant(), "Alpha Lab")
    yield from (choice.id for choice in (*application.choices, *other_application.choices))


def main(examples: int) -> int:
    """Send `examples` requests of each kind to every address. Returns the number of addresses that failed."""
    for name in ("READING", "RANKING", "CHANGING"):
        setattr(callers, name, Budget(getattr(callers, name).name, WIDE, WIDE))
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        app, headers, existing = made_world(folder)
        schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
        begun = time.perf_counter()
        for result in schema.get_all_operations():
            if isinstance(result, Err):
                raise result.err()
            operation = result.ok()
            statuses: Counter[int] = Counter()
            try:
                _ask(operation.as_strategy(), headers, existing, statuses, examples)
                if operation.body or operation.query:
                    wrong = operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)
                    _ask(wrong, headers, existing, statuses, examples)
            except Exception as error:  # noqa: BLE001  (the failure is printed, and the next address follows)
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
    existing: dict[str, list[str]],
    statuses: Counter[int],
    examples: int,
) -> None:
    """Send generated requests, counting the statuses of the responses, and check the responses."""
    turns = iter(range(10**9))

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases)
    def send(case: Any) -> None:  # noqa: ANN401  (the library's)
        turn = next(turns)
        if isinstance(case.query, dict) and turn % 3:
            case.query.pop("cursor", None)
        if turn % 2 == 0:
            _name_what_exists(case, existing, turn // 2)
        response = case.call(headers=headers)
        statuses[response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    send()


def _name_what_exists(case: Any, existing: dict[str, list[str]], turn: int) -> None:  # noqa: ANN401  (the library's)
    """Replace the names in a request with existing ones, which `turn` chooses."""
    for name in case.path_parameters or {}:
        values = existing.get(name, ["nobody"])
        case.path_parameters[name] = values[turn % len(values)]
    body = case.body if isinstance(case.body, dict) else {}
    choices = body.get("choices")
    for part in (body, *(choices if isinstance(choices, list) else ())):
        if isinstance(part, dict) and "lab" in part:
            part["lab"] = existing["lab"][turn % 2]
    if "lab_revision" in body:
        body["lab_revision"] = 1
    if case.method.upper() == "PUT" and case.headers is not None:
        case.headers["If-Match"] = "*"


if __name__ == "__main__":
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLES) else 0)
