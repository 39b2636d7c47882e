"""`portal rank-pool`: every query is answered once, however often it is killed, and nothing else is touched."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from joblib.externals.loky import get_reusable_executor

from portal.db import db
from portal.labs import service
from portal.labs.commands.console import labs_and_concepts
from portal.labs.commands.rank import INTERRUPTED, NO_DASK, rank_pool
from portal.matching import LabIndex, Query, Topic
from portal.seeding.records import LabRecord, WorkRecord
from tests.labs.commands.query_files import lines, pool
from tests.matching.corpus import LABS

if TYPE_CHECKING:
    from click.testing import Result
    from flask import Flask

PORTAL = Path(sys.executable).parent / "portal"
NOW = datetime(2026, 11, 20, tzinfo=UTC)
MANY = 200  # queries: enough to stop it in the middle
NOTHING_CHANGED = "Nothing was changed; name another file with --out."


@pytest.fixture
def app(concept_file: Path, app: Flask) -> Flask:  # noqa: ARG001  (one concept is quickly read)
    """The application with the labs of the small corpus."""
    with app.app_context():
        for lab in LABS:
            works = tuple(WorkRecord(work.key, work.title, abstract=work.abstract) for work in lab.works)
            record = LabRecord(lab.key, lab.key.title(), interests=lab.profile, works=works)
            service.create_lab(db.session(), record, author=None, reason="first", now=NOW)
        db.session.commit()
    return app


def run(app: Flask, *arguments: object, standard_input: str = "") -> Result:
    result = app.test_cli_runner().invoke(rank_pool, [str(argument) for argument in arguments], input=standard_input)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def last_error_line(result: Result) -> str:
    """The last line on standard error."""
    return result.stderr.splitlines()[-1]


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    (tmp_path / "queries.jsonl").write_text(lines(*pool(12)), encoding="utf-8")
    return tmp_path / "queries.jsonl"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


def test_each_query_gets_a_line_with_what_rank_gives(app: Flask, queries: Path, out: Path) -> None:
    result = run(app, queries, "--out", out, "-k", 3)
    assert (result.exit_code, result.stdout) == (0, "")
    assert last_error_line(result) == f"{out}: 12 queries ranked, 0 had been ranked before."
    with app.app_context():
        labs, concepts = labs_and_concepts()
    index = LabIndex.fit(labs, concepts=concepts)
    answers = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [answer["key"] for answer in answers] == [query["key"] for query in pool(12)]
    for query, answer in zip(pool(12), answers, strict=True):
        first, second = query["topics"]
        topics = [Topic(first), Topic(second["text"], 2)]
        expected = index.rank(Query(topics, query["statement"], query["resume"], 0.5), 3)
        assert answer["matches"] == [
            {"lab": match.lab, "score": match.score, "percentile": match.percentile} for match in expected
        ]
    assert any(answer["matches"] for answer in answers)


def test_a_query_that_nothing_fits_gets_an_empty_answer(app: Flask, out: Path) -> None:
    assert run(app, "-", "--out", out, standard_input=lines({"key": "a", "topics": ["medieval poetry"]})).exit_code == 0
    assert json.loads(out.read_text(encoding="utf-8"))["matches"] == []


@pytest.mark.thorough
def test_processes_and_other_chunks_write_the_same_file(app: Flask, queries: Path, out: Path) -> None:
    run(app, queries, "--out", out)
    other = out.with_name("others.jsonl")
    assert run(app, queries, "--out", other, "--processes", "--jobs", 2, "--chunk", 5).exit_code == 0
    get_reusable_executor().shutdown(wait=True)
    assert other.read_bytes() == out.read_bytes()


@pytest.mark.thorough
def test_a_cluster_writes_the_same_file(app: Flask, queries: Path, out: Path) -> None:
    distributed = pytest.importorskip(
        "distributed", reason="Dask is not installed; get it with: .venv/bin/pip install -e '.[cluster]'"
    )
    run(app, queries, "--out", out)
    other = out.with_name("others.jsonl")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0") as cluster:
        assert run(app, queries, "--out", other, "--scheduler", cluster.scheduler_address).exit_code == 0
    assert other.read_bytes() == out.read_bytes()


def test_without_dask_it_is_said_how_to_get_it(
    app: Flask, queries: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = run(app, queries, "--out", out, "--scheduler", "tcp://127.0.0.1:1")
    assert (result.exit_code, last_error_line(result)) == (1, f"Error: {NO_DASK}")


def test_options_that_cannot_be_are_refused(app: Flask, queries: Path, out: Path) -> None:
    for options in (("--jobs", 0), ("--chunk", 0), ("-k", 0), ("--processes", "--scheduler", "tcp://127.0.0.1:1")):
        assert run(app, queries, "--out", out, *options).exit_code == 2


def started(settings: dict[str, str], queries: Path, out: Path) -> subprocess.Popen[str]:
    """The command in a process of its own, when it has written some answers but not all."""
    queries.write_text(lines(*pool(MANY)), encoding="utf-8")
    process = subprocess.Popen(
        [PORTAL, "rank-pool", queries, "--out", out, "--chunk", "2", "--jobs", "2"],
        env={**os.environ, **settings},
        stderr=subprocess.PIPE,
        text=True,
    )
    while not out.exists() or out.read_bytes().count(b"\n") < 5:
        assert process.poll() is None
        time.sleep(0.005)
    return process


def test_killed_in_the_middle_it_goes_on_as_if_it_had_not_been(
    app: Flask, settings: dict[str, str], queries: Path, out: Path
) -> None:
    process = started(settings, queries, out)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    left = out.read_bytes()
    done = left.count(b"\n")
    assert 5 <= done < MANY
    assert (
        last_error_line(run(app, queries, "--out", out))
        == f"{out}: {MANY - done} queries ranked, {done} had been ranked before."
    )
    whole = out.with_name("whole.jsonl")
    run(app, queries, "--out", whole, "--chunk", 100)
    assert out.read_bytes() == whole.read_bytes()


@pytest.mark.thorough
def test_an_interrupt_ends_it_with_a_sentence(app: Flask, settings: dict[str, str], queries: Path, out: Path) -> None:
    process = started(settings, queries, out)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    done = out.read_bytes().count(b"\n")
    assert errors.splitlines() == ["", f"Stopped after {done} queries. To continue, run the same command again."]
    assert (process.returncode, 5 <= done < MANY) == (INTERRUPTED, True)
    assert (
        last_error_line(run(app, queries, "--out", out))
        == f"{out}: {MANY - done} queries ranked, {done} had been ranked before."
    )


def test_cut_at_any_byte_the_file_becomes_whole_again(app: Flask, queries: Path, out: Path) -> None:
    queries.write_text(lines(*pool(3)), encoding="utf-8")
    run(app, queries, "--out", out)
    whole = out.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in (0, 1, 9, ends[0] - 1, ends[0], ends[0] + 1, ends[0] + 40, ends[1] - 2, ends[2] - 1, ends[2]):
        out.write_bytes(whole[:cut])
        assert run(app, queries, "--out", out).exit_code == 0
        assert out.read_bytes() == whole
    for cut in (ends[0], ends[0] + 40):
        out.write_bytes(whole[:cut] + b"\0" * 100)
        assert run(app, queries, "--out", out).exit_code == 0
        assert out.read_bytes() == whole


def test_what_is_missing_in_the_middle_is_added(app: Flask, queries: Path, out: Path) -> None:
    run(app, queries, "--out", out)
    answers = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(answers[:4] + answers[7:]))
    assert last_error_line(run(app, queries, "--out", out)).endswith("3 queries ranked, 9 had been ranked before.")
    assert sorted(out.read_bytes().splitlines(keepends=True)) == sorted(answers)


@pytest.mark.parametrize(
    "content",
    [
        b"notes\n",
        b"notes without an end",
        b'{"key": "a-1", "topics": []}\n',
        b'{"key": "a-1", "topics": []',
        b"\n",
        b"\x00\x00",
        b'{"run": 1, "key": "a", "query": "b", "matches": []}\n',
    ],
)
def test_another_file_is_never_touched(app: Flask, queries: Path, out: Path, content: bytes) -> None:
    out.write_bytes(content)
    result = run(app, queries, "--out", out)
    assert result.exit_code == 1
    assert last_error_line(result).startswith(f"Error: {out}: line 1 is not an answer of this command")
    assert last_error_line(result).endswith(NOTHING_CHANGED)
    assert out.read_bytes() == content


def test_the_queries_are_not_overwritten_by_their_answers(app: Flask, queries: Path) -> None:
    before = queries.read_bytes()
    assert run(app, queries, "--out", queries).exit_code == 1
    assert queries.read_bytes() == before


def test_answers_of_another_run_are_not_mixed_with_these(app: Flask, queries: Path, out: Path) -> None:
    run(app, queries, "--out", out)
    before = out.read_bytes()
    result = run(app, queries, "--out", out, "-k", 2)
    assert result.exit_code == 1
    reason = "it has answers from other labs, other concepts or another -k"
    assert last_error_line(result) == f"Error: {out}: {reason}. {NOTHING_CHANGED}"
    assert out.read_bytes() == before


def test_two_at_a_time_do_not_write_to_one_file(app: Flask, queries: Path, out: Path) -> None:
    with out.open("ab") as locked:
        fcntl.flock(locked.fileno(), fcntl.LOCK_EX)
        result = run(app, queries, "--out", out)
    assert result.exit_code == 1
    assert last_error_line(result) == f"Error: {out}: another portal rank-pool is writing to it. {NOTHING_CHANGED}"


def test_bad_lines_are_named_and_the_rest_is_ranked(app: Flask, queries: Path, out: Path) -> None:
    queries.write_text(
        lines(
            *pool(1),
            "no JSON",
            {"key": "a-0", "statement": "x"},
            {"key": "b"},
            {"key": "c", "topics": "x"},
            {"key": "d", "statement": "x", "labs": []},
            {"key": "e", "resume": "x", "resume_weight": -1},
            {"topics": ["x"]},
            {"key": "f", "statement": "LLM"},
        ),
        encoding="utf-8",
    )
    result = run(app, queries, "--out", out)
    assert result.exit_code == 1
    assert [json.loads(line)["key"] for line in out.read_text(encoding="utf-8").splitlines()] == ["a-0", "f"]
    problems = [line for line in result.stderr.splitlines() if line.startswith(f"{queries}, line ")]
    assert [problem.split(": ", 1)[1].split(" (")[0] for problem in problems] == [
        "this is not JSON",
        'there is a key "a-0" already',
        "it needs one of topics, statement, resume",
        '"topics" must be a list of topics',
        "unknown field labs; known here: key, topics, statement, resume, resume_weight",
        '"resume_weight" must be a number from 0 to 1e+06',
        '"key" is missing',
    ]


def test_a_query_that_was_another_one_is_said_and_its_answer_stays(app: Flask, queries: Path, out: Path) -> None:
    run(app, queries, "--out", out)
    before = out.read_bytes()
    first, *rest = pool(12)
    queries.write_text(lines({**first, "statement": "LLM"}, *rest), encoding="utf-8")
    result = run(app, queries, "--out", out)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-2] == (
        f"{queries}, line 1: the query with this key has changed since it was ranked; its earlier answer stays"
    )
    assert out.read_bytes() == before


def test_no_queries_get_no_answers(app: Flask, out: Path) -> None:
    result = run(app, "-", "--out", out)
    assert (result.exit_code, last_error_line(result)) == (0, f"{out}: 0 queries ranked, 0 had been ranked before.")


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--jobs", "-2", "is not in the range"),
        ("--jobs", "99999999", "is not in the range"),
        ("--chunk", "9" * 30, "is not in the range"),
        ("--scheduler", "bogus", "'bogus' is no address"),
    ],
)
def test_an_odd_number_or_address_is_refused(
    app: Flask, queries: Path, out: Path, option: str, value: str, said: str
) -> None:
    if option == "--scheduler":
        pytest.importorskip("distributed")
    result = run(app, queries, "--out", out, option, value)
    assert (result.exit_code, said in result.stderr) == (2, True)


def test_answers_are_not_written_to_a_device_whose_content_never_ends(app: Flask, queries: Path) -> None:
    result = run(app, queries, "--out", "/dev/zero")
    assert result.exit_code == 1
    assert last_error_line(result).startswith("Error: /dev/zero: it is no file, but a device or a pipe.")
