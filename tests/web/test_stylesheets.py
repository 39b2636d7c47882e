from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import flask_bootstrap

from portal.config import RESOURCES
from portal.web.assets import BOOTSTRAP_CLASSES
from portal.web.assets import SHEETS as ON_EVERY_PAGE

if TYPE_CHECKING:
    from flask.testing import FlaskClient

SHEETS = sorted((RESOURCES / "static/css").glob("*.css"))
DEFINED = re.compile(r"^\s*--([a-z0-9-]+):", re.MULTILINE)
USED = re.compile(r"var\(--([a-z0-9-]+)\)")
CLASS = re.compile(r"\.([a-zA-Z][\w-]*)")
RULES = re.compile(r"\{[^{}]*\}")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(")


def test_every_variable_that_is_used_is_defined_somewhere() -> None:
    sheets = {sheet.name: COMMENT.sub("", sheet.read_text()) for sheet in SHEETS}
    defined = {name for text in sheets.values() for name in DEFINED.findall(text)}
    unknown = {(name, used) for name, text in sheets.items() for used in USED.findall(text) if used not in defined}
    assert unknown == set()


def test_colours_are_written_in_the_tokens_only() -> None:
    # Paper is white and ink is black in print, whatever the tokens say; a dialog dims what lies behind it.
    allowed = {("print.css", "#fff"), ("print.css", "#000"), ("print.css", "#333"), ("review.css", "rgb(")}
    written = {
        (sheet.name, colour)
        for sheet in SHEETS
        if sheet.name != "tokens.css"
        for colour in COLOUR.findall(COMMENT.sub("", sheet.read_text()))
    }
    assert written - allowed == set()


def test_every_sheet_is_on_every_page_or_linked_by_a_template() -> None:
    templates = "".join(path.read_text() for path in (RESOURCES / "templates").rglob("*.html"))
    of_some_pages = {sheet.stem for sheet in SHEETS if f"css/{sheet.name}" in templates}
    assert of_some_pages | set(ON_EVERY_PAGE) == {sheet.stem for sheet in SHEETS}
    assert of_some_pages.isdisjoint(ON_EVERY_PAGE)


def test_no_sheet_asks_another_host_or_for_a_file() -> None:
    assert [sheet.name for sheet in SHEETS if re.search(r"url\(|@import", COMMENT.sub("", sheet.read_text()))] == []


def test_what_paper_leaves_out_no_later_sheet_shows_again() -> None:
    hidden = re.findall(r"display: none[^;]*", (RESOURCES / "static/css/print.css").read_text())
    assert set(hidden) == {"display: none !important"}


def test_what_is_cut_off_is_the_end_of_a_text_in_any_direction_of_writing() -> None:
    rules = [rule for sheet in SHEETS for rule in COMMENT.sub("", sheet.read_text()).split("}")]
    cut = [rule for rule in rules if "text-overflow: ellipsis" in rule]
    assert cut != []
    assert [rule for rule in cut if "unicode-bidi: plaintext" not in rule] == []


def test_what_is_for_paper_alone_is_hidden_on_screens_alone() -> None:
    rules = [(sheet.name, COMMENT.sub("", sheet.read_text())) for sheet in SHEETS]
    hidden = [(name, text.count(".on-paper-only")) for name, text in rules if ".on-paper-only" in text]
    assert hidden == [("base.css", 1)]
    assert re.search(r"@media screen \{\s*\.on-paper-only \{\s*display: none;", dict(rules)["base.css"])


def test_what_a_shadow_alone_marks_has_another_mark_in_forced_colours() -> None:
    """There, shadows and backgrounds are not drawn; a control in what is marked would still show its state."""
    rule = re.compile(r"([^{}]+)\{([^{}]*)\}")
    forced = re.compile(r"@media \(forced-colors: active\) \{((?:[^{}]*\{[^{}]*\})*)")
    marked: set[str] = set()
    unmarked: set[str] = set()
    for sheet in SHEETS:
        text = COMMENT.sub("", sheet.read_text())
        again = {selector.strip() for block in forced.findall(text) for selector, _ in rule.findall(block)}
        for selector, body in rule.findall(text):
            properties = set(re.findall(r"([a-z-]+)\s*:", re.sub(r"var\([^)]*\)", "", body)))
            if "box-shadow" in properties <= {"box-shadow", "background", "background-color", "color"}:
                if re.search(r":has\(input|:focus|:hover", selector) or "box-shadow: none" in body:
                    continue
                (marked if selector.strip() in again else unmarked).add(selector.strip())
    assert unmarked == set()
    assert ".board-card.is-below" in marked


def test_every_class_with_a_rule_is_one_that_pages_have() -> None:
    """By its name, or by the beginning of a name that is put together."""
    markup = [*RESOURCES.glob("templates/**/*.html"), *RESOURCES.glob("static/js/*.js")]
    written = "".join(path.read_text() for path in [*markup, *RESOURCES.glob("portal/**/*.py")])
    words = set(re.findall(r"[A-Za-z_][\w-]*", written))
    beginnings = set(re.findall(r"([a-z][\w-]*-)(?=[{$\"'])", written))
    rules = "".join(re.sub(r"\{[^{}]*\}", "{}", COMMENT.sub("", sheet.read_text())) for sheet in SHEETS)
    unknown = {
        name
        for name in re.findall(r"\.([A-Za-z_][\w-]*)", rules)
        if name not in words and not any(name.startswith(beginning) for beginning in beginnings)
    }
    assert unknown == set()


def test_of_bootstrap_all_that_pages_use_is_served_and_little_else(client: FlaskClient) -> None:
    bootstrap = Path(flask_bootstrap.__file__).parent / "static/bootstrap5/css/bootstrap.min.css"
    known = set(CLASS.findall(RULES.sub("{}", bootstrap.read_text(encoding="utf-8"))))
    pages = " ".join(path.read_text(encoding="utf-8") for path in (RESOURCES / "templates").rglob("*.html"))
    used = {name for names in re.findall(r'class="([^"]*)"', pages) for name in re.findall(r"[a-z][\w-]*", names)}
    ours = {name for sheet in SHEETS for name in CLASS.findall(RULES.sub("{}", sheet.read_text()))}
    assert {name for name in used & known if not BOOTSTRAP_CLASSES.fullmatch(name)} - ours == set()
    (address,) = re.findall(r'href="([^"]+/css/site.css)"', client.get("/").text)
    served = client.get(address).text
    assert ".btn-primary" in served
    assert ".carousel" not in served
    assert len(served) < 120_000
