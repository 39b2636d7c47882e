"""A home page in Markdown, as published with Jekyll: front matter, tags of the site generator, headings, lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import frontmatter
import yaml  # type: ignore[import-untyped]
from frontmatter.default_handlers import SafeLoader, YAMLHandler
from markdown_it import MarkdownIt
from markdown_it.token import Token

from portal.seeding.home_page import profile_of, read_home_page
from portal.seeding.leftovers import repair, tag_problems
from portal.seeding.page_blocks import SOFT_BREAK, read_html
from portal.seeding.page_outline import outline_of
from portal.seeding.pages import ParsedPage, UnreadablePage

if TYPE_CHECKING:
    from portal.seeding.page_blocks import Page
    from portal.seeding.pages import PageKind, Problem

INLINE_LIMIT = 10_000
BLOCKS_LIMIT = 20_000

_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_DEEPEST = 20  # levels of lists and tables in the front matter; pages have one or two
TEMPLATE = re.compile(
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


class _PlainFrontMatter(YAMLHandler):
    """Front matter in YAML without references, by which a few lines stand for gigabytes, and without deep nesting,
    which ends the process.
    """

    def load(self, fm: str, **options: object) -> Any:  # noqa: ANN401  (as in the library)
        """Its values.

        Raises:
            YAMLError: It is not YAML, or not as plain as that.
        """
        depth = 0
        for event in yaml.parse(fm, Loader=SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise yaml.YAMLError("it refers to other parts of itself (&, *), which is not read")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _DEEPEST:
                raise yaml.YAMLError("it is nested too deeply")
        return super().load(fm, **options)


def read_markdown(page: str, text: str) -> ParsedPage:
    """The profile draft of a Markdown home page.

    Raises:
        UnreadablePage: The front matter is unterminated or not YAML, or the page shows nothing.
    """
    repaired = repair(page, text)
    matter, body, first_line = split_front_matter(page, repaired.text)
    shown = _page(page, matter, body, first_line)
    return profile_of_page(
        page,
        shown,
        kind="academic_pages" if TEMPLATE.search(text) else "jekyll_home",
        matter=matter,
        problems=[*repaired.problems, *tag_problems(page, repaired.text.split("\n"))],
        is_markdown=True,
    )


def profile_of_page(
    filename: str,
    page: Page,
    *,
    kind: PageKind,
    matter: dict[str, str],
    problems: list[Problem],
    is_markdown: bool = False,
) -> ParsedPage:
    """The profile draft of a page's blocks.

    Raises:
        UnreadablePage: It shows no text, has no section of a home page and names nobody, or has too many blocks.
    """
    filled_in = any("Liquid" in problem.reason for problem in problems)
    if not page.blocks:
        raise UnreadablePage(
            f"{filename}: the page shows no text; if a program builds it in the browser, paste its text"
        )
    if len(page.blocks) > BLOCKS_LIMIT:
        raise UnreadablePage(
            f"{filename}: the page has {len(page.blocks):,} entries; at most {BLOCKS_LIMIT:,} can be read"
        )
    outline = outline_of(page, is_markdown=is_markdown)
    if not outline.has_sections and not outline.person:
        raise UnreadablePage(
            f"{filename}: the page has no section of a home page (such as Publications, Students, Teaching) and names "
            "nobody; check that it is the right one"
        )
    if filled_in and not any(section.entries for section in outline.sections):
        raise UnreadablePage(
            f"{filename}: its lists are filled in by the site generator; save the page as a browser shows it"
        )
    home = read_home_page(filename, outline, notes_links=is_markdown)
    return profile_of(home, kind, matter, problems, person=outline.person, lab=outline.lab)


def split_front_matter(page: str, text: str) -> tuple[dict[str, str], str, int]:
    """The text values of the front matter, the body, and the body's first line.

    Raises:
        UnreadablePage: The front matter has no end, or is not YAML.
    """
    start = re.match(r"\s*---[ \t]*\n", text)
    if start is None:
        return {}, text, 1
    end = _FENCE.search(text, start.end())
    if end is None:
        raise UnreadablePage(
            f"{page}: the front matter that starts on the first line has no end; the file seems cut off"
        )
    try:
        values = frontmatter.loads(text.lstrip(), handler=_PlainFrontMatter()).metadata
    except (yaml.YAMLError, ValueError, TypeError) as error:
        raise UnreadablePage(f"{page}: the front matter is not YAML: {str(error).splitlines()[0]}") from error
    matter = {str(name): value for name, value in values.items() if isinstance(value, str)}
    return matter, text[end.end() :], text[: end.end()].count("\n") + 1


def _page(filename: str, matter: dict[str, str], body: str, first_line: int) -> Page:
    """The blocks of a Markdown text, as a browser shows them, each with its line in the file."""
    title, author = (re.sub(r"[<>&'\"]", " ", text) for text in (matter.get("title", ""), matter.get("author", "")))
    head = f"<title>{title}</title><meta name='author' content='{author}'>"
    rendered = _rendered(body, first_line)
    return read_html(filename, f"<html><head>{head}</head><body>{rendered}</body></html>", has_lines=True)


def _rendered(body: str, first_line: int) -> str:
    """The HTML of a Markdown text without comments and Liquid tags; each block has the line it starts on."""
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    for unseen in (_COMMENT, _TAGS):
        body = unseen.sub(lambda tag: "\n" * tag[0].count("\n"), body)
    body = _TICK.sub(r"\1", _IMAGE.sub("", body))
    # Inline text is parsed per block below; overlong blocks are kept verbatim.
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").disable("inline").parse(body)
    for token in tokens:
        line = (token.map[0] if token.map else 0) + first_line
        if token.map and token.nesting >= 0:
            token.attrSet("data-line", str(line))
        if token.type == "html_block":
            token.content = _with_lines(token.content, line)
        if token.type == "inline":
            if len(token.content) <= INLINE_LIMIT:
                token.children = _with_soft_breaks(markdown.parseInline(token.content)[0].children or [])
            else:
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


def _with_lines(html: str, first_line: int) -> str:
    """HTML with the line of each of its tags."""
    lines = html.split("\n")
    return "\n".join(
        _OPENING_TAG.sub(rf'<\1 data-line="{first_line + index}"', line) for index, line in enumerate(lines)
    )
