"""The words of the audit log: its acts, and what entries are about, as a name and a page. An entry itself holds only a
code, and ids, slugs and addresses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from portal.models import ApiToken, Application, Choice, Cycle, InterviewSlot, Lab, Referee, Release, User
from portal.web.forms import whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import InstrumentedAttribute, Session
    from sqlalchemy.sql.base import ExecutableOption

    from portal.models import AuditEntry

ACTS = {
    "account.change_email": "Changed the own e-mail address",
    "account.change_password": "Changed the own password",
    "account.close_merged": "Closed an account that was merged into another",
    "account.connect": "Connected a way to sign in",
    "account.create": "Made an account",
    "account.delete": "Deleted their account",
    "account.disconnect": "Disconnected a way to sign in",
    "account.grant_role": "Gave a role",
    "account.invite": "Invited somebody to an account",
    "account.invite_again": "Sent an invitation to an account again",
    "account.merge_into": "Merged another account into this one",
    "account.register": "Registered",
    "account.reset_password": "Set a new password by mail",
    "account.restore": "Restored a suspended account",
    "account.revoke_invitation": "Took back an invitation to an account",
    "account.set_password": "Set somebody’s password",
    "account.sign_out_everywhere": "Ended all sessions of an account",
    "account.suspend": "Suspended an account",
    "account.take_invitation": "Took up an invitation to an account",
    "account.take_role": "Took a role away",
    "account.two_step_off": "Turned the second step of signing in off",
    "account.two_step_on": "Turned the second step of signing in on",
    "applicant.download": "Downloaded a lab’s applicants",
    "application.ask_for_more": "Asked for what is missing",
    "application.close": "Closed an application",
    "application.complete": "Completed an application",
    "application.download": "Downloaded the applications of a cycle",
    "application.edit": "Opened an application for changes",
    "application.mark_eligible": "Marked as eligible",
    "application.mark_ineligible": "Marked as not eligible",
    "application.reconsider": "Checked again",
    "application.restore": "Kept what was submitted",
    "application.submit": "Submitted an application",
    "application.take_back_request": "Took back what was asked for",
    "application.withdraw": "Withdrew an application",
    "assignment.download": "Downloaded the certificate of an assignment round",
    "assignment.draft": "Drafted an assignment round",
    "assignment.stage": "Staged the offers of an assignment round",
    "audit.download": "Downloaded the audit log",
    "choice.accept": "Accepted an offer",
    "choice.close": "Closed a choice",
    "choice.decline": "Declined",
    "choice.decline_offer": "Declined an offer",
    "choice.drop_decline": "Dropped a decline",
    "choice.expire": "Let an offer expire",
    "choice.invite_to_interview": "Invited to an interview",
    "choice.mark_interviewed": "Marked as interviewed",
    "choice.offer": "Made an offer",
    "choice.rank": "Ranked",
    "choice.release": "Released a decision",
    "choice.reopen": "Opened a choice again",
    "choice.shortlist": "Shortlisted",
    "choice.start_review": "Began to review",
    "choice.take_back_decline": "Took back a decline",
    "choice.take_back_offer": "Took back an offer",
    "choice.take_back_waitlist": "Took off the waitlist",
    "choice.take_off_ranking": "Took off the ranking",
    "choice.take_off_shortlist": "Took off the shortlist",
    "choice.waitlist": "Put on the waitlist",
    "conflict.declared": "Declared a conflict of interest",
    "conflict.dismissed": "Said that a conflict of interest is none",
    "conflict.withdrawn": "Took back a conflict of interest",
    "cycle.announce": "Wrote to applicants",
    "cycle.change": "Changed a cycle",
    "cycle.close": "Closed a cycle",
    "cycle.create": "Made a cycle",
    "cycle.erase_applications": "Erased the applications of a cycle",
    "cycle.remind_of_missing": "Reminded applicants of what is missing",
    "cycle.take_back_announcement": "Took back an announcement to applicants",
    "index.rebuild": "Had the index rebuilt",
    "interview.cancel": "Cancelled a time for an interview",
    "interview.move": "Moved a time for an interview",
    "interview.offer": "Offered times for interviews",
    "interview.pick": "Picked a time for an interview",
    "invitation.invite": "Invited somebody to apply",
    "invitation.take_back": "Took back an invitation to apply",
    "lab.archive": "Archived a lab",
    "lab.assign": "Assigned reviewers to applicants",
    "lab.attach_professor": "Attached a professor to a lab",
    "lab.blind_first": "Changed whether a lab reviews blind first",
    "lab.confirm": "Confirmed a profile",
    "lab.create": "Made a lab",
    "lab.detach_professor": "Detached a professor from a lab",
    "lab.import": "Brought a file for a lab",
    "lab.intake": "Changed the seats of a lab",
    "lab.list_again": "Listed an archived lab again",
    "lab.order": "Changed a lab’s order of preference",
    "lab.proposal_accepted": "Accepted a proposed change of a profile",
    "lab.proposal_refused": "Refused a proposed change of a profile",
    "lab.publish": "Published a lab",
    "lab.refuse_proposals": "Refused proposed changes of a profile",
    "lab.save": "Saved a profile",
    "lab.texts": "Changed a lab’s texts for messages",
    "lab.unassign": "Took back who reviews applicants",
    "labs.import": "Brought a table of labs",
    "letter.download": "Downloaded a letter of reference",
    "mail.cancel": "Kept a mail from being sent",
    "mail.retry": "Had a mail sent again",
    "referee.ask": "Asked a referee for a letter",
    "referee.decline": "Declined to write a letter",
    "referee.remind": "Reminded a referee",
    "referee.remove": "Took back the request for a letter",
    "referee.send": "Sent a letter of reference",
    "release.approve": "Approved a release of decisions",
    "release.discard": "Discarded a release of decisions",
    "release.done": "Released decisions",
    "release.hold": "Held a release of decisions",
    "release.prepare": "Prepared a release of decisions",
    "document.download": "Downloaded an applicant’s document",
    "resume.download": "Downloaded an applicant’s resume",
    "scorecard.lock": "Locked a scorecard",
    "scorecard.reopen": "Reopened a scorecard",
    "token.make": "Made a token for programs",
    "token.revoke": "Revoked a token for programs",
}


def act_in_words(act: str) -> str:
    """An act in words; an unknown one, for example from an older version, by its code."""
    return ACTS.get(act, act)


Place = tuple[str, Mapping[str, str | int]]
"""A page of the administrators: its endpoint and the values in its URL."""
Found = dict[tuple[type[Any], str, Any], Any]
"""Rows by table, column and value of the column."""

_KEYS: Mapping[str, tuple[InstrumentedAttribute[Any], ...]] = {
    "account": (User.email,),
    "applicant of lab": (Lab.slug, User.id),
    "application": (Application.id,),
    "assignment round": (Cycle.slug,),
    "choice": (Application.id, Lab.id),
    "conflict": (User.id, User.id),
    "cycle": (Cycle.slug,),
    "interview": (InterviewSlot.id,),
    "lab": (Lab.slug,),
    "lab in cycle": (Lab.slug,),
    "referee": (Referee.id,),
    "release": (Release.id,),
    "scorecard": (Lab.slug, Choice.id),
    "token": (ApiToken.id,),
}
"""By kind of object, the columns that the parts of its key are values of; the parts have a “/” between them."""
_SINCE = {Choice: "listed_since"} | dict.fromkeys((ApiToken, Application, InterviewSlot, Referee), "created_at")
"""Since when a row exists, of tables in which the id of an erased row may be given again."""
_OF_APPLICATION = (joinedload(Application.applicant), joinedload(Application.cycle))
_OF_CHOICE = joinedload(Choice.application).options(*_OF_APPLICATION)
_WITH: Mapping[type[Any], tuple[ExecutableOption, ...]] = {
    ApiToken: (joinedload(ApiToken.user),),
    Application: _OF_APPLICATION,
    Choice: (_OF_CHOICE,),
    InterviewSlot: (joinedload(InterviewSlot.lab), joinedload(InterviewSlot.choice).options(_OF_CHOICE)),
    Referee: (joinedload(Referee.application).options(*_OF_APPLICATION),),
}


@dataclass(frozen=True, slots=True)
class AuditObject:
    """What an entry is about: names as far as they are known, else its type and key; and its page, if there is one."""

    words: str
    place: Place | None


def objects_of(session: Session, entries: Sequence[AuditEntry]) -> dict[int, AuditObject]:
    """What each entry is about, by the id of the entry. Nothing is named after a row that is younger than its entry."""
    found = _found(session, entries)
    return {entry.id: _object(entry, found) for entry in entries}


def _kind(entry: AuditEntry) -> str:
    """The kind of object. Entries about scorecards call it a choice, with another key than those about moves."""
    is_card = entry.object_type == "choice" and entry.act.startswith("scorecard.")
    return "scorecard" if is_card else entry.object_type


def _references(entry: AuditEntry) -> list[tuple[type[Any], str, Any]]:
    """The rows that the key of an entry names."""
    parts = zip(_KEYS.get(_kind(entry), ()), entry.object_key.split("/"), strict=False)
    return [
        (column.parent.class_, column.key, whole_number(part) if column.key == "id" else part) for column, part in parts
    ]


def _found(session: Session, entries: Sequence[AuditEntry]) -> Found:
    wanted: dict[tuple[type[Any], str], set[Any]] = defaultdict(set)
    for entry in entries:
        for table, column, value in _references(entry):
            wanted[table, column].add(value)
    found: Found = {}
    for (table, column), values in wanted.items():
        rows = select(table).where(getattr(table, column).in_(values - {None})).options(*_WITH.get(table, ()))
        found |= {(table, column, getattr(row, column)): row for row in session.scalars(rows)}
    return found


def _object(entry: AuditEntry, found: Found) -> AuditObject:
    rows = [_if_there_then(found.get(reference), entry) for reference in _references(entry)]
    names = ", ".join(name for name in map(_name, rows) if name)
    as_written = f"{entry.object_type} {entry.object_key}".strip()
    return AuditObject(names or as_written, _place(entry, rows[0] if rows else None))


def _if_there_then(row: Any, entry: AuditEntry) -> Any:  # noqa: ANN401  (a row of any table)
    """The row, if it existed when the entry was written."""
    if type(row) not in _SINCE:
        return row
    since = getattr(row, _SINCE[type(row)])
    return row if since is not None and since <= entry.at else None


def _name(row: Any) -> str:  # noqa: ANN401  (as above)
    """The name by which administrators know a row; empty if it has none."""
    name = ""
    match row:
        case User():
            name = row.display_name
        case Lab() | Cycle():
            name = row.name
        case Application():
            name = row.applicant.display_name
        case Choice():
            name = row.application.applicant.display_name
        case InterviewSlot():
            name = f"{row.lab.name}, {_name(row.choice)}" if row.choice else row.lab.name
        case Referee():
            name = f"{row.name} for {_name(row.application)}"
        case ApiToken():
            name = f"“{row.name}” of {row.user.display_name}"
    return name


def _place(entry: AuditEntry, row: Any) -> Place | None:  # noqa: ANN401  (as above)
    place: Place | None = None
    match row:
        case User() if entry.object_type == "account":
            place = ("admin.person", {"person_id": row.id})
        case Cycle():
            is_round = entry.object_type == "assignment round"
            place = ("admin.assignment" if is_round else "admin.cycle", {"slug": row.slug})
        case Lab():
            place = ("admin.lab", {"slug": row.slug})
        case Release():
            place = ("admin.release", {"release_id": row.id})
        case Application():
            place = _page_of(row)
        case Referee():
            place = _page_of(row.application)
    return place


def _page_of(application: Application) -> Place:
    return "admin.application", {"slug": application.cycle.slug, "application_id": application.id}
