"""/me/matches: the labs ranked for what the applicant stated, with the reasons, and weights to try out."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from flask import current_app, redirect, render_template, request, url_for

from portal.applications import service
from portal.applications.facet_names import with_facets_in_words
from portal.applications.queries import (
    asks_for_something,
    interests_of,
    labs_shared_with,
    query_from,
    resume_of,
    stated_in,
)
from portal.applications.trial import read_trial
from portal.db import db
from portal.labs.catalogue import last_open_day, open_degrees
from portal.labs.live_index.live import live_index
from portal.labs.matches.heat import heat_by_lab
from portal.labs.matches.spelling import spelling_note
from portal.labs.matches.topic_maps import map_view, topic_maps
from portal.labs.matches.views import matches_for, ranking_for
from portal.web.access import actor, address_of_request
from portal.web.messages import flash_message
from portal.web.paging import Page, page_number
from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask.typing import ResponseReturnValue

    from portal.labs.live_index.labs import IndexedLabs
    from portal.labs.matches.views import LabMatch
    from portal.matching import Match, Query

AS_TYPED = "as_typed"
PER_PAGE = 10  # each with its terms, evidence and gaps: up to 25 KB
# Nobody reads further, and each listed lab costs its explanation.
MOST_LISTED = 100


def matches() -> ResponseReturnValue:
    """The ranked labs. Weights in the address are tried out and not saved; wrong ones are refused beside the slider."""
    session, user = db.session(), actor()
    interests, resume = interests_of(session, user), resume_of(session, user)
    confirmed = resume is not None and resume.confirmed_at is not None
    stated = stated_in(interests)
    trial = read_trial(request.args, stated, with_resume=confirmed)
    as_typed = _wants_as_typed(request.args)
    query = replace(query_from(interests, resume, trial.weights), correct_spelling=not as_typed)
    labs = live_index(current_app).current(session)
    has_query = asks_for_something(query)
    ranking = ranking_for(labs, query) if has_query else []
    topic_map = topic_maps(current_app).of(labs) if has_query else None
    page, best = _page_of(labs, query, ranking)
    today = last_open_day(datetime.now(UTC))
    shared_with = {lab.slug for lab in labs_shared_with(session, user)}
    html = render_template(
        "applications/matches.html",
        applicant=user,
        page=page,
        heats=heat_by_lab(labs, page.items),
        openings={match.slug: open_degrees(labs.profiles[match.slug], today) for match in page.items},
        fitting=len(ranking),
        best=best,
        trial=trial,
        version=interests.version if interests else 0,
        shared_with=shared_with,
        stated_something=asks_for_something(query_from(interests, resume)) or bool(stated.topics),
        asks=has_query,
        map_view=map_view(labs, topic_map, ranking) if topic_map else None,
        as_typed=as_typed,
        spelling=spelling_note(labs.index, query),
        resume_counts=confirmed,
        resume_waits=resume is not None and not confirmed,
        has_resume=resume is not None,
        labs_in_all=len(labs.profiles),
        here=address_of_request(),
    )
    return (html, 400) if trial.has_errors else html


def _page_of(labs: IndexedLabs, query: Query, ranking: Sequence[Match]) -> tuple[Page[LabMatch], float]:
    """The page of the ranking that the address asks for, with the reasons, and the score of the best lab."""
    number = page_number(request.args.get("page"))
    k = min(number * PER_PAGE, MOST_LISTED)
    ranked = matches_for(labs, query, k=k, ranked=ranking) if ranking else []
    items = [with_facets_in_words(match) for match in ranked[(number - 1) * PER_PAGE :]]
    page = Page(items=items, number=number, total=min(len(ranking), MOST_LISTED), per_page=PER_PAGE)
    return page, ranked[0].score if ranked else 0.0


def keep_weights() -> ResponseReturnValue:
    """Save the weights that were tried out."""
    session, user = db.session(), actor()
    interests, resume = interests_of(session, user), resume_of(session, user)
    trial = read_trial(
        request.form, stated_in(interests), with_resume=resume is not None and resume.confirmed_at is not None
    )
    as_typed: dict[str, Any] = {AS_TYPED: "1"} if _wants_as_typed(request.form) else {}
    url_args = {slider.name: f"{slider.value:g}" for slider in trial.sliders} | as_typed
    if trial.has_errors:
        flash_message(
            "These weights were not saved: your interests changed meanwhile. Look at the sliders and try again.", "warn"
        )
        return redirect(f"{url_for('applications.matches')}?{urlencode(url_args)}")
    try:
        service.save_weights(
            session, user, trial.weights, base=_version(request.form.get("version", "")), now=datetime.now(UTC)
        )
    except service.StaleInterests:
        flash_message(
            "These weights were not saved: your interests were changed in another tab. "
            "The list shows them as they are now; keep the weights again if you still want them.",
            "warn",
        )
        return redirect(f"{url_for('applications.matches')}?{urlencode(url_args)}")
    flash_message("These weights are saved.")
    return redirect(url_for("applications.matches", **as_typed))


def _wants_as_typed(args: Mapping[str, str]) -> bool:
    """Whether misspelt words are taken as typed; for this view only, nothing saved changes."""
    return args.get(AS_TYPED) == "1"


def _version(text: str) -> int:
    """The version in the form; 0, which no saved interests have, if it is no number."""
    return whole_number(text) or 0
