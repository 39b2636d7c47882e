"""Style sheets and scripts at URLs that contain their version, so that browsers may cache them without asking again.

The version is in the path, so that what a script imports as "./menu.js" is of the same version. A URL with another
version, as in a page that was open during an update, gets the current file, which must not be cached.

Files travel compressed. Pages do not: they hold secrets beside text that a stranger can put into the URL, and the
compressed length would leak them.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache
from io import BytesIO
from mimetypes import guess_type
from pathlib import Path
from typing import TYPE_CHECKING

from flask import current_app, request, send_file, send_from_directory, url_for
from flask.sessions import SecureCookieSessionInterface

if TYPE_CHECKING:
    from flask import Flask, Response
    from flask.sessions import SessionMixin

BOOTSTRAP = "css/bootstrap.min.css"
SITE = "css/site.css"
SHEETS = (
    "tokens", "bootstrap-tokens", "base", "layout", "header", "forms", "tables", "facets", "match", "score",
    "profile", "diff", "states", "review", "labs", "application", "account", "notices", "admin", "print",
)  # fmt: skip
"""The style sheets of every page, in order. They are served as one, after Bootstrap's, so that a first visit needs one
request instead of 23.
"""
BOOTSTRAP_CLASSES = re.compile(
    r"btn(-link|-primary|-secondary|-danger|-sm)?|form-(check|check-input|check-label|control|range|select)"
    r"|is-invalid|fw-normal|lead|small|table|text-nowrap|visually-hidden|active|disabled|show"
)
"""What pages use of Bootstrap: an eighth of its sheet, beside its rules for elements. The rest is not served."""
MAX_AGE = timedelta(days=365)
VERSIONED = "versioned_static"
STATIC = frozenset({"static", "bootstrap.static", VERSIONED})
"""The endpoints of static files, which are the same for everybody."""
COMPRESSIBLE = (".css", ".js", ".svg")
DIGITS = 12  # of a version; no folder of static files has a name of this length


@dataclass(frozen=True, slots=True)
class Assets:
    """The version of all static files, the joined style sheet `SITE`, and what travels compressed, by its name."""

    version: str
    site: bytes
    packed: dict[str, bytes]

    @classmethod
    def read(cls, folder: Path, bootstrap: Path) -> Assets:
        """Join the style sheets, and compute the version from the content of all files."""
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        return _read(folder, bootstrap, tuple((file, file.stat().st_mtime_ns) for file in (bootstrap, *files)))


@lru_cache(maxsize=4)
def _read(folder: Path, bootstrap: Path, files: tuple[tuple[Path, int], ...]) -> Assets:
    """`Assets.read`, cached until a file's modification time changes."""
    sheets = (bootstrap, *(folder / "css" / f"{name}.css" for name in SHEETS))
    texts = [sheet.read_text(encoding="utf-8") for sheet in sheets]
    licence, _, rules = texts[0].partition("*/")
    used = used_rules(re.sub(r"/\*.*?\*/", "", rules, flags=re.DOTALL))
    site = "\n".join([f"{licence}*/", used, *texts[1:]]).encode()
    digest = hashlib.sha256(site)  # which also covers the order of the sheets
    packed = {SITE: gzip.compress(site, mtime=0)}
    for file, _ in files:
        content, name = file.read_bytes(), BOOTSTRAP if file == bootstrap else file.relative_to(folder).as_posix()
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
        if name.endswith(COMPRESSIBLE):
            packed[name] = gzip.compress(content, mtime=0)
    return Assets(digest.hexdigest()[:DIGITS], site, packed)


def used_rules(sheet: str) -> str:
    """The rules of a minified sheet without comments whose classes are all among `BOOTSTRAP_CLASSES`."""
    rules: list[str] = []
    for selectors, body in re.findall(r"([^{}]+)\{((?:[^{}]|\{[^{}]*\})*)\}", sheet):
        used, content = selectors, body
        if selectors.startswith(("@media", "@supports")):
            content = used_rules(body)
        elif not selectors.startswith("@"):
            each = re.split(r",(?![^(]*\))", selectors)
            used = ",".join(one for one in each if all(map(BOOTSTRAP_CLASSES.fullmatch, _classes_in(one))))
        if used and content:
            rules.append(f"{used}{{{content}}}")
    return "".join(rules)


def _classes_in(selector: str) -> list[str]:
    return re.findall(r"\.([a-zA-Z][\w-]*)", selector)


class PageSessions(SecureCookieSessionInterface):
    """Flask's sessions for everything but static files, which are the same for everybody: a cache must neither keep
    them apart by cookie nor pass on somebody's cookie with one.
    """

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Store the session in its cookie, unless a static file was asked for."""
        if request.endpoint not in STATIC:
            super().save_session(app, session, response)


def asset(filename: str) -> str:
    """The URL of a static file, or of the joined style sheet (`SITE`), with the version of all of them."""
    urls: dict[tuple[str, str], str] = current_app.extensions["portal_asset_urls"]
    key = (request.root_path, filename)
    if current_app.debug or key not in urls:
        urls[key] = url_for(VERSIONED, version=served_assets().version, filename=filename)
    return urls[key]


def init_assets(app: Flask) -> None:
    """Serve the static files of `app` at addresses with their version and without sessions; give templates `asset`."""
    app.session_interface = PageSessions()
    app.extensions["portal_asset_urls"] = {}
    app.extensions["portal_assets"] = None
    address = f"{app.static_url_path}/<string(length={DIGITS}):version>/<path:filename>"
    app.add_url_rule(address, VERSIONED, _versioned_static)
    app.jinja_env.globals["asset"] = asset


def served_assets() -> Assets:
    """The static files as they were at the first request; in debug mode, as they are now."""
    assets: Assets | None = current_app.extensions["portal_assets"]
    if assets is None or current_app.debug:
        bootstrap = Path(current_app.blueprints["bootstrap"].static_folder or "") / BOOTSTRAP
        assets = Assets.read(Path(current_app.static_folder or ""), bootstrap)
        current_app.extensions["portal_assets"] = assets
    return assets


def _versioned_static(version: str, filename: str) -> Response:
    assets = served_assets()
    is_current = version == assets.version
    packed, kind = assets.packed.get(filename), guess_type(filename)[0]
    if packed and request.accept_encodings["gzip"]:
        response = send_file(BytesIO(packed), mimetype=kind, etag=f"{assets.version}-packed")
        response.content_encoding = "gzip"
    elif filename == SITE:
        response = send_file(BytesIO(assets.site), mimetype=kind, etag=assets.version)
    else:
        response = send_from_directory(current_app.static_folder or "", filename)
    if packed:
        response.vary.add("Accept-Encoding")
    response.cache_control.no_cache = None if is_current else True
    if is_current:
        response.cache_control.public = response.cache_control.immutable = True
        response.cache_control.max_age = int(MAX_AGE.total_seconds())
    return response
