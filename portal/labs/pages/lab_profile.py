"""A lab's profile, and how a text fits it."""

from __future__ import annotations

from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for
from flask_security import current_user

from portal.db import db
from portal.labs.forms import WorkOnForm
from portal.labs.matches.spelling import spelling_note
from portal.labs.matches.views import match_with, ranking_for
from portal.labs.open_cycle import open_cycle_of
from portal.labs.pages.address import asked_text
from portal.labs.pages.current import current_catalogue, current_freshness
from portal.labs.pages.ranking import is_applicant, query_of, ranking_limit, text_to_rank, wants_as_typed
from portal.labs.profile.attribution import attribution
from portal.labs.profile.presentation import LabPage, lab_page
from portal.labs.profile.work_views import works_of_lab
from portal.labs.queries import lab_by_slug
from portal.labs.related import nearby
from portal.labs.reply_times import reply_days
from portal.web.access import or_404
from portal.web.paging import page_number

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import Lab


def profile(slug: str) -> ResponseReturnValue:
    """Everything the portal knows about a lab; ?works=… filters its works, ?page=… pages through them. Of an archived
    lab, to which applications and bookmarks lead, only that it is archived.
    """
    session, now = db.session(), datetime.now(UTC)
    lab = or_404(lab_by_slug(session, slug))
    if lab.archived_at is not None:
        return render_template("labs/archived.html", lab=lab), HTTPStatus.GONE
    may_apply = is_applicant() or not current_user.is_authenticated
    return render_template(
        "labs/profile.html",
        page=_profile_page(lab),
        reply_days=reply_days(session, lab.id, now),
        open_cycle=open_cycle_of(session, lab.id, now) if may_apply else None,
        is_applicant=is_applicant(),
    )


def without_slash(slug: str) -> ResponseReturnValue:
    """Redirects the address with a trailing slash to the profile's only address."""
    query = request.query_string.decode("ascii", "ignore")
    return redirect(url_for("labs.profile", slug=slug) + (f"?{query}" if query else ""), 301)


def _profile_page(lab: Lab) -> LabPage:
    catalogue = current_catalogue()
    entry = or_404(catalogue.entry(lab.slug))
    record = entry.record
    sources = attribution(current_app).sources(db.session(), lab, record)
    works = works_of_lab(record, asked_text("works"), page_number(request.args.get("page")), sources)
    return lab_page(record, lab, works, sources, nearby(catalogue, entry), catalogue.today, current_freshness(lab))


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
