"""Pages in Markdown: the kinds used for seeding, and any other home page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.token import Token

from portal.seeding.imports.html_tree import read_html
from portal.seeding.imports.imported import ImportRefused, Ledger, Reading
from portal.seeding.imports.page_reading import read_page
from portal.seeding.jekyll_home import split_front_matter
from portal.seeding.kinds import checked_text, parse_page
from portal.seeding.pages import UnreadablePage

if TYPE_CHECKING:
    from portal.seeding.imports.imported import Outcome
    from portal.seeding.pages import ParsedPage

INLINE_LIMIT = 10_000

_LIQUID = re.compile(r"\{%[^{%]{0,300}%\}|\{\{[^{}]{0,300}\}\}|\{:[^{}]{0,200}\}")
# Badges and pictures; a box to tick in front of an item.
_PICTURE = r"!\[[^\[\]\n]{0,200}\]\([^()\n]{0,500}\)"
_IMAGE = re.compile(rf"\[{_PICTURE}\]\([^()\n]{{0,500}}\)|{_PICTURE}")
_TICK = re.compile(r"^([ \t]*[-*+][ \t]+)\[[ xX]\][ \t]+", re.MULTILINE)
_OUTCOMES: dict[str, Outcome] = {"rejected": "problem", "merged": "merged", "ignored": "ignored"}


def read_seed_page(filename: str, text: str) -> Reading:
    """The draft of a page of a kind used for seeding.

    Raises:
        SeedError: The page is of no such kind, or cut off.
    """
    parsed = parse_page(filename, text)
    ledger = Ledger()
    _record(parsed, ledger)
    return Reading((parsed.draft,), ledger, subject=parsed.subject, role=parsed.role)


def _record(parsed: ParsedPage, ledger: Ledger) -> None:
    """Record every item of the draft, and the parser's problems with the rest of the page."""
    draft = parsed.draft
    for field, origin in draft.origins:
        ledger.note("taken", str(getattr(draft, field)), line=origin.line, item=field)
    lines_in_draft: set[int] = set()
    for collection in ("members", "works", "activities", "openings"):
        for item in getattr(draft, collection):
            line = item.origins[0].line if item.origins else 0
            lines_in_draft.add(line)
            text = getattr(item, "title", "") or getattr(item, "name", "") or getattr(item, "text", "") or item.key
            ledger.note("taken", text, line=line, item=f"{collection}/{item.key}")
    for problem in parsed.problems:
        outcome = _OUTCOMES.get(problem.kind)
        if outcome is None or (outcome == "ignored" and problem.line in lines_in_draft):
            ledger.remark(problem.text, problem.reason, line=problem.line)
        else:
            ledger.note(outcome, problem.text, problem.reason, line=problem.line)


def read_markdown(filename: str, text: str) -> Reading:
    """The draft of any home page in Markdown.

    Raises:
        ImportRefused: It is empty, too large, or has nothing visible.
    """
    try:
        normal = checked_text(filename, text)
    except UnreadablePage as error:
        raise ImportRefused(f"{error}; save only the part with the content") from None
    try:
        matter, body, first_line = split_front_matter(filename, normal)
    except UnreadablePage:
        matter, body, first_line = {}, re.sub(r"^\s*---[ \t]*$", "", normal, count=1, flags=re.MULTILINE), 1
    title = matter.get("title", "")
    author = matter.get("author", "") or matter.get("name", "")
    head = f"<title>{_in_html(title)}</title><meta name='author' content='{_in_html(author)}'>"
    page = read_html(
        filename, f"<html><head>{head}</head><body>{_rendered(body, first_line)}</body></html>", has_lines=True
    )
    return read_page(filename, page)


def _in_html(text: str) -> str:
    return re.sub(r"[<>&'\"]", " ", text)


def _rendered(body: str, first_line: int) -> str:
    """The HTML of a Markdown text; each block has the line it starts on."""
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    # Inline text is parsed per block below; overlong blocks are kept verbatim.
    without_tags = _LIQUID.sub(lambda tag: "\n" * tag[0].count("\n"), body)
    without_tags = _TICK.sub(r"\1", _IMAGE.sub("", without_tags))
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").disable("inline").parse(without_tags)
    for token in tokens:
        if token.map and token.nesting >= 0:
            token.attrSet("data-line", str(token.map[0] + first_line))
        if token.type == "inline":
            if len(token.content) <= INLINE_LIMIT:
                token.children = markdown.parseInline(token.content)[0].children
            else:
                token.children = [Token("text", "", 0, content=token.content)]
    return str(markdown.renderer.render(tokens, markdown.options, {}))
