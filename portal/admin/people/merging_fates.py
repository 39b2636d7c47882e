"""What becomes of everything that refers to an account when it is merged into another one: one line per column.

A test holds this against the tables: a column that is not decided here stops it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Fate = Literal["moves", "joined", "chosen", "rights", "ends", "stays"]
FATES: dict[Fate, str] = {
    "moves": "moves over",
    "joined": "moves over; what both have stays once",
    "chosen": "moves over; where both have one, you choose",
    "rights": "moves over if you say so",
    "ends": "ends",
    "stays": "stays with the closed account, as history",
}


@dataclass(frozen=True, slots=True)
class Kept:
    """What a column is called, and its fate; only rows in one of the states `while_in` meet it, if there are any."""

    label: str
    fate: Fate
    while_in: tuple[str, ...] = ()


_HISTORY = "What it did"

BY_COLUMN: dict[tuple[str, str], Kept] = {
    ("role_of_user", "user_id"): Kept("Roles; to be an applicant moves over in any case", "rights"),
    ("lab_professor", "user_id"): Kept("Labs it reads for", "rights"),
    ("application", "applicant_id"): Kept("Applications, with choices, submissions, letters and decisions", "chosen"),
    ("interests", "user_id"): Kept("Interests", "chosen"),
    ("resume", "user_id"): Kept("Resume", "chosen"),
    ("lab_share", "user_id"): Kept("Labs it shares with", "joined"),
    ("invitation", "applicant_id"): Kept("Invitations from labs", "chosen"),
    ("review_mark", "applicant_id"): Kept("Marks that reviewers gave it", "chosen"),
    ("review_mark", "reviewer_id"): Kept("Marks it gave", "chosen"),
    ("scorecard", "reviewer_id"): Kept("Scorecards", "chosen"),
    ("conflict", "reviewer_id"): Kept("Conflicts of interest as a reviewer", "joined"),
    ("conflict", "applicant_id"): Kept("Conflicts of interest as an applicant", "joined"),
    ("conflict", "declared_by_id"): Kept("Conflicts of interest it declared", "stays"),
    ("queue_visit", "reviewer_id"): Kept("When it opened queues", "joined"),
    ("saved_view", "reviewer_id"): Kept("Saved views of queues", "joined"),
    ("interview_slot", "interviewer_id"): Kept("Times of interviews", "moves"),
    ("notification", "user_id"): Kept("News", "joined"),
    ("mail_preference", "user_id"): Kept("How it wants its mail", "joined"),
    ("outbox_mail", "user_id"): Kept("Mails", "moves"),
    ("release", "prepared_by_id"): Kept(
        "Releases it prepared that are not approved", "moves", while_in=("prepared", "held")
    ),
    ("lab_proposal", "proposed_by_id"): Kept("Changes of its labs that it proposed", "moves"),
    ("merged_account", "into_id"): Kept("Accounts merged into it before", "moves"),
    ("api_token", "user_id"): Kept("Tokens for programs", "ends"),
    ("api_answer", "user_id"): Kept("Answers kept for programs", "ends"),
    ("calendar_feed", "user_id"): Kept("Calendar address", "ends"),
    ("merged_account", "user_id"): Kept(_HISTORY, "stays"),
    ("account_invitation", "invited_by_id"): Kept("People it invited; open invitations close", "stays"),
    ("account_invitation", "user_id"): Kept("The invitation it came of", "stays"),
    ("invitation", "invited_by_id"): Kept("Applicants it invited for a lab", "stays"),
    ("release", "approved_by_id"): Kept(_HISTORY, "stays"),
    ("release", "held_by_id"): Kept(_HISTORY, "stays"),
    ("impersonation", "admin_id"): Kept("When it viewed the portal as others", "stays"),
    ("impersonation", "person_id"): Kept("When administrators viewed the portal as it", "stays"),
    ("audit_entry", "actor_id"): Kept("Entries of the audit log", "stays"),
    ("lab_revision", "author_id"): Kept("Revisions of labs", "stays"),
    ("lab_proposal", "decided_by_id"): Kept("Proposals it decided", "stays"),
    ("new_lab_proposal", "decided_by_id"): Kept("Proposals of new labs it decided", "stays"),
    ("lab_import", "created_by_id"): Kept("Files it imported", "stays"),
    ("bias_report", "made_by_id"): Kept("Bias audits it started", "stays"),
    ("concept_revision", "author_id"): Kept("Revisions of concepts", "stays"),
    ("move_record", "actor_id"): Kept("Moves it made", "stays"),
    ("decision", "staged_by_id"): Kept("Decisions it staged", "stays"),
    ("decision", "released_by_id"): Kept("Decisions it released", "stays"),
    ("assignment_round", "made_by_id"): Kept("Assignment rounds it made", "stays"),
    ("job", "created_by_id"): Kept("Jobs it started", "stays"),
}
