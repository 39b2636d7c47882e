"""Photos and logos of labs as pages show them; `portal.admin.labs.photo` takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from flask import Response, abort, current_app, g, url_for
from flask_security import current_user
from sqlalchemy import select

from portal.config import extension
from portal.db import db
from portal.labs.queries import IS_LISTED, lab_by_slug, why_not_edit
from portal.models import Lab, LabPhoto
from portal.storage import FileStore
from portal.web.headers import UPLOADED_FILE_POLICY, YEAR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Row


class Photo(NamedTuple):
    """What an image on a page needs: its address, and what it shows."""

    address: str
    alt: str


def shown(slug: str, storage_key: str, alt: str) -> Photo:
    """A photo for a page."""
    return Photo(url_for("labs.photo", slug=slug, version=storage_key.rpartition("/")[2]), alt)


def photo_of(slug: str) -> Photo | None:
    """The photo of a lab that is listed. One statement for all labs of a page."""
    if "lab_photos" not in g:
        rows = db.session().execute(
            select(Lab.slug, LabPhoto.storage_key, LabPhoto.alt).join(LabPhoto).where(IS_LISTED)
        )
        g.lab_photos = {row.slug: row for row in rows}
    photos: Mapping[str, Row[str, str, str]] = g.lab_photos
    return shown(*photos[slug]) if slug in photos else None


def photo(slug: str, version: str) -> Response:
    """A photo, whose address changes with it. One of a lab that is not listed is only for those who may edit it."""
    session = db.session()
    lab = lab_by_slug(session, slug)
    stored = None if lab is None else session.get(LabPhoto, lab.id)
    if lab is None or stored is None or stored.storage_key != f"photos/{version}":
        abort(404)
    if not lab.is_listed and (not current_user.is_authenticated or why_not_edit(session, current_user, lab)):
        abort(404)
    try:
        data = extension(current_app, "portal_files", FileStore).get(stored.storage_key)
    except FileNotFoundError:
        abort(404)
    response = Response(data, content_type="image/webp")
    # Private, as a response may hold somebody's cookie: browsers keep it, caches between do not.
    response.headers["Cache-Control"] = f"private, max-age={YEAR}, immutable" if lab.is_listed else "private, no-store"
    response.headers["Content-Security-Policy"] = UPLOADED_FILE_POLICY
    return response
