"""`portal rank`: one answer for each query, whatever the query is."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from portal.db import db
from portal.labs import service
from portal.labs.commands.rank import NOTHING_FITS, rank
from portal.seeding.records import LabRecord, SystemRecord, WorkRecord
from tests.documents.pdfs import encrypted_pdf, resume_pdf

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result
    from flask import Flask

NOW = datetime(2026, 11, 20, tzinfo=UTC)
SERVING = LabRecord(
    "serving-lab",
    "Serving Lab",
    interests="Serving large language models on GPU clusters.",
    works=(WorkRecord("fair", "FairServe: fair serving of language models", abstract="We schedule requests."),),
    systems=(SystemRecord("fairserve", "FairServe", works=("fair",)),),
)
WEAVING = LabRecord(
    "weaving-lab", "Weaving Lab", interests="Looms for silk.", works=(WorkRecord("loom", "A loom for silk"),)
)


@pytest.fixture
def labs(app: Flask) -> Flask:
    with app.app_context():
        for record in (SERVING, WEAVING):
            service.create_lab(db.session(), record, author=None, reason="first", now=NOW)
        db.session.commit()
    return app


def run(app: Flask, *arguments: object, lines: bytes = b"") -> Result:
    result = app.test_cli_runner().invoke(rank, [str(argument) for argument in arguments], input=lines)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def ranked(result: Result) -> list[list[dict[str, Any]]]:
    assert result.exit_code == 0
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_name_of_a_system_gives_its_lab_first_with_its_work_as_evidence(labs: Flask) -> None:
    (matches,) = ranked(run(labs, "FairServe", "--json"))
    assert list(matches[0]) == ["lab", "name", "fits", "score", "terms", "evidence"]
    assert (matches[0]["lab"], matches[0]["name"]) == ("serving-lab", "Serving Lab")
    assert matches[0]["evidence"][0]["work"] == "fair"
    assert matches[0]["evidence"][0]["systems"] == ["FairServe"]
    assert list(matches[0]["terms"][0]) == ["term", "share", "source"]


def test_a_term_of_the_profile_alone_is_shown_with_its_sentence(labs: Flask) -> None:
    line = "   From the lab’s profile: Serving large language models on GPU clusters."
    assert line in run(labs, "fair serving on GPU clusters").stdout
    assert "profile" not in run(labs, "fair serving").stdout


def test_each_line_gets_one_line_whatever_is_in_it(labs: Flask) -> None:
    lines = [b"looms for silk", b"", b"   ", b"\x00\x01", b"\xff\xfe\xfa", b"FairServe", b"silk " * 50_000, b"zzqqxx"]
    result = run(labs, "--json", "-", lines=b"\n".join(lines))
    answers = ranked(result)
    assert [[match["lab"] for match in answer][:1] for answer in answers] == [
        ["weaving-lab"], [], [], [], [], ["serving-lab"], ["weaving-lab"], []
    ]  # fmt: skip
    assert result.stderr.splitlines() == [NOTHING_FITS] * 5


def test_no_lines_get_no_answer(labs: Flask) -> None:
    assert ranked(run(labs, "--json", "-")) == []


def test_lines_that_end_as_on_windows_are_read_without_their_ends(labs: Flask) -> None:
    once, again = ranked(run(labs, "--json", "-", lines=b"FairServe\r\nFairServe\n"))
    assert once == again


def test_only_the_first_so_many_are_shown(labs: Flask) -> None:
    both = "serving language models and looms for silk"
    assert [len(answer) for answer in ranked(run(labs, both, "--json"))] == [2]
    assert [len(answer) for answer in ranked(run(labs, both, "--json", "-k", 1))] == [1]
    assert run(labs, both, "-k", 0).exit_code == 2


def test_in_words_a_match_names_its_terms_and_its_work(labs: Flask) -> None:
    output = run(labs, "looms for silk").stdout
    assert output.startswith("1. Weaving Lab  (weaving-lab, score ")
    assert "A loom for silk" in output


def test_a_resume_counts_as_well(labs: Flask, tmp_path: Path) -> None:
    (tmp_path / "cv.pdf").write_bytes(resume_pdf())
    (tmp_path / "cv.txt").write_text("I have built looms for silk.\n" * 5, encoding="utf-8")
    assert run(labs, "silk", "--json", "--resume", tmp_path / "cv.pdf").exit_code == 0
    (matches,) = ranked(run(labs, "looms", "--json", "--resume", tmp_path / "cv.txt"))
    assert "resume" in {term["source"] for term in matches[0]["terms"]}


def test_a_resume_that_cannot_be_read_is_refused_with_its_name_and_the_reason(labs: Flask, tmp_path: Path) -> None:
    locked, large = tmp_path / "locked.pdf", tmp_path / "large.pdf"
    locked.write_bytes(encrypted_pdf())
    with large.open("wb") as file:
        file.truncate(6 * 1024 * 1024)
    for path, why in ((locked, "protected with a password"), (large, "larger than 5 MB")):
        result = run(labs, "silk", "--json", "--resume", path)
        assert (result.exit_code, result.stdout) == (1, "")
        assert str(path) in result.stderr
        assert why in result.stderr


def test_without_labs_the_seed_pages_are_ranked_and_it_says_so(app: Flask) -> None:
    result = run(app, "FlexGen", "--json", "-k", 1)
    assert [match["lab"] for match in ranked(result)[0]] == ["relaxed-system-lab"]
    assert "the labs of the seed pages are used" in result.stderr


def test_a_lab_that_is_only_related_is_called_neither_strong_nor_fair(app: Flask) -> None:
    result = run(app, "differential privacy", "--related")
    assert NOTHING_FITS in result.stderr
    labs = [line for line in result.stdout.splitlines() if line.startswith("Related, not a fit: ")]
    assert "Prof. Xiaowen Chu’s group  (xiaowen-chu-group, suggested with 0." in labs[0]
    assert not any(word in line for line in labs for word in ("strong", "fair", "slight"))
