"""What no template may hold: it would breach the content security policy, or let text become markup."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from portal.config import RESOURCES

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATES = RESOURCES / "templates"
COMMENT = re.compile(r"\{#.*?#\}|<!--.*?-->", re.DOTALL)
FORBIDDEN = {
    "a style attribute": re.compile(r"<[^>]*\sstyle\s*="),
    "a style element": re.compile(r"<style\b"),
    "a handler attribute": re.compile(r"<[^>]*\son[a-z]+\s*="),
    "an inline script": re.compile(r"<script\b(?![^>]*\bsrc=)"),
    "unescaped text": re.compile(r"\|\s*safe\b|autoescape\s+false"),
    "a javascript: address": re.compile(r"javascript:", re.IGNORECASE),
    # HTML leaves out a line end there; without one, it would be that of the text.
    "a text area that begins without a line end": re.compile(
        r"<textarea(?:[^>{]|\{\{.*?\}\}|\{%.*?%\})*>(?!\n\{\{ |</textarea>)"
    ),
    "another host": re.compile(r"""\b(?:src|href)\s*=\s*["'](?:https?:)?//"""),
}


def _pages() -> list[Path]:
    """All templates of pages; mails are read elsewhere, where styles can only be inline."""
    return sorted(path for path in TEMPLATES.rglob("*.html") if "mail" not in path.parts and "email" not in path.parts)


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_template_holds(what: str) -> None:
    holding = [
        str(path.relative_to(TEMPLATES))
        for path in _pages()
        if FORBIDDEN[what].search(COMMENT.sub("", path.read_text()))
    ]
    assert holding == []


def test_no_heading_breaks_a_word_at_its_own_hyphen() -> None:
    heading = re.compile(r"<h[1-3][^>]*>(.*?)</h[1-3]>", re.DOTALL)
    broken = [
        text
        for path in _pages()
        for text in heading.findall(path.read_text())
        if "e-mail" in text.replace('<span class="in-one-piece">e-mail</span>', "")
    ]
    assert broken == []


def test_no_form_with_room_for_a_text_is_left_without_a_question() -> None:
    """It saves itself, follows what is typed, or has its changes asked for."""
    form = re.compile(r"<form\b.*?</form>", re.DOTALL)
    macro = re.compile(r"\{% macro (\w+)\((.*?)\{% endmacro %\}", re.DOTALL)
    kept = re.compile(r"data-(?:autosave|live|unsaved)\b")
    forgetful: list[str] = []
    for path in _pages():
        text = path.read_text()
        rooms = [r"\brows=", *(rf"\b{name}\(" for name, body in macro.findall(text) if re.search(r"\brows=", body))]
        room = re.compile("|".join(rooms))
        forms = [found for found in form.findall(text) if room.search(found) and not kept.search(found)]
        forgetful += [str(path.relative_to(TEMPLATES))] * len(forms)
    assert forgetful == []


@pytest.mark.parametrize(
    ("what", "sample"),
    [
        ("a style attribute", '<p class="x" style="color: red">'),
        ("a style element", "<style>p { }</style>"),
        ("a handler attribute", '<a href="/" onclick="go()">'),
        ("an inline script", "<script>go()</script>"),
        ("unescaped text", "{{ text|safe }}"),
        ("a javascript: address", '<a href="javascript:go()">'),
        ("another host", '<img src="//cdn.example/x.png">'),
    ],
)
def test_the_search_finds(what: str, sample: str) -> None:
    assert FORBIDDEN[what].search(sample)
