"""One writer at a time for each person, lab and application; and work on many items, each committed by itself."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy import select

from portal.db import lock_row
from portal.models import Application, Choice, Lab, User

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlalchemy.orm import Session


T = TypeVar("T")
logger = logging.getLogger(__name__)


class Refusal(Exception):
    """A rule is against it; the message is the reason, for whoever asked. Nothing was written."""


class ApplicationGone(LookupError):
    """The application was erased meanwhile; the message says so. Nothing was written."""

    def __init__(self) -> None:
        super().__init__("This application was erased in the meantime, with all that belongs to it.")


def refuse_if(reason: str | None) -> None:
    """Raise `Refusal` if a rule gave a reason."""
    if reason is not None:
        raise Refusal(reason)


def lock_person(session: Session, user: User) -> None:
    """Lock this person's data until the transaction ends, so that two first saves at once do not both find nothing."""
    lock_row(session, User.active, user.id)


def lock_lab(session: Session, lab_id: int) -> None:
    """Lock the lab until the transaction ends, waiting for other decisions about it."""
    lock_row(session, Lab.revision_number, lab_id)


def locked_application(session: Session, subject: Application | Choice) -> Application:
    """The application of `subject`, locked and read again with its choices. Raises `ApplicationGone`: it was erased
    after `subject` was read.
    """
    application_id = subject.application_id if isinstance(subject, Choice) else subject.id
    session.flush()
    lock_row(session, Application.version, application_id)
    options = {"populate_existing": True}
    application = session.scalars(
        select(Application).where(Application.id == application_id).execution_options(**options)
    ).one_or_none()
    if application is None:
        raise ApplicationGone
    session.scalars(select(Choice).where(Choice.application_id == application_id).execution_options(**options)).all()
    session.expire(application, ["choices"])
    return application


def lock_applications(session: Session, application_ids: Iterable[int]) -> Sequence[Application]:
    """Lock these applications by ascending id, and read them and all their choices under the locks."""
    ids = sorted(set(application_ids))
    options = {"populate_existing": True}
    applications = session.scalars(
        select(Application)
        .where(Application.id.in_(ids))
        .order_by(Application.id)
        .with_for_update()
        .execution_options(**options)
    ).all()
    session.scalars(select(Choice).where(Choice.application_id.in_(ids)).execution_options(**options)).all()
    return applications


def commit_each(session: Session, description: str, items: Iterable[T], act: Callable[[T], bool | None]) -> int:
    """Call `act` for each of `items`, ids or plain values; returns how many were done (`act` did not return False).

    Commits after each; a failure is rolled back and logged with `description`, and the clock retries it.
    """
    count = 0
    for item in list(items):
        try:
            counts = act(item) is not False
            session.commit()
        except Exception:  # whatever one item does, the others get their turn; the log says why it failed
            session.rollback()
            logger.exception("%s failed for %s", description, item)
            continue
        count += counts
    return count
