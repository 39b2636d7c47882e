"""What the pages that rank have in common: reading the box, and how often one address may ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import make_response, request
from flask_security import current_user

from portal.labs.forms import WorkOnForm
from portal.matching import Query, Topic
from portal.models.user import APPLICANT
from portal.web.limits import limiter

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Response
    from flask.typing import ResponseReturnValue
    from flask_limiter import RequestLimit

    _View = Callable[..., ResponseReturnValue]

RANKINGS = "120 per minute"
AS_TYPED = "as_typed"
TOO_MANY = (
    "Too many texts were ranked from your network within a minute. Your text is still here: wait a minute, then "
    "press the button again."
)


def asked(form: WorkOnForm) -> str | None:
    """The text to rank, from the form or from a link's `q`; None when nothing (usable) was asked.

    Side effect: what is wrong with the text is said beside the box.
    """
    if form.is_submitted():
        return form.q.data.strip() if form.validate() else None
    if "q" not in request.args:
        return None
    return form.q.data.strip() if form.take_from_address(request.args["q"]) else None


def wants_as_typed() -> bool:
    """Whether the reader asked to have misspelt words taken as they stand; of several answers the last counts."""
    return request.values.getlist(AS_TYPED)[-1:] == ["1"]


def query_of(text: str, *, as_typed: bool = False) -> Query:
    """A visitor's text as the matcher takes it, and as `portal rank` gives it."""
    return Query(topics=(Topic(text),), correct_spelling=not as_typed)


def is_applicant() -> bool:
    """Whether the reader has interests and matches of their own to go to."""
    return bool(current_user.is_authenticated and current_user.has_role(APPLICANT))


def ranking_limit(render: Callable[[WorkOnForm], str]) -> Callable[[_View], _View]:
    """Limit how often an address may rank; one that asks more gets `render`'s page with its text and the reason."""

    def breached(_limit: RequestLimit) -> Response:
        form = WorkOnForm()
        if not form.is_submitted():
            form.take_from_address(request.args.get("q", ""))
        form.refuse(TOO_MANY)
        return make_response(render(form), 429)

    def ranks_nothing() -> bool:
        return request.method != "POST" and "q" not in request.args

    return limiter.shared_limit(RANKINGS, scope="ranking", exempt_when=ranks_nothing, on_breach=breached)
