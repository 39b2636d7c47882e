"""Every component once, in all its states, on one page: a reference for building pages, and for tests.

Its labs are made up, and say so. Its list really searches, filters, sorts and pages; its form is really validated;
nothing is stored.
"""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict

from portal.web.messages import flash_message, flash_with_undo
from portal.web.paging import page_number, page_of
from portal.web.styleguide_samples import (
    COLOURS,
    EVIDENCE,
    FACETS_MET,
    FACETS_MISSED,
    LABS,
    MATCH,
    MISTAKES,
    PLACES,
    REVISION,
    FacetOption,
    SampleForm,
    SampleLab,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flask.typing import ResponseReturnValue

blueprint = Blueprint("styleguide", __name__)

PER_PAGE = 4
SORTS: dict[str, Callable[[SampleLab], tuple[object, ...]]] = {
    "name": lambda lab: (lab.name,),
    "openings": lambda lab: (-lab.openings, lab.name),
}


def _search(text: str) -> list[SampleLab]:
    words = text.casefold().split()
    return [lab for lab in LABS if all(word in f"{lab.name} {lab.interests}".casefold() for word in words)]


def _place_options(labs: Sequence[SampleLab], chosen: Sequence[str]) -> list[FacetOption]:
    return [FacetOption(place, place, sum(lab.place == place for lab in labs), place in chosen) for place in PLACES]


def _refused_form() -> SampleForm:
    """The sample form as it comes back with errors in it."""
    sent = MultiDict({f"refused-{name}": value for name, value in MISTAKES.items()})
    form = SampleForm(sent, prefix="refused-", meta={"csrf": False})
    form.validate()
    return form


@blueprint.get("/styleguide")
def styleguide() -> str:
    """All components. `q`, `place`, `sort` and `page` steer its sample list."""
    chosen = request.args.getlist("place")
    matching = _search(request.args.get("q", ""))
    narrowed = [lab for lab in matching if not chosen or lab.place in chosen]
    sort = request.args.get("sort", "name")
    ordered = sorted(narrowed, key=SORTS.get(sort, SORTS["name"]))
    return render_template(
        "styleguide.html",
        form=SampleForm(meta={"csrf": False}),
        refused=_refused_form(),
        page=page_of(ordered, page_number(request.args.get("page")), PER_PAGE),
        chosen=chosen,
        sort=sort if sort in SORTS else "name",
        places=_place_options(matching, chosen),
        labs=LABS[:5],
        match=MATCH,
        evidence=EVIDENCE,
        facets_met=FACETS_MET,
        facets_missed=FACETS_MISSED,
        revision=REVISION,
        colours=COLOURS,
        moment=datetime(2026, 11, 20, 21, 55, tzinfo=UTC),
        day=date(2026, 12, 15),
    )


@blueprint.post("/styleguide")
def sample_act() -> ResponseReturnValue:
    """Show a message on the same page with an undo, which shows another message."""
    if request.form.get("undo"):
        flash_message("Undone. Nothing was stored before, and nothing is now.", "info")
    else:
        flash_with_undo("This is a message after an act.", url_for("styleguide.sample_act"), {"undo": "1"})
    return redirect(url_for("styleguide.styleguide"))
