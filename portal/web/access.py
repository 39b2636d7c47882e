"""Access control: the one place where a request is allowed or refused, with a reason.

A blueprint declares once whom it is for (`audience`); a route checks what depends on the object it loads (`ensure`,
with a `why_not_…` rule of its package). Both refuse by raising `Refused`, whose reason the error page and the API show.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, cast

from flask import abort, current_app, redirect, request, url_for
from flask_security import auth_required, current_user
from werkzeug.exceptions import Forbidden

from portal.models.user import ADMIN, APPLICANT, PROFESSOR, User

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Blueprint
    from flask.typing import ResponseReturnValue

T = TypeVar("T")

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})  # of requests that change nothing (RFC 9110, section 9.2.1)
API = "/api/"
LONGEST_ADDRESS = 1_000  # characters of an address that another one repeats
API_DOCUMENTATION = "api-documents.documentation"
WHO = {
    APPLICANT: "This page is for applicants. To apply with this account as well, ask an administrator for that role.",
    PROFESSOR: "This page is for professors who read for a lab. To be added to a lab, ask an administrator.",
    ADMIN: "This page is for administrators.",
}


with_recent_password = auth_required("session", within=lambda: current_app.config["SECURITY_FRESHNESS"])
"""A decorator: lets a view go on if its visitor gave their password a short while ago, and asks for it otherwise."""


class Refused(Forbidden):
    """A request that is not allowed; `description` is the reason shown to the person."""


class SignedOut(Refused):
    """A form sent by somebody who is no longer signed in."""


def actor() -> User:
    """The signed-in person. Raises Refused if nobody is."""
    if not current_user.is_authenticated:
        raise Refused("Sign in to continue.")
    return cast("User", current_user._get_current_object())  # noqa: SLF001  (werkzeug's documented way out of the proxy)


def actor_or_none() -> User | None:
    """The signed-in person, or None for a visitor."""
    return actor() if current_user.is_authenticated else None


def ensure(why_not: str | None) -> None:
    """Continue unless a rule gave a reason not to, which is raised as Refused."""
    if why_not is not None:
        raise Refused(why_not)


@contextmanager
def refusing(refusal_type: type[Exception]) -> Iterator[None]:
    """Turn a refusal of a service into the same response as that of a rule."""
    try:
        yield
    except refusal_type as refusal:
        raise Refused(str(refusal)) from None


def or_404(thing: T | None) -> T:
    """The object; ends the request with a 404 if there is none."""
    if thing is None:
        abort(404)
    return thing


def is_of_api() -> bool:
    """Whether this is for the JSON API, which reads a token and no cookie; its documentation is a page for people."""
    return request.path.startswith(API) and request.endpoint != API_DOCUMENTATION


def address_of_request() -> str:
    """Path and query of this request, with the path that the portal is served under; of a long one the path alone."""
    address = request.script_root + request.full_path.rstrip("?")
    return address if len(address) <= LONGEST_ADDRESS else request.script_root + request.path


def audience(blueprint: Blueprint, role: str | None) -> None:
    """Let only people with `role` into `blueprint`; with None, all. Visitors sign in first, and are brought back."""

    def guard() -> ResponseReturnValue | None:
        if not current_user.is_authenticated:
            if request.method in SAFE_METHODS:
                return redirect(url_for("security.login", next=address_of_request()))
            raise SignedOut("You have been signed out in the meantime. Nothing was saved.")
        if role is not None and not current_user.has_role(role):
            raise Refused(WHO[role])
        return None

    blueprint.before_request(guard)
