"""The jobs of imports: reading a file into proposals, and accepting many of them as one revision."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from flask import current_app

from portal.admin.labs.imports.queries import waiting_proposals
from portal.applications.files import file_store, remove_once_committed
from portal.jobs.progress import Outcome
from portal.jobs.registry import JobRefused, job
from portal.labs.imports import accept_fitting, read_stored_import
from portal.models import LabImport, User
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

    from portal.jobs.progress import Progress
    from portal.models import Lab
    from portal.seeding.imports.imported import ImportKind

READ = "read an import"
ACCEPT = "accept proposals"
FORMER = "Whoever asked for this is not an administrator any more, or is suspended, so nothing was decided."


@job(READ)
def read_import_file(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Read a stored file and propose what it would change; the file is deleted once its proposals are stored."""
    lab_import, lab = _import(session, arguments)
    page = f"/admin/labs/{lab.slug}/imports/{lab_import.id}"
    progress.step(0, 2, f"Reading {lab_import.filename}")
    kind = cast("ImportKind | None", arguments.get("kind") or None)
    files = file_store(current_app)
    proposals = read_stored_import(session, files, lab_import, kind=kind, now=datetime.now(UTC))
    # Committed together with the outcome: a kill in between would make the next try report that nothing is proposed.
    key, lab_import.storage_key = lab_import.storage_key, ""
    if key:
        remove_once_committed(session, files, key)
    text = lab_import.refusal or f"{counted(len(proposals), 'change is', 'changes are')} proposed."
    return Outcome(text, page, "See what it says", refused=bool(lab_import.refusal))


@job(ACCEPT)
def accept_proposals(session: Session, arguments: Mapping[str, Any], progress: Progress) -> Outcome:
    """Accept all open proposals of an import that still fit, as one revision."""
    lab_import, lab = _import(session, arguments)
    author = administrator_asking(session, int(arguments["author"]))
    waiting = waiting_proposals(session, lab_import)
    progress.step(0, 1, f"Accepting {counted(len(waiting), 'change', 'changes')}")
    now, reason = datetime.now(UTC), str(arguments["reason"])
    done, revision = accept_fitting(session, lab, waiting, author=author, reason=reason, now=now)
    left = len(waiting) - done
    text = f"{counted(done, 'change is', 'changes are')} accepted."
    text += f" {left} no longer fit the profile; look at them." if left else ""
    text += f" This is revision {revision.number}." if revision else ""
    return Outcome(text, f"/admin/labs/{lab.slug}/imports/{lab_import.id}", "See the import")


def administrator_asking(session: Session, person_id: int) -> User:
    """The administrator for whom a job decides; it may have waited for long.

    Raises:
        JobRefused: They are none any more.
    """
    person = session.get(User, person_id)
    if person is None or not person.is_acting_admin:
        raise JobRefused(FORMER)
    return person


def _import(session: Session, arguments: Mapping[str, Any]) -> tuple[LabImport, Lab]:
    lab_import = session.get(LabImport, int(arguments["import"]))
    if lab_import is None or lab_import.lab is None:
        raise JobRefused("This import is not there any more.")
    return lab_import, lab_import.lab
