"""A home page in HTML, or in Markdown as published with Jekyll → a draft of a profile."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.token import Token

from portal.seeding.home_page import profile_of, read_home_page
from portal.seeding.page_blocks import SOFT_BREAK, read_html
from portal.seeding.page_outline import Outline
from portal.seeding.pages import Ledger, Reading, UnreadablePage
from portal.seeding.values import note_tags, repaired

if TYPE_CHECKING:
    from portal.seeding.page_blocks import Page

INLINE_LIMIT = 10_000

_MATTER = re.compile(r"\s*---[ \t]*\n(.*?)^---[ \t]*$", re.MULTILINE | re.DOTALL)
_VALUE = re.compile(r"^(author|name|title)[ \t]*:[ \t]*[\"']?([^\n\"'>|&*\[{][^\n]{0,200}?)[\"']?[ \t]*$", re.MULTILINE)
_TEMPLATE = re.compile(
    r"^author_profile\s*:|paper-box|site\.google_scholar|class=['\"]anchor['\"]|^redirect_from\s*:", re.MULTILINE
)
_COMMENT = re.compile(r"<!--.*?-->|\{%-?\s*comment\s*-?%\}.*?\{%-?\s*endcomment\s*-?%\}", re.DOTALL)
# Tags of site generators: Liquid, shortcodes, attributes in braces, fences of divisions, names of icons.
_TAGS = re.compile(
    r"\{%[^{%]{0,300}%\}|\{\{[^{}]{0,300}\}\}|<%[^<%]{0,300}%>|\{[:.#][^{}\n]{0,200}\}|^[ \t]*:{3,}[^\n]*$|"
    r"(?<![\w:]):[a-z][a-z0-9_-]{2,60}:(?![\w:])",
    re.MULTILINE,
)
_OPENING_TAG = re.compile(r"<([a-zA-Z][\w-]*)(?=[\s>])")
# Badges and pictures; a box to tick in front of an item.
_PICTURE = r"!\[[^\[\]\n]{0,200}\]\([^()\n]{0,500}\)"
_IMAGE = re.compile(rf"\[{_PICTURE}\]\([^()\n]{{0,500}}\)|{_PICTURE}")
_TICK = re.compile(r"^([ \t]*[-*+][ \t]+)\[[ xX]\][ \t]+", re.MULTILINE)
_WRONGLY_DECODED = re.compile(r"[ÃÂ][\u0080-\u00bf]|â€|ï¬|[ðğ]Ÿ")
_LONGEST_LINE = 20_000


def read_markdown(filename: str, text: str) -> Reading:
    """The profile draft of a Markdown home page; unreadable if it shows nothing, or its front matter has no end."""
    ledger = Ledger(filename)
    whole = repaired(ledger, text)
    matter, body, first_line = split_front_matter(filename, whole)
    title, author = (re.sub(r"[<>&'\"]", " ", matter.get(name, "")) for name in ("title", "author"))
    head = f"<title>{title}</title><meta name='author' content='{author}'>"
    html = f"<html><head>{head}</head><body>{_rendered(body, first_line)}</body></html>"
    note_tags(ledger, whole.split("\n"))
    reading = _profile(read_html(filename, html, has_lines=True), ledger, matter)
    return replace(reading, kind="academic_pages") if _TEMPLATE.search(text) else reading


def read_html_page(filename: str, text: str) -> Reading:
    """The profile draft of a home page in HTML; it is unreadable if too large or without what such a page has."""
    ledger = Ledger(filename)
    if _WRONGLY_DECODED.search(text) and max(map(len, text.split("\n"))) <= _LONGEST_LINE:
        text = repaired(ledger, text)
    page = read_html(filename, text)
    if page.cut_at:
        reason = "tags nest more than 2,000 levels deep here; what follows was not read"
        ledger.note("problem", f"line {page.cut_at}", reason, line=page.cut_at)
    return _profile(page, ledger, None)


def split_front_matter(page: str, text: str) -> tuple[dict[str, str], str, int]:
    """Author, name and title in the front matter, the body, and the body's first line."""
    matter = _MATTER.match(text)
    if matter is not None:
        return dict(_VALUE.findall(matter[1])), text[matter.end() :], matter[0].count("\n") + 1
    if re.match(r"\s*---[ \t]*\n", text):
        raise UnreadablePage(
            f"{page}: the front matter that starts on the first line has no end; the file seems cut off"
        )
    return {}, text, 1


def _profile(page: Page, ledger: Ledger, matter: dict[str, str] | None) -> Reading:
    """The profile draft of a page's blocks; `matter` is the front matter of one in Markdown."""
    reason = "" if page.blocks else "the page shows no text; if a program builds it in the browser, paste its text"
    inner = Ledger(ledger.page)
    outline = Outline(page, inner, is_markdown=matter is not None)
    if not reason and not outline.has_sections and not outline.person:
        reason = (
            "the page has no section of a home page (such as Publications, Students, Teaching) and names nobody; check "
            "that it is the right one"
        )
    elif any("Liquid" in note.reason for note in ledger.notes) and not any(s.entries for s in outline.sections):
        reason = "its lists are filled in by the site generator; save the page as a browser shows it"
    if reason:
        raise UnreadablePage(f"{ledger.page}: {reason}")
    home = read_home_page(inner, outline, notes_links=matter is not None)
    reading = profile_of(home, matter or {}, person=outline.person, lab=outline.lab)
    return replace(reading, notes=(*ledger.notes, *sorted(inner.notes, key=lambda note: note.line)))


def _rendered(body: str, first_line: int) -> str:
    """The HTML of a Markdown text without comments and Liquid tags; each block has the line it starts on."""
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    for unseen in (_COMMENT, _TAGS):
        body = unseen.sub(lambda tag: "\n" * tag[0].count("\n"), body)
    # Inline text is parsed per block below; overlong blocks are kept verbatim.
    blocks = MarkdownIt("commonmark", {"html": True}).enable("table").disable("inline")
    tokens = blocks.parse(_TICK.sub(r"\1", _IMAGE.sub("", body)))
    for token in tokens:
        line = (token.map[0] if token.map else 0) + first_line
        if token.map and token.nesting >= 0:
            token.attrSet("data-line", str(line))
        if token.type == "html_block":
            lines = enumerate(token.content.split("\n"), start=line)
            token.content = "\n".join(_OPENING_TAG.sub(rf'<\1 data-line="{at}"', text) for at, text in lines)
        if token.type == "inline" and len(token.content) <= INLINE_LIMIT:
            token.children = _with_soft_breaks(markdown.parseInline(token.content)[0].children or [])
        elif token.type == "inline":
            token.children = [Token("text", "", 0, content=token.content)]
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def _with_soft_breaks(tokens: list[Token]) -> list[Token]:
    """Inline tokens in which line ends outside of links and emphasis, which may part an entry, stay known."""
    depth = 0
    for token in tokens:
        depth += token.nesting
        if token.type == "softbreak" and not depth:
            token.type, token.content = "text", SOFT_BREAK
    return tokens
