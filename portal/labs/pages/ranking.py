"""What ranking pages share: reading the box, and limiting requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import make_response, request
from flask_security import current_user
from limits import parse

from portal.labs.forms import WorkOnForm
from portal.matching import Query, Topic
from portal.models.user import APPLICANT
from portal.web.limits import limit_of_network, limiter, network_of_request

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Response
    from flask.typing import ResponseReturnValue
    from flask_limiter import RequestLimit

    _View = Callable[..., ResponseReturnValue]

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
        _rankings, scope="ranking", key_func=_who_asks, exempt_when=ranks_nothing, on_breach=breached
    )


def _rankings() -> str:
    """How many texts are ranked for who asks: more for a network that many people share."""
    usual = parse(RANKINGS)
    limit = usual if current_user.is_authenticated else limit_of_network(usual, network_of_request())
    return f"{limit.amount} per {limit.multiples} {limit.GRANULARITY.name}"


def _who_asks() -> str:
    """A campus behind one address shares a budget only while its people are not signed in."""
    return f"person {current_user.id}" if current_user.is_authenticated else network_of_request()
