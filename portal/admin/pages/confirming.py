"""Two one-click acts on a profile: confirming that it is up to date, and withdrawing a proposed change."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, request, url_for

from portal.admin.pages.loading import lab_or_404
from portal.db import db
from portal.labs.freshness import SavedMeanwhile, confirm, current_freshness
from portal.labs.proposals import DecidedProposal, withdraw
from portal.models import LabProposal
from portal.web.access import actor, or_404
from portal.web.forms import whole_number
from portal.web.messages import flash_message
from portal.web.templating import calendar_day

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


def confirm_profile(slug: str) -> ResponseReturnValue:
    """Confirm the revision of the profile that the person saw."""
    lab = lab_or_404(slug)
    seen = whole_number(request.form.get("base", "")) or 0
    try:
        confirm(db.session(), lab, revision_number=seen, author=actor(), now=datetime.now(UTC))
    except SavedMeanwhile:
        flash_message(
            "The profile was saved since you opened this page. Look it over once more, then confirm it.", "warn"
        )
    else:
        until = current_freshness(lab).until
        flash_message(f"Confirmed: the profile of {lab.name} is marked as true until {calendar_day(until)}.")
    return redirect(url_for(".lab", slug=slug))


def withdraw_proposal(slug: str, proposal_id: int) -> ResponseReturnValue:
    """Withdraw a change that a leader of the lab proposed and nobody has decided yet."""
    lab = lab_or_404(slug)
    proposal = db.session().get(LabProposal, proposal_id)
    if proposal is None:
        flash_message("This proposal is not there any more: it was taken back.", "info")
        return redirect(url_for(".lab", slug=slug))
    or_404(proposal if proposal.lab_id == lab.id and proposal.proposed_by_id is not None else None)
    try:
        withdraw(db.session(), proposal, author=actor(), now=datetime.now(UTC))
    except DecidedProposal:
        flash_message("This was decided already.", "warn")
    else:
        flash_message("Taken back: the profile stays as it is.")
    return redirect(url_for(".lab", slug=slug))
