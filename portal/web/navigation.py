"""The links in the header of every page, by what a person may do."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from flask import g, request
from flask_security import current_user
from sqlalchemy.exc import SQLAlchemyError

from portal.db import db
from portal.mail.news import unread_news
from portal.models.user import ADMIN, APPLICANT, PROFESSOR
from portal.web.access import address_of_request

if TYPE_CHECKING:
    from collections.abc import Collection

    from flask import Flask

logger = logging.getLogger(__name__)

Current = Literal["page", "true"]

EVERYBODY = (("Labs", "/labs/"), ("Systems", "/systems/"), ("About", "/about"))
BY_ROLE = {
    APPLICANT: (
        ("Interests", "/me/interests"),
        ("Resume", "/me/resume"),
        ("Matches", "/me/matches"),
        ("Shortlist", "/me/labs"),
        ("Application", "/me/"),
    ),
    PROFESSOR: (("Reviews", "/reviews/"),),
    ADMIN: (("Admin", "/admin/"),),
}
START_BY_ROLE = {
    APPLICANT: ("Your application", "/me/"),
    PROFESSOR: ("Reviews", "/reviews/"),
    ADMIN: ("Admin", "/admin/"),
}
# Pages for people of several roles: where an administrator finds them in the navigation.
OF_ADMIN = ("/jobs/",)
SHOWN_BELOW = {"/me/compare": "/me/matches/compare", "/me/delete-account": "/accounts/delete"}
"""Where pages stand in the navigation whose address is elsewhere."""
NEWS = "/accounts/news"
ACCOUNT = (("Your account", "/accounts/"),)
SIGN_IN = "Sign in"
VISITOR = ((SIGN_IN, "/accounts/login"), ("Register", "/accounts/register"))
THEMES = ("light", "dark")
THEME_COOKIE = "theme"
OF_ACCOUNTS = "/accounts/"
LONGEST_NEXT = 200  # characters of a page to continue with: of a longer one a link has the path only, a cookie nothing


@dataclass(frozen=True, slots=True)
class NavigationLink:
    """A link in the header. `current` is the value of aria-current: "page" on the page itself, "true" below it."""

    label: str
    href: str
    current: Current | None


@dataclass(frozen=True, slots=True)
class Navigation:
    """The links of one page for one person; their own pages come first, since on a phone the others may be cut off.

    `account` are a visitor's links instead of the account `menu`, `person` the name on that menu, `starts` where each
    of their roles begins. `reader` is the id of their account, by which scripts never save a form for somebody else.
    """

    sections: tuple[NavigationLink, ...]
    account: tuple[NavigationLink, ...]
    menu: tuple[NavigationLink, ...]
    person: str
    starts: tuple[NavigationLink, ...] = ()
    unread: int = 0
    reader: int | None = None


def navigation_for(
    roles: Collection[str], person: str, path: str, root: str = "", unread: int = 0, after: str = ""
) -> Navigation:
    """The links for somebody, or for a visitor, who has neither roles nor a name. `path` is that of the page without
    `root`, the prefix of every path; with the page `after` a visitor continues after signing in.
    """
    news = (f"News ({unread:,})" if unread else "News", NEWS)
    own_links = tuple(link for role, links in BY_ROLE.items() if role in roles for link in links)
    path = SHOWN_BELOW.get(path, path)
    shown_path = f"/admin{path}" if ADMIN in roles and path.startswith(OF_ADMIN) else path
    sections, own_menu = (*own_links, *EVERYBODY), (news, *ACCOUNT)
    return Navigation(
        sections=_links(sections, shown_path, root),
        account=() if person else _with_next(_links(VISITOR, path, root), path, after),
        menu=_links(own_menu, path, root, beside=sections) if person else (),
        person=person,
        starts=_links(tuple(link for role, link in START_BY_ROLE.items() if role in roles), shown_path, root),
        unread=unread,
    )


def _with_next(links: tuple[NavigationLink, ...], path: str, after: str) -> tuple[NavigationLink, ...]:
    """A visitor's links with `after` as the page to continue with; “Register” has it on the account pages only, where
    the visitor was sent from a page that needs an account.
    """
    query = f"?next={quote(after)}" if after else ""
    needs_account = path.startswith(OF_ACCOUNTS)
    return tuple(
        replace(link, href=link.href + query) if needs_account or link.label == SIGN_IN else link for link in links
    )


def _after_signing_in() -> str:
    """The page to continue with after signing in: the present one, or the one that sent the visitor to sign in."""
    if request.path.startswith(OF_ACCOUNTS):
        return request.args.get("next", "")
    if request.method != "GET" or request.path == "/" or request.url_rule is None:
        return ""
    address = address_of_request()
    return address if len(address) <= LONGEST_NEXT else request.script_root + request.path


def _links(
    targets: tuple[tuple[str, str], ...], path: str, root: str, beside: tuple[tuple[str, str], ...] = ()
) -> tuple[NavigationLink, ...]:
    """The links to `targets`: marked is the nearest one to or above this page, unless one `beside` them is nearer."""
    nearest = max((target for _, target in (*targets, *beside) if _current(target, path)), key=len, default=None)
    return tuple(
        NavigationLink(label, root + target, _current(target, path) if target == nearest else None)
        for label, target in targets
    )


def _current(target: str, path: str) -> Current | None:
    if path == target:
        return "page"
    return "true" if path.startswith(target.rstrip("/") + "/") else None


def _navigation() -> Navigation:
    """The links of this request, read once: an error page shows some of them again."""
    if "navigation" not in g:
        g.navigation = _read_navigation()
    links: Navigation = g.navigation
    return links


def _read_navigation() -> Navigation:
    """The links for whoever is signed in. A database that does not answer must not break the error page as well."""
    try:
        if current_user.is_authenticated:
            roles = {role.name for role in current_user.roles}
            unread = unread_news(db.session(), current_user.id)
            links = navigation_for(roles, current_user.display_name, request.path, request.script_root, unread)
            return replace(links, reader=current_user.id)
    except SQLAlchemyError:
        logger.warning("Showed a page as to a visitor: who is signed in could not be read")
    return navigation_for((), "", request.path, request.script_root, after=_after_signing_in())


def _theme() -> str | None:
    """The theme the reader chose, or None for that of their system."""
    chosen = request.cookies.get(THEME_COOKIE)
    return chosen if chosen in THEMES else None


def init_navigation(app: Flask) -> None:
    """Give the templates of `app` the functions `navigation()` and `chosen_theme()`."""
    app.jinja_env.globals.update(navigation=_navigation, chosen_theme=_theme)
