"""Merging two accounts of one person: choosing them, previewing the plan, and merging."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import current_app, redirect, render_template, request, url_for

from portal.accounts.addresses import AddressError
from portal.accounts.queries import person_by_address
from portal.admin.forms import ReasonForm
from portal.admin.pages.saving import INVALID
from portal.admin.people.merging import Consent, PlanChanged, merge
from portal.admin.people.merging_overlaps import KEPT, OTHER
from portal.admin.people.merging_plan import MergePlan, merge_plan
from portal.admin.rules import NotAllowed
from portal.applications.files import file_store
from portal.db import db
from portal.models import User
from portal.web.access import actor, or_404
from portal.web.messages import flash_message
from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

CONFLICT = 409
RIGHTS = ("join", "leave")


def merge_person(person_id: int) -> ResponseReturnValue:
    """Ask which account to merge into this one, show the plan, and merge once the form is sent."""
    kept_account = or_404(db.session().get(User, person_id))
    requested = request.values.get("other", "").strip()
    other, problem = _other(requested)
    if other is None:
        page = render_template("admin/merge_choose.html", kept_account=kept_account, wanted=requested, problem=problem)
        return page, INVALID if problem else 200
    plan = merge_plan(db.session(), kept_account, other, actor=actor(), now=datetime.now(UTC))
    form = ReasonForm() if request.method == "POST" else ReasonForm(formdata=None)
    if request.method == "GET":
        return _preview(kept_account, other, plan, form, {})
    problems = {} if plan.refusals else _problems(plan)
    if not form.validate_on_submit() or problems:
        return _preview(kept_account, other, plan, form, problems)
    consent = Consent(
        request.form.get("plan", ""), _choices(plan), request.form.get("rights") == "join", form.reason.data
    )
    try:
        files = file_store(current_app)
        merge(db.session(), files, kept_account, other, consent, actor=actor(), now=datetime.now(UTC))
    except (PlanChanged, NotAllowed) as refusal:
        db.session.rollback()
        reason = str(refusal) or "One of the accounts has changed meanwhile. Look at the page again: nothing was done."
        plan = merge_plan(db.session(), kept_account, other, actor=actor(), now=datetime.now(UTC))
        return _preview(kept_account, other, plan, form, {"": reason}, CONFLICT)
    flash_message(f"{other.email} is merged into {kept_account.email} and closed.")
    return redirect(url_for("admin.person", person_id=kept_account.id))


def _other(requested: str) -> tuple[User | None, str]:
    """The account with this address or id, or None and what is wrong; no problem if nothing was requested."""
    if not requested:
        return None, ""
    user_id = whole_number(requested)
    if user_id is not None:
        person = db.session().get(User, user_id)
        return person, "" if person else "There is no such account."
    try:
        person = person_by_address(db.session(), requested)
    except AddressError as error:
        return None, str(error)
    return person, "" if person else f"Nobody has an account with the address {requested}."


def _choices(plan: MergePlan) -> dict[str, str]:
    return {question.key: request.form.get(f"choice-{question.key}", "") for question in plan.questions}


def _problems(plan: MergePlan) -> dict[str, str]:
    """The problems in the sent form, by the name of the field."""
    answered = _choices(plan)
    problems = {
        f"choice-{question.key}": f"Choose an answer: {question.text}"
        for question in plan.questions
        if answered[question.key] not in question.sides
    }
    if plan.rights and request.form.get("rights") not in RIGHTS:
        problems["rights"] = "Say whether the kept account gets these rights."
    if not request.form.get("sure"):
        problems["sure"] = "Tick that both accounts are one person’s."
    return problems


def _preview(
    kept_account: User, other: User, plan: MergePlan, form: ReasonForm, problems: dict[str, str], status: int = 200
) -> ResponseReturnValue:
    page = render_template(
        "admin/merge_accounts.html",
        kept_account=kept_account,
        other=other,
        plan=plan,
        form=form,
        problems=problems,
        sides={KEPT: kept_account.email, OTHER: other.email},
        answered=_choices(plan),
        rights=request.form.get("rights", ""),
        sure=bool(request.form.get("sure")),
    )
    if status == 200 and (problems or form.errors):  # noqa: PLR2004
        status = INVALID
    return page, status
