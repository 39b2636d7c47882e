"""Takes a photo or logo of a lab, made anew from its pixels, and removes it again."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, url_for
from flask_wtf.file import FileField
from PIL import Image, ImageOps
from wtforms import StringField
from wtforms.validators import DataRequired, Length

from portal.admin.labs.saving import INVALID, lab_or_404
from portal.applications.files import file_store, put_file, remove_once_committed
from portal.applications.forms import one_line
from portal.db import db
from portal.labs.photos import shown
from portal.labs.service import hold, note_in_history
from portal.models import LabPhoto
from portal.storage import CANNOT_KEEP, StoreUnavailable
from portal.web.access import actor
from portal.web.forms import MEBIBYTE, PortalForm
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue


LARGEST_MB = 5
MOST_PIXELS = 25_000_000  # about 100 MB once decoded
SIDE = 400  # pixels of the longer side as it is kept
LONGEST_ALT = 200  # characters
KINDS = ("JPEG", "PNG", "WEBP")


class RefusedPhoto(ValueError):
    """A file is no photo that can be taken; the message says why and what to do."""


def reencoded(data: bytes) -> bytes:
    """A small WebP image of the same pixels, without anything else that the file holds. Its size is read before any
    pixel is.

    Raises:
        RefusedPhoto: It is no JPEG, PNG or WebP image, is damaged, or too large.
    """
    if not data:
        raise RefusedPhoto("Choose a file.")
    if len(data) > LARGEST_MB * MEBIBYTE:
        raise RefusedPhoto(f"This file is larger than {LARGEST_MB} MB. Choose a smaller one.")
    too_many = f"This image has more than {MOST_PIXELS // 1_000_000} million pixels. Make it smaller and try again."
    try:
        with Image.open(BytesIO(data), formats=KINDS) as image:
            is_too_large = image.width * image.height > MOST_PIXELS
            if not is_too_large:
                image.draft("RGB", (SIDE, SIDE))  # a JPEG is decoded smaller
                upright = ImageOps.exif_transpose(image).convert("RGBA")
                upright.thumbnail((SIDE, SIDE))
                clean = Image.new("RGB", upright.size, "white")  # so that a dark logo is seen in the dark theme
                clean.paste(upright, mask=upright)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise RefusedPhoto(too_many) from None
    except Exception as error:  # whatever a decoder makes of a damaged file
        raise RefusedPhoto("This is no JPEG, PNG or WebP image, or it is damaged. Choose another file.") from error
    if is_too_large:
        raise RefusedPhoto(too_many)
    out = BytesIO()
    clean.save(out, "WEBP", quality=85)
    return out.getvalue()


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
            key = put_file(session, file_store(current_app), "photos", reencoded(data))
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
        largest_mb=LARGEST_MB,
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
