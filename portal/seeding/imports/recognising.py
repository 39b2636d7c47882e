"""Detects the kind of an export from its content; known but unsupported formats are refused with advice."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from portal.seeding.headings import classify
from portal.seeding.imports.imported import ImportKind, ImportRefused
from portal.seeding.imports.labs_table import looks_like_labs

if TYPE_CHECKING:
    from collections.abc import Callable

_HTML = re.compile(r"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]|<frameset[\s>]", re.IGNORECASE)
_HTML_TAG = re.compile(
    r"</(?:p|div|li|ul|ol|h[1-6]|table|tr|td|section|article|span|a|b|font)\s*>|<(?:br|p|li|hr)\s*/?>", re.IGNORECASE
)
_ANY_TAG = re.compile(r"<!--.{0,20000}?-->|</?[a-z!][^<>]{0,2000}>", re.IGNORECASE | re.DOTALL)
_BIBTEX = re.compile(r"^[ \t]*@[ \t]*[A-Za-z]{3,30}[ \t]*[{(]", re.MULTILINE)
_MARKDOWN_HEADING = re.compile(r"^(?:#{1,6}[ \t]+(.{1,120})|(.{1,60})\n(?:={3,}|-{3,})[ \t]*)$", re.MULTILINE)
_ATX_HEADING = re.compile(r"^#{1,6}[ \t]+\S", re.MULTILINE)
_MARKDOWN_ITEM = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)
_BIB_NAMES = (".bib", ".bibtex")
_ENOUGH_TAGS = 3
_HEAD = 20_000
_COMMENT = 2000
_FOREIGN = (
    (re.compile(r"\ATY  - ", re.MULTILINE), "a RIS file", "export the list as BibTeX instead"),
    (re.compile(r"\A%0 (?:Journal|Conference|Book|Thesis|Report)", re.MULTILINE), "an EndNote file",
     "export the list as BibTeX instead"),
    (re.compile(r"\A(?:PMID-|FN Clarivate|FN Thomson)", re.MULTILINE), "a PubMed or Web of Science file",
     "export the list as BibTeX instead"),
    (re.compile(r"\A\s*<\?xml[^>]*>\s*(?:<!--.*?-->\s*)?<(?!!?(?:doctype\s+)?html)", re.DOTALL | re.IGNORECASE),
     "an XML file", "export BibTeX, or JSON from OpenAlex or ORCID, instead"),
    (re.compile(r"\A\s*\{\\rtf"), "a Rich Text file", "save it as plain text or Markdown first"),
    (re.compile(r"\A\s*%!PS|\A\\documentclass", re.MULTILINE), "a LaTeX or PostScript document",
     "import the .bib file that belongs to it instead"),
    (re.compile(r"\A(?:MIME-Version|From|Return-Path|Received): .+\n", re.MULTILINE), "an e-mail or a web archive",
     "save the page as HTML instead"),
)  # fmt: skip


def refuse_foreign(filename: str, text: str) -> None:
    """Refuse known but unsupported formats.

    Raises:
        ImportRefused: It is one; the message names it and says what to do.
    """
    head = text[:2000]
    for pattern, kind, advice in _FOREIGN:
        if pattern.search(head):
            raise ImportRefused(f"{filename}: the file is {kind}, which cannot be imported; {advice}")


def kind_of_text(filename: str, text: str) -> ImportKind:
    """The kind of a text that is not JSON.

    Raises:
        ImportRefused: It is none of the known kinds, which the message lists.
    """
    for kind, fits in _TESTS:
        if fits(filename.lower(), text):
            return kind
    raise ImportRefused(
        f"{filename}: the kind of the file is not known; the portal reads BibTeX, works or an author from OpenAlex "
        "(JSON), an ORCID record (JSON), a home page (HTML or Markdown), a table of labs (CSV with a column “name” or "
        "“leader”), and the kinds of page that labs are seeded from"
    )


def _has_front_matter(text: str) -> bool:
    return bool(re.match(r"\s*---[ \t]*\n", text))


def entries_shown(text: str) -> str:
    """BibTeX from a page around it, if a browser saved it so; line numbers stay."""
    if not _is_html_document(text):
        return text
    return html.unescape(_ANY_TAG.sub(lambda tag: "\n" * tag[0].count("\n"), text))


def _is_html_document(text: str) -> bool:
    return not _has_front_matter(text) and bool(_HTML.search(text[:4000]))


def _is_bibtex(name: str, text: str) -> bool:
    """Whether a text is BibTeX, rather than a page with an example."""
    first = _BIBTEX.search(text)
    if first is None or (_is_html_document(text) and not name.endswith(_BIB_NAMES)):
        return False
    before = text[: first.start()]
    leads = len(before) < _COMMENT and not re.search(r"^#{1,6} ", before, re.MULTILINE)
    return leads or name.endswith(_BIB_NAMES)


def _is_html(name: str, text: str) -> bool:
    if _is_html_document(text) or (name.endswith((".html", ".htm", ".xhtml")) and "<" in text):
        return True
    # Markdown may begin with a heading or an image in HTML.
    is_markdown = _has_front_matter(text) or len(_ATX_HEADING.findall(text)) > 1
    is_part = not is_markdown and text.lstrip().startswith("<")
    return is_part and len(_HTML_TAG.findall(text[:_HEAD])) >= _ENOUGH_TAGS


def _is_table(name: str, text: str) -> bool:
    return not name.endswith((".md", ".markdown")) and looks_like_labs(text)


def _is_markdown(name: str, text: str) -> bool:
    """Whether a text has front matter, headings of a home page, or entries under lines that are headings."""
    if _has_front_matter(text) or name.endswith((".md", ".markdown")):
        return True
    headings = [(match[1] or match[2]).strip() for match in _MARKDOWN_HEADING.finditer(text)]
    if any(classify(heading) is not None for heading in headings):
        return True
    return bool(headings) and len(_MARKDOWN_ITEM.findall(text)) > 1


_TESTS: tuple[tuple[ImportKind, Callable[[str, str], bool]], ...] = (
    ("bibtex", _is_bibtex),
    ("html_page", _is_html),
    ("labs_csv", _is_table),
    ("markdown_page", _is_markdown),
    ("html_page", lambda _, text: len(_HTML_TAG.findall(text[:_HEAD])) >= _ENOUGH_TAGS),
    ("bibtex", lambda _, text: bool(_BIBTEX.search(text))),
)
