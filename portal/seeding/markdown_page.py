"""A home page in HTML, or in Markdown as published with Jekyll → a draft of a profile."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.token import Token

from portal.seeding.home_page import profile_of, read_home_page
from portal.seeding.page_blocks import SOFT_BREAK, read_html
from portal.seeding.page_outline import outline_of
from portal.seeding.pages import ParsedPage, Problem, UnreadablePage
from portal.seeding.values import repair, tag_problems

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


def read_markdown(filename: str, text: str) -> ParsedPage:
    """The profile draft of a Markdown home page.

    Raises:
        UnreadablePage: The front matter has no end, or the page shows nothing.
    """
    repaired, problems = repair(filename, text)
    matter, body, first_line = split_front_matter(filename, repaired)
    title, author = (re.sub(r"[<>&'\"]", " ", matter.get(name, "")) for name in ("title", "author"))
    head = f"<title>{title}</title><meta name='author' content='{author}'>"
    html = f"<html><head>{head}</head><body>{_rendered(body, first_line)}</body></html>"
    problems += tag_problems(filename, repaired.split("\n"))
    parsed = _profile(filename, read_html(filename, html, has_lines=True), matter, problems, is_markdown=True)
    return replace(parsed, kind="academic_pages") if is_of_template(text) else parsed


def read_html_page(filename: str, text: str) -> ParsedPage:
    """The profile draft of a home page in HTML.

    Raises:
        UnreadablePage: It is too large, no HTML, or shows nothing of a home page.
    """
    problems: list[Problem] = []
    if _WRONGLY_DECODED.search(text) and max(map(len, text.split("\n"))) <= _LONGEST_LINE:
        text, problems = repair(filename, text)
    page = read_html(filename, text)
    if page.cut_at:
        reason = "tags nest more than 2,000 levels deep here; what follows was not read"
        problems.append(Problem("rejected", filename, page.cut_at, f"line {page.cut_at}", reason))
    return _profile(filename, page, {}, problems, is_markdown=False)


def is_of_template(text: str) -> bool:
    """Whether a page is made with the common template for academics."""
    return bool(_TEMPLATE.search(text))


def split_front_matter(page: str, text: str) -> tuple[dict[str, str], str, int]:
    """Author, name and title in the front matter, the body, and the body's first line.

    Raises:
        UnreadablePage: The front matter has no end.
    """
    matter = _MATTER.match(text)
    if matter is not None:
        return dict(_VALUE.findall(matter[1])), text[matter.end() :], matter[0].count("\n") + 1
    if re.match(r"\s*---[ \t]*\n", text):
        raise UnreadablePage(
            f"{page}: the front matter that starts on the first line has no end; the file seems cut off"
        )
    return {}, text, 1


def _profile(
    filename: str, page: Page, matter: dict[str, str], problems: list[Problem], *, is_markdown: bool
) -> ParsedPage:
    """The profile draft of a page's blocks.

    Raises:
        UnreadablePage: It shows no text, or has no section of a home page and names nobody.
    """
    if not page.blocks:
        raise UnreadablePage(
            f"{filename}: the page shows no text; if a program builds it in the browser, paste its text"
        )
    outline = outline_of(page, is_markdown=is_markdown)
    if not outline.has_sections and not outline.person:
        raise UnreadablePage(
            f"{filename}: the page has no section of a home page (such as Publications, Students, Teaching) and names "
            "nobody; check that it is the right one"
        )
    is_filled_in = any("Liquid" in problem.reason for problem in problems)
    if is_filled_in and not any(section.entries for section in outline.sections):
        raise UnreadablePage(
            f"{filename}: its lists are filled in by the site generator; save the page as a browser shows it"
        )
    home = read_home_page(filename, outline, notes_links=is_markdown)
    return profile_of(home, matter, problems, person=outline.person, lab=outline.lab)


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
