"""The command of the bias audit: what it says, and that nobody is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal.admin.cycles.figures.bias_audit import MADE_UP, applicants, report_lines, resumes_of
from portal.db import db
from portal.matching.bias.audit import BiasReport
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


def test_the_command_audits_applicants_from_five_on_and_names_nobody(app: Flask, admission: Admission) -> None:
    found = app.test_cli_runner().invoke(args=["bias-audit"])
    assert found.exit_code == 0, found.output
    assert found.stdout.count("Nothing moved.") == 1
    assert "There are too few resumes of applicants to say anything of." in found.stdout
    admission.submitted(admission.add_applicant("Zzname five"), "Ada Lab")
    enough = app.test_cli_runner().invoke(args=["bias-audit"])
    assert ("\n5 resumes of applicants, 1 labs" in enough.stdout, enough.stdout.count("Nothing moved.")) == (True, 2)
    assert "Zzname" not in found.output + enough.output
    refused = app.test_cli_runner().invoke(args=["bias-audit", "--cycle", "no-such"])
    assert refused.exit_code == 2
    assert "there is no cycle" in refused.output
    numbers = resumes_of(db.session(), admission.cycle)
    assert len(numbers) == 5
    assert [person.name for person in applicants(db.session(), numbers, 2)] == ["Zzname 0", "Zzname 2"]


def test_of_applicants_small_numbers_and_words_of_few_are_not_said() -> None:
    report = BiasReport(people=20, labs=3)
    report.kinds["gender"].people, report.kinds["gender"].reordered = 9, 3
    report.words.update({Word("gender", "he", "she"): 9, Word("places", "Lagos", "Boston"): 2})
    said = list(report_lines("resumes of applicants", report, 400))
    assert said[0].startswith("\n20 of 400 resumes of applicants, 3 labs")
    [row] = [" ".join(line.split()) for line in said if "words for kin  " in line]
    assert "kin | 9 | fewer than 5 | 0 |" in row
    assert [line for line in said if "→" in line] == ["Gendered words and words for kin: he → she moved 9"]
    assert "not named" in said[-1]
    everything = list(report_lines(MADE_UP, report, 20))
    assert len([line for line in everything if "→" in line]) == 2
