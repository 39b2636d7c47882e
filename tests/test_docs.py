"""What the docs point at is there: files, modules, headings of other pages, commands."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

import click
import pytest

from portal.cli import group

ROOT = Path(__file__).parents[1]
DOCS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "seeds/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
FILE = re.compile(r"`((?:[\w-]+/)*[\w-]+\.(?:py|js|css|html|toml|txt|jsonl))`")
MODULE = re.compile(r"`(portal(?:\.[a-z_]+)+)(?:\.[A-Z_]\w*)?(?:\(.*?\))?`")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
COMMAND = re.compile(r"^\s*(?:\.venv/bin/)?portal ([a-z][a-z-]+)", re.MULTILINE)
MADE_BY_READERS = {"labs.jsonl", "applicants.jsonl", "ranks.jsonl"}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def headings(path: Path) -> set[str]:
    """The anchors of a page, as they are made of its headings."""
    found = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("path", DOCS, ids=name)
def test_every_file_that_is_named_is_there(path: Path) -> None:
    there = {
        f"/{name(file)}"
        for folder in ("portal", "templates", "static", "seeds", "tests", "benchmarks", "docs")
        for file in (ROOT / folder).rglob("*.*")
    } | {"/pyproject.toml"}
    named = set(FILE.findall(path.read_text(encoding="utf-8"))) - MADE_BY_READERS
    assert {file for file in named if not any(found.endswith(f"/{file}") for found in there)} == set()


@pytest.mark.parametrize("path", DOCS, ids=name)
def test_every_module_that_is_named_is_there(path: Path) -> None:
    modules = set(MODULE.findall(path.read_text(encoding="utf-8"))) - {"portal.env", "portal.sqlite"}
    assert {module for module in modules if not _is_there(module)} == set()


def _is_there(named: str) -> bool:
    """Whether there is such a module, or something of this name in one."""
    try:
        resolve_name(named)
    except (ImportError, AttributeError):
        return False
    return True


@pytest.mark.parametrize("path", DOCS, ids=name)
def test_every_link_leads_somewhere(path: Path) -> None:
    broken: list[str] = []
    for target, anchor in LINK.findall(path.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        page = (path.parent / target).resolve() if target else path
        if not page.exists() or (anchor and anchor not in headings(page)):
            broken.append(f"{target}#{anchor}")
    assert broken == []


@pytest.mark.parametrize("path", DOCS, ids=name)
def test_every_command_that_is_shown_is_one(path: Path) -> None:
    blocks = re.findall(r"```\w*\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)
    shown = set(COMMAND.findall("\n".join(blocks)))
    assert shown - {*group.list_commands(click.Context(group))} == set()
