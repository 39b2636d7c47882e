"""Pages that rank labs for a text: the home page and one lab's match; what they show while the index is built."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from flask import g, make_response, redirect, render_template, request
from flask_security import current_user
from werkzeug.datastructures import MultiDict
from wtforms import TextAreaField
from wtforms.validators import DataRequired, Length

from portal.accounts.rate_limits import account_key
from portal.db import db
from portal.labs.catalogue import current_catalogue
from portal.labs.cycles import cycles_open_now, open_cycles_of
from portal.labs.listing import in_order, lab_row
from portal.labs.live_index.state import IndexPreparing
from portal.labs.matches import matches_for, related_for, spelling_note
from portal.labs.texts import open_degrees, printable
from portal.matching import Query, Topic
from portal.models.user import APPLICANT
from portal.web.access import SAFE_METHODS, actor
from portal.web.errors import ErrorPage, wants_json
from portal.web.forms import PortalForm
from portal.web.limits import limiter, network_of_request
from portal.web.messages import FIELD, hold_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from flask import Flask, Response
    from flask.typing import ResponseReturnValue
    from flask_limiter import RequestLimit

    from portal.labs.catalogue import Catalogue
    from portal.labs.matches import LabMatch
    from portal.models import Cycle

    _View = Callable[..., ResponseReturnValue]


LONGEST_TEXT = 10_000  # characters


def _as_counted(text: str | None) -> str | None:
    """Counts a line end as one character, as the counter below the box does; drops characters that cannot be shown."""
    return printable(text.replace("\r\n", "\n")) if text else text


class WorkOnForm(PortalForm):
    """The box "What do you want to work on?"."""

    q = TextAreaField(
        "What do you want to work on?",
        description="A few words, a paragraph, or the abstract of a paper you liked.",
        filters=[_as_counted],
        validators=[
            DataRequired("Write what you want to work on: a few words are enough."),
            Length(
                max=LONGEST_TEXT,
                message=f"This is longer than {LONGEST_TEXT:,} characters. Shorten it to what matters most.",
            ),
        ],
    )

    def take_from_address(self, text: str) -> bool:
        """Fill the box from the address and validate it. Needs no form token, since it is a link."""
        self.q.process(MultiDict({"q": text}))
        return bool(self.q.validate(self))

    def refuse(self, reason: str) -> None:
        """Show `reason` beside the box and keep the text."""
        self.q.errors = [*self.q.errors, reason]


RANKINGS = "120 per minute"
AS_TYPED = "as_typed"
TOO_MANY = (
    "Too many texts were ranked within a minute, by you or by visitors from your network. Your text is still here: "
    "wait a minute, then press the button again."
)


def text_to_rank(form: WorkOnForm) -> str | None:
    """The text to rank, from the form or from a link's `q`; None if there is no usable one.

    Side effect: shows what is wrong with the text beside the box.
    """
    if form.is_submitted():
        return form.q.data.strip() if form.validate() else None
    if "q" not in request.args:
        return None
    return form.q.data.strip() if form.take_from_address(request.args["q"]) else None


def wants_as_typed() -> bool:
    """Whether the reader wants misspelt words taken as typed; of several parameters the last counts."""
    return request.values.getlist(AS_TYPED)[-1:] == ["1"]


def query_of(text: str, *, as_typed: bool = False) -> Query:
    """A visitor's text as the matcher's query, the same as in `portal rank`."""
    return Query(topics=(Topic(text),), correct_spelling=not as_typed)


def is_applicant() -> bool:
    """Whether the reader has interests and matches of their own."""
    return bool(current_user.is_authenticated and current_user.has_role(APPLICANT))


def ranking_limit(render: Callable[[WorkOnForm], str]) -> Callable[[_View], _View]:
    """Limit rankings per person or, of visitors, per network; beyond the limit, `render`'s page is shown with the text
    and the reason.
    """

    def breached(_limit: RequestLimit) -> Response:
        form = WorkOnForm()
        if not form.is_submitted():
            form.take_from_address(request.args.get("q", ""))
        form.refuse(TOO_MANY)
        return make_response(render(form), 429)

    def ranks_nothing() -> bool:
        return request.method != "POST" and "q" not in request.args

    return limiter.shared_limit(
        RANKINGS, scope="ranking", key_func=_who_asks, exempt_when=ranks_nothing, on_breach=breached
    )


def _who_asks() -> str:
    """A campus behind one address shares a budget only while its people are not signed in."""
    return f"person {current_user.id}" if current_user.is_authenticated else network_of_request()


SHOWN_MATCHES = 20
SHOWN_LABS = 12
FEW_MATCHES = 5  # with fewer, labs that are only related are listed apart
EXAMPLES = 3
LONGEST_EXAMPLE = 6  # words
LONGEST_LINK = 1_500  # characters of a text that still go into an address
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


@dataclass(frozen=True)
class Sample:
    """What comes out, for one of the examples: the text and its best match."""

    text: str
    match: LabMatch
    openings: Sequence[str]
    cycle: Cycle | None


@lru_cache(maxsize=2)
def _best_of_example(catalogue: Catalogue) -> tuple[str, LabMatch] | None:
    for text in examples(catalogue):
        for match in matches_for(catalogue.source, query_of(text), 1):
            return text, match
    return None


def sample_of(catalogue: Catalogue, now: datetime) -> Sample | None:
    """The first example that a lab fits, and that lab; ranked once for each state of the catalogue."""
    best = _best_of_example(catalogue) if catalogue.source.is_searchable else None
    if best is None:
        return None
    text, match = best
    openings = open_degrees(catalogue.source.profiles[match.slug], catalogue.today)
    return Sample(text, match, openings, open_cycles_of(db.session(), [match.slug], now).get(match.slug))


def _page(form: WorkOnForm, text: str | None = None) -> str:
    catalogue, now = current_catalogue(), datetime.now(UTC)
    as_typed = wants_as_typed()
    query = query_of(text, as_typed=as_typed) if text else None
    matches = matches_for(catalogue.source, query, SHOWN_MATCHES) if query else []
    related = related_for(catalogue.source, query) if query and len(matches) < FEW_MATCHES else []
    labs = in_order(catalogue.entries, "openings", catalogue.today)
    may_apply = is_applicant() or not current_user.is_authenticated
    return render_template(
        "labs/home.html",
        form=form,
        text=text,
        as_typed=as_typed,
        spelling=spelling_note(catalogue.source.index, query) if query else None,
        matches=matches,
        related=related,
        left_out=catalogue.source.index.left_out(query) if query else (),
        openings={
            match.slug: open_degrees(catalogue.source.profiles[match.slug], catalogue.today) for match in matches
        },
        examples=examples(catalogue),
        labs=[lab_row(catalogue, entry) for entry in labs[:SHOWN_LABS]],
        total=len(labs),
        cycles=open_cycles_of(db.session(), [match.slug for match in matches], now) if matches else {},
        open_cycles=cycles_open_now(db.session(), now) if may_apply else (),
        sample=None if text else sample_of(catalogue, now),
        longest_link=LONGEST_LINK,
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
    their browser, for their own account only (`portal.web.messages`).
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


SECONDS_TO_RETRY = 10  # seconds
PREPARING = ErrorPage(
    "Matches are being prepared",
    "The portal is reading all labs to find what fits whom. That takes a few minutes at most; everything else works.",
    "This page reloads itself every 10 seconds. Nothing that you wrote is lost.",
)
SENT = ErrorPage(
    PREPARING.heading,
    PREPARING.happened,
    "Go back: what you typed is still in the form. Send it again in a minute.",
)


def preparing(_error: IndexPreparing) -> ResponseReturnValue:
    """Answer with a 503 that says when to retry; pages read by GET reload themselves. Rolls the session back."""
    db.session.rollback()
    is_read = request.method in SAFE_METHODS
    page = PREPARING if is_read else SENT
    if wants_json():
        response = make_response({"error": {"status": 503, "reason": page.happened, "advice": page.advice}}, 503)
    else:
        response = make_response(render_template("errors/error.html", page=page, status=503, reason=None), 503)
        if is_read:
            response.headers["Refresh"] = str(SECONDS_TO_RETRY)
    g.is_preparing = True
    return response


def add_retry_after(response: Response) -> Response:
    """Add the number of seconds after which to retry."""
    if g.get("is_preparing"):
        response.headers["Retry-After"] = str(SECONDS_TO_RETRY)
    return response


def init_preparing_page(app: Flask) -> None:
    """Answer with this page wherever the index is needed but not ready.

    Register it before the request limits: after-request hooks run in reverse order, so this
    Retry-After replaces theirs.
    """
    app.register_error_handler(IndexPreparing, preparing)
    app.after_request(add_retry_after)
