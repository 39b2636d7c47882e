"""A Markdown page parsed into sections of entries, with inline formatting and line numbers.

markdown-it-py parses the block structure; inline text is parsed only up to a reasonable length. HTML is dropped, except
emphasis, links and line breaks.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from portal.seeding.pages import UnreadablePage, check_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markdown_it.token import Token

INLINE_LIMIT = 10_000

_LIQUID = re.compile(r"\{%[^{]*?%\}|\{\{[^{]*?\}\}")
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)([^<>]*)>")
_HREF = re.compile(r"""href\s*=\s*["']([^"'<>]*)["']""", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"\{:[^{}]*\}")


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of text with uniform formatting; `href` is empty outside links."""

    text: str
    strong: bool = False
    emphasis: bool = False
    href: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A paragraph or a list item: its inline text, its first line in the page (from 1), and nested items."""

    segments: tuple[Segment, ...]
    line: int
    is_item: bool
    children: tuple[Entry, ...] = ()
    raw_html: str = ""

    @property
    def text(self) -> str:
        """The text without formatting; line breaks stay."""
        lines = "".join(segment.text for segment in self.segments).split("\n")
        return "\n".join(line for line in (" ".join(line.split()) for line in lines) if line)

    @property
    def flat(self) -> str:
        """The text on one line."""
        return " ".join(self.text.split())

    def marked(self, *, strong: bool) -> list[str]:
        """The strong stretches, or those that are emphasised but not strong; adjacent ones are merged."""
        runs = groupby(
            self.segments, lambda segment: segment.strong if strong else segment.emphasis and not segment.strong
        )
        texts = ("".join(segment.text for segment in run) for hit, run in runs if hit)
        return [" ".join(text.split()) for text in texts if text.strip()]

    def links(self) -> list[tuple[str, str]]:
        """(label, address) of every link of the entry and its nested items."""
        links: list[tuple[str, str]] = []
        for segment in self.segments:
            if segment.href:
                if links and links[-1][1] == segment.href:
                    links[-1] = (links[-1][0] + segment.text, segment.href)
                else:
                    links.append((segment.text, segment.href))
        for child in self.children:
            links.extend(child.links())
        return [(" ".join(label.split()).strip("[]() "), href) for label, href in links]


@dataclass(slots=True)
class Section:
    """A heading and everything up to the next one; the first section has no heading."""

    title: str
    level: int
    line: int
    entries: list[Entry] = field(default_factory=list)


def read_sections(page: str, body: str, first_line: int = 1) -> list[Section]:
    """The sections of a Markdown text that starts on `first_line` of the page.

    Raises:
        UnreadablePage: A paragraph has more than 10,000 characters, or there are more than 2,000.
    """
    # _inline parses inline text: the core rule would parse paragraphs of any length.
    tokens = MarkdownIt("commonmark").disable("inline").parse(body)
    check_number(page, sum(token.type in ("list_item_open", "heading_open", "paragraph_open") for token in tokens))
    reader = _Reader(page, first_line)
    sections = [Section("", 0, first_line)]
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if token.type == "heading_open":
            title = reader.entry(tokens[position + 1], is_item=False).flat
            sections.append(Section(title, int(token.tag[1:]), reader.line(token)))
            position += 3
            continue
        end = _closing(tokens, position)
        sections[-1].entries.extend(reader.entries(tokens[position : end + 1]))
        position = end + 1
    return sections


def _closing(tokens: Sequence[Token], position: int) -> int:
    """The index of the token that closes the block opened at `position` (itself, if it opens none)."""
    depth = 0
    for index in range(position, len(tokens)):
        depth += tokens[index].nesting
        if depth <= 0:
            return index
    return len(tokens) - 1


class _Reader:
    def __init__(self, page: str, first_line: int) -> None:
        self._page = page
        self._first_line = first_line
        self._markdown = MarkdownIt("commonmark")

    def line(self, token: Token) -> int:
        return (token.map[0] if token.map else 0) + self._first_line

    def entries(self, tokens: Sequence[Token]) -> Iterator[Entry]:
        position = 0
        while position < len(tokens):
            token = tokens[position]
            end = _closing(tokens, position)
            if token.type == "list_item_open":
                yield from self._item(tokens[position : end + 1])
                position = end
            elif token.type == "inline":
                yield self.entry(token, is_item=False)
            elif token.type == "html_block":
                yield Entry(
                    tuple(self._html_segments(token.content)), self.line(token), is_item=False, raw_html=token.content
                )
            elif token.type in ("bullet_list_open", "ordered_list_open", "blockquote_open"):
                yield from self.entries(tokens[position + 1 : end])
                position = end
            position += 1

    def _item(self, tokens: Sequence[Token]) -> Iterator[Entry]:
        inner = list(self.entries(tokens[1:-1]))
        if not inner:
            return
        first, rest = inner[0], inner[1:]
        own: list[Segment] = list(first.segments)
        children: list[Entry] = []
        for entry in rest:
            if entry.is_item:
                children.append(entry)
            else:  # a further paragraph of the same item
                own += [Segment("\n"), *entry.segments]
        if first.is_item:  # an item that holds nothing but a list
            yield from inner
            return
        yield Entry(tuple(own), self.line(tokens[0]), is_item=True, children=tuple(children), raw_html=first.raw_html)

    def entry(self, token: Token, *, is_item: bool) -> Entry:
        if len(token.content) > INLINE_LIMIT:
            raise UnreadablePage(
                f"{self._page}: the paragraph at line {self.line(token)} has {len(token.content)} characters; "
                f"at most {INLINE_LIMIT} can be read"
            )
        return Entry(tuple(self._inline(token.content)), self.line(token), is_item=is_item)

    def _html_segments(self, content: str) -> Iterator[Segment]:
        if len(content) <= INLINE_LIMIT:
            yield from _with_tags([("html", content)])

    def _inline(self, content: str) -> Iterator[Segment]:
        tokens = self._markdown.parseInline(_ATTRIBUTES.sub("", _LIQUID.sub("", content)))
        pieces: list[tuple[str, str]] = []
        for token in tokens[0].children or []:
            if token.type in ("text", "code_inline"):
                pieces.append(("text", token.content))
            elif token.type in ("softbreak", "hardbreak"):
                pieces.append(("text", "\n"))
            elif token.type == "html_inline":
                pieces.append(("html", token.content))
            elif token.type == "link_open":
                pieces.append(("html", f'<a href="{html.escape(str(token.attrs.get("href", "")))}">'))
            elif token.type in ("link_close", "strong_open", "strong_close", "em_open", "em_close"):
                tag = {"link": "a", "strong": "strong", "em": "em"}[token.type.partition("_")[0]]
                pieces.append(("html", f"</{tag}>" if token.type.endswith("close") else f"<{tag}>"))
        yield from _with_tags(pieces)


def _with_tags(pieces: list[tuple[str, str]]) -> Iterator[Segment]:
    """Text and HTML pieces as formatted segments; of unknown tags only the text stays."""
    strong = emphasis = 0
    href = ""
    for kind, content in pieces:
        if kind == "text":
            yield Segment(content, strong > 0, emphasis > 0, href)
            continue
        position = 0
        for tag in _TAG.finditer(content):
            if tag.start() > position:
                yield Segment(html.unescape(content[position : tag.start()]), strong > 0, emphasis > 0, href)
            position = tag.end()
            step = -1 if tag[1] else 1
            name = tag[2].lower()
            if name in ("strong", "b"):
                strong = max(0, strong + step)
            elif name in ("em", "i"):
                emphasis = max(0, emphasis + step)
            elif name == "a":
                match = _HREF.search(tag[3])
                href = html.unescape(match[1]) if match and not tag[1] else ""
            elif name in ("br", "p", "div", "li"):
                yield Segment("\n")
        rest = content[position:]
        if rest and not rest.startswith("<!--"):
            yield Segment(html.unescape(rest), strong > 0, emphasis > 0, href)
