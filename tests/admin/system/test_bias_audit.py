"""The command of the bias audit: what it says of made-up resumes, and that it fails when a ranking moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.admin.system.bias_audit import made_up_people, report_lines
from portal.matching.bias.audit import BiasReport
from portal.matching.bias.swaps import Word
from tests.admission import admission_of

if TYPE_CHECKING:
    import pytest
    from flask import Flask


def test_rankings_of_made_up_resumes_do_not_move(app: Flask) -> None:
    with admission_of(app, "Ada Lab"):
        found = app.test_cli_runner().invoke(args=["bias-audit"])
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith(f"{len(made_up_people())} made-up resumes, 1 labs")
    assert found.stdout.count("Nothing moved.") == 1


def test_what_moves_is_said_and_the_command_fails(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    report = BiasReport(people=20, labs=3)
    report.kinds["gender"].people, report.kinds["gender"].reordered = 9, 3
    report.words.update({Word("gender", "he", "she"): 9, Word("places", "Lagos", "Boston"): 2})
    said = list(report_lines(report))
    [row] = [" ".join(line.split()) for line in said if "words for kin  " in line]
    assert "kin | 9 | 3 | 0 |" in row
    assert [line.partition(": ")[2] for line in said if "→" in line] == ["he → she moved 9", "Lagos → Boston moved 2"]
    monkeypatch.setattr("portal.admin.system.bias_audit.audit", lambda *_: report)
    with admission_of(app, "Ada Lab"):
        assert app.test_cli_runner().invoke(args=["bias-audit"]).exit_code == 1
