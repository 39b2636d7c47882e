"""Reads pages and corrections from files, within limits; the only file access of seeding."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding import listings, markdown_page, scraped_profile
from portal.seeding.assemble import SeedResult, assemble
from portal.seeding.corrections import Corrections, parse_corrections
from portal.seeding.headings import classify
from portal.seeding.pages import SeedError, UnknownPage, UnreadablePage
from portal.seeding.values import vetted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from portal.seeding.pages import ParsedPage

PAGE_LIMIT = 1_000_000
# Up to four bytes per character.
BYTE_LIMIT = 4 * PAGE_LIMIT
PAGES_LIMIT = 2000
LINE_LIMIT = 10_000
LINES_LIMIT = 20_000
_WORDS_OF_A_SENTENCE = 6
_HEADING = re.compile(r"^#{1,6}\s+(.{1,120})$", re.MULTILINE)
_WHAT = (
    "a lab leader's home page in Markdown, an academic-pages home page, text of a personal page, "
    "a DSpace listing of a person, an author's page of a paper listing"
)


def seed_from(folder: Path, corrections: Path | None = None) -> SeedResult:
    """The labs of all pages in a folder (or of one page), with the corrections applied.

    Reads files, writes nothing. One unusable page fails the whole seeding.

    Raises:
        SeedError: A page or the corrections are unusable; the message names the file.
    """
    texts = [(path.name, read_text(path)) for path in page_files(folder)]
    parsed = parse_corrections(corrections.name, read_text(corrections)) if corrections else Corrections()
    return seed_texts(texts, parsed)


def seed_texts(texts: Iterable[tuple[str, str]], corrections: Corrections) -> SeedResult:
    """The labs of pages given as (name, text)."""
    return assemble([parse_page(name, text) for name, text in texts], corrections)


def page_files(folder: Path) -> list[Path]:
    """The pages of a folder by name (without hidden files and folders), or the given file.

    Raises:
        SeedError: It does not exist, or has no pages or more than 2,000.
    """
    if folder.is_file():
        return [folder]
    try:
        entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise SeedError(f"{folder}: there is no such folder or file that can be read") from error
    # Broken links are kept: reading them reports the error.
    files = [path for path in entries if path.is_file() or (path.is_symlink() and not path.is_dir())]
    if not 0 < len(files) <= PAGES_LIMIT:
        raise SeedError(
            f"{folder}: the folder has {f'{len(files):,}' if files else 'no'} pages; 1 to 2,000 can be read"
        )
    return files


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


def parse_page(page: str, text: str) -> ParsedPage:
    """The content of a page.

    Raises:
        UnreadablePage: It is empty, not text, too large, or cut off.
        UnknownPage: It is of no known kind.
    """
    normal = checked_text(page, text)
    _check_end(page, normal)
    parsed = parser_for(page, normal)(page, normal)
    draft, refused = vetted(parsed.draft, page, is_page=True, account=parsed.account)
    return replace(parsed, draft=draft, problems=(*parsed.problems, *refused))


def _check_end(page: str, text: str) -> None:
    """A page whose last line leaves something open is cut off: seeding it would take away what it no longer has."""
    lines = text.rstrip().split("\n")
    last = re.sub(r"\\.", "", lines[-1])
    is_open = any(last.count(opening) > last.count(closing) for opening, closing in ("()", "[]", "“”", "‘’"))
    is_open |= last.count("**") % 2 == 1 or bool(re.search(r"<[a-zA-Z/][^<>]*$", last))
    is_prose = not re.match(r"\s*(?:[-*+#>|<]|\d+[.)])", last) and len(last.split()) >= _WORDS_OF_A_SENTENCE
    if is_open or (is_prose and not re.search(r"[.!?:;)\]\"”’>…。！？\d]\W*$|https?://\S+$", last)):
        raise UnreadablePage(f"{page}: the last line (line {len(lines)}) is cut off")


def checked_text(page: str, text: str) -> str:
    """The text with normalised line ends and without a byte order mark, if it may be a page at all.

    Raises:
        UnreadablePage: It is empty, has more than 1,000,000 characters or 20,000 lines, a line of more than 10,000
            characters, or control characters.
    """
    normal = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = normal.split("\n")
    reason = ""
    if not normal.strip():
        reason = "the file is empty"
    elif len(normal) > PAGE_LIMIT:
        reason = f"the file has {len(normal):,} characters; at most {PAGE_LIMIT:,} can be read"
    elif re.search(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ud800-\udfff]", normal):
        reason = "the file is not text (it contains control characters)"
    elif len(lines) > LINES_LIMIT:
        reason = f"the file has {len(lines):,} lines; at most {LINES_LIMIT:,} can be read"
    elif max(map(len, lines)) > LINE_LIMIT:
        at = next(at for at, line in enumerate(lines, start=1) if len(line) > LINE_LIMIT)
        reason = f"line {at} has {len(lines[at - 1]):,} characters; at most {LINE_LIMIT:,} can be read"
    if reason:
        raise UnreadablePage(f"{page}: {reason}")
    return normal


def parser_for(page: str, text: str) -> Callable[[str, str], ParsedPage]:
    """The parser of the kind of page that a text is.

    Raises:
        UnknownPage: It is of none of the known kinds, which the message lists.
    """
    lines = text.split("\n")
    has_front_matter = bool(re.match(r"\s*---[ \t]*\n", text))
    known_headings = sum(classify(heading) is not None for heading in _HEADING.findall(text))
    # Front matter without an end is a page that is cut off, as its parser says.
    is_open = has_front_matter and len(re.findall(r"^---[ \t]*$", text, re.MULTILINE)) == 1
    if not has_front_matter:
        if listings.is_paper_listing(lines):
            return listings.read_paper_listing
        if listings.is_dspace(lines):
            return listings.read_dspace
    if known_headings > (not has_front_matter) or is_open:
        return markdown_page.read_markdown
    if not has_front_matter and scraped_profile.looks_like(lines):
        return scraped_profile.parse
    raise UnknownPage(f"{page}: the kind of the page is not known; the portal reads {_WHAT}")
