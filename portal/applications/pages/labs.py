"""/me/labs: the labs that the applicant names."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from flask import abort, redirect, render_template, request, url_for

from portal.applications import service
from portal.applications.queries import named_labs
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.web.access import actor, found
from portal.web.messages import say, say_with_undo

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import Lab

LONGEST_ADDRESS = 1_000  # characters; the message with its way back has to fit into a cookie


def labs() -> ResponseReturnValue:
    """The list, each with a way to take it off."""
    return render_template("applications/labs.html", labs=named_labs(db.session(), actor()))


def name_or_unname(slug: str) -> ResponseReturnValue:
    """Name a lab (`act` is "name") or take it off the list ("unname"), then go back to where the form was."""
    lab = found(lab_by_slug(db.session(), slug))
    act = request.form.get("act", "name")
    back = _own_page(request.form.get("next", ""))
    if act == "name":
        _name(lab, back)
    elif act == "unname":
        unname_for_actor(lab, back)
    else:
        abort(400)
    return redirect(back)


def _name(lab: Lab, back: str) -> None:
    """Name the lab and say so; a lab that is named already stays so."""
    try:
        named = service.name_lab(db.session(), actor(), lab, now=datetime.now(UTC))
    except service.RefusedByRule as refusal:
        say(str(refusal), "warn")
        return
    if named:
        _say(
            f"You named {lab.name}. Its professors can now read your interests and your confirmed resume.",
            lab,
            "unname",
            back,
        )
    else:
        say(f"You name {lab.name} already.", "info")


def unname_for_actor(lab: Lab, back: str) -> None:
    """Take the lab off the list and say so; taking that back leads to the address `back`."""
    if service.unname_lab(db.session(), actor(), lab):
        _say(f"You removed {lab.name} from your labs.", lab, "name", back)
    else:
        say(f"{lab.name} was not among your labs.", "info")


def _say(text: str, lab: Lab, undo: str, back: str) -> None:
    """Say what was done, with a button that takes it back."""
    say_with_undo(text, url_for("applications.name_lab", slug=lab.slug), {"act": undo, "next": back})


def _own_page(address: str) -> str:
    """`address` if it is a path of this portal, else the list of labs: nobody is sent to another site."""
    listed = url_for("applications.labs")
    if len(address) > LONGEST_ADDRESS:
        return listed
    if not address.startswith("/") or address.startswith("//") or "\\" in address or not address.isprintable():
        return listed
    parts = urlsplit(address)
    return listed if parts.scheme or parts.netloc or parts.path == request.path else address
