"""Open questions: proposals from seed pages and tables of labs, and works that may not belong to their lab."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.admin import rules
from portal.admin.labs import queries
from portal.admin.labs.differences import item_fields
from portal.admin.labs.forms import SavingForm
from portal.admin.labs.saving import INVALID, is_valid, started_from
from portal.admin.labs.sections import place_of, text_at
from portal.db import db
from portal.labs import proposals, service
from portal.labs.queries import profile_of
from portal.models import LabProposal
from portal.seeding.merging import MergeError
from portal.web.access import Refused, actor, ensure, or_404
from portal.web.messages import flash_message, flash_with_link
from portal.web.paging import page_number

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.seeding.records import LabRecord


DECISIONS = {"accept": "accepted", "refuse": "refused"}
DECIDED = "This was decided in the same moment."


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """A proposal beside the profile: its place, the value now and the proposed one, as texts or as an item's fields.

    `fits` is False if the profile no longer has its place: it can only be refused.
    """

    row: LabProposal
    place: str
    now_text: str
    now_fields: list[tuple[str, str]]
    text: str
    fields: list[tuple[str, str]]
    fits: bool


def change_of(profile: LabRecord, row: LabProposal) -> ProposedChange:
    """A proposal of any kind, also one that takes something out or orders it anew, beside the profile."""
    try:
        proposed = proposals.with_proposal(profile, row)
    except MergeError:
        proposed = None
    is_item = row.path.count("/") == 1
    return ProposedChange(
        row=row,
        place=place_of((profile, proposed or profile), row.path),
        now_text="" if is_item or proposed is None else text_at(profile, row.path),
        now_fields=item_fields(profile, row.path) if is_item else [],
        text="" if is_item or proposed is None else text_at(proposed, row.path),
        fields=item_fields(proposed, row.path) if is_item and proposed is not None else [],
        fits=proposed is not None,
    )


def questions() -> str:
    """All open questions, by kind."""
    session = db.session()
    page = queries.proposal_page(session, page_number(request.args.get("page")))
    profiles = {row.lab_id: profile_of(session, row.lab) for row in {row.lab_id: row for row in page.items}.values()}
    return render_template(
        "admin/questions.html",
        page=page.with_items([change_of(profiles[row.lab_id], row) for row in page.items]),
        files=queries.files_that_wait(session),
        works=queries.doubted_page(session, page_number(request.args.get("works"))),
    )


def proposal(proposal_id: int) -> ResponseReturnValue:
    """Accept a proposal, or refuse it, with a reason."""
    session = db.session()
    row = or_404(session.get(LabProposal, proposal_id))
    if _is_decided_as_sent(row):
        return _decided_already(row)
    ensure(rules.why_not_decide(row))
    start = started_from(row.lab)
    change = change_of(profile_of(session, row.lab), row)
    form = SavingForm()
    if is_valid(form, start):
        refusal = _why_not_decided(row, change, start.number, form.reason.data)
        if refusal is None:
            return redirect(url_for("admin.questions"))
        if _is_decided_as_sent(row):
            return _decided_already(row)
        form.base.data = str(row.lab.revision_number)
        form.reason.errors = [refusal]
        change = change_of(profile_of(session, row.lab), row)
    page = render_template("admin/proposal.html", form=form, change=change)
    return page, INVALID if form.errors else 200


def _is_decided_as_sent(row: LabProposal) -> bool:
    """Whether the proposal was already decided as the sent form says, as by the first of two clicks."""
    return row.state == DECISIONS.get(request.form.get("decision", ""))


def _decided_already(row: LabProposal) -> ResponseReturnValue:
    flash_message(f"This was {row.state} already.", "info")
    return redirect(url_for("admin.questions"))


def _why_not_decided(row: LabProposal, change: ProposedChange, base: int, reason: str) -> str | None:
    """Accept or refuse the proposal as the sent form says; returns the reason if it was not decided."""
    decision = request.form.get("decision", "")
    if base != row.lab.revision_number:
        return "The profile was saved since you opened this page. Look again at what it says now, then decide."
    if decision not in {"accept", "refuse"}:
        return "Choose “Accept” or “Refuse”."
    if decision == "accept" and not change.fits:
        return "What this is about has been removed from the profile since. It can only be refused."
    try:
        if decision == "accept":
            _accept(row, reason)
        else:
            _refuse(row, reason)
    except service.StaleEdit:
        db.session.rollback()
        return "The profile was saved in the same moment. Look again at what it says now, then decide."
    except proposals.DecidedProposal:
        db.session.rollback()
        db.session().refresh(row)
        if _is_decided_as_sent(row):
            return DECIDED
        raise Refused(rules.why_not_decide(row) or DECIDED) from None
    return None


def _refuse(row: LabProposal, reason: str) -> None:
    proposals.refuse_proposal(db.session(), row, author=actor(), now=datetime.now(UTC), reason=reason)
    flash_message("Refused: the profile stays as it is, and this is not asked again.")


def _accept(row: LabProposal, reason: str) -> None:
    revision = proposals.accept_proposal(db.session(), row, author=actor(), reason=reason, now=datetime.now(UTC))
    if revision is None:
        flash_message("Accepted. The profile said this already.")
        return
    link = url_for("admin.revision", slug=row.lab.slug, number=revision.number)
    flash_with_link(f"Accepted. This is revision {revision.number}.", link, "See what changed")
