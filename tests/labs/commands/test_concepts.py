"""`portal concepts`: what is wrong with a file, line by line, and whether the portal would refuse it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.labs.commands.concepts import concepts, read_entries, repeated_phrases
from portal.labs.live_index.state import SHIPPED_CONCEPTS
from tests.labs.following import store_labs

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result
    from flask import Flask

GOOD = """[[concept]]
plain = ["looms for silk", "(fast|quick) looms"]
terms = ["weaving", "jacquard"]
why = "Silk is woven."
added_by = "a test"

"""
WITHOUT_REASON = GOOD.replace("Silk is woven.", "").replace("looms", "needles")


def run(app: Flask, *arguments: object) -> Result:
    return app.test_cli_runner().invoke(concepts, [str(argument) for argument in arguments])


def checked(app: Flask, tmp_path: Path, text: str) -> tuple[int, list[str]]:
    file = tmp_path / "file.toml"
    file.write_text(text, encoding="utf-8")
    result = run(app, file)
    return result.exit_code, [line.replace(str(file), "FILE") for line in result.stdout.splitlines()]


def test_a_good_file_is_counted_and_terms_that_no_lab_uses_are_named(app: Flask, tmp_path: Path) -> None:
    store_labs(app)
    assert checked(app, tmp_path, GOOD) == (
        0,
        ["line 1: no lab uses “jacquard”", "FILE: 1 concept with 3 phrases."],
    )


def test_each_entry_is_checked_by_itself_with_its_line(app: Flask, tmp_path: Path) -> None:
    store_labs(app)
    repeated = GOOD.replace('"looms for silk", ', '"looms for silks", ').replace(', "jacquard"', "")
    assert checked(app, tmp_path, WITHOUT_REASON + GOOD + repeated) == (
        1,
        [
            "line 1: why must say something",
            "line 13: “looms for silks” stands in the entry of line 7 already",
            "line 13: “fast looms” stands in the entry of line 7 already",
            "line 13: “quick looms” stands in the entry of line 7 already",
            "line 7: no lab uses “jacquard”",
        ],
    )


def test_a_text_that_is_something_else_is_refused(app: Flask, tmp_path: Path) -> None:
    store_labs(app)
    assert checked(app, tmp_path, f"{GOOD}[other]\n")[0] == 1
    assert checked(app, tmp_path, "no TOML")[0] == 1


def test_without_a_file_the_one_in_use_is_checked(concept_file: Path, app: Flask) -> None:
    store_labs(app)
    assert run(app).stdout.splitlines()[-1] == f"{concept_file}: 1 concept with 1 phrase."


def test_a_file_is_checked_while_the_one_in_use_is_broken(concept_file: Path, app: Flask, tmp_path: Path) -> None:
    store_labs(app)
    concept_file.write_text(WITHOUT_REASON, encoding="utf-8")
    assert checked(app, tmp_path, GOOD)[0] == 0
    assert run(app).stdout.splitlines()[0] == "line 1: why must say something"


def test_the_shipped_file_is_usable_and_has_no_phrase_twice() -> None:
    entries, refusals = read_entries(SHIPPED_CONCEPTS.read_text(encoding="utf-8"))
    assert refusals == []
    assert list(repeated_phrases(entries)) == []
