"""Archives that are damaged, cut, newer or hostile, and portals that are not empty, are refused with a sentence."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from flask_migrate import upgrade
from sqlalchemy import text

from portal.db import db
from tests.backups.contents import archive_of, changed, files, run_restore, sealed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask import Flask

    Parts = dict[str, bytes]
    Change = Callable[[dict[str, Any], Parts], None]

pytestmark = pytest.mark.sqlite


@pytest.fixture(scope="module")
def content() -> list[bytes]:
    """The archive that all tests here use, once the first of them has written it."""
    return []


@pytest.fixture
def archive(source: Flask, tmp_path: Path, content: list[bytes]) -> Path:
    path = tmp_path / "kept.zip"
    if not content:
        content.append(archive_of(source, path).read_bytes())
    path.write_bytes(content[0])
    return path


def refusal(target: Flask, archive: Path, *options: str) -> str:
    """Why an archive is not restored; nothing was written."""
    refused = run_restore(target, archive, *options)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert files(target) == {}
    message = refused.stderr.splitlines()[-1]
    assert message.startswith(f"Error: {archive}: ")
    return message.removeprefix(f"Error: {archive}: ")


def is_bare(target: Flask) -> bool:
    with target.app_context():
        return not db.session.execute(text("SELECT count(*) FROM sqlite_master")).scalar_one()


def test_check_says_that_an_archive_is_whole_and_asks_no_database(
    bare_target: Flask, archive: Path, tmp_path: Path
) -> None:
    done = run_restore(bare_target, archive, "--check")
    assert done.exit_code == 0
    assert done.stdout.startswith("It is complete. ")
    assert "and 2 files, from the backup of " in done.stdout
    assert not (tmp_path / "target/portal.sqlite").exists()


@pytest.mark.parametrize("part", [0.02, 0.3, 0.6, 0.97])
def test_a_damaged_archive_is_refused(bare_target: Flask, archive: Path, part: float) -> None:
    data = bytearray(archive.read_bytes())
    at = int(len(data) * part)
    data[at : at + 40] = bytes(byte ^ 0x5A for byte in data[at : at + 40])
    archive.write_bytes(data)
    for options in (["--check"], []):
        assert refusal(bare_target, archive, *options).startswith(
            ("It is damaged: ", "It is not a backup", "It was not made")
        )
    assert is_bare(bare_target)


@pytest.mark.parametrize("part", [0, 0.1, 0.5, 0.99])
def test_a_cut_archive_is_refused(bare_target: Flask, archive: Path, part: float) -> None:
    data = archive.read_bytes()
    archive.write_bytes(data[: int(len(data) * part)])
    assert refusal(bare_target, archive).startswith("It is not a backup, or its end is missing. Use another copy")


def newer_format(manifest: dict[str, Any], _parts: Parts) -> None:
    manifest["format_version"] = 2


def newer_tables(manifest: dict[str, Any], _parts: Parts) -> None:
    manifest["revision"] = "of_the_future"


def another_program(manifest: dict[str, Any], _parts: Parts) -> None:
    manifest["format"] = "other"


def a_key_that_leads_elsewhere(manifest: dict[str, Any], parts: Parts) -> None:
    manifest["files"][0]["key"] = "../../outside"
    parts["files/../../outside"] = parts.pop("files/resumes/1/not-named-by-a-row")


def an_absolute_key(manifest: dict[str, Any], parts: Parts) -> None:
    manifest["files"][0]["key"] = "/tmp/outside"  # noqa: S108
    parts["files//tmp/outside"] = parts.pop("files/resumes/1/not-named-by-a-row")


def another_sum(manifest: dict[str, Any], _parts: Parts) -> None:
    manifest["files"][0]["sha256"] = "0" * 64


def fewer_rows(manifest: dict[str, Any], _parts: Parts) -> None:
    manifest["tables"][0]["rows"] += 1


def a_part_that_nobody_names(_manifest: dict[str, Any], parts: Parts) -> None:
    parts["files/more"] = b"x"


def a_part_less(_manifest: dict[str, Any], parts: Parts) -> None:
    parts.pop("tables/lab.jsonl")


def a_table_of_another_name(manifest: dict[str, Any], parts: Parts) -> None:
    table = next(table for table in manifest["tables"] if table["name"] == "clock_mark")
    table["name"] = "sqlite_master"
    parts["tables/sqlite_master.jsonl"] = parts.pop("tables/clock_mark.jsonl")


def a_name_with_a_statement(manifest: dict[str, Any], _parts: Parts) -> None:
    manifest["tables"][0]["name"] = 'a"; DROP TABLE lab; --'


def values_of_another_kind(manifest: dict[str, Any], parts: Parts) -> None:
    parts["tables/role.jsonl"] = b'["one","admin",""]\n'
    sealed(manifest, parts)


def nothing_but_brackets(manifest: dict[str, Any], parts: Parts) -> None:
    parts["tables/role.jsonl"] = b"[" * 100_000 + b"\n"
    sealed(manifest, parts)


def a_number_without_end(manifest: dict[str, Any], parts: Parts) -> None:
    parts["tables/role.jsonl"] = b"[" + b"1" * 10_000 + b',"a",""]\n'
    sealed(manifest, parts)


def a_row_twice(manifest: dict[str, Any], parts: Parts) -> None:
    parts["tables/role.jsonl"] *= 2
    sealed(manifest, parts)


def a_person_who_is_not_there(manifest: dict[str, Any], parts: Parts) -> None:
    parts["tables/role_of_user.jsonl"] = b"[99999,1]\n"
    sealed(manifest, parts)


def a_manifest_of_odd_things(manifest: dict[str, Any], _parts: Parts) -> None:
    manifest["tables"] = {"a": 1}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (newer_format, "It is written in format 2, and this version of the portal reads format 1."),
        (newer_tables, "It was made by version 0.1.0 of the portal, with other tables (of_the_future). "),
        (another_program, "It was not made by portal backup."),
        (a_key_that_leads_elsewhere, "Its manifest is not one that portal backup writes."),
        (an_absolute_key, "Its manifest is not one that portal backup writes."),
        (another_sum, "It is damaged: files/resumes/1/not-named-by-a-row is not what was written."),
        (fewer_rows, "It is damaged: tables/audit_head.jsonl is not what was written."),
        (a_part_that_nobody_names, "It is damaged: its parts are not those that its manifest lists."),
        (a_part_less, "It is damaged: its parts are not those that its manifest lists."),
        (a_name_with_a_statement, "Its manifest is not one that portal backup writes."),
        (values_of_another_kind, "It is damaged: line 1 of tables/role.jsonl is not what was written."),
        (nothing_but_brackets, "It is damaged: line 1 of tables/role.jsonl is not what was written."),
        (a_number_without_end, "It is damaged: line 1 of tables/role.jsonl is not what was written."),
        (a_manifest_of_odd_things, "Its manifest is not one that portal backup writes."),
    ],
)
def test_an_archive_that_is_not_right_is_refused_before_anything_is_written(
    bare_target: Flask, archive: Path, tmp_path: Path, change: Change, message: str
) -> None:
    assert refusal(bare_target, changed(archive, tmp_path / "changed.zip", change)).startswith(message)
    assert is_bare(bare_target)
    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (a_table_of_another_name, "Its tables are not those of the version that made it."),
        (a_row_twice, "The database does not accept a row of role: UNIQUE constraint failed: role.id"),
        (
            a_person_who_is_not_there,
            "The database does not accept a row of role_of_user: FOREIGN KEY constraint failed",
        ),
    ],
)
def test_rows_that_cannot_be_are_refused_and_leave_no_other(
    target: Flask, archive: Path, tmp_path: Path, change: Change, message: str
) -> None:
    refused = run_restore(target, changed(archive, tmp_path / "changed.zip", change))
    assert refused.exit_code == 1
    assert refused.stderr.splitlines()[-1].endswith(message)
    assert run_restore(target, archive).exit_code == 0


def test_a_manifest_that_unpacks_to_more_than_any_is_refused(bare_target: Flask, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("manifest.json", b" " * 300_000_000)
    assert refusal(bare_target, bomb) == "Its manifest is too long."


def test_a_part_that_is_said_to_lie_before_the_beginning_is_refused(bare_target: Flask, archive: Path) -> None:
    data = bytearray(archive.read_bytes())

    def add(at: int) -> None:
        data[at : at + 4] = (int.from_bytes(data[at : at + 4], "little") + 7).to_bytes(4, "little")

    end = data.rindex(b"PK\x05\x06")
    entry = int.from_bytes(data[end + 16 : end + 20], "little")
    add(end + 16)
    while data[entry : entry + 4] == b"PK\x01\x02":
        if int.from_bytes(data[entry + 42 : entry + 46], "little"):
            add(entry + 42)
        entry += 46 + sum(int.from_bytes(data[entry + at : entry + at + 2], "little") for at in (28, 30, 32))
    archive.write_bytes(data)
    assert refusal(bare_target, archive).startswith("It is damaged: tables/audit_head.jsonl is not what was written.")


def test_a_portal_with_people_is_left_alone(source: Flask, archive: Path) -> None:
    before = files(source)
    refused = run_restore(source, archive)
    assert refused.exit_code == 1
    assert "This database is not empty (rows in " in refused.stderr
    assert "set PORTAL_INSTANCE to a new folder, or PORTAL_DATABASE_URL to a new database" in refused.stderr
    assert files(source) == before


def test_a_store_with_other_files_is_left_alone(bare_target: Flask, archive: Path) -> None:
    bare_target.extensions["portal_files"].put("resumes/2/a-_B9", b"another one")
    refused = run_restore(bare_target, archive)
    assert refused.exit_code == 1
    assert "1 of its files are not in the archive, such as resumes/2/a-_B9." in refused.stderr
    assert is_bare(bare_target)


def test_tables_of_another_version_are_neither_filled_nor_read(
    bare_target: Flask, archive: Path, tmp_path: Path, later_version: str
) -> None:
    def newer(manifest: dict[str, Any], _parts: Parts) -> None:
        manifest["revision"] = later_version

    with bare_target.app_context():
        upgrade(revision="first")
    message = refusal(bare_target, changed(archive, tmp_path / "newer.zip", newer))
    assert message.startswith("The tables of this database are of another version. Run portal db")
    message = refusal(bare_target, archive)
    assert message.endswith("with that version, then install this one and run portal db upgrade.")


def test_an_empty_portal_that_is_up_to_date_is_filled(bare_target: Flask, archive: Path) -> None:
    with bare_target.app_context():
        upgrade()
        db.session.execute(text("INSERT INTO clock_mark (name, begun_at) VALUES ('deliver mail', '2026-01-01')"))
        db.session.commit()
    assert run_restore(bare_target, archive).exit_code == 0
