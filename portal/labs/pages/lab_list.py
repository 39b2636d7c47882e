"""The list of labs."""

from __future__ import annotations

from flask import render_template, request

from portal.db import db
from portal.labs.catalogue import FACETS
from portal.labs.listing.labs import FACET_TITLES, SORTS, LabQuery, lab_listing, lab_row
from portal.labs.listing.search import labs_near, labs_with_text
from portal.labs.pages.address import asked_text, asked_values
from portal.labs.pages.current import current_catalogue
from portal.web.paging import page_number, page_of
from portal.web.templating import this_page_with

MOST_CHOSEN = 20  # values of one facet


def labs() -> str:
    """All labs, or those that ?q=…&topic=…&hardware=…&sort=…&page=… asks for."""
    asked_order = asked_text("sort") or "name"
    query = LabQuery(
        text=asked_text("q"),
        chosen={name: asked_values(name, MOST_CHOSEN) for name in FACETS},
        sort=asked_order if asked_order in SORTS else "name",
    )
    catalogue = current_catalogue()
    matching = labs_with_text(db.session(), catalogue, query.text)
    listing = lab_listing(catalogue, matching, query)
    page = page_of(listing.entries, page_number(request.args.get("page")))
    return render_template(
        "labs/list.html",
        query=query,
        page=page.with_items([lab_row(catalogue, entry) for entry in page.items]),
        facets=listing.facets,
        near=() if matching else labs_near(catalogue, query.text),
        total=len(catalogue.entries),
        sorts=list(SORTS.items()),
        unknown_order=None if asked_order in SORTS else asked_order,
        applied=_applied(query),
    )


def _applied(query: LabQuery) -> list[tuple[str, str]]:
    """The filters that are set, each with the address of the list without it."""
    applied = [(f"“{query.text}”", this_page_with(q=None, page=None))] if query.text else []
    for name, values in query.chosen.items():
        for value in values:
            others = [other for other in values if other != value]
            applied.append((f"{FACET_TITLES[name]}: {value}", this_page_with(**{name: others or None}, page=None)))
    return applied
