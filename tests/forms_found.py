"""The forms that somebody finds who follows the links of the portal, filled in as a person might."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.routing import MapAdapter

PAGES_OF_A_KIND = 2
ACTS = {"move", "name", "act", "decision", "answer"}  # controls that say which act a form is for
SENTENCE = "A sentence that says why."
TYPED = {"email": "new.person@example.org", "url": "https://example.org/", "number": "1"}
NAMED = {"addresses": "new.person@example.org", "slug": "a-new-one", "password": "a long enough secret"}
# Sending these ends the walk, or has no second time.
NEVER = re.compile(r"/accounts/(?:logout|sign-out-everywhere)|/me/delete-account")


@dataclass(frozen=True)
class Button:
    """What sends a form, perhaps to an address of its own."""

    name: str = ""
    value: str = ""
    action: str = ""


@dataclass
class Form:
    """A form of a page: where it leads, and what is in it."""

    page: str
    action: str
    controls: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[Button] = field(default_factory=list)
    method: str = "get"

    @property
    def token(self) -> str:
        """The token that came with it."""
        return next((value for name, value in self.controls if name == "csrf_token"), "")

    def sent(self, token: str) -> dict[str, list[str]]:
        """What a browser sends, with this token."""
        data: dict[str, list[str]] = {}
        for name, value in self.controls:
            if name != "csrf_token":
                data.setdefault(name, []).append(value)
        data["csrf_token"] = [token]
        return data


class _Forms(HTMLParser):
    """The forms and links of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.page = page
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.by_id: dict[str, Form] = {}
        self._open: Form | None = None
        self._select: tuple[str, list[tuple[str, bool]]] | None = None
        self._area: tuple[str, list[str]] | None = None
        self._radios: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if tag == "a" and told.get("href"):
            self.links.append(told["href"])
        elif tag == "form":
            self._open = Form(self.page, told.get("action", ""), method=told.get("method", "get").lower())
            self.forms.append(self._open)
            self.by_id[told.get("id", "")] = self._open
            self._radios = set()
        form = self.by_id.get(told["form"]) if "form" in told else self._open
        if form is None or "disabled" in told:
            return
        name = told.get("name", "")
        if tag == "input" and name:
            self._input(form, name, told)
        elif tag == "button" and told.get("type", "submit") == "submit":
            form.buttons.append(Button(name, told.get("value", ""), told.get("formaction", "")))
        elif tag == "select" and name:
            self._select = (name, [])
        elif tag == "option" and self._select:
            self._select[1].append((told.get("value", ""), "selected" in told))
        elif tag == "textarea" and name:
            self._area = (name, [])

    def _input(self, form: Form, name: str, told: dict[str, str]) -> None:
        kind, value = told.get("type", "text"), told.get("value", "")
        if kind in {"submit", "image"}:
            form.buttons.append(Button(name, value))
        elif kind == "radio":
            if "checked" in told or name not in self._radios:
                form.controls = [control for control in form.controls if control[0] != name]
                form.controls.append((name, value))
                self._radios.add(name)
        elif kind == "checkbox":
            form.controls.append((name, value or "on"))
        elif kind == "hidden":
            form.controls.append((name, value))
        elif kind != "file":
            form.controls.append((name, value or NAMED.get(name) or TYPED.get(kind) or _typed(name, kind)))

    def handle_data(self, data: str) -> None:
        if self._area:
            self._area[1].append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._open = None
        elif tag == "select" and self._select and self._open:
            name, options = self._select
            chosen = next((value for value, selected in options if selected), None)
            chosen = chosen or next((value for value, _ in options if value), "")
            self._open.controls.append((name, chosen))
            self._select = None
        elif tag == "textarea" and self._area and self._open:
            name, pieces = self._area
            text = "".join(pieces).strip() or NAMED.get(name, SENTENCE)
            self._open.controls.append((name, text))
            self._area = None


def _typed(name: str, kind: str) -> str:
    if kind in {"date", "datetime-local", "time", "search"}:
        return ""
    return f"New {name.rpartition('-')[2]}"


def forms_of(client: FlaskClient, page: str) -> tuple[list[Form], list[str]]:
    """The forms that a page sends, one for each of its buttons, and where its links lead."""
    answer = client.get(page)
    assert answer.status_code < 500, page
    if answer.mimetype != "text/html":
        answer.close()  # a download that nobody reads to its end would keep its cursor
        return [], []
    read = _Forms(page)
    read.feed(answer.text)
    found = []
    for form in read.forms:
        if form.method != "post":
            continue
        for button in form.buttons or [Button()]:
            pressed = [(button.name, button.value)] if button.name else []
            action = urljoin(page, button.action or form.action or page)
            found.append(replace(form, action=action, controls=[*form.controls, *pressed]))
    return found, [urljoin(page, link).partition("#")[0] for link in read.links]


def walk(app: Flask, client: FlaskClient, *starts: str, known: set[object]) -> Iterator[Form]:
    """Follow all links from `starts`, a few pages of each kind. Yields the kinds of forms that are not `known`, and
    adds them.
    """
    urls = app.url_map.bind("localhost")
    pages: Counter[object] = Counter()
    seen: set[str] = set()
    waiting = list(starts)
    while waiting:
        page = waiting.pop(0)
        parts = urlsplit(page)
        endpoint = _endpoint(urls, page, "GET")
        if page in seen or parts.netloc or endpoint is None or NEVER.search(page):
            continue
        seen.add(page)
        kind = (endpoint, tuple(sorted(name.partition("=")[0] for name in parts.query.split("&"))))
        pages[kind] += 1
        if pages[kind] > PAGES_OF_A_KIND:
            continue
        forms, links = forms_of(client, page)
        waiting += links
        for form in forms:
            endpoint = _endpoint(urls, form.action, "POST")
            if endpoint is None or NEVER.search(form.action):
                continue
            names = tuple(sorted({name for name, _ in form.controls}))
            acts = tuple(value for name, value in form.controls if name in ACTS)
            if (endpoint, names, acts) not in known:
                known.add((endpoint, names, acts))
                yield form


def _endpoint(urls: MapAdapter, address: str, method: str) -> str | None:
    """What an address leads to; None where it leads elsewhere. tests/page_links.py looks for dead ends."""
    try:
        endpoint, _ = urls.match(urlsplit(address).path, method=method)
    except (HTTPException, RequestRedirect):
        return None
    return str(endpoint)
