"""The public pages and their addresses: labs, systems, cycles, the sitemap."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, current_app, render_template, request, url_for
from flask_security import current_user

from portal.config import settings_of
from portal.db import db
from portal.labs import catalogue
from portal.labs.catalogue import FACETS, current_catalogue, related_labs
from portal.labs.cycles import open_cycle_of, public_cycle, public_cycles, reply_days
from portal.labs.freshness import current_freshness
from portal.labs.listing import (
    FACET_TITLES,
    SORTS,
    LabQuery,
    distinct_values,
    lab_listing,
    lab_row,
    labs_with_text,
    systems_named,
)
from portal.labs.matches import match_with, ranking_for, spelling_note
from portal.labs.photos import photo, photo_of
from portal.labs.profile_page import lab_page
from portal.labs.profile_works import sources_of, system_view, works_of_lab
from portal.labs.queries import lab_by_slug
from portal.labs.ranking_pages import (
    WorkOnForm,
    home,
    is_applicant,
    query_of,
    ranking_limit,
    text_to_rank,
    wants_as_typed,
)
from portal.labs.texts import printable
from portal.web.access import or_404
from portal.web.paging import page_number, page_of
from portal.web.templating import calendar_day, this_page_with

if TYPE_CHECKING:
    from flask.blueprints import BlueprintSetupState
    from flask.typing import ResponseReturnValue


def asked_text(name: str) -> str:
    """The value of the parameter `name`, empty if there is none."""
    return printable(request.args.get(name, "")).strip()


def about() -> str:
    """The formula in words with an example, what is never read, what is stored, where profiles come from."""
    catalogue = current_catalogue()
    return render_template(
        "labs/about.html",
        labs=len(catalogue.entries),
        works=sum(len(entry.works) for entry in catalogue.entries),
        systems=len(catalogue.systems),
    )


def cycle(slug: str) -> ResponseReturnValue:
    """The page of a cycle that has opened or opens next."""
    now = datetime.now(UTC)
    row = or_404(public_cycle(db.session(), slug, now))
    is_open = row.closed_at is None and row.opens_at <= now < row.deadline_at
    return render_template(
        "labs/cycle.html",
        cycle=row,
        now=now,
        may_apply=is_open and (is_applicant() or not current_user.is_authenticated),
    )


MOST_CHOSEN = 20  # values of one facet


def labs() -> str:
    """All labs, or those that ?q=…&topic=…&hardware=…&sort=…&page=… asks for."""
    asked_order = asked_text("sort") or "name"
    query = LabQuery(
        text=asked_text("q"),
        chosen={name: distinct_values(request.args.getlist(name))[:MOST_CHOSEN] for name in FACETS},
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


def profile(slug: str) -> ResponseReturnValue:
    """What an applicant decides by, people and recent works, the rest folded; no draft. Of an archived lab, to
    which applications and bookmarks lead, only that it is archived.
    """
    session, now = db.session(), datetime.now(UTC)
    found = lab_by_slug(session, slug)
    lab = or_404(None if found is None or found.is_draft else found)
    if lab.archived_at is not None:
        return render_template("labs/archived.html", lab=lab), HTTPStatus.GONE
    catalogue = current_catalogue()
    entry = or_404(catalogue.entry(slug))
    may_apply = is_applicant() or not current_user.is_authenticated
    return render_template(
        "labs/profile.html",
        record=entry.record,
        summary=entry.summary,
        page=lab_page(entry.record, catalogue.today),
        related=related_labs(catalogue, entry),
        row=lab,
        freshness=current_freshness(lab),
        reply_days=reply_days(session, lab.id, now),
        open_cycle=open_cycle_of(session, lab.id, now) if may_apply else None,
        is_applicant=is_applicant(),
    )


def works(slug: str) -> str:
    """All works of a lab by year; ?works=… filters them, ?page=… pages through them."""
    record = or_404(current_catalogue().entry(slug)).record
    number = page_number(request.args.get("page"))
    found = works_of_lab(record, asked_text("works"), number, sources_of(record))
    return render_template("labs/works.html", lab=record, works=found)


def _match_page(form: WorkOnForm, text: str | None = None) -> str:
    slug = str((request.view_args or {})["slug"])
    catalogue = current_catalogue()
    record = or_404(catalogue.entry(slug)).record
    as_typed = wants_as_typed()
    query = query_of(text, as_typed=as_typed) if text else None
    matched = match_with(catalogue.source, query, slug) if query else None
    fitting = [ranked.lab for ranked in ranking_for(catalogue.source, query)] if query else []
    return render_template(
        "labs/match.html",
        form=form,
        text=text,
        record=record,
        as_typed=as_typed,
        spelling=spelling_note(catalogue.source.index, query) if query else None,
        match=matched,
        position=fitting.index(slug) + 1 if slug in fitting else 0,
        fitting=len(fitting),
        total=len(catalogue.entries),
        is_applicant=is_applicant(),
    )


@ranking_limit(_match_page)
def match(slug: str) -> str:
    """How a text fits one lab, with all the evidence. Like home, it stores nothing and needs no account."""
    form = WorkOnForm()
    or_404(current_catalogue().entry(slug))
    return _match_page(form, text_to_rank(form))


PER_PAGE = 50


def systems() -> str:
    """Every named system, its works and its lab: ?q=… by name, ?page=2."""
    catalogue = current_catalogue()
    text = asked_text("q")
    page = page_of(systems_named(catalogue.systems, text), page_number(request.args.get("page")), PER_PAGE)
    return render_template(
        "systems/list.html",
        text=text,
        page=page.with_items([system_view(entry.system, entry.lab) for entry in page.items]),
        total=len(catalogue.systems),
    )


MOST_ADDRESSES = 50_000  # addresses in one file, the limit of sitemaps.org
PUBLIC_PAGES = ("labs.home", "labs.labs", "labs.systems", "labs.about")
NOT_FOR_ROBOTS = ("/accounts", "/*/*?q=", "/*&q=")
"""Signing in, to where every private page leads them, and searches without end."""


def _public_address(endpoint: str, **values: Any) -> str:  # noqa: ANN401  (parts of addresses, as url_for takes them)
    """The public address of a page. The path that the portal is served under, if any, is part of `base_url`."""
    return settings_of(current_app).base_url + url_for(endpoint, **values).removeprefix(request.script_root)


def sitemap() -> Response:
    """Every public page, with the day it changed where that is known; at most as many as one file may hold."""
    pages = [(_public_address(endpoint), "") for endpoint in PUBLIC_PAGES]
    pages += [
        (_public_address("labs.cycle", slug=cycle.slug), "") for cycle in public_cycles(db.session(), datetime.now(UTC))
    ]
    pages += [
        (_public_address("labs.profile", slug=entry.record.key), entry.changed_at.date().isoformat())
        for entry in current_catalogue().entries
    ]
    body = render_template("labs/sitemap.xml", pages=pages[:MOST_ADDRESSES])
    return Response(body, mimetype="application/xml")


def robots() -> Response:
    """Allows everything public but `NOT_FOR_ROBOTS`."""
    rules = ["User-agent: *", *(f"Disallow: {path}" for path in NOT_FOR_ROBOTS)]
    lines = [*rules, "", f"Sitemap: {_public_address('labs.sitemap')}", ""]
    return Response("\n".join(lines), mimetype="text/plain")


blueprint = Blueprint("labs", __name__)

blueprint.add_url_rule("/", view_func=home, methods=["GET", "POST"])
blueprint.add_url_rule("/labs/", view_func=labs, endpoint="labs")
blueprint.add_url_rule("/labs/<slug>", view_func=profile)
blueprint.add_url_rule("/labs/<slug>/works", view_func=works)
blueprint.add_url_rule("/labs/<slug>/photo/<version>", view_func=photo)
blueprint.add_app_template_global(photo_of)
blueprint.add_url_rule("/labs/<slug>/match", view_func=match, methods=["GET", "POST"])
blueprint.add_url_rule("/systems/", view_func=systems)
blueprint.add_url_rule("/cycles/<slug>", view_func=cycle)
blueprint.add_url_rule("/about", view_func=about)
blueprint.add_url_rule("/sitemap.xml", view_func=sitemap)
blueprint.add_url_rule("/robots.txt", view_func=robots)


TONES = 6
_NO_PART_OF_A_NAME = {"lab", "laboratory", "group", "prof", "professor", "dr", "the", "of", "for", "and", "research"}


@blueprint.app_template_filter("monogram")
def monogram(name: str) -> str:
    """One or two letters that stand for a lab without a picture: "RS" for "Relaxed System Lab"."""
    words = re.findall(r"[^\W\d_]+", name.replace("’s ", " ").replace("'s ", " "))
    own = [word for word in words if word.casefold() not in _NO_PART_OF_A_NAME] or words
    return "".join(word[0] for word in own[:2]).upper() if own else "?"


@blueprint.app_template_filter("tone")
def tone(slug: str) -> int:
    """The colour of a lab's letters, the same on every page: from 1 to `TONES`."""
    return sum(map(ord, slug)) % TONES + 1


@blueprint.app_template_filter("day_in")
def day_in(moment: datetime, zone: str) -> str:
    """The day of a moment in a time zone, as in "15 Dec 2026"."""
    return calendar_day(moment.astimezone(ZoneInfo(zone)).date())


@blueprint.record_once
def remember_across_requests(state: BlueprintSetupState) -> None:
    """Create the cache that the public pages keep between requests."""
    state.app.extensions[catalogue.EXTENSION] = catalogue.LiveCatalogue()
