"""Takes a photo or logo of a lab, made anew from its pixels, and removes it again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, url_for
from flask_wtf.file import FileField
from wtforms import StringField
from wtforms.validators import DataRequired, Length

from portal.admin.labs.saving import INVALID, lab_or_404
from portal.applications.files import file_store, put_file, remove_once_committed, upload_slots
from portal.applications.forms import one_line
from portal.db import db
from portal.documents.extraction import shrink_photo
from portal.documents.limits import MEBIBYTE
from portal.documents.pictures import NO_IMAGE, PHOTO_LIMITS, PHOTO_REFUSALS
from portal.documents.refusals import Busy, ReaderFailed, RefusedDocument
from portal.labs.photos import shown
from portal.labs.service import hold, note_in_history
from portal.models import LabPhoto
from portal.storage import CANNOT_KEEP, StoreUnavailable
from portal.web.access import actor
from portal.web.forms import PortalForm
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask import Flask
    from flask.typing import ResponseReturnValue


LONGEST_ALT = 200  # characters


class RefusedPhoto(ValueError):
    """A file is no photo that can be taken; the message says why and what to do."""


def reencoded(app: Flask, data: bytes) -> bytes:
    """A small WebP image of the same pixels, without anything else that the file holds, made in a closed process.

    Raises:
        RefusedPhoto: It is no JPEG, PNG or WebP image, is damaged, or too large, or it cannot be read just now.
    """
    if not data:
        raise RefusedPhoto("Choose a file.")
    try:
        return shrink_photo(data, slots=upload_slots(app))
    except RefusedDocument as refusal:
        raise RefusedPhoto(PHOTO_REFUSALS.get(refusal.reason, NO_IMAGE)) from None
    except (Busy, ReaderFailed):
        app.logger.exception("A photo of a lab could not be read")
        raise RefusedPhoto("We cannot read files at the moment. Choose it again in a minute.") from None


class PhotoForm(PortalForm):
    """A file, and what it shows."""

    photo = FileField("Image file")
    alt = StringField(
        "What it shows",
        [DataRequired("Say what it shows, for those who cannot see it."), Length(max=LONGEST_ALT)],
        filters=[lambda text: one_line(text or "")],
    )


def photo(slug: str) -> ResponseReturnValue:
    """The photo or logo of a lab; takes another one."""
    session, lab, form = db.session(), lab_or_404(slug), PhotoForm()
    if form.validate_on_submit():
        data = form.photo.data.read() if form.photo.data else b""
        try:
            key = put_file(session, file_store(current_app), "photos", reencoded(current_app, data))
        except RefusedPhoto as refused:
            form.show_refusal(refused, "photo")
        except StoreUnavailable:
            current_app.logger.exception("A photo of a lab could not be kept")
            form.show_refusal(CANNOT_KEEP, "photo")
        else:
            now = datetime.now(UTC)
            hold(session, lab)
            before = session.get(LabPhoto, lab.id, populate_existing=True)
            if before is not None:
                remove_once_committed(session, file_store(current_app), before.storage_key)
            session.merge(LabPhoto(lab_id=lab.id, storage_key=key, alt=form.alt.data))
            note_in_history(session, lab, f"Photo or logo: {form.alt.data}", author=actor(), now=now)
            flash_message("The photo is saved. Pages show it in place of the letters.")
            return redirect(url_for(".photo", slug=slug))
    stored = session.get(LabPhoto, lab.id)
    page = render_template(
        "admin/photo.html",
        lab=lab,
        form=form,
        photo=shown(slug, stored.storage_key, stored.alt) if stored else None,
        largest_mb=PHOTO_LIMITS.bytes // MEBIBYTE,
    )
    return page, INVALID if form.errors else 200


def remove_photo(slug: str) -> ResponseReturnValue:
    """Remove the photo of a lab, with its file."""
    session, lab = db.session(), lab_or_404(slug)
    hold(session, lab)
    stored = session.get(LabPhoto, lab.id, populate_existing=True)
    if stored is not None:
        remove_once_committed(session, file_store(current_app), stored.storage_key)
        session.delete(stored)
        note_in_history(session, lab, "Photo or logo removed", author=actor(), now=datetime.now(UTC))
        flash_message("The photo is removed.")
    return redirect(url_for(".photo", slug=slug))
