"""Saving an edit of a profile, and the merge page if somebody else saved first."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from flask import current_app, redirect, render_template, request, url_for
from itsdangerous import BadSignature, URLSafeSerializer
from wtforms import HiddenField, RadioField
from wtforms.fields import SelectChoice

from portal.admin.labs.differences import differences, item_fields, text_at
from portal.admin.labs.fields import REASON
from portal.admin.labs.forms import SavingForm, place_of
from portal.admin.labs.merging import (
    Choice,
    Dispute,
    DisputeKind,
    Merging,
    merge,
    resolved,
)
from portal.admin.labs.sections import item_name, items_of, section_named, value_at
from portal.config import settings_of
from portal.db import db
from portal.labs import service
from portal.labs.queries import lab_by_slug, profile_at, profile_of, revision_at
from portal.seeding.changes import Change, MergeError, apply, diff
from portal.seeding.snapshots import SnapshotError
from portal.web.access import Refused, actor, or_404
from portal.web.forms import whole_number
from portal.web.messages import flash_message, flash_with_link, flash_with_undo
from portal.web.word_diff import Kind, word_diff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy.orm import Session
    from werkzeug.datastructures import MultiDict

    from portal.admin.labs.merging import Merging
    from portal.models import Lab, LabRevision
    from portal.seeding.records import LabRecord


_SALT = "portal.admin.labs.saving"


class UnknownEditError(ValueError):
    """The page carries no edit of this lab that this version of the portal has signed."""


@dataclass(frozen=True, slots=True)
class PendingEdit:
    """An edit of the lab with this slug that somebody wants to save: from the revision `base` to the profile `mine`.

    `done` is the message once it is saved, `then` the URL of the next page. An undo has the number of the revision that
    `mine` equals in `back_to`. If it `removes` an item, the message offers to undo that.
    """

    lab: str
    base: int
    mine: LabRecord
    done: str
    then: str
    back_to: int | None = None
    removes: bool = False

    @property
    def restores(self) -> bool:
        """Whether it restores earlier values, with their origins."""
        return self.back_to is not None


_FIELDS = {field.name for field in fields(PendingEdit)} - {"mine"} | {"changes"}
_CHANGE_FIELDS = {field.name for field in fields(Change)}


def signed(session: Session, lab: Lab, edit: PendingEdit, key: str) -> str:
    """The edit as signed text for a hidden field. An undo, which may be large, is stored as its revision's number."""
    base = profile_at(session, lab, edit.base)
    if base is None:
        raise LookupError(f"{lab.slug} has no revision {edit.base}")
    changes = [] if edit.back_to else [asdict(change) for change in diff(base, edit.mine)]
    return _serializer(key).dumps(
        {
            "lab": edit.lab,
            "base": edit.base,
            "changes": changes,
            "done": edit.done,
            "then": edit.then,
            "back_to": edit.back_to,
            "removes": edit.removes,
        }
    )


def unsigned(session: Session, lab: Lab, text: str, key: str) -> PendingEdit:
    """The edit in a hidden field.

    Raises:
        UnknownEditError: The text is not one that `signed` made for this lab, or another version of the portal made it.
    """
    try:
        payload: dict[str, Any] = _serializer(key).loads(text)
    except BadSignature as error:
        raise UnknownEditError(f"{lab.slug}: no signed edit") from error
    if payload.keys() != _FIELDS or any(change.keys() != _CHANGE_FIELDS for change in payload["changes"]):
        raise UnknownEditError(f"{lab.slug}: an edit with other fields")
    base, start = (
        profile_at(session, lab, number) for number in (payload["base"], payload["back_to"] or payload["base"])
    )
    if payload["lab"] != lab.slug or base is None or start is None:
        raise UnknownEditError(f"{lab.slug}: an edit of revision {payload['base']} of {payload['lab']}")
    try:
        mine = apply(start, [Change(**change) for change in payload.pop("changes")])
    except (MergeError, SnapshotError) as error:
        raise UnknownEditError(f"{lab.slug}: {error}") from error
    return PendingEdit(mine=mine, **payload)


def _serializer(key: str) -> URLSafeSerializer:
    return URLSafeSerializer(key, salt=_SALT)


CHOICE_LABELS: dict[DisputeKind, tuple[str, str, str]] = {
    "field": ("Use mine", "Use what is saved", "Keep both"),
    "order": ("Use my order", "Use the saved order", ""),
    "item": ("Do it my way", "Leave it as it is saved", ""),
    "twins": ("It is the same: use mine", "It is the same: use what is saved", "They are two: keep both"),
}


@dataclass(frozen=True, slots=True)
class Version:
    """One side of a dispute: the parts of a text compared with the base, or the fields of an item.

    `missing`: this side does not have the item.
    """

    parts: Sequence[tuple[Kind, str]] = ()
    fields: Sequence[tuple[str, str]] = ()
    missing: bool = False


@dataclass(frozen=True, slots=True)
class DisputeView:
    """A dispute as the page shows it, with the form's field that settles it."""

    heading: str
    kind: DisputeKind
    base: Version
    theirs: Version
    mine: Version
    choice: Any


class MergeForm(SavingForm):
    """The reason and, by `merge_form`, a choice for each dispute. `base` is the newest revision the person saw."""

    pending = HiddenField()
    merging: Merging

    def choices(self) -> dict[str, Choice]:
        """The choices, by path; the form must be valid."""
        return {dispute.path: self._choice(dispute).data for dispute in self.merging.disputes}

    def views(self) -> list[DisputeView]:
        """The disputes as the page shows them."""
        return [self._view(dispute) for dispute in self.merging.disputes]

    def forget_what_went_stale(self, seen: LabRecord | None) -> None:
        """Clear each choice that takes a saved value which differs from what the person saw as saved."""
        for dispute in self.merging.disputes:
            saved = value_at(self.merging.theirs, dispute.path)
            if seen is None or value_at(seen, dispute.path) != saved:
                choice = self._choice(dispute)
                choice.data = choice.data if choice.data == "mine" else None

    def _choice(self, dispute: Dispute) -> Any:  # noqa: ANN401  (WTForms has no types)
        return self._fields[_name_of(dispute)]

    def _view(self, dispute: Dispute) -> DisputeView:
        merging = self.merging
        sides = (merging.base, merging.theirs, merging.mine)
        base, theirs, mine = (_version(side, dispute, merging.base) for side in sides)
        return DisputeView(_heading(merging, dispute), dispute.kind, base, theirs, mine, self._choice(dispute))


def merge_form(merging: Merging, formdata: MultiDict[str, str] | None, **values: object) -> MergeForm:
    """The form for these disputes, filled from `formdata` if there is any."""
    members: dict[str, object] = {}
    for dispute in merging.disputes:
        mine, theirs, both = CHOICE_LABELS[dispute.kind]
        choices = [SelectChoice("mine", mine), SelectChoice("theirs", theirs)]
        members[_name_of(dispute)] = RadioField(
            _heading(merging, dispute),
            choices=[*choices, SelectChoice("both", both)] if dispute.can_be_both else choices,
            invalid_choice_message="Choose one of these.",
        )
    form = type("MergeFormOfOnePage", (MergeForm,), members)(formdata, data=values)
    form.merging = merging
    return cast("MergeForm", form)


def _heading(merging: Merging, dispute: Dispute) -> str:
    return place_of((merging.theirs, merging.mine, merging.base), dispute.path)


def _name_of(dispute: Dispute) -> str:
    """The name of the field that settles a dispute: a short digest of its path."""
    return f"choice_{hashlib.sha256(dispute.path.encode()).hexdigest()[:16]}"


def _version(record: LabRecord, dispute: Dispute, base: LabRecord) -> Version:
    if dispute.kind == "field":
        text = text_at(record, dispute.path)
        return Version(parts=[("same", text)] if record is base else word_diff(text_at(base, dispute.path), text))
    if dispute.kind == "order":
        section = section_named(dispute.path)
        names = [item_name(item) for item in items_of(record, section.name)] if section else []
        return Version(parts=[("same", "\n".join(names))])
    fields = item_fields(record, dispute.path)
    return Version(fields=fields, missing=value_at(record, dispute.path) is None)


INVALID = 422
STALE = 409
LOST_EDIT = (
    "This merge page has lost the edit it was made for. Perhaps the portal was upgraded while it was open. Nothing was "
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
    """Save an edit and redirect; or show the merge page if somebody saved since the edit began."""
    try:
        revision = _stored(lab, edit.mine, edit.base, reason, restores=edit.restores)
    except service.StaleEdit:
        db.session().refresh(lab)
        return _merge_page(lab, edit, _form(lab, edit, None, reason=reason), STALE)
    return _saved(lab, edit, revision)


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
        edit = unsigned(db.session(), lab, request.form.get("pending", ""), settings_of(current_app).secret_key)
    except UnknownEditError:
        raise Refused(LOST_EDIT) from None
    form = _form(lab, edit, request.form)
    if form.base_number != lab.revision_number:
        seen = profile_at(db.session(), lab, form.base_number or 0)
        form.forget_what_went_stale(seen)
        if form.validate_on_submit() and resolved(form.merging, form.choices()) == form.merging.theirs:
            return _saved(lab, edit, None)  # the same page sent twice
        form.base.data = str(lab.revision_number)
        return _merge_page(lab, edit, form, STALE, again=True)
    if not form.validate_on_submit():
        return _merge_page(lab, edit, form, INVALID)
    choices = form.choices()
    as_it_was = edit.restores and "both" not in choices.values()
    merged = resolved(form.merging, choices)
    try:
        revision = _stored(lab, merged, lab.revision_number, form.reason.data, restores=as_it_was)
    except service.StaleEdit:
        db.session().refresh(lab)
        retry_form = _form(lab, edit, request.form)
        retry_form.forget_what_went_stale(profile_at(db.session(), lab, form.base_number or 0))
        retry_form.base.data = str(lab.revision_number)
        return _merge_page(lab, edit, retry_form, STALE, again=True)
    return _saved(lab, edit, revision)


def _saved(lab: Lab, edit: PendingEdit, revision: LabRevision | None) -> ResponseReturnValue:
    if revision is None:
        flash_message("Nothing changed: the profile says this already.", "info")
        return redirect(edit.then)
    message = f"{edit.done} This is revision {revision.number}."
    if edit.removes:
        action = url_for(".undo_revision", slug=lab.slug, number=revision.number)
        values = {"undo-reason": f"Undo of revision {revision.number}: {revision.reason}"[:REASON]}
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
    pending = signed(session, lab, edit, settings_of(current_app).secret_key)
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
    return resolved(merging, dict.fromkeys((dispute.path for dispute in merging.disputes), "theirs"))


def lab_or_404(slug: str) -> Lab:
    """The lab with this slug; ends the request with a 404 if there is none."""
    return or_404(lab_by_slug(db.session(), slug))
