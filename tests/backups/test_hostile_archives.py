"""Hostile archives: names that the store of files cannot use, and texts that no database can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.backups.contents import archive_of, changed, files, run_restore, sealed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask import Flask

    Parts = dict[str, bytes]
    Change = Callable[[dict[str, Any], Parts], None]

pytestmark = pytest.mark.sqlite


def a_file_that_is_a_folder_too(manifest: dict[str, Any], parts: Parts) -> None:
    manifest["files"][0]["key"] = "resumes/1"
    manifest["files"][1]["key"] = "resumes/1/a"
    parts["files/resumes/1"] = parts["files/resumes/1/a"] = b"x"


def a_name_of_an_unfinished_file(manifest: dict[str, Any], parts: Parts) -> None:
    manifest["files"][0]["key"] = "resumes/1/a#1"
    parts["files/resumes/1/a#1"] = parts.pop("files/resumes/1/not-named-by-a-row")


def a_name_too_long_for_a_folder(manifest: dict[str, Any], parts: Parts) -> None:
    manifest["files"][0]["key"] = f"resumes/{'ä' * 130}"
    parts[f"files/resumes/{'ä' * 130}"] = parts.pop("files/resumes/1/not-named-by-a-row")


def half_a_letter(manifest: dict[str, Any], parts: Parts) -> None:
    parts["tables/role.jsonl"] = rb'[1,"\ud800",""]' + b"\n"
    sealed(manifest, parts)


ODD_MANIFEST = "Its manifest is not one that portal backup writes."
DAMAGED = "It is damaged: line 1 of tables/{} is not what was written. Use another copy of it, or another backup."


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (a_file_that_is_a_folder_too, ODD_MANIFEST),
        (a_name_of_an_unfinished_file, ODD_MANIFEST),
        (a_name_too_long_for_a_folder, ODD_MANIFEST),
        (half_a_letter, DAMAGED.format("role.jsonl")),
    ],
)
def test_an_archive_made_to_hurt_is_refused_before_anything_is_written(
    source: Flask, target: Flask, tmp_path: Path, change: Change, message: str
) -> None:
    archive = changed(archive_of(source, tmp_path / "kept.zip"), tmp_path / "changed.zip", change)
    refused = run_restore(target, archive)
    assert (refused.exit_code, refused.stdout, files(target)) == (1, "", {})
    assert refused.stderr.splitlines()[-1] == f"Error: {archive}: {message}"
