"""`portal evaluate`: figures for judged queries and ratings, whatever else is in the file."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from portal.labs.commands.console import NO_STANDARD_INPUT
from portal.labs.commands.evaluate import evaluate
from portal.labs.commands.rank import rank

if TYPE_CHECKING:
    import click
    from click.testing import Result
    from flask import Flask

PORTAL = Path(sys.executable).parent / "portal"
WEAVING = {
    "lab_key": "weaving",
    "profile": "Looms for silk.",
    "works": [{"key": "w", "title": "A loom for silk", "abstract": "It weaves.", "systems": ["LoomX"]}],
}
SERVING = {"lab_key": "serving", "profile": "", "works": [{"key": "w", "title": "Serving large language models"}]}
LABS = [WEAVING, SERVING]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def lines(*records: dict[str, Any] | str) -> str:
    return "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)


def run(app: Flask, *arguments: object, standard_input: str | bytes = "", command: click.Command = evaluate) -> Result:
    result = app.test_cli_runner().invoke(command, [str(argument) for argument in arguments], input=standard_input)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def data(result: Result) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def test_figures_come_as_data(app: Flask) -> None:
    result = run(
        app,
        "-",
        "--json",
        standard_input=lines(
            *LABS,
            {"text": "looms", "labs": ["weaving"], "kind": "topic", "evidence": ["LoomX"]},
            {"text": "language models", "labs": ["weaving"], "kind": "topic"},
            {"text": "poetry", "labs": []},
        ),
    )
    assert result.exit_code == 0
    figures = data(result)
    assert (figures["labs"], figures["queries"], figures["ratings"], figures["bad_lines"]) == (2, 3, None, [])
    assert figures["all"]["first lab"] == {"value": 0.5, "low": 0.0, "high": 1.0, "count": 2}
    assert figures["kinds"]["topic"]["evidence shown"]["value"] == 1.0
    assert figures["kinds"][""].keys() == {"refusal"}
    assert result.stderr == ""


def test_figures_come_as_tables_with_a_row_for_each_kind(app: Flask) -> None:
    result = run(
        app,
        "-",
        standard_input=lines(
            *LABS,
            {"text": "looms", "labs": ["weaving"], "kind": "topic", "evidence": ["LoomX"]},
            {"text": "silk", "labs": ["weaving"], "kind": "topic"},
            {"text": "poetry", "labs": []},
        ),
    )
    output_lines = result.stdout.splitlines()
    assert output_lines[0] == "3 judged queries, 2 labs. With 95 % bootstrap intervals:"
    assert output_lines[2:6] == [
        "| Order | queries | first lab         | nDCG@10           | mean AP           |",
        "|-------|---------|-------------------|-------------------|-------------------|",
        "| topic | 2       | 1.000 (1.00–1.00) | 1.000 (1.00–1.00) | 1.000 (1.00–1.00) |",
        "| all   | 2       | 1.000 (1.00–1.00) | 1.000 (1.00–1.00) | 1.000 (1.00–1.00) |",
    ]
    assert output_lines[-3:] == [
        "| topic                | 2       | 1.000 (1.00–1.00) | 1.000 (1.00–1.00) of 1 |",
        "| (no kind)            | 1       | 1.000 (1.00–1.00) |                        |",
        "| all                  | 3       | 1.000 (1.00–1.00) | 1.000 (1.00–1.00) of 1 |",
    ]


def test_ratings_give_the_pairwise_loss(app: Flask) -> None:
    given = lines(
        *LABS,
        {"lab": "weaving", "text": "looms for silk", "rating": 5},
        {"lab": "weaving", "query": "q", "rating": 4},
        {"lab": "weaving", "text": "language models", "rating": 1},
        {"id": "q", "text": "poetry"},
    )
    answer = data(run(app, "-", "--json", standard_input=given))
    assert answer["ratings"]["loss"]["value"] == pytest.approx(1.5 / 8)
    assert (answer["ratings"]["pairs"], answer["ratings"]["easy"]["value"]) == (3, 0.5)
    output = run(app, "-", standard_input=given).stdout
    assert "| pairwise loss (0 is best, 0.5 is chance) | 3     | 1    | 0.188 (0.19–0.19) |" in output


def test_ratings_with_nothing_to_compare_are_said_to_have_none(app: Flask) -> None:
    result = run(app, "-", standard_input=lines(*LABS, {"lab": "weaving", "text": "silk", "rating": 5}))
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no lab has two texts with different ratings" in result.stderr


def test_bad_lines_are_named_in_order_the_rest_goes_on_and_the_command_ends_with_1(app: Flask, folder: Path) -> None:
    (folder / "labs.jsonl").write_text(lines(WEAVING, "{}"), encoding="utf-8")
    (folder / "judged.jsonl").write_text(
        lines({"text": "silk", "labs": ["nowhere"]}, "no JSON", {"text": "silk", "labs": ["weaving"]}, SERVING),
        encoding="utf-8",
    )
    result = run(app, folder / "judged.jsonl", "--labs", folder / "labs.jsonl", "--json")
    assert result.exit_code == 1
    assert [(Path(bad["file"]).name, bad["line"]) for bad in data(result)["bad_lines"]] == [
        ("judged.jsonl", 1),
        ("judged.jsonl", 2),
        ("labs.jsonl", 2),
    ]
    assert (data(result)["labs"], data(result)["queries"]) == (2, 1)
    first, second, third = result.stderr.splitlines()
    assert first == f"{folder}/judged.jsonl, line 1: no lab has the key nowhere; there are serving, weaving"
    assert second.startswith(f"{folder}/judged.jsonl, line 2: this is not JSON (")
    assert third == f'{folder}/labs.jsonl, line 2: this is no lab: it has no "lab_key"'


@pytest.mark.parametrize("given", ["", "\n\n", lines(*LABS)])
def test_a_file_without_anything_to_judge_is_said_so(app: Flask, given: str) -> None:
    result = run(app, "-", standard_input=given)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "Error: There is no judged query and no rating in standard input. portal evaluate --help shows their format.\n"
    )


def test_where_labs_are_meant_to_come_from_lines_no_others_take_their_place(app: Flask, folder: Path) -> None:
    query = {"text": "silk", "labs": []}
    (folder / "empty.jsonl").touch()
    for result in (
        run(app, "-", standard_input=lines(query, {"lab_key": 3})),
        run(app, "-", "--labs", folder / "empty.jsonl", standard_input=lines(query)),
    ):
        assert result.exit_code == 1
        assert result.stderr.endswith(
            "Error: There are no labs to rank: no line has a valid lab. Correct the lines named above.\n"
        )


def test_without_labs_in_the_file_the_seed_pages_are_judged_and_it_says_so(app: Flask) -> None:
    result = run(app, "-", "--json", standard_input=lines({"text": "FlexGen", "labs": ["relaxed-system-lab"]}))
    assert data(result)["all"]["first lab"]["value"] == 1.0
    assert "the labs of the seed pages are used" in result.stderr


def test_signs_that_a_terminal_would_obey_are_not_printed(app: Flask) -> None:
    odd: dict[str, Any] = {"text": "silk loom", "kind": "\x1b]0;x\u202e\ud800\x07", "labs": []}
    result = run(app, "-", standard_input=lines(*LABS, odd, {**odd, "kind": "plain"}))
    assert "\x1b" not in result.output
    assert "| ]0;x " in result.stdout


@pytest.mark.parametrize(
    "command", [["evaluate", "-"], pytest.param(["rank", "--json", "-"], marks=pytest.mark.thorough)]
)
def test_closed_standard_input_is_said_so(command: list[str], folder: Path) -> None:
    words = " ".join([str(PORTAL), *command, "<&-"])
    result = subprocess.run(
        ["sh", "-c", words],
        env={**os.environ, "PORTAL_INSTANCE": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.splitlines()[-1] == f"Error: {NO_STANDARD_INPUT}"


def written_to(terminal: int) -> str:
    """Everything that is written to a terminal until its other end is closed."""
    output = b""
    # Linux ends with an error, others with nothing.
    with suppress(OSError):
        while more := os.read(terminal, 10_000):
            output += more
    os.close(terminal)
    return output.decode()


@pytest.mark.thorough
def test_on_a_terminal_many_queries_have_a_bar_on_standard_error(folder: Path) -> None:
    file = folder / "judged.jsonl"
    file.write_text(lines(*LABS, *({"text": f"silk {n}", "labs": []} for n in range(60))), encoding="utf-8")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [PORTAL, "evaluate", file],
        env={**os.environ, "PORTAL_INSTANCE": str(folder), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=slave,
        text=True,
    )
    os.close(slave)
    output = written_to(master)
    tables, _ = process.communicate()
    assert "Ranking" in output
    assert "60/60" in output
    assert "Ranking" not in tables


def test_rank_reads_what_evaluate_reads(app: Flask) -> None:
    result = run(app, "--json", "-k", 1, "-", standard_input="FlexGen\n", command=rank)
    assert [match["lab"] for match in json.loads(result.stdout)] == ["relaxed-system-lab"]
