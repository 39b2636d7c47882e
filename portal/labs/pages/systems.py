"""The list of systems."""

from __future__ import annotations

from flask import render_template, request

from portal.labs.listing.systems import system_listing, system_row
from portal.labs.pages.address import asked_text
from portal.labs.pages.current import current_catalogue
from portal.web.paging import page_number, page_of

PER_PAGE = 50


def systems() -> str:
    """Every named system, its works and its lab: ?q=… by name, ?letter=A, ?page=2."""
    catalogue = current_catalogue()
    text = asked_text("q")
    letter = asked_text("letter").upper()[:1]
    listing = system_listing(catalogue, text, letter)
    page = page_of(listing.entries, page_number(request.args.get("page")), PER_PAGE)
    return render_template(
        "systems/list.html",
        text=text,
        letter=letter,
        letters=listing.letters,
        similar=listing.similar,
        page=page.with_items([system_row(entry) for entry in page.items]),
        total=len(catalogue.systems),
    )
