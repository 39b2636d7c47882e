"""Assignment rounds of a cycle: readiness of labs, drafting, results with reasons, and the effect of other seats."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

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
from portal.assignment import MarketError, compare, lists_digest, read_round, what_if, why_not
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

    from portal.assignment import Reason, Round
    from portal.assignment.verify import Verdict
    from portal.models import AssignmentRound, Cycle


MOST_SEATS = 10_000
LABS_AT_ONCE = 50  # labs in the form that tries other seats; their seats are in the query string
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
    """One round: results with reasons, changes since the previous round, and the effect of other numbers of seats."""
    session = db.session()
    cycle = or_404(cycle_by_slug(session, slug))
    stored_round = _round(cycle, number)
    computed, verdict = read_and_checked(stored_round.certificate)
    names, labs = names_of(session, cycle), names_of_labs(session)
    previous = round_numbered(session, cycle, number - 1)
    seats, invalid_seats = _requested_seats(computed)
    got = request.args.get("got", "")
    asked = {"q": search_text(request.args.get("q")), "got": got if got in RESULTS else ""}
    slugs = sorted(computed.market.labs, key=lambda each: (str(labs.get(each, each)).casefold(), each))
    imagined = None
    if seats and not invalid_seats:
        with suppress(MarketError):
            imagined = what_if(computed, seats)
    return render_template(
        "admin/assignment_round.html",
        cycle=cycle,
        stored_round=stored_round,
        verdict=verdict,
        by_choice=computed.by_choice(),
        page=assigned_page(computed, names, labs, asked),
        asked=asked,
        results=RESULTS,
        seats_of=page_of(slugs, page_number(request.args.get("labs")), LABS_AT_ONCE),
        market=computed.market,
        admitted=computed.admitted,
        labs=labs,
        names=names,
        before=previous,
        changes=compare(read_and_checked(previous.certificate)[0], computed) if previous else None,
        is_current=computed.market == market_of(session, cycle),
        seats=seats,
        wrong_seats=invalid_seats,
        most_seats=MOST_SEATS,
        imagined=imagined,
        reply_days=USUAL_REPLY_DAYS,
        most_named=MOST_NAMED,
    )


def certificate_file(slug: str, number: int) -> Response:
    """The certificate as a file, for `portal assignment verify`. Side effect: an audit entry."""
    stored_round = _round(or_404(cycle_by_slug(db.session(), slug)), number)
    rows, key = len(read_round(stored_round.certificate.encode()).market.applicants), f"{slug}/{number}"
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


def _requested_seats(computed: Round) -> tuple[dict[str, int], dict[str, str]]:
    """The seats to try, from the query string ("seats.<lab>"), if they differ; and by lab, texts that are no number."""
    seats: dict[str, int] = {}
    invalid: dict[str, str] = {}
    for slug, lab in computed.market.labs.items():
        text = request.args.get(f"seats.{slug}", "").strip()
        number = whole_number(text)
        if text and (number is None or number > MOST_SEATS):
            invalid[slug] = text
        elif text and number != lab.seats:
            seats[slug] = number or 0
    return seats, invalid


def _round(cycle: Cycle, number: int) -> AssignmentRound:
    return or_404(round_numbered(db.session(), cycle, number))


@dataclass(frozen=True, slots=True)
class AssignedRow:
    """An applicant of a round: receipt, id of the application (0 if it was erased), name, the lab they got, and the
    reason for each other lab that they listed.
    """

    receipt: str
    application: int
    name: str
    got: str | None
    reasons: Sequence[tuple[str, str]]


@lru_cache(maxsize=CACHED_CERTIFICATES)
def read_and_checked(certificate: str) -> tuple[Round, Verdict]:
    """The round in a certificate and the independent checker's verdict; cached, since a certificate never changes."""
    data = certificate.encode()
    return read_round(data), check(data)


def assigned_page(
    computed: Round, names: Mapping[str, tuple[int, str]], labs: Mapping[str, str], asked: Mapping[str, str]
) -> Page[AssignedRow]:
    """A page of the applicants with this name and result, by name. Reasons are computed for this page only."""
    people = [
        (*names.get(receipt, (0, receipt)), receipt, computed.lab_of.get(receipt))
        for receipt in computed.market.applicants
    ]
    matching = [
        (application, name, receipt, got)
        for application, name, receipt, got in people
        if asked["got"] in {"", "none" if got is None else "place"}
        and all(is_named(name, word) for word in asked["q"].split())
    ]
    matching.sort(key=lambda entry: (entry[1].casefold(), entry[2]))
    page = page_of(matching, page_number(request.args.get("page")))
    rows = [
        AssignedRow(receipt, application, name, got, _reasons(computed, receipt, labs))
        for application, name, receipt, got in page.items
    ]
    return page.with_items(rows)


def _reasons(computed: Round, receipt: str, labs: Mapping[str, str]) -> Sequence[tuple[str, str]]:
    got = computed.lab_of.get(receipt)
    return [
        (labs.get(slug, slug), _named(why_not(computed, receipt, slug), labs).sentence)
        for slug in computed.market.applicants[receipt]
        if slug != got
    ]


def _named(reason: Reason, labs: Mapping[str, str]) -> Reason:
    """The reason with the names of labs in place of their slugs."""
    return replace(reason, lab=labs.get(reason.lab, reason.lab), got=labs.get(reason.got or "", reason.got))
