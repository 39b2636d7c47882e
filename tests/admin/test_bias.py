"""The command of the bias audit: what it says, and that nobody is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from portal.admin.cycles.figures.bias_audit import applicants, findings, lines, resumes_of
from portal.db import db
from portal.matching.bias.audit import BiasReport as Audited
from portal.matching.bias.swaps import Word
from tests.admission import Admission, admission_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask


@pytest.fixture
def admission(app: Flask) -> Iterator[Admission]:
    """A cycle with four submitted applications with a resume, a draft, and one that was withdrawn."""
    with admission_of(app, "Ada Lab") as made:
        for number in range(4):
            made.submitted(made.add_applicant(f"Zzname {number}"), "Ada Lab")
        made.draft(made.add_applicant("Zzname draft"), "Ada Lab")
        gone = made.submitted(made.add_applicant("Zzname gone"), "Ada Lab")
        made.one_move(gone, "withdraw", "applicant")
        yield made


def test_the_command_says_the_same_as_json_and_of_too_few_nothing(app: Flask, admission: Admission) -> None:
    found = app.test_cli_runner().invoke(args=["bias-audit", "--json"])
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)
    assert told["applicants"] is None
    assert {(row["rank"], row["score"], *row["moved"]) for row in told["made_up"]["rows"]} == {(0, 0.0, 0, 0)}
    assert "Zzname" not in found.output
    admission.submitted(admission.add_applicant("Zzname five"), "Ada Lab")
    enough = app.test_cli_runner().invoke(args=["bias-audit", "--json"])
    assert json.loads(enough.stdout)["applicants"]["resumes"] == 5
    assert "Zzname" not in enough.output
    refused = app.test_cli_runner().invoke(args=["bias-audit", "--cycle", "no-such"])
    assert refused.exit_code == 2
    assert "there is no cycle" in refused.output
    numbers = resumes_of(db.session(), admission.cycle)
    assert len(numbers) == 5
    assert [person.name for person in applicants(db.session(), numbers, 2)] == ["Zzname 0", "Zzname 2"]


def test_of_applicants_small_numbers_and_words_of_few_are_not_said() -> None:
    report = Audited(people=20, labs=3)
    report.kinds["gender"].people, report.kinds["gender"].reordered = 9, 3
    report.words.update({Word("gender", "he", "she"): 9, Word("places", "Lagos", "Boston"): 2})
    said = findings(report, made_up=False, of=400)
    row = said["rows"][3]
    assert (row["kind"], row["moved"], row["reordered"]) == ("Gendered words and words for kin", [9, 9], [1, 4])
    assert [word["before"] for word in said["words"]] == ["he"]
    assert "Lagos" not in "".join(lines(said))
    assert "not named" in "".join(lines(said))
    everything = findings(report, made_up=True)
    assert (len(everything["words"]), everything["rows"][3]["reordered"], everything["unsaid"]) == (2, [3, 3], False)
