"""Whom a new lab fits is told, once and as they chose."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from sqlalchemy import delete, select

from portal.applications.new_labs import TELL, tell_of_lab
from portal.db import db
from portal.labs.queries import lab_by_slug
from portal.mail.outbox import prefer
from portal.models import Job, Notification, OutboxMail, User
from tests.applications.test_matches import state
from tests.jobs.single_jobs import NOW, run

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.testing import FlaskClient

    from portal.jobs.progress import Progress
    from tests.people import Person


def tell(app: Flask, slug: str) -> Job:
    """The job that tells of a lab, after it ran."""
    job = Job(kind=TELL, title="Tell", created_at=NOW, arguments={"lab": slug})
    db.session.add(job)
    db.session.commit()
    run(app, job)
    return job


def news() -> list[tuple[str, str]]:
    rows = db.session.scalars(select(Notification).where(Notification.kind == "new_lab")).all()
    return [(row.text, row.path) for row in rows]


@pytest.mark.usefixtures("labs")
def test_whom_it_fits_is_told_once(app: Flask, me: FlaskClient) -> None:
    state(me, "federated learning")
    with app.app_context():
        assert tell(app, "federated-lab").state == "done"
        tell(app, "federated-lab")
        tell(app, "protein-lab")  # does not fit
        assert news() == [("A new lab fits your interests: Federated Lab.", "/me/matches/federated-lab")]


@pytest.mark.usefixtures("labs")
def test_nobody_gets_a_mail_they_do_not_want(app: Flask, me: FlaskClient, applicant: Person) -> None:
    state(me, "federated learning")
    with app.app_context():
        prefer(db.session(), db.session.get_one(User, applicant.id), {"new_lab": "never"})
        db.session.commit()
        tell(app, "federated-lab")
        mails = select(OutboxMail.id).where(OutboxMail.kind == "new_lab")
        assert (len(news()), db.session.scalars(mails).all()) == (1, [])


def test_of_a_lab_that_is_archived_meanwhile_nobody_is_told(app: Flask, me: FlaskClient, labs: None) -> None:  # noqa: ARG001
    state(me, "federated learning")
    with app.app_context():
        lab = lab_by_slug(db.session(), "federated-lab")
        assert lab is not None
        lab.archived_at = NOW
        db.session.commit()
        job = tell(app, "federated-lab")
        assert (job.state, news()) == ("refused", [])


@pytest.mark.usefixtures("labs")
def test_who_deletes_their_account_meanwhile_keeps_nobody_else_from_being_told(
    app: Flask, person: Callable[..., Person]
) -> None:
    people = [person("applicant") for _ in range(3)]
    for one in people:
        state(one.sign_in(), "federated learning")

    class Deleting:
        """The second deletes the account once the first was told."""

        def step(self, *_how_far: object) -> None:
            db.session.execute(delete(User).where(User.id == people[1].id))
            db.session.commit()

    with app.app_context():
        tell_of_lab(db.session(), {"lab": "federated-lab"}, cast("Progress", Deleting()))
        told = select(Notification.user_id).where(Notification.kind == "new_lab").order_by(Notification.user_id)
        assert db.session.scalars(told).all() == [people[0].id, people[2].id]
