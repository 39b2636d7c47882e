"""Assignment rounds of a cycle: who is ready, drafts, why somebody did not get a lab, what other seats would do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for
from sqlalchemy import select

from portal.admin.assignment import service as assignment_service
from portal.admin.assignment.market import market_of, names_of, readiness
from portal.admin.rules import NotAllowed
from portal.applications.cycles import cycle_by_slug
from portal.applications.moves import USUAL_REPLY_DAYS
from portal.assignment import MarketError, compare, lists_digest, read_round, what_if, why_not
from portal.assignment.verify import check
from portal.db import db
from portal.models import AssignmentRound, Lab
from portal.web.access import actor, found
from portal.web.downloads import download
from portal.web.messages import say
from portal.web.recorded_downloads import record_download
from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flask import Response
    from flask.typing import ResponseReturnValue

    from portal.assignment import Reason, Round, WhatIf
    from portal.models import Cycle

MOST_SEATS = 10_000
MOST_REPLY_DAYS = 365
INVALID = 422


def rounds(slug: str) -> str:
    """The labs and whether they are ready, the form of a new round, and the rounds that were computed."""
    cycle = _cycle(slug)
    return _rounds_page(cycle, "", "")


def draft(slug: str) -> ResponseReturnValue:
    """Compute a round. Nobody is told."""
    cycle, seed = _cycle(slug), request.form.get("seed", "")
    after = whole_number(request.form.get("after", ""))
    try:
        made = assignment_service.draft_round(
            db.session(), cycle, seed=seed, actor=actor(), now=datetime.now(UTC), after=after
        )
    except NotAllowed as refusal:
        return _rounds_page(cycle, str(refusal), seed), INVALID
    return redirect(url_for("admin.assignment_round", slug=slug, number=made.number))


def assignment_round(slug: str, number: int) -> str:
    """One round: who got what, why not others, what changed since the one before, what other seats would do."""
    session, cycle = db.session(), _cycle(slug)
    held = _round(cycle, number)
    computed = read_round(held.certificate.encode())
    names, labs = names_of(session, cycle), _lab_names()
    before = session.scalar(
        select(AssignmentRound)
        .where(AssignmentRound.cycle_id == cycle.id, AssignmentRound.number < number)
        .order_by(AssignmentRound.number.desc())
        .limit(1)
    )
    seats, wrong = _asked_seats(computed)
    return render_template(
        "admin/assignment_round.html",
        cycle=cycle,
        held=held,
        verdict=check(held.certificate.encode()),
        by_choice=computed.by_choice(),
        rows=_rows(computed, names, labs),
        market=computed.market,
        admitted=computed.admitted,
        labs=labs,
        names=names,
        before=before,
        changes=compare(read_round(before.certificate.encode()), computed) if before else None,
        is_current=computed.market == market_of(session, cycle),
        seats=seats,
        wrong_seats=wrong,
        imagined=_imagined(computed, seats) if seats and not wrong else None,
        reply_days=USUAL_REPLY_DAYS,
    )


def certificate_file(slug: str, number: int) -> Response:
    """The certificate, which `portal assignment verify` proves without trusting us."""
    held = _round(_cycle(slug), number)
    rows, key = len(read_round(held.certificate.encode()).market.applicants), f"{slug}/{number}"
    record_download(act="assignment.download", object_type="assignment round", object_key=key, rows=rows)
    return download(held.certificate, f"assignment-{slug}-{number}.json", "application/json")


def stage(slug: str, number: int) -> ResponseReturnValue:
    """Stage the offers of a round; they are released like all others."""
    held = _round(_cycle(slug), number)
    days = whole_number(request.form.get("reply_days", "")) or 0
    if not 1 <= days <= MOST_REPLY_DAYS:
        say(f"Give a whole number of days from 1 to {MOST_REPLY_DAYS}. Nothing was staged.", "warn")
        return redirect(url_for("admin.assignment_round", slug=slug, number=number))
    try:
        refused = assignment_service.stage_offers(
            db.session(), held, reply_days=days, actor=actor(), now=datetime.now(UTC)
        )
    except assignment_service.AlreadyStaged as done:
        say(str(done), "info")
        return redirect(url_for("admin.releases", slug=slug))
    except NotAllowed as refusal:
        say(str(refusal), "warn")
        return redirect(url_for("admin.assignment_round", slug=slug, number=number))
    say("The offers of this round are staged. They go out with a release.")
    for line in refused[:10]:
        say(line, "warn")
    return redirect(url_for("admin.releases", slug=slug))


def _rounds_page(cycle: Cycle, refusal: str, seed: str) -> str:
    session = db.session()
    held = session.scalars(
        select(AssignmentRound).where(AssignmentRound.cycle_id == cycle.id).order_by(AssignmentRound.number.desc())
    ).all()
    return render_template(
        "admin/assignment.html",
        cycle=cycle,
        labs=readiness(session, cycle),
        rounds=held,
        refusal=refusal,
        seed=seed,
        lists_digest=lists_digest(market_of(session, cycle)),
    )


def _rows(
    computed: Round, names: Mapping[str, tuple[int, str]], labs: Mapping[str, str]
) -> Sequence[tuple[str, tuple[int, str], str | None, list[tuple[str, str]]]]:
    """By applicant: receipt, (application, name), the lab they got, and why not each other lab they listed."""
    rows = []
    for receipt, listed in computed.market.applicants.items():
        got = computed.lab_of.get(receipt)
        reasons = [
            (labs.get(slug, slug), _named(why_not(computed, receipt, slug), labs).sentence)
            for slug in listed
            if slug != got
        ]
        rows.append((receipt, names.get(receipt, (0, receipt)), got, reasons))
    return sorted(rows, key=lambda row: (row[1][1].casefold(), row[0]))


def _named(reason: Reason, labs: Mapping[str, str]) -> Reason:
    """The reason with the names of the labs in it, where the round has only their addresses."""
    return replace(reason, lab=labs.get(reason.lab, reason.lab), got=labs.get(reason.got or "", reason.got))


def _asked_seats(computed: Round) -> tuple[dict[str, int], str]:
    """The seats asked about in the address ("seats.<lab>"), where they differ; and what is wrong with them."""
    seats: dict[str, int] = {}
    for slug, lab in computed.market.labs.items():
        text = request.args.get(f"seats.{slug}", "").strip()
        if not text:
            continue
        number = whole_number(text)
        if number is None or number > MOST_SEATS:
            return seats, f"Give whole numbers of seats from 0 to {MOST_SEATS:,}."
        if number != lab.seats:
            seats[slug] = number
    return seats, ""


def _imagined(computed: Round, seats: Mapping[str, int]) -> WhatIf | None:
    try:
        return what_if(computed, seats)
    except MarketError:
        return None


def _lab_names() -> dict[str, str]:
    return {lab.slug: lab.name for lab in db.session().execute(select(Lab.slug, Lab.name))}


def _cycle(slug: str) -> Cycle:
    return found(cycle_by_slug(db.session(), slug))


def _round(cycle: Cycle, number: int) -> AssignmentRound:
    return found(
        db.session().scalar(
            select(AssignmentRound).where(AssignmentRound.cycle_id == cycle.id, AssignmentRound.number == number)
        )
    )
