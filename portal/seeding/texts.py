"""Texts without what cannot be shown, identifiers of works (DOI, arXiv), and addresses that are safe as links."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from portal.seeding.records import Link

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


DEGREES_SOUGHT = (
    ("phd", re.compile(r"\bph\.?\s?d|doctoral", re.IGNORECASE)),
    ("mphil", re.compile(r"\bm\.?\s?phil|\bmaster", re.IGNORECASE)),
    ("ra", re.compile(r"research assistant|\bRAs?\b")),
    ("postdoc", re.compile(r"\bpost-?doc", re.IGNORECASE)),
)
TITLE_LIMIT = 600
NAME_LIMIT = 150
LINE_LIMIT = 400
ABSTRACT_LIMIT = 20_000
TEXT_LIMIT = 20_000

# Control characters, lone surrogates, soft hyphens, bidirectional controls, and
# zero-width characters, which can hide words from a reader.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_TAG = re.compile(
    r"(?i)</?(?:i|b|u|em|strong|sub|sup|scp|sc|tt|br|p|span|italic|bold|underline|tex|[a-z]{2,12}[:-][\w-]{1,30}|math|"
    r"m(?:i|n|o|row|sup|sub|frac|text|style|over|under|subsup))(?:\s[^<>]{0,300})?/?>"
)
_BLOCK_TAG = re.compile(r"</?(?:br|p|jats:p|jats:title|jats:sec)\b", re.IGNORECASE)


def plain(text: object, limit: int = LINE_LIMIT) -> str:
    """`text` on one line with at most `limit` characters; "" if it is not a string."""
    if not isinstance(text, str):
        return ""
    return cut(" ".join(visible(text[: limit * 4]).split()), limit)


def paragraphs(text: object, limit: int = TEXT_LIMIT) -> str:
    """`text` sanitised, with its paragraphs (blank lines) kept."""
    if not isinstance(text, str):
        return ""
    visible_text = visible(text[: limit * 4].replace("\r\n", "\n").replace("\r", "\n"))
    parts = (" ".join(part.split()) for part in re.split(r"\n[ \t]*\n", visible_text))
    return cut("\n\n".join(part for part in parts if part), limit)


def without_markup(text: object, limit: int = LINE_LIMIT) -> str:
    """`plain` text without markup from publishers in titles and abstracts ("<i>E. coli</i>", "&amp;")."""
    if not isinstance(text, str):
        return ""
    shortened = text[: limit * 6]
    if "&" in shortened:
        shortened = html.unescape(html.unescape(shortened))
    if "<" in shortened:
        shortened = _TAG.sub(lambda tag: " " if _BLOCK_TAG.match(tag[0]) else "", shortened)
    return plain(shortened, limit)


def visible(text: str) -> str:
    """The text without invisible characters; control characters become spaces."""
    return _UNSEEN.sub(lambda match: " " if match[0] < "\x20" else "", text)


def cut(text: str, limit: int) -> str:
    """The text, cut at a word to `limit` characters and ended by "…" if it is longer."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    at_word = head.rpartition(" ")[0]
    return (at_word if len(at_word) * 2 > limit else head).rstrip(" ,;:") + "…"


MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
MONTHS = "|".join(name[:3] for name in MONTH_NAMES)
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
TIME_SPAN = rf"(?<![\d/]){_POINT}(?:\s*(?:-|–|—|~|to)\s*(?:{_POINT}|{_NOW})?(?:\s*\(now\))?)?(?!\d)"


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


ADDRESS_LIMIT = 1000

_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}|\\^`]{1,300}")
_ARXIV = re.compile(
    r"(?i)(?:arxiv\.org/(?:abs|pdf|html)/|arxiv[:.]\s*|^)"
    r"((?:\d{4}\.\d{4,5})|(?:[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}))(?:v\d+)?(?:\.pdf)?(?![\d/])"
)
_ARXIV_DOI = re.compile(r"^10\.48550/arxiv\.(.+)$")
_COPY = re.compile(r"(?:\.pdf|/(?:full|abstract|pdf|epdf|html|meta))$")
_UNSAFE = re.compile(r'["<>\\^`{|}]')


def doi_in(text: object) -> str:
    """The DOI in a text, in lower case, without the resolver's address ("" if there is none)."""
    if not isinstance(text, str) or "10." not in text:
        return ""
    match = _DOI.search(unquote(text[:2000]))
    if match is None:
        return ""
    doi = match[0].lower().split("?", 1)[0].split("#", 1)[0].rstrip(".,;:'*")
    for opening, closing in ("()", "[]"):
        if doi.endswith(closing) and doi.count(closing) > doi.count(opening):
            doi = doi[:-1]
    return _COPY.sub("", doi).rstrip(".,;:/")


def arxiv_in(text: object) -> str:
    """The arXiv number in a text such as "arXiv:2401.00001v2" or its address ("" if there is none)."""
    if not isinstance(text, str):
        return ""
    stripped = text.strip()[:500]
    by_doi = _ARXIV_DOI.match(doi_in(stripped))
    match = _ARXIV.search(by_doi[1] if by_doi else stripped)
    return match[1].lower() if match else ""


def links_of(doi: str, arxiv: str) -> list[Link]:
    """The links of a DOI, unless it is arXiv's own, and of an arXiv number."""
    named = doi and not _ARXIV_DOI.match(doi)
    dois = [Link("DOI", "https://doi.org/" + quote(doi, safe="/:;()._-+"))] if named else []
    return [*dois, *([Link("arXiv", f"https://arxiv.org/abs/{arxiv}")] if arxiv else [])]


def web_link(label: str, address: object) -> Link | None:
    """A web link, or None if the address is not one (relative, a script, too long)."""
    if not isinstance(address, str):
        return None
    stripped = address.strip()
    if len(stripped) > ADDRESS_LIMIT or re.search(r"[\x00-\x20\x7f]|[\ud800-\udfff]", stripped):
        return None
    if stripped.startswith("//"):
        stripped = f"https:{stripped}"
    elif re.match(r"www\.[\w-]+\.", stripped):
        stripped = f"https://{stripped}"
    try:
        parts = urlsplit(stripped)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.netloc or "@" in parts.netloc:
        return None
    return Link(label, _UNSAFE.sub(lambda character: quote(character[0]), stripped))


def distinct_links(links: Iterable[Link | None]) -> tuple[Link, ...]:
    """Links in order, without further links to the same target."""
    link_by_target: dict[str, Link] = {}
    for link in links:
        if link is not None:
            link_by_target.setdefault(same_place(link.url), link)
    return tuple(link_by_target.values())


def same_place(url: str) -> str:
    """A normalised address: equal for different schemes, "www.", DOI and arXiv resolvers, final slashes."""
    doi = doi_in(url) if "doi.org/" in url.lower() else ""
    arxiv = arxiv_in(url) if "arxiv" in url.lower() else ""
    if arxiv:
        return f"{'pdf' if '/pdf/' in url.lower() else 'arxiv'}:{arxiv}"
    if doi:
        return f"doi:{doi}"
    bare = re.sub(r"^https?://(?:www\.)?", "", url.strip(), flags=re.IGNORECASE)
    host, slash, path = bare.partition("/")
    return f"{host.casefold()}{slash}{path}".rstrip("/")


def identifiers_of(links: Sequence[Link]) -> list[tuple[str, str]]:
    """("DOI", …) and ("arXiv number", …) that links lead to; arXiv's own DOIs count as its numbers."""
    dois = {doi_in(link.url) for link in links if "10." in link.url}
    arxivs = {arxiv_in(link.url) for link in links if "arxiv" in link.url.lower()} - {""}
    published = (("DOI", doi) for doi in sorted(dois) if doi and not _ARXIV_DOI.match(doi))
    return [*published, *(("arXiv number", arxiv) for arxiv in sorted(arxivs))]
