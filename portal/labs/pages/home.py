"""Home: the box that ranks, and the list of labs."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING

from flask import redirect, render_template, request
from flask_security import current_user

from portal.accounts.known_devices import account_key
from portal.db import db
from portal.labs.catalogue import open_degrees
from portal.labs.forms import WorkOnForm
from portal.labs.listing.labs import in_order, lab_row
from portal.labs.matches.spelling import spelling_note
from portal.labs.matches.views import matches_for
from portal.labs.open_cycle import cycles_open_now
from portal.labs.pages.current import current_catalogue
from portal.labs.pages.ranking import is_applicant, query_of, ranking_limit, text_to_rank, wants_as_typed
from portal.web.access import actor
from portal.web.pending_text import FIELD, hold_text

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.labs.catalogue import Catalogue

SHOWN_MATCHES = 20
SHOWN_LABS = 12
EXAMPLES = 3
LONGEST_EXAMPLE = 6  # words
TOO_LONG_TO_TAKE = (
    "This text is too long to be taken to your interests. Shorten it to about 2,000 characters, or copy it and paste "
    "it there."
)


def examples(catalogue: Catalogue) -> list[str]:
    """Texts to try: the most specific topic of each of a few labs, those with open positions first."""
    labs = in_order(catalogue.entries, "openings", catalogue.today)
    of_labs = (max(entry.record.topics, key=_specificity) for entry in labs if entry.record.topics)
    return list(islice({topic.casefold(): topic for topic in islice(of_labs, 2 * EXAMPLES)}.values(), EXAMPLES))


def _specificity(topic: str) -> int:
    """How specific a topic is, by its number of words; 0 if it is too long for an example."""
    words = len(topic.split())
    return words if words <= LONGEST_EXAMPLE else 0


def _page(form: WorkOnForm, text: str | None = None) -> str:
    catalogue = current_catalogue()
    as_typed = wants_as_typed()
    query = query_of(text, as_typed=as_typed) if text else None
    matches = matches_for(catalogue.source, query, SHOWN_MATCHES) if query else []
    labs = in_order(catalogue.entries, "openings", catalogue.today)
    may_apply = is_applicant() or not current_user.is_authenticated
    return render_template(
        "labs/home.html",
        form=form,
        text=text,
        as_typed=as_typed,
        spelling=spelling_note(catalogue.source.index, query) if query else None,
        matches=matches,
        openings={
            match.slug: open_degrees(catalogue.source.profiles[match.slug], catalogue.today) for match in matches
        },
        examples=examples(catalogue),
        labs=[lab_row(catalogue, entry) for entry in labs[:SHOWN_LABS]],
        total=len(labs),
        open_cycles=cycles_open_now(db.session(), datetime.now(UTC)) if may_apply else (),
        is_visitor=not current_user.is_authenticated,
        is_applicant=is_applicant(),
    )


@ranking_limit(_page)
def home() -> ResponseReturnValue:
    """The box "What do you want to work on?", the labs that fit, and all labs below.

    A visitor's text is private: the form is sent by POST and answered directly, so that the text is in no address,
    access log, history or referrer, and is stored nowhere on the server. A link may contain a text on purpose (`/?q=…`:
    the examples, a lab's topics); such a page can be shared and bookmarked. Both work without an account and without
    JavaScript.

    A visitor who wants to keep the text takes it to their interests. Until it is saved there, it is in a cookie of
    their browser, for their own account only (`portal.web.pending_text`).
    """
    form = WorkOnForm()
    text = text_to_rank(form)
    if text and request.form.get("then") == "interests":
        address = _address_of_interests(text)
        if address:
            return redirect(f"{request.script_root}{address}")
        form.refuse(TOO_LONG_TO_TAKE)
    return _page(form, text)


def _address_of_interests(text: str) -> str:
    """The address of the interests, or of registering first; empty if the text is too long for a cookie.

    Side effect: stores the text in a cookie.
    """
    now = datetime.now(UTC)
    if is_applicant():
        return "/me/interests" if hold_text(text, now, account=account_key(actor().email)) else ""
    text_id = hold_text(text, now)
    return f"/accounts/register?{FIELD}={text_id}" if text_id else ""
