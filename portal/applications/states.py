"""The states of applications and choices, and every legal move between them: one table, read by all.

A move names the states it may start from, where it leads, who may make it, which guards of
`portal.applications.moves.rules` have to agree, what its button says, and what the applicant is told on the timeline.
`shown` says whether the applicant sees it at once, when a decision is released, or never.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Subject = Literal["application", "choice"]
Capacity = Literal["applicant", "reviewer", "leader", "admin", "clock", "system"]
Shown = Literal["at once", "at release", "never"]

CAPACITIES: tuple[Capacity, ...] = ("applicant", "reviewer", "leader", "admin", "clock", "system")
"""In which capacity somebody acts. The clock acts when a time has come; the system
acts as the consequence of another move.
"""

APPLICATION_LABELS = {
    "draft": "Draft",
    "submitted": "Submitted",
    "incomplete": "Something is missing",
    "eligible": "Eligible",
    "ineligible": "Not eligible",
    "closed": "Closed",
    "withdrawn": "Withdrawn",
}
CHOICE_LABELS = {
    "pending": "Waiting for review",
    "in_review": "In review",
    "shortlisted": "Shortlisted",
    "declined": "Declined",
    "interview": "Invited to an interview",
    "interviewed": "Interviewed",
    "ranked": "Ranked",
    "waitlisted": "On the waitlist",
    "offered": "Offered",
    "accepted": "Accepted",
    "declined_by_applicant": "Offer declined",
    "expired": "Offer expired",
    "closed": "Closed",
}
LABELS: dict[Subject, dict[str, str]] = {"application": APPLICATION_LABELS, "choice": CHOICE_LABELS}
OPEN_APPLICATION = frozenset({"draft", "submitted", "incomplete", "eligible"})
OPEN_CHOICE = frozenset(
    {"pending", "in_review", "shortlisted", "interview", "interviewed", "ranked", "waitlisted", "offered"}
)
READ_BY_LABS = ("eligible", "closed")
"""States of an application in which the labs that were chosen may read it. One that was not found eligible never gets
there: it stays as it is when its cycle is closed.
"""

SUBMITTING = frozenset({"submit", "complete"})
STAGING = frozenset({"offer", "waitlist", "decline"})
"""The moves that stage a decision; its kind has the name of the move."""


@dataclass(frozen=True, slots=True)
class Move:
    """One legal move. `target` is None if the state stays (a release), or if a move takes back the one that
    `undoes` names: it leads to the state before that one, which the history knows. `timeline_text` is a sentence for
    the applicant's timeline. `message` says whether whoever makes it has to write why.
    """

    name: str
    subject: Subject
    sources: frozenset[str]
    target: str | None
    actors: tuple[Capacity, ...]
    guards: tuple[str, ...]
    label: str
    timeline_text: str
    shown: Shown = "at once"
    message: bool = False
    undoes: str = ""

    @property
    def targets(self) -> frozenset[str]:
        """The states to which it can lead; none where the state stays."""
        if self.undoes:
            return move_named(self.subject, self.undoes).sources
        return frozenset({self.target} if self.target else ())


def _row(
    subject: Subject,
    name: str,
    sources: str,
    target: str | None,
    actors: str,
    guards: str,
    label: str,
    timeline_text: str,
    **others: Any,  # noqa: ANN401  (the rest of `Move`)
) -> Move:
    """A row of the table; lists are written with blanks between."""
    in_order = tuple(capacity for capacity in CAPACITIES if capacity in actors.split())
    from_states, guarded = frozenset(sources.split()), tuple(guards.split())
    return Move(name, subject, from_states, target, in_order, guarded, label, timeline_text, **others)


_LAB = "eligible_application cycle_not_closed no_conflict"

# fmt: off
MOVES: tuple[Move, ...] = (
    _row("application", "submit", "draft", "submitted", "applicant", "cycle_open labs_open complete",
         "Submit", "You submitted the application."),
    _row("application", "edit", "submitted", "draft", "applicant", "cycle_open",
         "Edit the application",
         "You opened the application for editing. Your last submission counts until you submit again."),
    _row("application", "restore", "draft", "submitted", "applicant clock", "submitted_before",
         "Keep what I submitted", "Your last submission counts."),
    _row("application", "ask_for_more", "submitted", "incomplete", "admin", "cycle_not_closed",
         "Ask for what is missing", "Something is missing in your application.", message=True),
    _row("application", "complete", "incomplete", "submitted", "applicant", "cycle_not_closed complete",
         "Submit again", "You completed the application."),
    _row("application", "take_back_request", "incomplete", "submitted", "admin", "cycle_not_closed",
         "Take back the request", "What was asked for is not needed any more. Your last submission counts.",
         message=True),
    _row("application", "mark_eligible", "submitted", "eligible", "admin", "deadline_passed cycle_not_closed",
         "Mark as eligible", "Your application is eligible. The labs you chose can read it now."),
    _row("application", "mark_ineligible", "submitted incomplete", "ineligible", "admin",
         "deadline_passed cycle_not_closed",
         "Mark as not eligible", "Your application is not eligible.", message=True),
    _row("application", "reconsider", "eligible ineligible", "submitted", "admin",
         "cycle_not_closed review_not_begun",
         "Check again", "Your application is being checked again."),
    _row("application", "withdraw", "draft submitted incomplete eligible", "withdrawn", "applicant", "",
         "Withdraw the application", "You withdrew the application."),
    _row("application", "close", "eligible", "closed", "clock system", "",
         "Close", "The application is closed."),

    _row("choice", "start_review", "pending", "in_review", "reviewer leader", _LAB,
         "Start the review", "The lab has begun to read your application."),
    _row("choice", "shortlist", "pending in_review", "shortlisted", "reviewer leader", _LAB,
         "Shortlist", "", shown="never"),
    _row("choice", "take_off_shortlist", "shortlisted", None, "reviewer leader", _LAB,
         "Take off the shortlist", "", shown="never", undoes="shortlist"),
    _row("choice", "invite_to_interview", "shortlisted", "interview", "reviewer leader", _LAB,
         "Invite to an interview", "The lab invites you to an interview."),
    _row("choice", "mark_interviewed", "interview", "interviewed", "reviewer leader", f"{_LAB} no_interview_ahead",
         "Mark as interviewed", "The interview took place."),
    _row("choice", "rank", "shortlisted interviewed", "ranked", "leader", _LAB,
         "Rank", "", shown="never"),
    _row("choice", "take_off_ranking", "ranked", None, "leader", _LAB,
         "Take off the ranking", "", shown="never", undoes="rank"),
    _row("choice", "waitlist", "shortlisted interviewed ranked", "waitlisted", "leader", _LAB,
         "Put on the waitlist", "The lab put you on its waitlist.", shown="at release"),
    _row("choice", "decline",
         "pending in_review shortlisted interview interviewed ranked waitlisted", "declined", "leader",
         f"{_LAB} no_interview_ahead nothing_staged",
         "Decline", "The lab declined your application.", shown="at release"),
    _row("choice", "offer", "ranked waitlisted", "offered", "leader admin", f"{_LAB} nothing_staged seat_free",
         "Make an offer", "The lab offers you a place.", shown="at release"),
    _row("choice", "take_back_waitlist", "waitlisted", None, "leader", f"{_LAB} staged",
         "Take off the waitlist", "", shown="never", undoes="waitlist"),
    _row("choice", "take_back_decline", "declined", None, "leader", f"{_LAB} staged",
         "Take back the decline", "", shown="never", undoes="decline"),
    _row("choice", "take_back_offer", "offered", None, "leader", f"{_LAB} staged",
         "Take back the offer", "", shown="never", undoes="offer"),
    _row("choice", "release", "waitlisted declined offered", None, "admin",
         "staged eligible_application cycle_not_closed",
         "Release the decision", ""),
    _row("choice", "accept", "offered", "accepted", "applicant", "released reply_in_time eligible_application",
         "Accept the offer", "You accepted the offer."),
    _row("choice", "decline_offer", "offered", "declined_by_applicant", "applicant",
         "released reply_in_time eligible_application",
         "Decline the offer", "You declined the offer."),
    _row("choice", "expire", "offered", "expired", "clock", "released reply_too_late",
         "Expire", "The offer expired: its reply date passed."),
    _row("choice", "close", " ".join(sorted(OPEN_CHOICE)), "closed", "system", "",
         "Close", "This choice is closed."),
    _row("choice", "drop_decline", "declined", "closed", "system", "staged",
         "Drop the decline", "This choice is closed."),
    _row("choice", "reopen", "closed", "pending", "system", "",
         "Open again", "This choice is open again."),
)
# fmt: on


class UnknownMove(LookupError):
    """There is no such move; the message names those there are."""


def move_named(subject: Subject, name: str) -> Move:
    """The move of that name. Raises `UnknownMove`: there is none."""
    found = next((move for move in MOVES if move.subject == subject and move.name == name), None)
    if found is None:
        known = ", ".join(move.name for move in MOVES if move.subject == subject)
        raise UnknownMove(f"There is no move {name!r} of a {subject}. Known are: {known}.")
    return found


def moves_from(subject: Subject, state: str, capacity: Capacity) -> tuple[Move, ...]:
    """The moves that start from `state` for somebody in that capacity, in the order of the table."""
    return tuple(
        move for move in MOVES if move.subject == subject and state in move.sources and capacity in move.actors
    )
