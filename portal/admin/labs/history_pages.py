"""The revisions of a profile: the differences between any two, undoing one, and going back to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import render_template, request, url_for

from portal.admin import rules
from portal.admin.labs import queries
from portal.admin.labs.differences import differences
from portal.admin.labs.forms import SavingForm
from portal.admin.labs.saving import INVALID, PendingEdit, is_valid, lab_or_404, save, started_from
from portal.admin.labs.sections import REVISION_SOURCES
from portal.db import db
from portal.labs.queries import profile_at, revision_at
from portal.seeding.records import LabRecord
from portal.web.access import ensure, or_404
from portal.web.forms import whole_number
from portal.web.messages import flash_message
from portal.web.paging import page_number

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.models import Lab


UNDO, BACK = "undo-", "back-"  # prefixes of the fields of the two forms


def history(slug: str) -> str:
    """All revisions of a lab, newest first."""
    session = db.session()
    lab = lab_or_404(slug)
    page = queries.revision_page(session, lab, page_number(request.args.get("page")))
    return render_template("admin/history.html", lab=lab, page=page, sources=REVISION_SOURCES)


def revision(slug: str, number: int) -> ResponseReturnValue:
    """What one revision changed, with forms to undo it and to go back to it."""
    lab = lab_or_404(slug)
    return _revision_page(lab, number, _new_form(lab, UNDO), _new_form(lab, BACK))


def undo_revision(slug: str, number: int) -> ResponseReturnValue:
    """Undo the changes of one revision and keep later ones."""
    session = db.session()
    lab = lab_or_404(slug)
    before = profile_at(session, lab, number - 1)
    or_404(revision_at(session, lab, number))
    ensure(rules.why_not_undo(number))
    form = SavingForm(prefix=UNDO)
    if not form.validate_on_submit() or before is None:
        return _revision_page(lab, number, form, _new_form(lab, BACK))
    next_url = url_for(".history", slug=lab.slug)
    edit = PendingEdit(lab.slug, number, before, f"Revision {number} is undone.", next_url, back_to=number - 1)
    return save(lab, edit, form.reason.data)


def roll_back(slug: str, number: int) -> ResponseReturnValue:
    """Restore the whole profile of an earlier revision."""
    session = db.session()
    lab = lab_or_404(slug)
    or_404(revision_at(session, lab, number))
    form = SavingForm(prefix=BACK)
    start = started_from(lab, f"{BACK}base")
    valid = is_valid(form, start)
    if valid and start.number != lab.revision_number:
        flash_message(
            f"Revision {lab.revision_number} was saved since you opened this page. Look at what it changed.", "warn"
        )
        form.base.data = str(lab.revision_number)
        valid = False
    if valid:
        ensure(rules.why_not_roll_back(lab, number))
        earlier, home = or_404(profile_at(session, lab, number)), url_for(".history", slug=lab.slug)
        message = f"The profile says again what revision {number} said."
        edit = PendingEdit(lab.slug, lab.revision_number, earlier, message, home, back_to=number)
        return save(lab, edit, form.reason.data)
    return _revision_page(lab, number, _new_form(lab, UNDO), form)


def compare(slug: str) -> str:
    """The differences between any two revisions."""
    session = db.session()
    lab = lab_or_404(slug)
    older, newer = (
        _number(request.args.get(name), default, lab.revision_number)
        for name, default in (("from", lab.revision_number - 1), ("to", lab.revision_number))
    )
    old, new = (or_404(profile_at(session, lab, number)) for number in (older, newer))
    return render_template(
        "admin/compare.html",
        lab=lab,
        older=revision_at(session, lab, older),
        newer=revision_at(session, lab, newer),
        sources=REVISION_SOURCES,
        differences=differences(old, new),
    )


def _revision_page(lab: Lab, number: int, undo: SavingForm, back: SavingForm) -> ResponseReturnValue:
    session = db.session()
    shown = or_404(revision_at(session, lab, number))
    after = or_404(profile_at(session, lab, number))
    before = profile_at(session, lab, number - 1) or LabRecord(key=after.key, name="")
    page = render_template(
        "admin/revision.html",
        lab=lab,
        revision=shown,
        where_from=REVISION_SOURCES[shown.source],
        differences=differences(before, after),
        undo=undo,
        back=back,
        why_not_undo=rules.why_not_undo(number),
        why_not_back=rules.why_not_roll_back(lab, number),
    )
    return page, INVALID if undo.errors or back.errors else 200


def _new_form(lab: Lab, prefix: str) -> SavingForm:
    form = SavingForm(formdata=None, prefix=prefix)
    form.base.data = str(lab.revision_number)
    return form


def _number(text: str | None, default: int, newest: int) -> int:
    """The number of a revision in the query string; the default if there is none or it is not a number."""
    number = whole_number(text or "")
    return min(max(1, default if number is None else number), newest)
