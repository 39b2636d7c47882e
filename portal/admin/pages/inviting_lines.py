"""Inviting many people at once, each to a lab of their own: the list, a preview that sends nothing, then the mails."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING

from flask import redirect, render_template, url_for

from portal.admin.lab_choice import lab_meant_by
from portal.admin.pages.inviting import say_outcome
from portal.admin.pages.saving import INVALID
from portal.admin.people import inviting
from portal.admin.people.inviting import Fate, ListRefused, Terms
from portal.admin.people.inviting_lines_form import InviteLinesForm
from portal.admin.people.inviting_rules import roles_with
from portal.admin.rules import POSITIONS
from portal.db import db
from portal.web.access import actor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue

    from portal.admin.people.invitation_lines import LabInvitee


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """A line of the preview: whom, to which lab as what, and what becomes of it. `is_sent` says whether a mail goes."""

    line: int
    name: str
    email: str
    lab: str
    slug: str
    position: str
    fate: str
    is_sent: bool


def invite_lines() -> ResponseReturnValue:
    """Show the list; preview what it would do; once that is agreed to, invite everybody in it, or nobody."""
    session, now = db.session(), datetime.now(UTC)
    form = InviteLinesForm(find_lab=cache(partial(lab_meant_by, session)))
    if not form.validate_on_submit():
        return _page(form), INVALID if form.errors or form.lines.errors else 200
    rows = [(one.person, Terms(tuple(roles_with((), one.position)), one.lab, one.position)) for one in form.people]
    agreed = _fingerprint(form.people)
    try:
        if form.agreed.data == agreed:
            say_outcome(inviting.invite_each(session, rows, actor=actor(), now=now))
            return redirect(url_for("admin.invitations"))
        fates = inviting.fates_of(session, rows, now=now)
    except ListRefused as refusal:
        form.add_problems(refusal.problems)
        return _page(form), INVALID
    form.agreed.data, form.agreed.raw_data = agreed, None
    return _page(form, [_row(one, fate) for one, fate in zip(form.people, fates, strict=True)])


def _page(form: InviteLinesForm, preview: Sequence[PreviewRow] = ()) -> str:
    return render_template(
        "admin/invite_lines.html", form=form, preview=preview, mails=sum(row.is_sent for row in preview)
    )


def _row(one: LabInvitee, fate: Fate) -> PreviewRow:
    person, account = one.person, fate.account
    if fate.has_rights:
        becomes, is_sent = "Has an account, and reads for this lab in this position already; nothing is sent", False
    elif fate.position is not None:
        becomes, is_sent = (
            "Has an account, and reads for this lab already: gets this position, and a mail that says so",
            True,
        )
    elif account is not None:
        becomes, is_sent = "Has an account: gets the lab at once, and a mail that says so", True
    elif fate.is_invited:
        becomes, is_sent = "Is invited to this already; nothing is sent", False
    else:
        becomes, is_sent = "Gets a mail with a link", True
    name = person.name or (account.name if account else "")
    return PreviewRow(
        person.line, name, person.email, one.lab.name, one.lab.slug, POSITIONS[one.position].lower(), becomes, is_sent
    )


def _fingerprint(people: Sequence[LabInvitee]) -> str:
    """What was agreed to: a list whose labs mean others meanwhile is previewed again."""
    rows = [(one.person.email, one.person.name, one.lab.id, one.position) for one in people]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()
