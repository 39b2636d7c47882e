"""Error pages: what happened, what was kept, what to do next."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from flask import abort, after_this_request, current_app, g, make_response, render_template, request
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.exceptions import HTTPException, InternalServerError, RequestEntityTooLarge

from portal.config import settings_of
from portal.db import db
from portal.mail.rendering import with_contact
from portal.outages import is_out_of_reach, lacks_room, lacks_tables
from portal.web.access import SAFE_METHODS, Refused, SignedOut, is_of_api
from portal.web.forms import form_holds_too_much, typed_in
from portal.web.messages import drop_flashed

if TYPE_CHECKING:
    from flask import Flask, Response
    from flask.typing import ResponseReturnValue


def init_transaction(app: Flask) -> None:
    """Commit after a successful response; roll back after any other. A commit that fails becomes an error page."""

    def finish(response: Response) -> Response:
        if response.status_code < HTTPStatus.BAD_REQUEST:
            _commit()
        else:
            db.session.rollback()
        return response

    app.after_request(finish)


def is_unsure() -> bool:
    """Whether the connection was lost during this request's commit, so that nobody knows whether it was saved."""
    return bool(g.get("commit_is_unsure"))


def _commit() -> None:
    db.session.flush()
    try:
        db.session.commit()
    except DBAPIError as error:
        g.commit_is_unsure = error.connection_invalidated
        raise


logger = logging.getLogger(__name__)


class ErrorPage(NamedTuple):
    """The text of an error page: a heading, what happened, what to do."""

    heading: str
    happened: str
    advice: str = ""


NOT_SAVED = "The last action was not saved; everything before it is."
NOT_MADE = "This page could not be made. Nothing was changed."
PAGES = {
    400: ErrorPage(
        "We could not read this request", "Something in the address or the form is wrong.", "Go back and try again."
    ),
    403: ErrorPage("You may not open this", "Your account does not give access to this page."),
    404: ErrorPage(
        "There is no such page",
        "The address may be misspelt, or what it showed has been removed.",
        "Look for it in the list of labs, or start from the home page.",
    ),
    405: ErrorPage("This address does not take that", "A form was sent to a page that takes none.", "Go back."),
    413: ErrorPage(
        "This is too large",
        "What you sent is larger than we take, and was not saved.",
        "Go back: what you typed is still there. Choose a smaller file.",
    ),
    429: ErrorPage(
        "Too many tries",
        "There were too many requests from your address or for this account.",
        "Wait a minute, then try again. Nothing was lost.",
    ),
    500: ErrorPage(
        "Something failed on our side",
        NOT_SAVED,
        "Go back and try again. If it fails again, please tell the administrators what you did.",
    ),
    503: ErrorPage(
        "The portal cannot get at its data just now",
        NOT_SAVED,
        "Go back: what you typed is still in the form. Wait a minute, then send it again.",
    ),
}
READING = {
    405: ErrorPage(
        "This address shows nothing by itself",
        "It takes what a form sends. Nothing was done.",
        "Go back to the page with the form.",
    ),
    500: PAGES[500]._replace(
        happened=NOT_MADE,
        advice="Load it again. If it fails again, please tell the administrators which page it was.",
    ),
    503: PAGES[503]._replace(happened=NOT_MADE, advice="Wait a minute, then load it again."),
}
"""For requests that opened a page and sent nothing."""
GONE = ErrorPage(
    "This is not there any more",
    "It was removed while your page was open. Nothing was done.",
    "Go back to the list, which shows what there is.",
)
ACTING = {
    403: ErrorPage("This was not done", "Your account does not give the right to do this."),
    404: GONE._replace(happened="It was removed, or closed to you, while your page was open. Nothing was saved."),
}
"""For requests that sent a form."""
UNSURE = ErrorPage(
    PAGES[503].heading,
    "The connection to our data broke while your last action was being saved. It may have been saved or not.",
    "Wait a minute, then open the page anew and look before you send the form again.",
)
EXPIRED = ErrorPage(
    "Your session expired",
    "You were signed out, or signed in anew in another tab, while this page was open. Nothing was saved yet.",
    "Go back, reload the page and send the form again.",
)
EXPIRED_KEPT = EXPIRED._replace(
    heading="Your session expired – your text is safe",
    advice="Copy what you need of it before you leave this page: going back may lose it.",
)
RETRY_AFTER = 30  # seconds
TOO_MUCH_ADVICE = "Go back: what you typed is still there. Send it in smaller parts."


def wants_json() -> bool:
    """Whether the client prefers JSON to a page: a program, or a script of ours. Side effect: the response says so."""
    best = request.accept_mimetypes.best_match(["text/html", "application/json"])
    after_this_request(_vary_by_accept)
    return best == "application/json"


def _vary_by_accept(response: Response) -> Response:
    response.vary.add("Accept")
    return response


def _error_response(page: ErrorPage, status: int, reason: str | None) -> ResponseReturnValue:
    if wants_json():
        contact = settings_of(current_app).contact
        happened, advice = (with_contact(text, contact) for text in (reason or page.happened, page.advice))
        return {"error": {"status": status, "reason": happened, "advice": advice}}, status
    typed = typed_in(request)
    is_expired = page is EXPIRED
    can_resend = bool(typed.fields) and (is_expired or page is PAGES[503])
    if is_expired and (can_resend or typed.texts):
        page = EXPIRED_KEPT
    context = {
        "page": page._replace(advice="") if can_resend else page,
        "status": status,
        "reason": reason,
        "typed": typed,
        "again": can_resend,
        "is_expired": is_expired,
        "may_be_saved": page is UNSURE,
        "back": typed.page if is_expired and not can_resend else "",
    }
    try:
        return render_template("errors/error.html", **context), status
    except SQLAlchemyError:
        # Flask-Login reads who is signed in before each template; without a database the page must still be shown.
        logger.exception("The database does not answer, not even for an error page")
        return current_app.jinja_env.get_template("errors/error.html").render(**context), status


def _page(status: int) -> ErrorPage:
    listed_status = status if status in PAGES else 400 if status < InternalServerError.code else 500
    if _sent_a_form():
        return ACTING.get(listed_status, PAGES[listed_status])
    return READING.get(listed_status, PAGES[listed_status])


def _sent_a_form() -> bool:
    return request.method not in SAFE_METHODS


def is_out_of_service(error: HTTPException) -> bool:
    """Whether a request failed because the database or the store of files did not answer, or a disk is full: that of
    temporary files takes all larger uploads.
    """
    original = _original(error)
    return is_out_of_reach(original) or lacks_room(original)


def is_not_upgraded(error: HTTPException) -> bool:
    """Whether a request failed because the database lacks tables of this version. Side effect: the log says what to
    do.
    """
    if not lacks_tables(_original(error)):
        return False
    logger.error("The database does not have the tables of this version: run portal db upgrade")
    return True


def _original(error: HTTPException) -> BaseException | None:
    return error.original_exception if isinstance(error, InternalServerError) else None


def _page_of_outage(error: HTTPException) -> ErrorPage:
    is_not_upgraded(error)
    return UNSURE if _sent_a_form() and is_unsure() else _page(503)


def http_error(error: HTTPException) -> ResponseReturnValue:
    """Answer any HTTP error with its page, which shows the reason if a rule gave one."""
    db.session.rollback()
    if error.response is not None:
        return error.response
    drop_flashed()
    status = error.code or 500
    if isinstance(error, CSRFError | SignedOut):
        return _error_response(EXPIRED, status, None)
    if is_out_of_service(error):
        response = make_response(_error_response(_page_of_outage(error), 503, None))
        response.headers["Retry-After"] = str(RETRY_AFTER)
        return response
    if isinstance(error, RequestEntityTooLarge):
        logger.info("Refused a request body over the limit on %s", request.path)
        too_much = form_holds_too_much(request)
        if too_much is not None:
            return _error_response(ErrorPage("This form holds too much", too_much, TOO_MUCH_ADVICE), status, None)
    answer = _error_response(_page(status), status, error.description if isinstance(error, Refused) else None)
    response = make_response(answer)
    response.headers.update(headers_of(error))
    return response


def headers_of(error: HTTPException) -> dict[str, str]:
    """What an error says besides its text: the methods that are allowed, how long a file is, how to sign in."""
    return {name: value for name, value in error.get_headers() if name != "Content-Type"}


def gone(reason: str) -> ResponseReturnValue:
    """Answer a request about something that was removed since it was read; what was typed is given back."""
    db.session.rollback()
    drop_flashed()
    return _error_response(GONE, HTTPStatus.NOT_FOUND, reason)


def refuse_nul() -> None:
    """Answer 404 to a path with a NUL, and read a space instead in a query, since PostgreSQL accepts none in a text."""
    if "\0" in request.path:
        abort(404)
    if b"%00" in request.query_string and not is_of_api():
        items = request.args.items(multi=True)
        request.args = ImmutableMultiDict((name, value.replace("\0", " ")) for name, value in items)


def refuse_json() -> None:
    """Refuse JSON outside the API: none of our pages sends it, and forms would take its numbers and lists for texts."""
    if request.is_json and request.method not in SAFE_METHODS and not is_of_api():
        abort(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)


def init_errors(app: Flask) -> None:
    """Show our own pages for every error, including unexpected ones (which Flask logs first)."""
    app.register_error_handler(HTTPException, http_error)
    app.before_request(refuse_nul)
    app.before_request(refuse_json)
