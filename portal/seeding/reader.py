"""Reads pages that labs are seeded from, and files of every kind that can be imported, within limits."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding import text_pages
from portal.seeding.assemble import SeedResult, assemble
from portal.seeding.corrections import Corrections, parse_corrections
from portal.seeding.headings import classify
from portal.seeding.home_page import read_html_page, read_markdown
from portal.seeding.imports.bibtex import read_bibtex
from portal.seeding.imports.imported import STRUCTURED, ImportRefused, decode
from portal.seeding.imports.json_works import JSON_KINDS, looks_like_json, read_json
from portal.seeding.imports.labs_table import looks_like_labs, read_labs
from portal.seeding.imports.latex import title_of
from portal.seeding.names import slug
from portal.seeding.pages import Ledger, Note, Reading, SeedError, UnknownPage, UnreadablePage
from portal.seeding.texts import distinct_links, plain
from portal.seeding.values import vetted
from portal.seeding.venues import short_venue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from portal.seeding.pages import ImportKind
    from portal.seeding.records import WorkRecord

PAGE_LIMIT = 1_000_000
# Up to four bytes per character.
BYTE_LIMIT = 4 * PAGE_LIMIT
LINE_LIMIT = 10_000
LINES_LIMIT = 20_000
_WORDS_OF_A_SENTENCE = 6
_WHAT = (
    "a lab leader's home page in Markdown, an academic-pages home page, text of a personal page, "
    "a DSpace listing of a person, an author's page of a paper listing"
)


def seed_from(folder: Path, corrections: Path | None = None) -> SeedResult:
    """The labs of all pages in a folder (or of one page), with the corrections applied.

    Reads files, writes nothing. One unusable page fails the whole seeding.

    Raises:
        SeedError: There is no page, or a page or the corrections are unusable; the message names the file.
    """
    # Broken links are kept: reading them reports the error.
    files = [folder] if folder.is_file() else sorted(path for path in folder.glob("[!.]*") if not path.is_dir())
    if not files:
        raise SeedError(f"{folder}: there is no such folder or file, or it has no pages")
    parsed = parse_corrections(corrections.name, read_text(corrections)) if corrections else Corrections()
    return seed_texts([(path.name, read_text(path)) for path in files], parsed)


def seed_texts(texts: Iterable[tuple[str, str]], corrections: Corrections) -> SeedResult:
    """The labs of pages given as (name, text)."""
    return assemble([parse_page(name, text) for name, text in texts], corrections)


def read_text(path: Path) -> str:
    """A file's text (UTF-8). Never reads more than the limit.

    Raises:
        UnreadablePage: It is missing, unreadable, larger than 4,000,000 bytes, or not UTF-8.
    """
    try:
        size = path.stat().st_size
        if size > BYTE_LIMIT:
            raise UnreadablePage(f"{path.name}: the file has {size:,} bytes; at most {BYTE_LIMIT:,} can be read")
        with path.open("rb") as file:
            return file.read(BYTE_LIMIT).decode("utf-8-sig")
    except OSError as error:
        raise UnreadablePage(f"{path.name}: the file cannot be read ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise UnreadablePage(f"{path.name}: the file is not UTF-8 text (byte {error.start:,})") from error


def parse_page(page: str, text: str) -> Reading:
    """The content of a page that labs are seeded from.

    Raises:
        UnreadablePage: It is empty, not text, too large, or cut off.
        UnknownPage: It is of no known kind.
    """
    normal = _checked(page, text)
    _check_end(page, normal)
    return vetted(_parser_for(page, normal)(page, normal), is_page=True)


def _check_end(page: str, text: str) -> None:
    """A page whose last line leaves something open is cut off: seeding it would take away what it no longer has."""
    lines = text.rstrip().split("\n")
    last = re.sub(r"\\.", "", lines[-1])
    is_open = any(last.count(opening) > last.count(closing) for opening, closing in ("()", "[]", "“”", "‘’"))
    is_open |= last.count("**") % 2 == 1 or bool(re.search(r"<[a-zA-Z/][^<>]*$", last))
    is_prose = not re.match(r"\s*(?:[-*+#>|<]|\d+[.)])", last) and len(last.split()) >= _WORDS_OF_A_SENTENCE
    if is_open or (is_prose and not re.search(r"[.!?:;)\]\"”’>…。！？\d]\W*$|https?://\S+$", last)):
        raise UnreadablePage(f"{page}: the last line (line {len(lines)}) is cut off")


def _checked(page: str, text: str) -> str:
    """The text with normalised line ends and without a byte order mark, if it may be a page at all."""
    normal = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = normal.split("\n")
    longest = max(lines, key=len)
    reason = ""
    if not normal.strip():
        reason = "the file is empty"
    elif len(normal) > PAGE_LIMIT:
        reason = f"the file has {len(normal):,} characters; at most {PAGE_LIMIT:,} can be read"
    elif re.search(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ud800-\udfff]", normal):
        reason = "the file is not text (it contains control characters)"
    elif len(lines) > LINES_LIMIT:
        reason = f"the file has {len(lines):,} lines; at most {LINES_LIMIT:,} can be read"
    elif len(longest) > LINE_LIMIT:
        reason = f"line {lines.index(longest) + 1} has {len(longest):,} characters; at most {LINE_LIMIT:,} can be read"
    if reason:
        raise UnreadablePage(f"{page}: {reason}")
    return normal


def _parser_for(page: str, text: str) -> Callable[[str, str], Reading]:
    lines = text.split("\n")
    has_front_matter = _has_front_matter(text)
    known_headings = sum(classify(match[1]) is not None for match in _MARKDOWN_HEADING.finditer(text) if match[1])
    # Front matter without an end is a page that is cut off, as its parser says.
    is_open = has_front_matter and len(re.findall(r"^---[ \t]*$", text, re.MULTILINE)) == 1
    if not has_front_matter:
        if text_pages.is_paper_listing(lines):
            return text_pages.read_paper_listing
        if text_pages.is_dspace(lines):
            return text_pages.read_dspace
    if known_headings > (not has_front_matter) or is_open:
        return read_markdown
    if not has_front_matter and text_pages.is_scraped(lines):
        return text_pages.read_scraped
    raise UnknownPage(f"{page}: the kind of the page is not known; the portal reads {_WHAT}")


_IN = re.compile(r"^(?:in|at)[:\s]+(?:the\s+)?", re.IGNORECASE)
_CUT_BRACKET = re.compile(r"\s*\[[^\]\n]*$")
_NAME_LENGTH = 120
_HTML = re.compile(r"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]|<frameset[\s>]", re.IGNORECASE)
_HTML_TAG = re.compile(
    r"(?i)</(?:p|div|li|ul|ol|h[1-6]|table|tr|td|section|article|span|a|b|font)\s*>|<(?:br|p|li|hr)\s*/?>"
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


def read_import(data: bytes, *, filename: str, kind: ImportKind | None = None) -> Reading:
    """The content of a file: drafts of profiles, and the outcome of each entry.

    The kind is detected from the content, with the name as a hint; `kind` overrides it for text pasted into the box for
    that kind. Has no side effects.

    Raises:
        ImportRefused: The file as a whole cannot be parsed; one sentence says why and what to do.
    """
    name = plain(filename.replace("\\", "/").rpartition("/")[2], _NAME_LENGTH) or "file"
    text, how = decode(name, data)
    reading = _read(name, text, kind)
    if reading.kind in STRUCTURED:
        reading = vetted(reading, is_page=False)
    remarks = [Note("remark", 0, name, how, page=name)] if how else []
    notes = sorted([*remarks, *reading.notes], key=lambda note: (note.line, _steps(note.pointer)))
    return replace(reading, notes=tuple(notes))


def _steps(pointer: str) -> list[tuple[int, str]]:
    """A pointer as a sort key: the 10th entry after the 9th."""
    return [(int(step), "") if step.isdecimal() else (-1, step) for step in pointer.split("/")]


def _read(name: str, text: str, kind: ImportKind | None) -> Reading:
    for pattern, what, advice in _FOREIGN:
        if re.match(pattern, text[:_COMMENT], re.DOTALL | re.IGNORECASE):
            raise ImportRefused(f"{name}: the file is {what}, which cannot be imported; {advice}")
    if kind in JSON_KINDS or (kind is None and looks_like_json(text)):
        return read_json(name, text, kind)
    kind = kind or _kind_of(name.lower(), text)
    if kind == "bibtex":
        return read_bibtex(name, _shown(text))
    if kind == "labs_csv":
        return read_labs(name, text)
    try:
        if kind == "seed_page" and _parser_for(name, _checked(name, text)) is read_markdown:
            kind = "markdown_page"
        return _read_page(name, text, kind)
    except UnknownPage:
        raise ImportRefused(
            f"{name}: the kind of the file is not known; the portal reads BibTeX, works of OpenAlex or ORCID "
            "(JSON), a home page (HTML or Markdown), a table of labs (CSV with a column “name” or “leader”), and the "
            "kinds of page that labs are seeded from"
        ) from None
    except UnreadablePage as error:
        advice = "save only the part with the content" if "at most" in str(error) else "save the whole page again"
        raise ImportRefused(f"{error}; {advice}") from None


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


def _read_page(filename: str, text: str, kind: ImportKind) -> Reading:
    """The draft of a page, with a note for every item of it and on the rest of the page."""
    if kind == "seed_page":
        reading = parse_page(filename, text)
    else:
        is_html = kind == "html_page"
        reading = read_html_page(filename, text) if is_html else read_markdown(filename, _checked(filename, text))
        tidy = replace(reading.draft, works=tuple(map(_tidy, reading.draft.works)))
        reading = vetted(replace(reading, labs=(tidy,), account=""), is_page=True)
    draft = reading.draft
    ledger = Ledger(filename)
    for field, origin in draft.origins:
        ledger.note("taken", str(getattr(draft, field)), line=origin.line, item=field)
    for collection in ("members", "works", "activities", "openings"):
        for item in getattr(draft, collection):
            line = item.origins[0].line if item.origins else 0
            text = getattr(item, "title", "") or getattr(item, "name", "") or getattr(item, "text", "") or item.key
            ledger.note("taken", text, line=line, item=f"{collection}/{item.key}")
    for note in reading.notes:
        # The work with the link was taken.
        is_remark = note.reason.startswith("the link is relative")
        ledger.notes.append(replace(note, outcome="remark") if is_remark else note)
    return replace(reading, kind=kind, notes=tuple(ledger.notes))


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
    named = (replace(link, label=link.label.removeprefix(title).strip(" .:") or "paper") for link in links)
    return replace(
        work,
        key=slug(title) if title != work.title else work.key,
        title=title,
        venue=short,
        venue_full=full if re.search(r"[A-Za-z]{3}", full) else (venue if short != venue else ""),
        links=distinct_links(named),
    )
