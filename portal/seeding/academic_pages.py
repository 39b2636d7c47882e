"""A home page made with the "academic pages" template: Liquid tags, anchors, paper boxes, papers in the news.

It is read like any Markdown home page; what the template brought as an example is rejected
(`portal.seeding.leftovers`), and papers announced in the news become works (`portal.seeding.news`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.seeding.jekyll_home import parse_markdown

if TYPE_CHECKING:
    from portal.seeding.pages import ParsedPage


def parse(page: str, text: str) -> ParsedPage:
    """The profile draft of a page of this template.

    Raises:
        UnreadablePage: the front matter has no end or is no YAML, or the last entry is cut off.
    """
    return parse_markdown(page, text, "academic_pages")
