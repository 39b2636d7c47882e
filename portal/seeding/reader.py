"""Reads pages and corrections from files, within limits; the only file access of seeding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.seeding.assemble import SeedResult, assemble
from portal.seeding.corrections import Corrections, parse_corrections
from portal.seeding.kinds import PAGE_LIMIT, parse_page
from portal.seeding.pages import SeedError, UnreadablePage

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# Up to four bytes per character.
BYTE_LIMIT = 4 * PAGE_LIMIT
PAGES_LIMIT = 2000


def seed_from(folder: Path, corrections: Path | None = None) -> SeedResult:
    """The labs of all pages in a folder (or of one page), with the corrections applied.

    Reads files, writes nothing. One unusable page fails the whole seeding.

    Raises:
        SeedError: A page or the corrections are unusable; the message names the file.
    """
    files = page_files(folder)
    texts = [(path.name, read_text(path)) for path in files]
    parsed_corrections = (
        Corrections() if corrections is None else parse_corrections(corrections.name, read_text(corrections))
    )
    return seed_texts(texts, parsed_corrections)


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
    if not folder.is_dir():
        raise SeedError(f"{folder}: there is no such folder or file")
    try:
        entries = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise SeedError(f"{folder}: the folder cannot be read ({error.strerror or error})") from error
    # Broken links are kept: reading them reports the error.
    files = [path for path in entries if path.is_file() or (path.is_symlink() and not path.is_dir())]
    if not files:
        raise SeedError(f"{folder}: the folder has no pages")
    if len(files) > PAGES_LIMIT:
        raise SeedError(f"{folder}: the folder has {len(files):,} files; at most {PAGES_LIMIT} can be read")
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
            content = file.read(BYTE_LIMIT + 1)
    except OSError as error:
        raise UnreadablePage(f"{path.name}: the file cannot be read ({error.strerror or error})") from error
    if len(content) > BYTE_LIMIT:
        raise UnreadablePage(f"{path.name}: the file has more than {BYTE_LIMIT:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadablePage(f"{path.name}: the file is not UTF-8 text (byte {error.start:,})") from error
