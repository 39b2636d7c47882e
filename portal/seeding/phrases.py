"""Finds sentences, years, spans of time and addresses in running text."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from portal.seeding.records import Link

MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
SEASONS = "Spring|Summer|Fall|Autumn|Winter"

_SENTENCE_END = re.compile(r"[.!?][\"”')\]]?\s+(?=[\"“‘'(\[]?[^\Wa-z_])")
_NO_END = re.compile(
    r"(?:\b(?:Prof|Dr|Mr|Ms|Mrs|St|vs|etc|cf|al|No|Vol|Fig|Eq|Sec|approx|Univ|Dept|Inc|Ltd|Co|e\.g|i\.e|Ph\.D|M\.S|"
    r"B\.S|M\.Sc|B\.Sc|M\.Phil|B\.Eng|M\.Eng|Ph|[^\W\d_a-z]))\.$"
)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_URL = re.compile(r"\bhttps?://[^\s<>\"“”]+|\b(?:github|gitlab)\.com/[\w.-]+/[\w.-]+")
_POINT = (
    rf"(?:(?:{SEASONS}|(?:{MONTHS})[a-z]*\.?)\s+)?"
    r"(?:\d{1,2}[/.](?:19|20)\d{2}|(?:19|20)\d{2}(?:[/.-]\d{1,2}(?![\d/]))?)"
)
_NOW = r"(?:present|now|current|today|ongoing)"
TIME_SPAN = re.compile(
    rf"(?<![\d/]){_POINT}(?:\s*(?:-|–|—|~|to)\s*(?:{_POINT}|{_NOW})?(?:\s*\(now\))?)?(?!\d)", re.IGNORECASE
)


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph; "Prof. Li", "Ph.D. students" and single initials do not end one."""
    result: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if _NO_END.search(text[max(start, end.start() - 12) : end.start() + 1]):
            continue
        result.append(text[start : end.end()].strip())
        start = end.end()
    result.append(text[start:].strip())
    return [sentence for sentence in result if sentence]


def years(text: str) -> list[int]:
    """The four-digit years in the text, in order."""
    return [int(year) for year in _YEAR.findall(text)]


def latest_year(text: str) -> int | None:
    """The latest year in the text, or None."""
    return max(years(text), default=None)


def is_open_address(url: str) -> bool:
    """Whether a link is an absolute web address (not relative, not a script)."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def links_in(text: str) -> tuple[Link, ...]:
    """The addresses in a text; code hosts are labelled "code", others by their host."""
    links: dict[str, Link] = {}
    for match in _URL.findall(text):
        url = match.rstrip(".,;:!?)]}’'\"”")
        if not url.startswith("http"):
            url = f"https://{url}"
        if is_open_address(url):
            host = urlsplit(url).netloc.removeprefix("www.")
            label = "code" if host in ("github.com", "gitlab.com", "bitbucket.org") else host
            links.setdefault(url, Link(label, url))
    return tuple(links.values())
