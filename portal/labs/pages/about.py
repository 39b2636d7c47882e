"""How matching works."""

from __future__ import annotations

from flask import render_template

from portal.labs.pages.current import current_catalogue


def about() -> str:
    """The formula in words with an example, what is never read, what is stored, where profiles come from."""
    catalogue = current_catalogue()
    return render_template(
        "labs/about.html",
        labs=len(catalogue.entries),
        works=sum(len(entry.record.works) for entry in catalogue.entries),
        systems=len(catalogue.systems),
    )
