"""Saving an edit of a profile, and the merge page if somebody else saved first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for

from portal.admin.pages.loading import lab_or_404
from portal.admin.profiles import limits
from portal.admin.profiles.approval import Parts, group_of, parts_of
from portal.admin.profiles.differences import differences
from portal.admin.profiles.disputes import Choice, merge, resolved
from portal.admin.profiles.merge_form import MergeForm, merge_form
from portal.admin.profiles.pending import OutdatedEditError, PendingEdit, UnknownEditError, signed, unsigned
from portal.config import settings_of
from portal.db import db
from portal.labs import service
from portal.labs.proposals import propose
from portal.labs.queries import profile_at, profile_of, revision_at, to_be_approved
from portal.web.access import Refused, actor
from portal.web.forms import whole_number
from portal.web.messages import flash_message, flash_with_link, flash_with_undo

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue
    from werkzeug.datastructures import MultiDict

    from portal.admin.forms import SavingForm
    from portal.admin.profiles.disputes import Merging
    from portal.models import Lab, LabRevision
    from portal.seeding.records import LabRecord

INVALID = 422
STALE = 409
LOST_EDIT = (
    "This merge page has lost the edit it was made for. Go back, copy what you typed, and edit the profile again."
)
OUTDATED_EDIT = (
    "The portal was upgraded while this merge page was open, and does not understand its form any more. Nothing was "
    "saved. Go back, copy what you typed, and edit the profile again."
)
NO_BASE = "This form did not say which revision it began with. Look over what you typed and save again."


@dataclass(frozen=True, slots=True)
class Start:
    """The revision on which an edit is based. `is_known` is False if the sent form does not name it."""

    number: int
    record: LabRecord
    is_known: bool = True


def started_from(lab: Lab, field: str = "base") -> Start:
    """The revision on which the form of this page is based: the newest, or the one named in `field` of a sent form."""
    session = db.session()
    if request.method == "POST":
        number = whole_number(request.form.get(field, "")) or 0
        record = profile_at(session, lab, number)
        if record is not None:
            return Start(number, record)
    return Start(lab.revision_number, profile_of(session, lab), request.method != "POST")


def is_valid(form: SavingForm, start: Start) -> bool:
    """Whether a form was sent and can be saved. Side effect: the form names the revision of `start` as its base."""
    form.base.data = str(start.number)
    if not form.validate_on_submit():
        return False
    if not start.is_known:
        form.base.errors = [NO_BASE]
    return start.is_known


def save(lab: Lab, edit: PendingEdit, reason: str) -> ResponseReturnValue:
    """Save an edit and redirect; or show the merge page if somebody saved since the edit began.

    Changes that need an administrator's approval are not saved but proposed.
    """
    base_record = profile_at(db.session(), lab, edit.base)
    if base_record is None:
        raise LookupError(f"{lab.slug} has no revision {edit.base}")
    parts = approved_parts(base_record, edit.mine)
    try:
        revision = _stored(lab, parts.at_once, edit.base, reason, restores=edit.restores)
    except service.StaleEdit:
        db.session().refresh(lab)
        return _merge_page(lab, edit, _form(lab, edit, None, reason=reason), STALE)
    return _saved(lab, edit, revision, parts, reason)


def approved_parts(before: LabRecord, after: LabRecord) -> Parts:
    """The part of an edit that the person may save at once, and the changes that need an administrator's approval."""
    return parts_of(before, after, _held_back())


def is_approved_first(path: str) -> bool:
    """Whether the person's changes at this path of a profile need an administrator's approval."""
    return group_of(path) in _held_back()


def _held_back() -> frozenset[str]:
    return to_be_approved(actor(), settings_of(current_app).approval)


def _stored(lab: Lab, record: LabRecord, base: int, reason: str, *, restores: bool) -> LabRevision | None:
    return service.save_profile(
        db.session(),
        lab,
        record,
        base=base,
        author=actor(),
        reason=reason,
        now=datetime.now(UTC),
        source="undo" if restores else None,
    )


def merge_edit(slug: str) -> ResponseReturnValue:
    """Save a merged profile; if somebody else saved meanwhile, show the merge page again with all choices kept."""
    lab = lab_or_404(slug)
    try:
        edit = unsigned(db.session(), lab, request.form.get("pending", ""), settings_of(current_app).signing_keys)
    except UnknownEditError:
        raise Refused(LOST_EDIT) from None
    except OutdatedEditError:
        raise Refused(OUTDATED_EDIT) from None
    form = _form(lab, edit, request.form)
    if form.base_number != lab.revision_number:
        form.forget_what_went_stale()
        if form.validate_on_submit():
            parts = approved_parts(form.merging.theirs, resolved(form.merging, form.choices()))
            if parts.at_once == form.merging.theirs:  # the same page sent twice
                return _saved(lab, edit, None, parts, form.reason.data)
        form.base.data = str(lab.revision_number)
        return _merge_page(lab, edit, form, STALE, again=True)
    if not form.validate_on_submit():
        return _merge_page(lab, edit, form, INVALID)
    choices = form.choices()
    as_it_was = edit.restores and all(choice.name != "edited" for choice in choices.values())
    parts = approved_parts(form.merging.theirs, resolved(form.merging, choices))
    try:
        revision = _stored(lab, parts.at_once, lab.revision_number, form.reason.data, restores=as_it_was)
    except service.StaleEdit:
        db.session().refresh(lab)
        retry_form = _form(lab, edit, request.form)
        retry_form.forget_what_went_stale()
        retry_form.base.data = str(lab.revision_number)
        return _merge_page(lab, edit, retry_form, STALE, again=True)
    return _saved(lab, edit, revision, parts, form.reason.data)


def _saved(lab: Lab, edit: PendingEdit, revision: LabRevision | None, parts: Parts, reason: str) -> ResponseReturnValue:
    if parts.waiting:
        propose(db.session(), lab, parts.waiting, author=actor(), reason=reason, now=datetime.now(UTC))
        count = len(parts.waiting)
        subject = "1 change waits" if count == 1 else f"{count:,} changes wait"
        link = url_for(".lab", slug=lab.slug, _anchor="waiting")
        flash_with_link(
            f"{subject} for an administrator, and you are told of the decision.", link, "What waits", "info"
        )
    if revision is None:
        if not parts.waiting:
            flash_message("Nothing changed: the profile says this already.", "info")
        return redirect(edit.then)
    message = f"{edit.done} This is revision {revision.number}."
    if edit.removes:
        action = url_for(".undo_revision", slug=lab.slug, number=revision.number)
        values = {"undo-reason": f"Undo of revision {revision.number}: {revision.reason}"[: limits.REASON]}
        flash_with_undo(f"{message} It stays in the history.", action, values)
    else:
        flash_with_link(message, url_for(".revision", slug=lab.slug, number=revision.number), "See what changed")
    return redirect(edit.then)


def _form(lab: Lab, edit: PendingEdit, formdata: MultiDict[str, str] | None, *, reason: str = "") -> MergeForm:
    session = db.session()
    base = profile_at(session, lab, edit.base)
    if base is None:
        raise LookupError(f"{lab.slug} has no revision {edit.base}")
    merging = merge(base, edit.mine, profile_of(session, lab))
    pending = signed(session, lab, edit, settings_of(current_app).signing_keys)
    return merge_form(merging, formdata, base=str(lab.revision_number), pending=pending, reason=reason)


def _merge_page(
    lab: Lab, edit: PendingEdit, form: MergeForm, status: int, *, again: bool = False
) -> ResponseReturnValue:
    newest = revision_at(db.session(), lab, lab.revision_number)
    page = render_template(
        "admin/merge.html",
        lab=lab,
        form=form,
        disputes=form.views(),
        newest=newest,
        again=again,
        is_undo=edit.restores,
        theirs=differences(form.merging.base, form.merging.theirs),
        mine=differences(form.merging.theirs, _undisputed(form.merging)),
        back=edit.then,
    )
    return page, status


def _undisputed(merging: Merging) -> LabRecord:
    """The merged profile with only the undisputed changes: each dispute is settled in favour of the saved profile."""
    return resolved(merging, {dispute.path: Choice("theirs") for dispute in merging.disputes})
