"""A file → an `Imported`: detects its kind from its content, and runs the reader of that kind."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from portal.seeding.headings import classify
from portal.seeding.imports import openalex, orcid
from portal.seeding.imports.bibtex import read_bibtex
from portal.seeding.imports.decoding import BYTE_LIMIT, decode, load_json, looks_like_json, obj
from portal.seeding.imports.imported import KIND_NAMES, Imported, ImportRefused, Remark
from portal.seeding.imports.labs_table import looks_like_labs, read_labs
from portal.seeding.imports.page import read_page, read_seed_page
from portal.seeding.pages import UnknownPage, UnreadablePage
from portal.seeding.reader import is_home_page
from portal.seeding.texts import plain
from portal.seeding.values import vetted

if TYPE_CHECKING:
    from portal.seeding.imports.imported import ImportKind, Reading
    from portal.seeding.snapshots import Json

__all__ = ["BYTE_LIMIT", "ImportRefused", "Imported", "read_import"]

_JSON_KINDS = ("openalex_works", "openalex_author", "orcid")
_WORKS_KINDS = ("bibtex", *_JSON_KINDS)
_NAME_LENGTH = 120
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
    (r"TY  - ", "a RIS file", "export the list as BibTeX instead"),
    (r"\s*<\?xml[^>]*>\s*(?:<!--.*?-->\s*)?<(?!!?(?:doctype\s+)?html)", "an XML file",
     "export BibTeX, or JSON from OpenAlex or ORCID, instead"),
    (r"\s*\{\\rtf", "a Rich Text file", "save it as plain text or Markdown first"),
)  # fmt: skip


def read_import(data: bytes, *, filename: str, kind: ImportKind | None = None) -> Imported:
    """The content of a file: drafts of profiles, and the outcome of each entry.

    The kind is detected from the content, with the name as a hint; `kind` overrides it for text pasted into the box for
    that kind. Has no side effects.

    Raises:
        ImportRefused: The file as a whole cannot be parsed; one sentence says why and what to do.
    """
    name = plain(filename.replace("\\", "/").rpartition("/")[2], _NAME_LENGTH) or "file"
    decoded = decode(name, data)
    detected_kind, reading = _read(name, decoded.text, kind)
    remarks = list(reading.ledger.remarks)
    if decoded.remark:
        remarks.insert(0, Remark(0, "", name, decoded.remark))
    labs = reading.labs
    if detected_kind in _WORKS_KINDS:
        draft, refused = vetted(labs[0], name, is_page=False)
        labs = (draft,)
        remarks += [Remark(problem.line, "", problem.text, problem.reason) for problem in refused]
    return Imported(
        filename=name,
        kind=detected_kind,
        encoding=decoded.encoding,
        labs=labs,
        entries=reading.ledger.in_order(),
        remarks=tuple(remarks),
        subject=reading.subject,
        role=reading.role,
    )


def _read(name: str, text: str, kind: ImportKind | None) -> tuple[ImportKind, Reading]:
    for pattern, what, advice in _FOREIGN:
        if re.match(pattern, text[:_COMMENT], re.DOTALL | re.IGNORECASE):
            raise ImportRefused(f"{name}: the file is {what}, which cannot be imported; {advice}")
    if kind in _JSON_KINDS or (kind is None and looks_like_json(text)):
        return _read_json(name, load_json(name, text), kind)
    kind = kind or _kind_of(name.lower(), text)
    if kind == "bibtex":
        return kind, read_bibtex(name, _shown(text))
    if kind == "labs_csv":
        return kind, read_labs(name, text)
    if kind in ("html_page", "markdown_page"):
        return kind, read_page(name, text, is_markdown=kind == "markdown_page")
    try:
        if is_home_page(name, text):
            return "markdown_page", read_page(name, text, is_markdown=True)
        return "seed_page", read_seed_page(name, text)
    except UnknownPage:
        raise ImportRefused(
            f"{name}: the kind of the file is not known; the portal reads BibTeX, works or an author from OpenAlex "
            "(JSON), an ORCID record (JSON), a home page (HTML or Markdown), a table of labs (CSV with a column “name” "
            "or “leader”), and the kinds of page that labs are seeded from"
        ) from None
    except UnreadablePage as error:
        raise ImportRefused(f"{error}; save the whole page again") from None


def _read_json(name: str, value: Json, kind: ImportKind | None) -> tuple[ImportKind, Reading]:
    entries = openalex.entries_of(value)
    heads = [entry for _, entry in entries[:50]]
    has_works = any(map(openalex.is_work, heads))
    if kind == "openalex_author" or (kind is None and not has_works and any(map(openalex.is_author, heads))):
        return "openalex_author", openalex.read_author(name, entries)
    if kind == "openalex_works" or (kind is None and has_works):
        return "openalex_works", openalex.read_works(name, entries)
    if kind == "orcid" or orcid.is_orcid(value):
        return "orcid", orcid.read_orcid(name, value)
    if kind is None and "results" in obj(value) and not entries:
        raise ImportRefused(f"{name}: the answer of OpenAlex has no results")
    raise ImportRefused(
        f"{name}: this kind of JSON is not known; the portal reads works and authors of OpenAlex and records of ORCID; "
        f"from other services, export {KIND_NAMES['bibtex']}"
    )


def _kind_of(name: str, text: str) -> ImportKind:
    """The kind of a text that is not JSON; "seed_page" for text of a kind that only its reader can tell."""
    has_tags = len(_HTML_TAG.findall(text[:_HEAD])) >= _ENOUGH_TAGS
    # Markdown may begin with a heading or an image in HTML.
    is_markdown = _has_front_matter(text) or len(_ATX_HEADING.findall(text)) > 1
    tests: tuple[tuple[ImportKind, bool], ...] = (
        ("bibtex", _is_bibtex(name, text)),
        ("html_page", _is_html_document(text) or (name.endswith((".html", ".htm", ".xhtml")) and "<" in text)),
        ("html_page", has_tags and not is_markdown and text.lstrip().startswith("<")),
        ("labs_csv", not name.endswith((".md", ".markdown")) and looks_like_labs(text)),
        ("markdown_page", name.endswith((".md", ".markdown")) or _looks_like_markdown(text)),
        ("html_page", has_tags),
        ("bibtex", bool(_BIBTEX.search(text))),
    )
    return next((kind for kind, fits in tests if fits), "seed_page")


def _has_front_matter(text: str) -> bool:
    return bool(re.match(r"\s*---[ \t]*\n", text))


def _shown(text: str) -> str:
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


def _looks_like_markdown(text: str) -> bool:
    """Whether a text has front matter, headings of a home page, or entries under lines that are headings."""
    headings = [(match[1] or match[2]).strip() for match in _MARKDOWN_HEADING.finditer(text)]
    has_known = any(classify(heading) is not None for heading in headings)
    return _has_front_matter(text) or has_known or (bool(headings) and len(_MARKDOWN_ITEM.findall(text)) > 1)
