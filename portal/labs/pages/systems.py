"""The list of systems."""

from __future__ import annotations

from flask import render_template, request

from portal.labs.pages.address import asked_text
from portal.labs.pages.current import current_catalogue
from portal.labs.system_listing import system_listing
from portal.web.paging import page_number


def systems() -> str:
    """Every named system, its works and its lab: ?q=… by name, ?letter=A, ?page=2."""
    catalogue = current_catalogue()
    text = asked_text("q")
    letter = asked_text("letter").upper()[:1]
    listing = system_listing(catalogue, text, letter, page_number(request.args.get("page")))
    return render_template("systems/list.html", text=text, letter=letter, listing=listing, total=len(catalogue.systems))
