"""The shortlist: labs that an applicant saves, adds to the application or shares with; /me/labs and its buttons."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import abort, g, redirect, render_template, request, url_for

from portal.accounts.rules import is_local_path
from portal.applications.drafts import add_to_draft, cycles_to_add_in
from portal.applications.interests.service import interests_of, stated_in
from portal.applications.locks import Refusal
from portal.applications.sharing import (
    remove_saved,
    save_lab,
    saved_labs,
    share_with_lab,
    shares_of,
    stop_sharing,
)
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.models.user import APPLICANT
from portal.web.access import actor, actor_or_none, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session

    from portal.models import Cycle, Lab, User
    from portal.web.messages import Tone


@dataclass(frozen=True, slots=True)
class Shortlist:
    """What the buttons beside a lab need to know of whoever is signed in: the labs saved, shared with, and on a draft
    that can be changed, by slug, and the open cycle to whose application a lab is added (None: to none now).
    """

    saved: frozenset[str]
    shared: frozenset[str]
    chosen: frozenset[str]
    cycle: Cycle | None


def shortlist() -> Shortlist | None:
    """That of the applicant who is signed in; None for anybody else. Read once for each request."""
    if "shortlist" not in g:
        person = actor_or_none()
        is_applicant = person is not None and person.has_role(APPLICANT)
        g.shortlist = _shortlist_of(db.session(), person, datetime.now(UTC)) if person and is_applicant else None
    found: Shortlist | None = g.shortlist
    return found


def _shortlist_of(session: Session, person: User, now: datetime) -> Shortlist:
    targets = cycles_to_add_in(session, person, now)
    chosen = {choice.lab.slug for _, draft in targets if draft is not None for choice in draft.choices}
    return Shortlist(
        frozenset(lab.slug for lab in saved_labs(session, person)),
        frozenset(share.lab.slug for share in shares_of(session, person)),
        frozenset(chosen),
        targets[0][0] if targets else None,
    )


def labs() -> str:
    """The saved labs and those that are shared with, each with its buttons."""
    session, person = db.session(), actor()
    shares = {share.lab: share.shared_at for share in shares_of(session, person)}
    saved: Sequence[Lab] = saved_labs(session, person)
    return render_template(
        "applications/labs.html", labs=list(dict.fromkeys((*saved, *shares))), saved=set(saved), shares=shares
    )


def act_on_lab(slug: str) -> ResponseReturnValue:
    """What a button beside a lab says (`act` is one of `ACTS`); then back to where it was."""
    session, person, found = db.session(), actor(), lab_by_slug(db.session(), slug)
    lab = or_404(None if found is None or found.is_draft else found)
    act = ACTS.get(request.form.get("act", ""))
    if act is None:
        abort(400)
    try:
        flash_message(*act(session, person, lab, datetime.now(UTC)))
    except Refusal as refusal:
        flash_message(str(refusal), "warn")
    address = request.form.get("next", "")
    # Nobody is sent to another site, nor to an address that only takes forms.
    is_own = is_local_path(address) and urlsplit(address).path != request.script_root + request.path
    return redirect(address if is_own else url_for("applications.labs"))


def _add(session: Session, person: User, lab: Lab, now: datetime) -> tuple[str, Tone]:
    application, why_not = add_to_draft(session, person, lab, now=now)
    if application is not None:
        return f"{lab.name} is on your application for {application.cycle.name}.", "good"
    kept = " It is saved for later." if save_lab(session, person, lab, now=now) else ""
    return f"{lab.name} was not added. {why_not}{kept}", "warn"


def _save(session: Session, person: User, lab: Lab, now: datetime) -> tuple[str, Tone]:
    save_lab(session, person, lab, now=now)
    return f"{lab.name} is saved for later.", "good"


def _remove(session: Session, person: User, lab: Lab, _now: datetime) -> tuple[str, Tone]:
    remove_saved(session, person, lab)
    return f"{lab.name} is not on your shortlist any more.", "good"


def _share(session: Session, person: User, lab: Lab, now: datetime) -> tuple[str, Tone]:
    if not share_with_lab(session, person, lab, now=now):
        return f"You share with {lab.name} already.", "info"
    who = f"You now share with {lab.name}. Its professors can read your interests and your confirmed resume."
    return f"{who} This is not an application.", "good"


def _stop(session: Session, person: User, lab: Lab, _now: datetime) -> tuple[str, Tone]:
    if not stop_sharing(session, person, lab):
        return f"You do not share with {lab.name}.", "info"
    if not stated_in(interests_of(session, person)).discoverable:
        return f"You stopped sharing with {lab.name}.", "good"
    still = "Its professors can still find you, as you let other labs do; your interests are where to change that."
    return f"You stopped sharing with {lab.name}. {still}", "good"


ACTS: dict[str, Callable[[Session, User, Lab, datetime], tuple[str, Tone]]] = {
    "add": _add,
    "save": _save,
    "remove": _remove,
    "share": _share,
    "stop": _stop,
}
