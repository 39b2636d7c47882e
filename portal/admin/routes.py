"""The administrators’ first page, and the URLs of all their pages, for people with the role admin only."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Blueprint, current_app, render_template
from sqlalchemy import func, select

from portal.admin.cycles import announcements, figures, replies
from portal.admin.cycles import pages as cycles
from portal.admin.cycles.applications import pages as applications
from portal.admin.cycles.assignment import pages as assignment
from portal.admin.cycles.releases import pages as releasing
from portal.admin.cycles.releases.queries import to_approve
from portal.admin.labs.queries import NOBODY_READS, count_proposals
from portal.admin.labs.routes import add_lab_pages
from portal.admin.people import invitation_pages as inviting
from portal.admin.people import pages as people
from portal.admin.people.service import acting_admins
from portal.admin.system import pages as system
from portal.admin.system.audit_log import pages as audit_log
from portal.applications.erasure import announced
from portal.db import db
from portal.jobs.clock import is_running, last_begun
from portal.labs.live_index.live import live_index
from portal.labs.queries import IS_LISTED
from portal.models import Lab, Work
from portal.models.user import ADMIN
from portal.web.access import actor, audience

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

blueprint = Blueprint("admin", __name__, url_prefix="/admin")
audience(blueprint, ADMIN)
blueprint.context_processor(lambda: {"frame": "admin/base.html"})

FORM = ("GET", "POST")
ACT = ("POST",)
ONE_LAB = "/labs/<slug>"
ONE_PERSON = "/people/<int:person_id>"


def _count(of: ColumnElement[int], *where: ColumnElement[bool]) -> int:
    return db.session().scalar(select(func.count(of)).where(*where)) or 0


def overview() -> str:
    """What waits for a decision, and counts."""
    session, now = db.session(), datetime.now(UTC)
    return render_template(
        "admin/overview.html",
        labs=_count(Lab.id.expression),
        unread_labs=_count(Lab.id.expression, NOBODY_READS, IS_LISTED),
        questions=count_proposals(session) + _count(Work.id.expression, Work.question != ""),
        cycles=cycles.cycle_rows(session, now),
        releases=to_approve(session),
        me=actor().id,
        undelivered=system.outbox_counts(session)["dead"],
        index_failed=bool(live_index(current_app).failure),
        clock_runs=is_running(last_begun(session, now), now),
        erased_soon=announced(session, now),
        is_only_admin=acting_admins(session) == 1,
        now=now,
    )


blueprint.add_url_rule("/", view_func=overview)
blueprint.add_url_rule("/audit", view_func=audit_log.audit_log)
blueprint.add_url_rule("/audit/audit-log.csv", view_func=audit_log.audit_file)

blueprint.add_url_rule("/operations", view_func=system.operations)
blueprint.add_url_rule("/operations/rebuild-index", view_func=system.rebuild_index, methods=ACT)
blueprint.add_url_rule("/jobs", view_func=system.jobs)
blueprint.add_url_rule("/outbox", view_func=system.outbox)
blueprint.add_url_rule("/outbox/retry", view_func=system.retry_all_mail, methods=ACT)
blueprint.add_url_rule("/outbox/<int:mail_id>/retry", view_func=system.retry_mail, methods=ACT)
blueprint.add_url_rule("/outbox/<int:mail_id>/cancel", view_func=system.drop_mail, methods=ACT)

add_lab_pages(blueprint, ONE_LAB)

blueprint.add_url_rule("/people/", view_func=people.people)
blueprint.add_url_rule("/people/invitations", view_func=inviting.invitations, methods=FORM)
blueprint.add_url_rule(
    "/people/invitations/<int:invitation_id>/resend", view_func=inviting.resend_invitation, methods=ACT
)
blueprint.add_url_rule(
    "/people/invitations/<int:invitation_id>/revoke", view_func=inviting.revoke_invitation, methods=ACT
)
blueprint.add_url_rule(ONE_PERSON, view_func=people.person)
blueprint.add_url_rule(f"{ONE_PERSON}/give-role", view_func=people.give_role, methods=ACT)
blueprint.add_url_rule(f"{ONE_PERSON}/take-role", view_func=people.take_role, methods=ACT)
blueprint.add_url_rule(f"{ONE_PERSON}/attach", view_func=people.attach, methods=ACT)
blueprint.add_url_rule(f"{ONE_PERSON}/detach", view_func=people.detach, methods=ACT)
blueprint.add_url_rule(f"{ONE_PERSON}/suspend", view_func=people.suspend, methods=ACT)
blueprint.add_url_rule(f"{ONE_PERSON}/restore", view_func=people.restore, methods=ACT)

ONE_CYCLE = "/cycles/<slug>"
ONE_APPLICATION = f"{ONE_CYCLE}/applications/<int:application_id>"
blueprint.add_url_rule("/cycles/", view_func=cycles.cycles)
blueprint.add_url_rule("/new-cycle", view_func=cycles.new_cycle, methods=FORM)
blueprint.add_url_rule(ONE_CYCLE, view_func=cycles.cycle, methods=FORM)
blueprint.add_url_rule(f"{ONE_CYCLE}/close", view_func=cycles.close_cycle, methods=ACT)
blueprint.add_url_rule(f"{ONE_CYCLE}/replies", view_func=replies.replies)
blueprint.add_url_rule(f"{ONE_CYCLE}/figures", view_func=figures.figures)
blueprint.add_url_rule(f"{ONE_CYCLE}/applications", view_func=applications.applications)
blueprint.add_url_rule(f"{ONE_CYCLE}/applications.csv", view_func=applications.applications_file)
blueprint.add_url_rule(f"{ONE_CYCLE}/applications/mark", view_func=applications.mark_many, methods=ACT)
blueprint.add_url_rule(f"{ONE_CYCLE}/applications/undo", view_func=applications.undo_marking, methods=ACT)
blueprint.add_url_rule(ONE_APPLICATION, view_func=applications.application)
blueprint.add_url_rule(f"{ONE_APPLICATION}/resume", view_func=applications.submitted_resume)
blueprint.add_url_rule(f"{ONE_APPLICATION}/documents/<int:document_id>", view_func=applications.submitted_document)
blueprint.add_url_rule(f"{ONE_APPLICATION}/move", view_func=applications.move_application, methods=ACT)
blueprint.add_url_rule(f"{ONE_APPLICATION}/conflict", view_func=applications.declare_conflict, methods=ACT)
blueprint.add_url_rule(f"{ONE_APPLICATION}/conflict/take-back", view_func=applications.take_back_conflict, methods=ACT)
blueprint.add_url_rule(f"{ONE_CYCLE}/missing", view_func=applications.missing_items)
blueprint.add_url_rule(f"{ONE_CYCLE}/missing/remind", view_func=applications.remind_of_missing, methods=ACT)

ANNOUNCEMENTS = f"{ONE_CYCLE}/announcements"
blueprint.add_url_rule(ANNOUNCEMENTS, view_func=announcements.announcements)
blueprint.add_url_rule(f"{ANNOUNCEMENTS}/new", view_func=announcements.new_announcement, methods=ACT)
blueprint.add_url_rule(
    f"{ANNOUNCEMENTS}/<int:announcement_id>/tell", view_func=announcements.tell_the_rest, methods=ACT
)

blueprint.add_url_rule(f"{ONE_CYCLE}/releases", view_func=releasing.releases)
blueprint.add_url_rule(f"{ONE_CYCLE}/release", view_func=releasing.prepare, endpoint="prepare_release", methods=ACT)
ONE_RELEASE = "/releases/<int:release_id>"
blueprint.add_url_rule(ONE_RELEASE, view_func=releasing.release)
blueprint.add_url_rule(f"{ONE_RELEASE}/approve", view_func=releasing.approve, endpoint="approve_release", methods=ACT)
blueprint.add_url_rule(f"{ONE_RELEASE}/hold", view_func=releasing.hold, endpoint="hold_release", methods=ACT)
blueprint.add_url_rule(f"{ONE_RELEASE}/discard", view_func=releasing.discard, endpoint="discard_release", methods=ACT)

ROUNDS = f"{ONE_CYCLE}/assignment"
ONE_ROUND = f"{ROUNDS}/<int:number>"
blueprint.add_url_rule(ROUNDS, view_func=assignment.rounds, endpoint="assignment")
blueprint.add_url_rule(f"{ROUNDS}/draft", view_func=assignment.draft, endpoint="draft_round", methods=ACT)
blueprint.add_url_rule(ONE_ROUND, view_func=assignment.assignment_round)
blueprint.add_url_rule(f"{ONE_ROUND}/certificate", view_func=assignment.certificate_file)
blueprint.add_url_rule(f"{ONE_ROUND}/stage", view_func=assignment.stage, endpoint="stage_round", methods=ACT)
