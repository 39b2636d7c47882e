"""Identifiers of works (DOI, arXiv number), and addresses that are safe as links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from portal.seeding.records import Link

if TYPE_CHECKING:
    from collections.abc import Iterable

ADDRESS_LIMIT = 1000

_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}|\\^`]{1,300}")
_ARXIV = re.compile(
    r"(?:arxiv\.org/(?:abs|pdf|html)/|arxiv[:.]\s*|^)"
    r"((?:\d{4}\.\d{4,5})|(?:[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}))(?:v\d+)?(?:\.pdf)?(?![\d/])",
    re.IGNORECASE,
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


def doi_link(doi: str) -> Link:
    """The link of a DOI."""
    return Link("DOI", "https://doi.org/" + quote(doi, safe="/:;()._-+"))


def arxiv_link(arxiv: str) -> Link:
    """The link of an arXiv number."""
    return Link("arXiv", f"https://arxiv.org/abs/{arxiv}")


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


def dois_of(links: Iterable[Link]) -> frozenset[str]:
    """The DOIs that links lead to; arXiv's own DOIs count as arXiv numbers instead."""
    dois = (doi_in(link.url) for link in links if "10." in link.url)
    return frozenset(doi for doi in dois if doi and not _ARXIV_DOI.match(doi))


def arxivs_of(links: Iterable[Link]) -> frozenset[str]:
    """The arXiv numbers that links lead to."""
    arxivs = (arxiv_in(link.url) for link in links if "arxiv" in link.url.lower())
    return frozenset(arxiv for arxiv in arxivs if arxiv)


def bare_address(address: str) -> str:
    """An address in lower case without scheme, "www." and final slash, for comparison."""
    return address.casefold().partition("://")[2].removeprefix("www.").rstrip("/")
