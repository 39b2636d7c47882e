"""What the pages of an application share: the labs of its form, its checklist with links, its status page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import render_template, url_for

from portal.applications.announcements import announcements_to
from portal.applications.content.checklist import checklist
from portal.applications.content.rules import why_not_save
from portal.applications.drafting.candidates import labs_with_slugs
from portal.applications.drafting.invitations import open_invitations
from portal.applications.moves.letters import application_path
from portal.applications.moves.possible import why_not
from portal.applications.moves.rules import Case, why_not_apply
from portal.applications.states import move_named
from portal.applications.status.shown import shown_choices, timeline
from portal.applications.status.standing import standing_of
from portal.db import db
from portal.models import Application

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from portal.applications.drafting.forms import ApplicationForm
    from portal.models import Cycle, Lab, User

OWN_PAGES = {"applications.referees": "/referees"}


@dataclass(frozen=True, slots=True)
class CheckedItem:
    """An item of the checklist, with the URL where it is done."""

    key: str
    title: str
    done: bool
    advice: str
    href: str


def draft_or_empty(application: Application | None, user: User, cycle: Cycle) -> Application:
    """The application, or an unsaved empty one."""
    if application is not None:
        return application
    return Application(
        cycle=cycle,
        applicant=user,
        cycle_id=cycle.id,
        state="draft",
        answers={},
        asked_before={},
        submissions=0,
        version=0,
    )


def labs_of_form(session: Session, form: ApplicationForm) -> dict[str, Lab]:
    """The labs that a form chooses, by their slugs."""
    return labs_with_slugs(session, [row.form.lab.data or "" for row in form.choices])


def why_not_edit(application: Application, now: datetime) -> str | None:
    """Why it cannot be edited at all."""
    if application.version == 0:
        return why_not_apply(application.cycle, now)
    return why_not_save(application, now, choices_change=False)


def checklist_links(session: Session, application: Application) -> list[CheckedItem]:
    """The checklist, each item with where to do it."""
    return [
        CheckedItem(item.key, item.title, item.done, item.advice, _href(application, item.key, item.endpoint))
        for item in checklist(session, application)
    ]


def can(session: Session, application: Application, name: str, user: User, now: datetime) -> bool:
    """Whether the applicant can make a move of the application now."""
    return why_not(session, move_named("application", name), Case(application, None, user, "applicant", now)) is None


def status_page(application: Application, user: User, now: datetime) -> str:
    """The status page of an application that is not being edited."""
    session = db.session()
    return render_template(
        "applications/application_status.html",
        application=application,
        applicant=user,
        cycle=application.cycle,
        standing=standing_of(session, application, now),
        choices=shown_choices(session, application, actor=user, now=now),
        moves=timeline(session, application),
        may_edit=can(session, application, "edit", user, now),
        may_withdraw=can(session, application, "withdraw", user, now),
        reason=application.state_reason if application.state == "ineligible" else "",
        invitations=open_invitations(session, user),
        announcements=announcements_to(session, application),
        interview_path=application_path(application) + "/interview",
    )


def _href(application: Application, key: str, endpoint: str) -> str:
    form_url = url_for("applications.application", cycle=application.cycle.slug)
    if endpoint in OWN_PAGES:
        return application_path(application) + OWN_PAGES[endpoint]
    if endpoint != "applications.application":
        return url_for(endpoint)
    return f"{form_url}#{'questions' if key.startswith('question:') else 'choices'}"
