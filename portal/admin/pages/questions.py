"""What waits for a decision: what pages say against edits by hand, what leaders propose, works that may not belong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import redirect, render_template, request, url_for

from portal.admin import queries, rules
from portal.admin.forms import SavingForm
from portal.admin.imports.proposal_form import edited, proposal_form
from portal.admin.pages.saving import INVALID, is_valid, save, started_from
from portal.admin.profiles.differences import item_fields, text_at
from portal.admin.profiles.editing import with_item, without_item
from portal.admin.profiles.merge_form import place_of
from portal.admin.profiles.pending import PendingEdit
from portal.admin.searching import page_within
from portal.db import db
from portal.labs import proposals, service
from portal.labs.queries import lab_by_slug, open_proposals, profile_of
from portal.models import LabImport, LabProposal
from portal.seeding.changes import MergeError
from portal.seeding.works import work_label
from portal.web.access import Refused, actor, ensure, found
from portal.web.messages import say, say_with_link
from portal.web.paging import PER_PAGE, Page, page_number

if TYPE_CHECKING:
    from flask.typing import ResponseReturnValue

    from portal.admin.imports.proposal_form import ProposalForm
    from portal.models import Lab
    from portal.seeding.records import LabRecord, WorkRecord


DECISIONS = {"accept": "accepted", "refuse": "refused"}
DECIDED = "This was decided in the same moment."


@dataclass(frozen=True, slots=True)
class ProposalView:
    """A proposal: where it is, what the profile says now and what the page says, as texts or as an item's fields.

    `outdated` is why it can no longer be accepted, or empty.
    """

    id: int
    lab: Lab
    place: str
    why: str
    asked_at: datetime
    now_text: str
    now_fields: list[tuple[str, str]]
    page_text: str
    page_fields: list[tuple[str, str]]
    outdated: str
    by_leader: bool


def questions() -> str:
    """All open questions, by kind."""
    session = db.session()
    total = queries.counts(session).open_proposals
    number = page_within(page_number(request.args.get("page")), total)
    profiles: dict[str, LabRecord] = {}
    views = []
    for proposal in open_proposals(session, first=(number - 1) * PER_PAGE, most=PER_PAGE):
        slug = proposal.lab.slug
        if slug not in profiles:
            profiles[slug] = profile_of(session, proposal.lab)
        views.append(_view(proposal, profiles[slug]))
    return render_template(
        "admin/questions.html", page=Page(views, number, total), works=queries.doubted_works(session)
    )


def proposal(number: int) -> ResponseReturnValue:
    """Accept what a page says, or refuse it, with a reason."""
    session = db.session()
    asked = found(session.get(LabProposal, number))
    if _is_decided_so(asked):
        return _decided_already(asked)
    ensure(rules.why_not_decide(asked))
    start = started_from(asked.lab)
    record = profile_of(session, asked.lab)
    view = _view(asked, record)
    form = proposal_form(asked, record, refuses=request.form.get("decision") == "refuse")
    if is_valid(form, start):
        refusal = _why_not_decided(asked, view, start.number, form)
        if refusal is None:
            return redirect(_where_it_was_asked(asked))
        if _is_decided_so(asked):
            return _decided_already(asked)
        form.base.data = str(asked.lab.revision_number)
        form.reason.errors = [refusal]
        view = _view(asked, profile_of(session, asked.lab))
    page = render_template("admin/proposal.html", form=form, proposal=view, back=_where_it_was_asked(asked))
    return page, INVALID if form.errors else 200


def _is_decided_so(asked: LabProposal) -> bool:
    """Whether it was decided as the sent form says, as before a second click."""
    return asked.state == DECISIONS.get(request.form.get("decision", ""))


def _decided_already(asked: LabProposal) -> ResponseReturnValue:
    say(f"This was {asked.state} already.", "info")
    return redirect(_where_it_was_asked(asked))


def _where_it_was_asked(asked: LabProposal) -> str:
    """The page that lists a proposal: its import, or the questions."""
    kept = db.session().get(LabImport, asked.import_id) if asked.import_id else None
    if kept is None:
        return url_for("admin.questions")
    if kept.lab is None:
        return url_for("admin.lab_table", number=kept.id, show="changes")
    return url_for("admin.one_import", slug=kept.lab.slug, number=kept.id)


def _why_not_decided(asked: LabProposal, view: ProposalView, base: int, form: ProposalForm) -> str | None:
    """Decide as the sent form says; or why it was not decided."""
    reason, decision = form.reason.data, request.form.get("decision", "")
    if base != asked.lab.revision_number:
        return "The profile was saved since you opened this page. Look again at what it says now, then decide."
    if decision not in {"accept", "refuse"}:
        return "Choose “Accept” or “Refuse”."
    if decision == "accept" and view.outdated:
        return view.outdated
    try:
        if decision == "accept":
            instead = edited(asked, profile_of(db.session(), asked.lab), form)
            if instead is not None:
                proposals.say_instead(asked, instead)
            _accept(asked, reason)
        else:
            _refuse(asked, reason)
    except service.StaleEdit:
        db.session.rollback()
        return "The profile was saved in the same moment. Look again at what it says now, then decide."
    except proposals.DecidedProposal:
        db.session.rollback()
        db.session().refresh(asked)
        if _is_decided_so(asked):
            return DECIDED
        raise Refused(rules.why_not_decide(asked) or DECIDED) from None
    return None


def _refuse(asked: LabProposal, reason: str) -> None:
    proposals.refuse_proposal(db.session(), asked, author=actor(), now=datetime.now(UTC), reason=reason)
    told = "who proposed it is told" if asked.proposed_by_id else "this is not asked again"
    say(f"Refused: the profile stays as it is, and {told}.")


def _accept(asked: LabProposal, reason: str) -> None:
    revision = proposals.accept_proposal(db.session(), asked, author=actor(), reason=reason, now=datetime.now(UTC))
    if revision is None:
        say("Accepted. The profile said this already.")
        return
    link = url_for("admin.revision", slug=asked.lab.slug, number=revision.number)
    say_with_link(f"Accepted. This is revision {revision.number}.", link, "See what changed")


def work_question(slug: str, key: str) -> ResponseReturnValue:
    """Decide whether a work belongs to the lab: keep it, which closes the question, or remove it."""
    lab = found(lab_by_slug(db.session(), slug))
    start = started_from(lab)
    work: WorkRecord = found(next((work for work in start.record.works if work.key == key and work.question), None))
    form = SavingForm()
    if is_valid(form, start):
        decision = request.form.get("decision", "")
        then = url_for("admin.questions")
        if decision == "keep":
            mine = with_item(start.record, "works", replace(work, question=""))
            done = f"{work_label(work)} is kept; its question is closed."
            return save(lab, PendingEdit(lab.slug, start.number, mine, done, then), form.reason.data)
        if decision == "remove":
            mine = without_item(start.record, "works", key)
            done = f"{work_label(work)} is removed."
            return save(lab, PendingEdit(lab.slug, start.number, mine, done, then, removes=True), form.reason.data)
        form.reason.errors = ["Choose “Keep it” or “Remove it”."]
    page = render_template(
        "admin/work_question.html",
        lab=lab,
        form=form,
        work=work,
        name=work_label(work),
        fields=item_fields(start.record, f"works/{key}"),
    )
    return page, INVALID if form.errors else 200


def _view(asked: LabProposal, record: LabRecord) -> ProposalView:
    try:
        wanted = proposals.with_proposal(record, asked)
        outdated = ""
    except MergeError:
        wanted = record
        outdated = "What this is about has been removed from the profile since. It can only be refused."
    is_item = asked.path.count("/") == 1
    return ProposalView(
        id=asked.id,
        lab=asked.lab,
        place=place_of((record, wanted), asked.path),
        why=asked.why,
        asked_at=asked.created_at,
        now_text="" if is_item else text_at(record, asked.path),
        now_fields=item_fields(record, asked.path) if is_item else [],
        page_text="" if is_item or outdated else text_at(wanted, asked.path),
        page_fields=item_fields(wanted, asked.path) if is_item else [],
        outdated=outdated,
        by_leader=asked.proposed_by_id is not None,
    )
