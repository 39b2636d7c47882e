"""Assignment rounds of a cycle: readiness of labs, drafting, results with reasons, what other seats would do."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from flask import redirect, render_template, request, url_for

from portal.admin.cycles.assignment import service as assignment_service
from portal.admin.cycles.assignment.service import (
    market_of,
    names_of,
    names_of_labs,
    readiness,
    round_numbered,
    rounds_of,
)
from portal.admin.rules import NotAllowed
from portal.admin.searching import search_text
from portal.applications.cycles import cycle_by_slug
from portal.applications.forms import one_line
from portal.applications.moves.service import USUAL_REPLY_DAYS
from portal.applications.people import is_named
from portal.assignment import compare, lists_digest, read_round, what_if, why_not
from portal.assignment.verify import check
from portal.db import db
from portal.web.access import actor, or_404
from portal.web.downloads import download, record_download
from portal.web.forms import whole_number
from portal.web.messages import flash_message
from portal.web.paging import Page, page_number, page_of
from portal.web.templating import page_is_at

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask import Response
    from flask.typing import ResponseReturnValue

    from portal.assignment import Round
    from portal.assignment.verify import Verdict
    from portal.models import AssignmentRound, Cycle


MOST_SEATS = 10_000
MOST_NAMED = 100  # people in a list of who moves; the rest is counted
MOST_MESSAGES = 10  # offers that could not be staged, each with the reason; the rest is counted
MOST_REPLY_DAYS = 365
INVALID = 422
CACHED_CERTIFICATES = 4  # a certificate of 10,000 applicants takes about ten megabytes
RESULTS = {"place": "Got a lab", "none": "Got no lab"}


def rounds(slug: str) -> str:
    """The labs and whether they are ready, the form of a new round, and all earlier rounds."""
    return _rounds_page(or_404(cycle_by_slug(db.session(), slug)), "", "")


def draft(slug: str) -> ResponseReturnValue:
    """Compute a round. Nobody is told."""
    cycle, seed = or_404(cycle_by_slug(db.session(), slug)), one_line(request.form.get("seed", ""))
    after = whole_number(request.form.get("after", ""))
    try:
        drafted = assignment_service.draft_round(
            db.session(), cycle, seed=seed, actor=actor(), now=datetime.now(UTC), after=after
        )
    except NotAllowed as refusal:
        return _rounds_page(cycle, str(refusal), seed), INVALID
    return redirect(url_for("admin.assignment_round", slug=slug, number=drafted.number))


def assignment_round(slug: str, number: int) -> str:
    """One round: results with reasons, changes since the previous round, and the effect of other seats at one lab."""
    session = db.session()
    cycle = or_404(cycle_by_slug(session, slug))
    stored_round = _round(cycle, number)
    computed, verdict = read_and_checked(stored_round.certificate)
    names, labs = names_of(session, cycle), names_of_labs(session)
    previous = round_numbered(session, cycle, number - 1)
    earlier = read_and_checked(previous.certificate)[0] if previous else None
    got = request.args.get("got", "")
    asked = {"q": search_text(request.args.get("q")), "got": got if got in RESULTS else ""}
    lab, seats = request.args.get("lab", ""), whole_number(request.args.get("seats", ""))
    can_try = lab in computed.market.labs and seats is not None and seats <= MOST_SEATS
    return render_template(
        "admin/assignment_round.html",
        cycle=cycle,
        stored_round=stored_round,
        verdict=verdict,
        by_choice=computed.by_choice(),
        page=assigned_page(computed, names, labs, asked),
        asked=asked,
        results=RESULTS,
        computed=computed,
        labs=labs,
        slugs=sorted(computed.market.labs, key=lambda each: (str(labs.get(each, each)).casefold(), each)),
        names=names,
        before=previous,
        changes=compare(earlier, computed) if earlier else None,
        is_same=earlier == computed,
        is_current=computed.market == market_of(session, cycle),
        most_seats=MOST_SEATS,
        tried=(lab, request.args.get("seats", "")),
        imagined=what_if(computed, {lab: seats or 0}) if can_try else None,
        reply_days=USUAL_REPLY_DAYS,
        most_named=MOST_NAMED,
    )


def certificate_file(slug: str, number: int) -> Response:
    """The certificate as a file, for `portal/assignment/verify.py`. Side effect: an audit entry."""
    stored_round = _round(or_404(cycle_by_slug(db.session(), slug)), number)
    rows, key = len(read_round(stored_round.certificate).market.applicants), f"{slug}/{number}"
    record_download(act="assignment.download", object_type="assignment round", object_key=key, rows=rows)
    return download(stored_round.certificate, f"assignment-{slug}-{number}.json", "application/json")


def stage(slug: str, number: int) -> ResponseReturnValue:
    """Stage the offers of a round, which are then released like all others."""
    stored_round = _round(or_404(cycle_by_slug(db.session(), slug)), number)
    days = whole_number(request.form.get("reply_days", "")) or 0
    if not 1 <= days <= MOST_REPLY_DAYS:
        flash_message(f"Give a whole number of days from 1 to {MOST_REPLY_DAYS}. Nothing was staged.", "warn")
        return redirect(url_for("admin.assignment_round", slug=slug, number=number))
    try:
        refused = assignment_service.stage_offers(
            db.session(), stored_round, reply_days=days, actor=actor(), now=datetime.now(UTC)
        )
    except assignment_service.AlreadyStaged as done:
        flash_message(str(done), "info")
        return redirect(url_for("admin.releases", slug=slug))
    except NotAllowed as refusal:
        flash_message(str(refusal), "warn")
        _flash_refused(refusal.refused if isinstance(refusal, assignment_service.NothingStaged) else ())
        return redirect(url_for("admin.assignment_round", slug=slug, number=number))
    flash_message("The offers of this round are staged. They go out with a release.")
    _flash_refused(refused)
    return redirect(url_for("admin.releases", slug=slug))


def _flash_refused(refused: Sequence[str]) -> None:
    """Name the offers that could not be staged, with the reasons."""
    for line in refused[:MOST_MESSAGES]:
        flash_message(line, "warn")
    if len(refused) > MOST_MESSAGES:
        flash_message(f"{len(refused) - MOST_MESSAGES:,} more offers of this round could not be staged.", "warn")


def _rounds_page(cycle: Cycle, refusal: str, seed: str) -> str:
    session = db.session()
    page_is_at(url_for("admin.assignment", slug=cycle.slug))
    return render_template(
        "admin/assignment.html",
        cycle=cycle,
        page=page_of(readiness(session, cycle), page_number(request.args.get("page"))),
        rounds=rounds_of(session, cycle),
        refusal=refusal,
        seed=seed,
        lists_digest=lists_digest(market_of(session, cycle)),
    )


def _round(cycle: Cycle, number: int) -> AssignmentRound:
    return or_404(round_numbered(db.session(), cycle, number))


class AssignedRow(NamedTuple):
    """An applicant of a round: id of the application (0 if it was erased), name, receipt, the lab they got, and the
    reason for each other lab that they listed.
    """

    application: int
    name: str
    receipt: str
    got: str | None
    reasons: Sequence[tuple[str, str]] = ()


@lru_cache(maxsize=CACHED_CERTIFICATES)
def read_and_checked(certificate: str) -> tuple[Round, Verdict]:
    """The round in a certificate and the independent checker's verdict; cached, since a certificate never changes."""
    return read_round(certificate), check(certificate.encode())


def assigned_page(
    computed: Round, names: Mapping[str, tuple[int, str]], labs: Mapping[str, str], asked: Mapping[str, str]
) -> Page[AssignedRow]:
    """A page of the applicants with this name and result, by name. Reasons are computed for this page only."""
    people = [
        AssignedRow(*names.get(receipt, (0, receipt)), receipt, computed.lab_of.get(receipt))
        for receipt in computed.market.applicants
    ]
    matching = [
        row
        for row in people
        if asked["got"] in {"", "none" if row.got is None else "place"}
        and all(is_named(row.name, word) for word in asked["q"].split())
    ]
    matching.sort(key=lambda row: (row.name.casefold(), row.receipt))
    page = page_of(matching, page_number(request.args.get("page")))
    return page.with_items([row._replace(reasons=_reasons(computed, row, labs)) for row in page.items])


def _reasons(computed: Round, row: AssignedRow, labs: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    choices = computed.market.applicants[row.receipt]
    return [
        (labs.get(slug, slug), why_not(computed, row.receipt, slug).sentence) for slug in choices if slug != row.got
    ]
