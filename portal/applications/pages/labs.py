"""/me/labs: the labs that the applicant shares with."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import abort, redirect, render_template, request, url_for

from portal.accounts.rules import is_local_path
from portal.applications import service
from portal.applications.queries import interests_of, shares_of, stated_in
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.web.access import actor, or_404
from portal.web.messages import flash_message, flash_with_undo

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import Lab

LONGEST_ADDRESS = 1_000  # characters; the message with its way back has to fit into a cookie


def labs() -> ResponseReturnValue:
    """The list, each with a way to stop."""
    return render_template("applications/labs.html", shares=shares_of(db.session(), actor()))


def share_or_stop(slug: str) -> ResponseReturnValue:
    """Share with a lab (`act` is "share") or stop it ("stop"), then go back to where the form was."""
    lab = or_404(lab_by_slug(db.session(), slug))
    act = request.form.get("act", "share")
    back = _own_page(request.form.get("next", ""))
    if act == "share":
        _share(lab, back)
    elif act == "stop":
        stop_sharing_for_actor(lab, back)
    else:
        abort(400)
    return redirect(back)


def _share(lab: Lab, back: str) -> None:
    """Share with the lab and say what that means; nothing changes if the applicant shares with it already."""
    try:
        is_new = service.share_with_lab(db.session(), actor(), lab, now=datetime.now(UTC))
    except service.RefusedByRule as refusal:
        flash_message(str(refusal), "warn")
        return
    if is_new:
        _flash(
            f"You now share with {lab.name}. Its professors can read your interests and your confirmed resume. "
            "This is not an application.",
            lab,
            "stop",
            back,
        )
    else:
        flash_message(f"You share with {lab.name} already.", "info")


def stop_sharing_for_actor(lab: Lab, back: str) -> None:
    """Stop sharing with the lab and say so; the undo button returns to the address `back`."""
    session, user = db.session(), actor()
    if not service.stop_sharing(session, user, lab):
        flash_message(f"You do not share with {lab.name}.", "info")
        return
    text = f"You stopped sharing with {lab.name}."
    if stated_in(interests_of(session, user)).discoverable:
        text += " Its professors can still find you, as you let other labs do; your interests are where to change that."
    _flash(text, lab, "share", back)


def _flash(text: str, lab: Lab, undo: str, back: str) -> None:
    """Say what was done, with a button that takes it back."""
    flash_with_undo(text, url_for("applications.share_with_lab", slug=lab.slug), {"act": undo, "next": back})


def _own_page(address: str) -> str:
    """`address` if it is a path of this portal, else the list of labs: nobody is sent to another site."""
    if (
        len(address) > LONGEST_ADDRESS
        or not is_local_path(address)
        or urlsplit(address).path == request.script_root + request.path
    ):
        return url_for("applications.labs")
    return address
