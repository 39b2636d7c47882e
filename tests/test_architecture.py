"""The house keeps its shape: floors, file sizes, what the project says of itself."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYTHON_FILES = sorted(
    path
    for folder in ("portal", "tests", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
    if "migrations/versions" not in path.as_posix()
)
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
MAIL_FRAME = ROOT / "templates/mail/layout.html"  # read outside the portal, where styles can only be inline
LONGEST_FILE = 600  # lines
TOP_LEVEL = {
    *(".ci", ".gitignore", "CHANGELOG.md", "CONTRIBUTING.md", "DECISIONS.md", "LICENSE", "Makefile", "README.md"),
    *("benchmarks", "docs", "portal", "pyproject.toml", "seeds", "static", "templates", "tests"),
}
INLINE = re.compile(
    r"<style|\sstyle=|\son(?:click|change|submit|load|input|error|focus|blur|key\w+)="
    r"|<script(?![^>]*\bsrc=)(?![^>]*application/json)|\|\s*safe\b"
)


def test_imports_run_downwards_only() -> None:
    result = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout


def test_the_package_imports_nothing_third_party_at_the_top() -> None:
    code = "import sys, portal; print(*{m.split('.')[0] for m in sys.modules} & {'flask', 'sklearn', 'sqlalchemy'})"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""


def test_the_matcher_can_be_used_without_flask() -> None:
    code = (
        "import sys; from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc;"
        "LabIndex.fit([LabDoc('lab', 'Serving of models', [])]).rank(Query([Topic('serving')]));"
        "print(*sorted({m.split('.')[0] for m in sys.modules} & {'flask', 'sqlalchemy'}))"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == ""


def test_every_file_stays_one_thing() -> None:
    lengths = {
        path.relative_to(ROOT).as_posix(): len(path.read_text(encoding="utf-8").splitlines()) for path in PYTHON_FILES
    }
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST_FILE} == {}


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the files as git knows them: run it in a clone")
def test_nothing_is_committed_by_accident() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    committed = [Path(name) for name in listed.stdout.split("\0") if name]
    assert {path.parts[0] for path in committed} == TOP_LEVEL
    assert [path for path in committed if path.suffix in {".whl", ".pyc", ".sqlite", ".log"}] == []


def test_no_template_has_inline_script_or_style() -> None:
    inline = {path.name: INLINE.findall(path.read_text(encoding="utf-8")) for path in TEMPLATES if path != MAIL_FRAME}
    assert {name: found for name, found in inline.items() if found} == {}


def test_pins_are_plain() -> None:
    pins = (ROOT / "portal" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in pins if not re.fullmatch(r"[a-z0-9.-]+==[^\s;]+( ; .+)?", line)] == []
    assert [line for line in pins if "://" in line] == []
