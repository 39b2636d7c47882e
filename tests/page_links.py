"""Checks every page that a test requests for links and forms that lead nowhere, and attributes with Python's values."""

from __future__ import annotations

import html
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from flask import request
from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.routing import RequestRedirect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask, Response

START_TAG = re.compile(r"<[a-z][^>]*>")
TAG = re.compile(r"<(a|form|button|input)\s([^>]*)>")
FORM = re.compile(r"<form\s.*?</form>", re.DOTALL)
CONTROL = re.compile(r"<(?:button|input|select|textarea)\b(?! type=\"hidden\")([^>]*)>")
PYTHON_VALUE = re.compile(r'\s(?!value=|content=)([a-z-]+="(?:True|False|None)")')  # as of formnovalidate=true
ATTRIBUTE = re.compile(r'(href|action|method|formaction)="([^"]*)"')


@contextmanager
def links_looked_through(application: Flask) -> Iterator[None]:
    """Within the block, collect the links and forms of pages of `application` whose URL does not take the request that
    they make; fail at its end if there are any.

    The response to a POST may be at a URL that takes no GET: there, a relative link such as "?page=2", or a form
    without an action, leads to an error page or somewhere else.
    """
    found: dict[str, None] = {}
    fine: set[tuple[str, str]] = set()

    def look(response: Response) -> Response:
        if response.mimetype == "text/html" and not response.is_streamed:
            page = response.get_data(as_text=True)
            found.update(dict.fromkeys(dead_ends(application, page, fine)))
            values = (value for start in START_TAG.findall(page) for value in PYTHON_VALUE.findall(start))
            found.update((f"{request.full_path}: {value}", None) for value in values)
        return response

    # What is registered last runs first: before the page is compressed.
    application.after_request_funcs.setdefault(None, []).append(look)
    yield
    assert not found, "\n".join(found)


def dead_ends(application: Flask, page: str, fine: set[tuple[str, str]]) -> Iterator[str]:
    """What leads nowhere in the page that answers the present request: one line for each. Methods and addresses that
    lead somewhere from every page are looked up once, and added to `fine`.
    """
    for tag, text in TAG.findall(FORM.sub(_unless_to_be_looked_at_only, page)):
        attributes = {name: html.unescape(value) for name, value in ATTRIBUTE.findall(text)}
        method, address = _leads_to(tag, attributes)
        if address is None or (method, address) in fine:
            continue
        why = _why_not(application, method, address)
        if why is None and address.startswith("/"):
            fine.add((method, address))
        elif why is not None:
            yield f"{request.method} {request.full_path}: <{tag}> {method} {address or '(its own address)'}: {why}"


def _unless_to_be_looked_at_only(form: re.Match[str]) -> str:
    """A form; nothing of one in which nothing can be pressed, as in a preview."""
    controls = CONTROL.findall(form[0])
    return "" if controls and all("disabled" in text for text in controls) else form[0]


def _leads_to(tag: str, attributes: dict[str, str]) -> tuple[str, str | None]:
    """The method and the address of a request that an element makes; no address where it makes none."""
    if tag == "a":
        return "GET", attributes.get("href")
    if tag == "form":
        return attributes.get("method", "get").upper(), attributes.get("action", "")
    return "POST", attributes.get("formaction")


def _why_not(application: Flask, method: str, address: str) -> str | None:
    if address.startswith("#"):
        return None
    here = urlsplit(request.base_url)
    parts = urlsplit(urljoin(request.url, address))
    if parts.netloc != here.netloc or parts.scheme != here.scheme:
        return None
    if not address and method == "POST" and not _takes(application, "GET", parts.path):
        return "a form without an address, on a page that stands at one which shows nothing"
    return None if _takes(application, method, parts.path) else "nothing takes this there"


def _takes(application: Flask, method: str, path: str) -> bool:
    path = path.removeprefix(request.script_root) or "/"
    try:
        application.url_map.bind("").match(path, method=method)
    except RequestRedirect:
        return True
    except (MethodNotAllowed, NotFound):
        return False
    return True
