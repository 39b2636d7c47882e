"""A home page made with the "academic pages" template: Liquid tags, anchors, paper boxes, papers in the news.

It is parsed like any Markdown home page. The template's sample content is rejected (`portal.seeding.leftovers`), and
papers announced in the news become works (`portal.seeding.news`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.seeding.jekyll_home import parse_markdown

if TYPE_CHECKING:
    from portal.seeding.pages import ParsedPage


def parse(page: str, text: str) -> ParsedPage:
    """The profile draft of a page of this template.

    Raises:
        UnreadablePage: The front matter is unterminated or not YAML, or the last entry is cut off.
    """
    return parse_markdown(page, text, "academic_pages")
