"""The pages of every role in a big department, with the ids of what they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from benchmarks._department import BIG
from benchmarks._department_season import ADMINS, LEADER, REVIEWER
from portal.db import db
from portal.models import Application, AssignmentRound, Choice, Cycle, Lab, Release, User

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

OF_BIG_LAB = f"/reviews/{BIG}"


@dataclass(frozen=True, slots=True)
class Ids:
    """What the addresses of pages name: one of each, of the cycle in review and its big lab."""

    cycle: str
    other_lab: str
    choice: int
    application: int
    applicant: int
    applicant_email: str
    release: int | None
    assignment_round: int | None


def addresses() -> Mapping[str, tuple[str, Sequence[str]]]:
    """By role: the e-mail address of a visitor ("" without an account), and the pages that they open."""
    ids = _ids()
    return {
        "visitor": ("", _public()),
        "applicant": (ids.applicant_email, _applying(ids)),
        "leader": (LEADER, _reviewing(ids)),
        "reviewer": (REVIEWER, ["/reviews/", f"{OF_BIG_LAB}/", f"{OF_BIG_LAB}/board"]),
        "admin": (ADMINS[0], _administration(ids)),
    }


def _ids() -> Ids:
    session = db.session()
    cycle = session.scalars(select(Cycle).where(Cycle.slug == "review")).one()
    choice, application, applicant = session.execute(
        select(Choice.id, Choice.application_id, Application.applicant_id)
        .join(Application, Application.id == Choice.application_id)
        .join(Lab, Lab.id == Choice.lab_id)
        .where(Lab.slug == BIG, Application.cycle_id == cycle.id, Choice.state == "in_review")
        .limit(1)
    ).one()
    return Ids(
        cycle=cycle.slug,
        other_lab=session.scalars(select(Lab.slug).order_by(Lab.id).offset(5).limit(1)).one(),
        choice=choice,
        application=application,
        applicant=applicant,
        applicant_email=session.get_one(User, applicant).email,
        release=session.scalars(select(Release.id)).first(),
        assignment_round=session.scalars(select(AssignmentRound.id)).first(),
    )


def _public() -> list[str]:
    return [
        "/",
        "/?q=LLM+serving",
        "/labs/",
        "/labs/?page=3",
        f"/labs/{BIG}",
        f"/labs/{BIG}/match",
        "/systems/",
        "/api/v1/labs",
        f"/api/v1/labs/{BIG}/works",
        "/api/v1/openapi.json",
        "/sitemap.xml",
    ]


def _applying(ids: Ids) -> list[str]:
    return [
        "/me/",
        "/me/interests",
        "/me/resume",
        "/me/matches",
        f"/me/matches/{BIG}",
        "/me/labs",
        f"/me/compare?lab={BIG}&lab={ids.other_lab}",
        "/me/",
        "/me/application/open/",
        "/me/application/open/?q=serving",
        "/me/application/review/",
        "/me/application/review/receipt",
        "/me/export",
        "/accounts/news",
        "/api/v1/application",
    ]


def _reviewing(ids: Ids) -> list[str]:
    return [
        "/reviews/",
        f"{OF_BIG_LAB}/",
        f"{OF_BIG_LAB}/?page=50",
        f"{OF_BIG_LAB}/?show=250",
        f"{OF_BIG_LAB}/?state=in_review&sort=newest",
        f"{OF_BIG_LAB}/?sort=mean",
        f"{OF_BIG_LAB}/?q=number+2",
        f"{OF_BIG_LAB}/applicants.csv",
        f"{OF_BIG_LAB}/board",
        f"{OF_BIG_LAB}/discover",
        f"{OF_BIG_LAB}/discover?page=3",
        f"{OF_BIG_LAB}/interviews",
        f"{OF_BIG_LAB}/interviews/offer",
        f"{OF_BIG_LAB}/conflicts",
        f"{OF_BIG_LAB}/settings",
        f"{OF_BIG_LAB}/choices/{ids.choice}",
        f"{OF_BIG_LAB}/profile",
        f"{OF_BIG_LAB}/profile/history",
        "/accounts/news",
        f"/api/v1/reviews/{BIG}/choices",
    ]


def _administration(ids: Ids) -> list[str]:
    of_cycle = f"/admin/cycles/{ids.cycle}"
    pages = [
        "/admin/",
        "/admin/labs/",
        "/admin/labs/?page=3",
        "/admin/labs/?q=lab",
        f"/admin/labs/{BIG}",
        f"/admin/labs/{BIG}/history",
        "/admin/questions",
        "/admin/people/",
        "/admin/people/?page=300",
        "/admin/people/?q=applicant+77",
        "/admin/people/?role=professor",
        "/admin/people/invitations",
        f"/admin/people/{ids.applicant}",
        *_of_cycles(ids),
        "/admin/audit",
        "/admin/audit?page=1000",
        "/admin/audit?person=admin2",
        "/admin/audit?about=applicant+77",
        "/admin/audit/audit-log.csv",
        "/admin/outbox",
        "/admin/outbox?page=1000",
        "/admin/jobs",
        "/admin/operations",
        "/accounts/news",
    ]
    if ids.release is not None:
        pages.append(f"/admin/releases/{ids.release}")
    if ids.assignment_round is not None:
        of_round = f"{of_cycle}/assignment/{ids.assignment_round}"
        pages += [of_round, f"{of_round}/certificate"]
    return pages


def _of_cycles(ids: Ids) -> list[str]:
    of_cycle = f"/admin/cycles/{ids.cycle}"
    return [
        "/admin/cycles/",
        of_cycle,
        f"{of_cycle}/applications",
        f"{of_cycle}/applications?page=300",
        f"{of_cycle}/applications?q=applicant+7",
        f"{of_cycle}/applications.csv",
        f"{of_cycle}/applications/{ids.application}",
        f"{of_cycle}/missing",
        f"{of_cycle}/assignment",
        f"{of_cycle}/releases",
        f"{of_cycle}/replies",
        f"{of_cycle}/figures",
        f"{of_cycle}/announcements",
        "/admin/cycles/open/applications",
        "/admin/cycles/open/missing",
        "/admin/new-cycle",
    ]
