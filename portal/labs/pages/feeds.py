"""The pages for programs: the sitemap, robots.txt and the news feed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from flask import Response, abort, current_app, render_template, request, url_for

from portal.db import db
from portal.labs.open_cycle import public_cycles
from portal.labs.pages.current import current_catalogue
from portal.labs.recruiting_news import RecruitingNews, recruiting_news
from portal.web.extensions import settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence


MOST_ADDRESSES = 50_000  # addresses in one file, the limit of sitemaps.org
PUBLIC_PAGES = ("/", "/labs/", "/systems/", "/about")
PRIVATE = ("/me", "/reviews", "/admin", "/accounts")
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Address:
    """A page of the site; `changed` is empty if unknown."""

    url: str
    changed: str = ""


@dataclass(frozen=True)
class FeedEntry:
    """One entry of the feed, ready for XML."""

    id: str
    title: str
    url: str
    updated: str
    text: str


def base_url() -> str:
    """The portal's public address, without a trailing slash."""
    settings = settings_of(current_app)
    return settings.base_url


def _public_address(endpoint: str, **values: Any) -> str:  # noqa: ANN401  (parts of addresses, as url_for takes them)
    """The public address of a page. The path that the portal is served under, if any, is part of `base_url`."""
    return base_url() + url_for(endpoint, **values).removeprefix(request.script_root)


def timestamp(moment: datetime) -> str:
    """A moment in RFC 3339 format: 2026-11-20T21:55:00Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def xml_text(text: str) -> str:
    """`text` without the characters that XML forbids."""
    return _NOT_IN_XML.sub("", text)


def _xml(template: str, mimetype: str, **values: object) -> Response:
    return Response(render_template(template, **values), mimetype=mimetype)


def _addresses() -> list[Address]:
    """The public pages, the cycles to come, and every lab, labs by name."""
    labs = (
        Address(_public_address("labs.profile", slug=entry.record.key), timestamp(entry.changed_at))
        for entry in current_catalogue().entries
    )
    cycles = (
        Address(_public_address("labs.cycle", slug=cycle.slug))
        for cycle in public_cycles(db.session(), datetime.now(UTC))
    )
    return [*(Address(base_url() + path) for path in PUBLIC_PAGES), *cycles, *labs]


def sitemap() -> Response:
    """Every public page; if there are more than 50,000, an index of sitemap files."""
    addresses = _addresses()
    if len(addresses) <= MOST_ADDRESSES:
        return _xml("labs/sitemap.xml", "application/xml", addresses=addresses)
    parts = range(1, -(-len(addresses) // MOST_ADDRESSES) + 1)
    files = [_public_address("labs.sitemap_part", number=number) for number in parts]
    return _xml("labs/sitemap_index.xml", "application/xml", files=files)


def sitemap_part(number: int) -> Response:
    """A sitemap file of at most 50,000 pages; the first has number 1."""
    addresses = _addresses()[(number - 1) * MOST_ADDRESSES : number * MOST_ADDRESSES] if number else []
    if not addresses:
        abort(404)
    return _xml("labs/sitemap.xml", "application/xml", addresses=addresses)


def robots() -> Response:
    """Allows everything public except ranking, which costs time and has no page worth indexing."""
    rules = ["User-agent: *", *(f"Disallow: {path}" for path in (*PRIVATE, "/*?q=", "/*&q="))]
    lines = [*rules, "", f"Sitemap: {_public_address('labs.sitemap')}", ""]
    return Response("\n".join(lines), mimetype="text/plain")


def news() -> Response:
    """Recruiting news as an Atom feed (RFC 4287); 304 for a reader that has the newest version."""
    entries = _entries(recruiting_news(db.session()))
    response = _xml(
        "labs/news.atom.xml",
        "application/atom+xml",
        id=f"urn:uuid:{uuid5(NAMESPACE_URL, _public_address('labs.news'))}",
        home=base_url() + "/",
        self_url=_public_address("labs.news"),
        # Atom requires a date; an empty feed has the epoch.
        updated=max((entry.updated for entry in entries), default="1970-01-01T00:00:00Z"),
        entries=entries,
    )
    response.add_etag()
    response.make_conditional(request)
    return response


def _entries(items: Sequence[RecruitingNews]) -> list[FeedEntry]:
    entries = []
    for item in items:
        url = _public_address("labs.profile", slug=item.slug)
        name = f"{url}/revisions/{item.revision}"
        entries.append(
            FeedEntry(
                id=f"urn:uuid:{uuid5(NAMESPACE_URL, name)}",
                title=xml_text(item.headline),
                url=f"{url}#recruiting",
                updated=timestamp(item.at),
                text=xml_text("\n\n".join(item.lines)),
            )
        )
    return entries
