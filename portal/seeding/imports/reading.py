"""A file → an `Imported`: detects its kind from its content, and runs the reader of that kind."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding.headings import classify
from portal.seeding.imports import json_works
from portal.seeding.imports.bibtex import read_bibtex
from portal.seeding.imports.imported import (
    BYTE_LIMIT,
    KIND_NAMES,
    Imported,
    ImportRefused,
    Ledger,
    Reading,
    Remark,
    decode,
    load_json,
    looks_like_json,
)
from portal.seeding.imports.labs_table import looks_like_labs, read_labs
from portal.seeding.imports.latex import title_of
from portal.seeding.markdown_page import read_html_page, read_markdown
from portal.seeding.names import slug
from portal.seeding.pages import UnknownPage, UnreadablePage
from portal.seeding.reader import checked_text, parse_page, parser_for
from portal.seeding.texts import distinct_links, plain
from portal.seeding.values import vetted
from portal.seeding.venues import short_venue

if TYPE_CHECKING:
    from portal.seeding.imports.imported import ImportKind, Outcome
    from portal.seeding.records import WorkRecord
    from portal.seeding.snapshots import Json

__all__ = ["BYTE_LIMIT", "ImportRefused", "Imported", "read_import"]

_IN = re.compile(r"^(?:in|at)[:\s]+(?:the\s+)?", re.IGNORECASE)
_CUT_BRACKET = re.compile(r"\s*\[[^\]\n]*$")
_OUTCOMES: dict[str, Outcome] = {"rejected": "problem", "merged": "merged", "ignored": "ignored"}
_PROBLEMS = {
    "no title of a publication can be recognised": (
        "no title of a publication can be recognised; enter the work by hand, or import it as BibTeX"
    ),
    "no person's name at its beginning": "no person’s name at its beginning; enter the person by hand",
}
_JSON_KINDS = ("openalex_works", "orcid")
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
    try:
        if kind == "seed_page" and parser_for(name, checked_text(name, text)) is read_markdown:
            kind = "markdown_page"
        return kind, _read_page(name, text, kind)
    except UnknownPage:
        raise ImportRefused(
            f"{name}: the kind of the file is not known; the portal reads BibTeX, works of OpenAlex or ORCID "
            "(JSON), a home page (HTML or Markdown), a table of labs (CSV with a column “name” or “leader”), and the "
            "kinds of page that labs are seeded from"
        ) from None
    except UnreadablePage as error:
        advice = "save only the part with the content" if "at most" in str(error) else "save the whole page again"
        raise ImportRefused(f"{error}; {advice}") from None


def _read_json(name: str, value: Json, kind: ImportKind | None) -> tuple[ImportKind, Reading]:
    entries = json_works.entries_of(value)
    if kind == "openalex_works" or (kind is None and any(json_works.is_work(entry) for _, entry in entries[:50])):
        return "openalex_works", json_works.read_openalex(name, entries)
    if kind == "orcid" or json_works.is_orcid(value):
        return "orcid", json_works.read_orcid(name, value)
    raise ImportRefused(
        f"{name}: this kind of JSON is not known; the portal reads works of OpenAlex and records of ORCID; from other "
        f"services, export {KIND_NAMES['bibtex']}"
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


# Pages


def _read_page(filename: str, text: str, kind: ImportKind) -> Reading:
    """The draft of a page, with every item of it, and the reader's problems with the rest of the page.

    Raises:
        UnreadablePage: It is empty, too large, or has nothing of a home page.
        UnknownPage: It is text of no known kind.
    """
    if kind == "seed_page":
        parsed = parse_page(filename, text)
    else:
        is_html = kind == "html_page"
        parsed = read_html_page(filename, text) if is_html else read_markdown(filename, checked_text(filename, text))
        tidy = replace(parsed.draft, works=tuple(map(_tidy, parsed.draft.works)))
        draft, refused = vetted(tidy, filename, is_page=True)
        parsed = replace(parsed, draft=draft, problems=(*parsed.problems, *refused))
    draft = parsed.draft
    ledger = Ledger()
    for field, origin in draft.origins:
        ledger.note("taken", str(getattr(draft, field)), line=origin.line, item=field)
    for collection in ("members", "works", "activities", "openings"):
        for item in getattr(draft, collection):
            line = item.origins[0].line if item.origins else 0
            text = getattr(item, "title", "") or getattr(item, "name", "") or getattr(item, "text", "") or item.key
            ledger.note("taken", text, line=line, item=f"{collection}/{item.key}")
    for problem in parsed.problems:
        outcome = _OUTCOMES.get(problem.kind)
        if problem.reason in _PROBLEMS:
            ledger.note("problem", problem.text, _PROBLEMS[problem.reason], line=problem.line)
        elif outcome is None or problem.reason.startswith("the link is relative"):
            ledger.remark(problem.text, problem.reason, line=problem.line)
        else:
            ledger.note(outcome, problem.text, problem.reason, line=problem.line)
    return Reading((draft,), ledger, subject=parsed.subject, role=parsed.role)


def _tidy(work: WorkRecord) -> WorkRecord:
    """A work without links to its authors' pages and without TeX, with the short name of its venue."""
    people = {author.casefold() for author in work.authors}
    title = title_of(work.title) or work.title
    venue = _IN.sub("", work.venue)
    venue += ")" if venue.count("(") > venue.count(")") else ""
    short = short_venue(venue) if venue else ""
    full = _CUT_BRACKET.sub("", _IN.sub("", work.venue_full)).rstrip(" ,.;")
    # A badge or a summary repeats the venue and its year.
    again = re.escape(work.venue) + rf",? {work.year}" if work.venue else r"(?!)"
    full = re.sub(rf"^{again}(?=\W|$).*|\s+{again}$", "", full, flags=re.DOTALL)
    links = (link for link in work.links if link.label.casefold().strip("*†‡. ") not in people)
    return replace(
        work,
        key=slug(title) if title != work.title else work.key,
        title=title,
        venue=short,
        venue_full=full if re.search(r"[A-Za-z]{3}", full) else (venue if short != venue else ""),
        links=distinct_links(
            replace(link, label=link.label.removeprefix(title).strip(" .:") or "paper") for link in links
        ),
    )
