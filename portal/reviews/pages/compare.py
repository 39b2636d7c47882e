"""Two to four applicants of a lab side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.db import db
from portal.reviews.applicant.compare import FEWEST, MOST, compared
from portal.reviews.blind_review.blinding import shown_as
from portal.reviews.board.columns import CARDS_AT_ONCE, Part, board_of
from portal.reviews.board.rows import choices_named, names_near
from portal.reviews.moving.bulk_moves import chosen_of
from portal.reviews.pages.access import choice_i_may_open, lab_i_read_for
from portal.reviews.pages.cycle import chosen_cycle, labs_cycles, newest_instead
from portal.reviews.queue.filter import LONGEST_TEXT, plain
from portal.reviews.scorecards.rubric import rubric_of
from portal.web.access import actor
from portal.web.paging import page_number
from portal.web.whole_numbers import whole_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.models import Cycle, Lab


def compare(slug: str) -> str:
    """The choices of `?choice=…&choice=…`; if too few or too many, or on request, a list to tick."""
    lab = lab_i_read_for(slug)
    ids = whole_numbers(request.args.getlist("choice"))
    # The Enter key presses the form's first button; a typed search text tells that searching is meant.
    searches = "everybody" in request.args or _sought("q") != _sought("found")
    if searches or "more" in request.args or not FEWEST <= len(ids) <= MOST:
        return _chooser(slug, ids)
    choices = [choice_i_may_open(slug, choice_id)[1] for choice_id in ids]
    return render_template(
        "reviews/compare.html",
        lab=lab,
        cycle=choices[0].application.cycle,
        compared=compared(db.session(), lab, choices, actor()),
        criteria=rubric_of(db.session(), lab, choices[0].application.cycle),
    )


def compare_ticked(slug: str) -> ResponseReturnValue:
    """Redirects from the board's ticks to the address of their comparison."""
    lab = lab_i_read_for(slug)
    ids = whole_numbers(request.form.getlist("choice"))
    cycle = chosen_cycle(lab)
    return redirect(url_for("reviews.compare", slug=slug, choice=ids, cycle=cycle.slug if cycle else None))


def _chooser(slug: str, ids: list[int]) -> str:
    lab = lab_i_read_for(slug)
    cycle = chosen_cycle(lab)
    column, _, page_text = request.args.get("more", "").partition(".")
    board = board_of(db.session(), lab, cycle, actor(), Part(column, page_number(page_text))) if cycle else None
    text = "" if "everybody" in request.args else _sought("q")
    matching = choices_named(db.session(), lab, cycle, actor(), text) if cycle and text else []
    first = matching[:CARDS_AT_ONCE]
    listed = (
        {card.id for item in board.columns for card in item.cards}
        if board and not text
        else {item.id for item in first}
    )
    return render_template(
        "reviews/compare_chooser.html",
        lab=lab,
        cycle=cycle,
        board=board,
        newest=newest_instead(cycle, labs_cycles(lab)),
        at_once=CARDS_AT_ONCE,
        more=bool(column) or "everybody" in request.args or text != _sought("found"),
        sought=text,
        first=first,
        count=len(matching),
        near=names_near(db.session(), lab, cycle, actor(), text) if cycle and text and not matching else (),
        elsewhere=_labels(lab, cycle, [item for item in ids if item not in listed]) if cycle else {},
        ticked=set(ids),
        fewest=FEWEST,
        most=MOST,
    )


def _sought(name: str) -> str:
    return plain(request.args.get(name, ""))[:LONGEST_TEXT]


def _labels(lab: Lab, cycle: Cycle, ids: Sequence[int]) -> dict[int, str]:
    """Displayed names of ticked choices that are not listed, as far as the reader may open them."""
    choices = chosen_of(db.session(), lab, cycle, actor(), ids)
    shown = shown_as(db.session(), lab, actor(), choices)
    return {choice.id: shown[choice.id].label for choice in choices}
