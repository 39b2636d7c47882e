"""Saving an edit of a profile, and the merge page if somebody else saved first."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from flask import current_app, redirect, render_template, request, url_for
from itsdangerous import BadSignature, URLSafeSerializer
from wtforms import HiddenField, RadioField
from wtforms.fields import SelectChoice

from portal.admin.labs.differences import differences, item_fields
from portal.admin.labs.fields import REASON
from portal.admin.labs.forms import SavingForm
from portal.admin.labs.merging import Choice, Merging, can_be_both, merge, resolved
from portal.admin.labs.sections import SECTIONS, place_of, text_at, value_at
from portal.config import settings_of
from portal.db import db
from portal.labs import service
from portal.labs.queries import lab_by_slug, profile_at, profile_of, revision_at
from portal.seeding.merging import Change, MergeError, apply, diff
from portal.seeding.records import SnapshotError
from portal.web.access import Refused, actor, or_404
from portal.web.forms import whole_number
from portal.web.messages import flash_message, flash_with_link, flash_with_undo
from portal.web.word_diff import Kind, word_diff

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flask.typing import ResponseReturnValue
    from werkzeug.datastructures import MultiDict

    from portal.models import Lab, LabRevision
    from portal.seeding.merging import Conflict
    from portal.seeding.records import LabRecord


INVALID = 422
STALE = 409
LOST_EDIT = (
    "This merge page has lost the edit it was made for. Perhaps the portal was upgraded while it was open. Nothing was "
    "saved. Go back, copy what you typed, and edit the profile again."
)
NO_BASE = "This form did not say which revision it began with. Look over what you typed and save again."


@dataclass(frozen=True, slots=True)
class PendingEdit:
    """An edit of the lab with this slug that somebody wants to save: from the revision `base` to the profile `mine`.

    `done` is the message once it is saved, `then` the URL of the next page. An undo, which restores origins too, has
    the number of the revision that `mine` equals in `back_to`. If it `removes` an item, the message offers to undo it.
    """

    lab: str
    base: int
    mine: LabRecord
    done: str
    then: str
    back_to: int | None = None
    removes: bool = False


def _serializer() -> URLSafeSerializer:
    return URLSafeSerializer(settings_of(current_app).secret_key, salt="portal.admin.labs.saving")


def _signed(lab: Lab, edit: PendingEdit) -> str:
    """The edit as signed text for a hidden field. An undo, which may be large, is stored as its revision's number."""
    changes = [] if edit.back_to else [asdict(change) for change in diff(_profile_at(lab, edit.base), edit.mine)]
    others = ("lab", "base", "done", "then", "back_to", "removes")
    return _serializer().dumps({"changes": changes, **{name: getattr(edit, name) for name in others}})


def _unsigned(lab: Lab, text: str) -> PendingEdit:
    """The edit in a hidden field; refuses what `_signed` of this version did not make for this lab."""
    try:
        payload: dict[str, Any] = _serializer().loads(text)
        changes = [Change(**change) for change in payload.pop("changes")]
        start = _profile_at(lab, payload["back_to"] or payload["base"])
        edit = PendingEdit(mine=apply(start, changes), **payload)
    except (BadSignature, KeyError, TypeError, LookupError, MergeError, SnapshotError):
        raise Refused(LOST_EDIT) from None
    if edit.lab != lab.slug:
        raise Refused(LOST_EDIT)
    return edit


def _profile_at(lab: Lab, number: int) -> LabRecord:
    record = profile_at(db.session(), lab, number)
    if record is None:
        raise LookupError(f"{lab.slug} has no revision {number}")
    return record


@dataclass(frozen=True, slots=True)
class Version:
    """One side of a dispute: the parts of a text compared with the base, or the fields of an item.

    `missing`: this side does not have the item.
    """

    parts: Sequence[tuple[Kind, str]] = ()
    fields: Sequence[tuple[str, str]] = ()
    missing: bool = False


class MergeForm(SavingForm):
    """The reason and, by `_form`, a choice for each dispute. `base` is the newest revision the person saw."""

    pending = HiddenField()
    merging: Merging

    def choices(self) -> dict[str, Choice]:
        """The choices, by path; the form must be valid."""
        return {dispute.path: self.choice(dispute).data for dispute in self.merging.disputes}

    def choice(self, dispute: Conflict) -> Any:  # noqa: ANN401  (WTForms has no types)
        """The field that settles a dispute."""
        return self._fields[_name_of(dispute)]

    def forget_what_went_stale(self, seen: LabRecord | None) -> None:
        """Clear each choice that takes a saved value which differs from what the person saw as saved."""
        for dispute in self.merging.disputes:
            saved = value_at(self.merging.theirs, dispute.path)
            if seen is None or value_at(seen, dispute.path) != saved:
                choice = self.choice(dispute)
                choice.data = choice.data if choice.data == "mine" else None

    def versions(self, dispute: Conflict) -> list[Version]:
        """A dispute as it was before, is saved, and was edited."""
        base = self.merging.base
        return [_version(side, dispute.path, base) for side in (base, self.merging.theirs, self.merging.mine)]


def _form(lab: Lab, edit: PendingEdit, formdata: MultiDict[str, str] | None, *, reason: str = "") -> MergeForm:
    """The form for the disputes between an edit and what is saved, filled from `formdata` if there is any."""
    merging = merge(_profile_at(lab, edit.base), edit.mine, profile_of(db.session(), lab))
    members: dict[str, object] = {}
    for dispute in merging.disputes:
        choices = [SelectChoice("mine", "Use mine"), SelectChoice("theirs", "Use what is saved")]
        if can_be_both(dispute):
            choices.append(SelectChoice("both", "Keep both"))
        members[_name_of(dispute)] = RadioField(
            place_of((merging.theirs, merging.mine, merging.base), dispute.path),
            choices=choices,
            invalid_choice_message="Choose one of these.",
        )
    values = {"base": str(lab.revision_number), "pending": _signed(lab, edit), "reason": reason}
    form = type("MergeFormOfOnePage", (MergeForm,), members)(formdata, data=values)
    form.merging = merging
    return cast("MergeForm", form)


def _name_of(dispute: Conflict) -> str:
    """The name of the field that settles a dispute: a short digest of its path."""
    return f"choice_{hashlib.sha256(dispute.path.encode()).hexdigest()[:16]}"


def _version(record: LabRecord, path: str, base: LabRecord) -> Version:
    if path.partition("/")[0] in SECTIONS and path.count("/") == 1:
        return Version(fields=item_fields(record, path), missing=value_at(record, path) is None)
    text = text_at(record, path)
    return Version(parts=[("same", text)] if record is base else word_diff(text_at(base, path), text))


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
        revision = _stored(lab, edit.mine, edit.base, reason, restores=edit.back_to is not None)
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
    edit = _unsigned(lab, request.form.get("pending", ""))
    form = _form(lab, edit, request.form)
    seen = profile_at(db.session(), lab, form.base_number or 0)
    if form.base_number == lab.revision_number:
        if not form.validate_on_submit():
            return _merge_page(lab, edit, form, INVALID)
        choices = form.choices()
        as_it_was = edit.back_to is not None and "both" not in choices.values()
        merged = resolved(form.merging, choices)
        try:
            revision = _stored(lab, merged, lab.revision_number, form.reason.data, restores=as_it_was)
        except service.StaleEdit:
            db.session().refresh(lab)
            form = _form(lab, edit, request.form)
        else:
            return _saved(lab, edit, revision)
    form.forget_what_went_stale(seen)
    if form.validate_on_submit() and resolved(form.merging, form.choices()) == form.merging.theirs:
        return _saved(lab, edit, None)  # the same page sent twice
    form.base.data = str(lab.revision_number)
    return _merge_page(lab, edit, form, STALE, again=True)


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


def _merge_page(
    lab: Lab, edit: PendingEdit, form: MergeForm, status: int, *, again: bool = False
) -> ResponseReturnValue:
    merging = form.merging
    undisputed = resolved(merging, dict.fromkeys((dispute.path for dispute in merging.disputes), "theirs"))
    page = render_template(
        "admin/merge.html",
        lab=lab,
        form=form,
        newest=revision_at(db.session(), lab, lab.revision_number),
        again=again,
        is_undo=edit.back_to is not None,
        theirs=differences(merging.base, merging.theirs),
        mine=differences(merging.theirs, undisputed),
        back=edit.then,
    )
    return page, status


def lab_or_404(slug: str) -> Lab:
    """The lab with this slug; ends the request with a 404 if there is none."""
    return or_404(lab_by_slug(db.session(), slug))
