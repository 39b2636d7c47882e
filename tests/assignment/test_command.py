"""`portal assignment …` from a market file to answers, without settings or a database."""

from __future__ import annotations

import errno
import json
import os
import stat
from typing import TYPE_CHECKING, Any, Self

import pytest

from portal.assignment import lists_digest, read_market
from portal.cli import group

if TYPE_CHECKING:
    from pathlib import Path

MARKET = {
    "format": "portal-market/1",
    "market": {
        "applicants": {"an": ["x", "y"], "bo": ["x", "y"], "cy": ["y"], "di": []},
        "labs": {"x": {"seats": 1, "order": [["an", "bo"]]}, "y": {"seats": 1, "order": [["bo"], ["cy", "an"]]}},
    },
}


class Terminal:
    """A terminal in a folder with a market; `run` returns the exit code and the lines on both streams."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        (folder / "market.json").write_text(json.dumps(MARKET), encoding="utf-8")

    def run(self, *arguments: str) -> tuple[int, list[str], list[str]]:
        with pytest.raises(SystemExit) as ended:
            group.main(["assignment", *arguments], prog_name="portal")
        assert isinstance(ended.value.code, int)
        output = self._capsys.readouterr()
        return ended.value.code, output.out.splitlines(), output.err.splitlines()

    def write(self, name: str, data: Any) -> None:  # noqa: ANN401 - any JSON
        (self.folder / name).write_text(json.dumps(data), encoding="utf-8")


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    # With this setting no application could be made: none is needed.
    monkeypatch.setenv("PORTAL_DATABSE_URL", "a misspelt setting")
    monkeypatch.chdir(tmp_path)
    return Terminal(tmp_path, capsys)


def test_from_a_market_to_a_proved_certificate_and_its_reasons(terminal: Terminal) -> None:
    code, out, err = terminal.run("solve", "market.json", "--seed", "1", "--out", "round.json")
    assert (code, err) == (0, [])
    assert out[:5] == [
        "2 of 4 applicants have a place; 0 of 2 seats are free.",
        "  number 1 on their list: 1",
        "  number 2 on their list: 1",
        "Seed: “1”",
        f"Digest of lists, orders and seats: {lists_digest(read_market(json.dumps(MARKET).encode())[0])}",
    ]
    assert stat.S_IMODE((terminal.folder / "round.json").stat().st_mode) == 0o600
    code, out, err = terminal.run("verify", "round.json")
    assert (code, out[0], err) == (0, "Proved: 2 of 4 applicants have a place; there are 2 labs.", [])
    assert terminal.run("why", "round.json", "bo") == (
        0,
        [
            (
                "“x” gave its one seat to one applicant whom it ranks equal to you and whose lottery number is "
                "smaller. Its last seat went to the applicant in place 1 of its order, in which the lottery breaks "
                "ties; you are in place 2."
            ),
            "You got “y”, number 2 on your list.",
        ],
        [],
    )
    assert terminal.run("why", "round.json", "di") == (0, ["You have no labs on your list."], [])
    assert terminal.run("why", "round.json", "cy", "x") == (0, ["“x” is not on your list."], [])


def test_the_summary_counts_choices_and_adds_up_those_far_down(terminal: Terminal) -> None:
    # The lab l3 takes e3 alone, whose fourth choice it is, and so on; l1 takes nobody.
    applicants = {f"e{index}": [f"l{earlier}" for earlier in range(index + 1)] for index in range(7)}
    labs = {f"l{index}": {"seats": 1, "order": [[f"e{index}"]] if index != 1 else []} for index in range(7)}
    market = {"applicants": applicants, "labs": labs}
    terminal.write("long.json", {"format": "portal-market/1", "seed": "1", "market": market})
    assert terminal.run("solve", "long.json", "--out", "-")[2][:7] == [
        "6 of 7 applicants have a place; 1 of 7 seats are free.",
        "  number 1 on their list: 1",
        "  number 2 on their list: 0",
        "  number 3 on their list: 1",
        "  number 4 on their list: 1",
        "  number 5 on their list: 1",
        "  further down: 2",
    ]


def test_a_forged_certificate_is_refuted_and_answers_nothing(terminal: Terminal) -> None:
    terminal.run("solve", "market.json", "--seed", "1", "--out", "round.json")
    data = json.loads((terminal.folder / "round.json").read_text(encoding="utf-8"))
    data["assignment"] |= {"an": "y", "bo": "x"}
    terminal.write("forged.json", data)
    code, out, _ = terminal.run("verify", "forged.json")
    assert (code, out[-1]) == (1, "Refuted: 2 violations.")
    assert terminal.run("verify", "market.json")[0] == terminal.run("verify", "absent.json")[0] == 2
    code, out, err = terminal.run("why", "forged.json", "bo")
    assert (code, out) == (1, [])
    assert " ".join(err) == (
        "Error: forged.json cannot be proved as a certificate, so it is not used. "
        "To see what is wrong with it, run: portal assignment verify forged.json"
    )


def test_a_certificate_that_cannot_be_written_whole_leaves_nothing_under_its_name(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("solve", "market.json", "--seed", "1", "--out", "c")
    with monkeypatch.context() as full:
        full.setattr("os.fdopen", Full)
        assert terminal.run(*arguments)[0] == 1
    assert not (terminal.folder / "c").exists()
    assert terminal.run(*arguments)[0] == 0
    assert terminal.run("verify", "c")[0] == 0
    assert sorted(path.name for path in terminal.folder.iterdir()) == ["c", "market.json"]


def test_a_certificate_gets_its_name_when_it_is_whole(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[bool] = []
    monkeypatch.setattr("os.fsync", lambda _: named.append((terminal.folder / "c").exists()))
    assert terminal.run("solve", "market.json", "--seed", "1", "--out", "c")[0] == 0
    assert (named, (terminal.folder / "c").exists()) == ([False], True)


class Full:
    """A file on a full disk."""

    def __init__(self, descriptor: int, *_: object, **__: object) -> None:
        os.close(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def write(self, _text: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "c")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["solve", "market.json", "--out", "c"],
            'The lottery needs its published seed: give it with --seed, or as "seed"',
        ),
        (
            ["solve", "seeded.json", "--seed", "1", "--out", "c"],
            "The seed in the file differs from that of --seed. Leave out --seed, or use a file without a seed.",
        ),
        (
            ["solve", "market.json", "--seed", "1", "--out", "market.json"],
            "market.json exists already, and existing files are never overwritten. Give another name with --out.",
        ),
        (["solve", "market.json", "--seed", "1", "--out", "no/c"], "no/c: No such file or directory"),
        (
            ["solve", "bad.json", "--seed", "1", "--out", "c"],
            "bad.json: The list of “an” has the lab “z”, which is not ",
        ),
        (["solve", "text.json", "--seed", "1", "--out", "c"], "text.json: it is neither a market ("),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(terminal: Terminal, arguments: list[str], message: str) -> None:
    terminal.write("seeded.json", MARKET | {"seed": "2"})
    terminal.write("bad.json", {"format": "portal-market/1", "market": {"applicants": {"an": ["z"]}, "labs": {}}})
    terminal.write("text.json", {})
    code, out, err = terminal.run(*arguments)
    assert code in {1, 2}
    assert out == []
    assert message in err[-1]
    assert not (terminal.folder / "c").exists()
