"""The fate of all rows that refer to an account when it is merged into another one: one line per column.

A test compares this table with the models: every column that refers to an account must be decided here.
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
class ColumnFate:
    """The label of a column, and its fate; with `while_in`, only rows in one of these states have that fate."""

    label: str
    fate: Fate
    while_in: tuple[str, ...] = ()


_HISTORY = "What it did"

BY_COLUMN: dict[tuple[str, str], ColumnFate] = {
    ("role_of_user", "user_id"): ColumnFate("Roles; to be an applicant moves over in any case", "rights"),
    ("lab_professor", "user_id"): ColumnFate("Labs it reads for", "rights"),
    ("application", "applicant_id"): ColumnFate(
        "Applications, with choices, submissions, letters and decisions", "chosen"
    ),
    ("interests", "user_id"): ColumnFate("Interests", "chosen"),
    ("resume", "user_id"): ColumnFate("Resume", "chosen"),
    ("lab_share", "user_id"): ColumnFate("Labs it shares with", "joined"),
    ("invitation", "applicant_id"): ColumnFate("Invitations from labs", "chosen"),
    ("review_mark", "applicant_id"): ColumnFate("Marks that reviewers gave it", "chosen"),
    ("review_mark", "reviewer_id"): ColumnFate("Marks it gave", "chosen"),
    ("scorecard", "reviewer_id"): ColumnFate("Scorecards", "chosen"),
    ("conflict", "reviewer_id"): ColumnFate("Conflicts of interest as a reviewer", "joined"),
    ("conflict", "applicant_id"): ColumnFate("Conflicts of interest as an applicant", "joined"),
    ("conflict", "declared_by_id"): ColumnFate("Conflicts of interest it declared", "stays"),
    ("queue_visit", "reviewer_id"): ColumnFate("When it opened queues", "joined"),
    ("saved_view", "reviewer_id"): ColumnFate("Saved views of queues", "joined"),
    ("interview_slot", "interviewer_id"): ColumnFate("Times of interviews", "moves"),
    ("notification", "user_id"): ColumnFate("News", "joined"),
    ("mail_preference", "user_id"): ColumnFate("How it wants its mail", "joined"),
    ("outbox_mail", "user_id"): ColumnFate("Mails", "moves"),
    ("release", "prepared_by_id"): ColumnFate(
        "Releases it prepared that are not approved", "moves", while_in=("prepared", "held")
    ),
    ("lab_proposal", "proposed_by_id"): ColumnFate("Changes of its labs that it proposed", "moves"),
    ("merged_account", "into_id"): ColumnFate("Accounts merged into it before", "moves"),
    ("api_token", "user_id"): ColumnFate("Tokens for programs", "ends"),
    ("api_answer", "user_id"): ColumnFate("Answers kept for programs", "ends"),
    ("calendar_feed", "user_id"): ColumnFate("Calendar address", "ends"),
    ("merged_account", "user_id"): ColumnFate(_HISTORY, "stays"),
    ("account_invitation", "invited_by_id"): ColumnFate("People it invited; open invitations close", "stays"),
    ("account_invitation", "user_id"): ColumnFate("The invitation it came of", "stays"),
    ("invitation", "invited_by_id"): ColumnFate("Applicants it invited for a lab", "stays"),
    ("release", "approved_by_id"): ColumnFate(_HISTORY, "stays"),
    ("release", "held_by_id"): ColumnFate(_HISTORY, "stays"),
    ("impersonation", "admin_id"): ColumnFate("When it viewed the portal as others", "stays"),
    ("impersonation", "person_id"): ColumnFate("When administrators viewed the portal as it", "stays"),
    ("audit_entry", "actor_id"): ColumnFate("Entries of the audit log", "stays"),
    ("lab_revision", "author_id"): ColumnFate("Revisions of labs", "stays"),
    ("lab_proposal", "decided_by_id"): ColumnFate("Proposals it decided", "stays"),
    ("new_lab_proposal", "decided_by_id"): ColumnFate("Proposals of new labs it decided", "stays"),
    ("lab_import", "created_by_id"): ColumnFate("Files it imported", "stays"),
    ("bias_report", "made_by_id"): ColumnFate("Bias audits it started", "stays"),
    ("concept_revision", "author_id"): ColumnFate("Revisions of concepts", "stays"),
    ("move_record", "actor_id"): ColumnFate("Moves it made", "stays"),
    ("announcement", "written_by_id"): ColumnFate("Announcements it wrote to applicants", "stays"),
    ("decision", "staged_by_id"): ColumnFate("Decisions it staged", "stays"),
    ("decision", "released_by_id"): ColumnFate("Decisions it released", "stays"),
    ("assignment_round", "made_by_id"): ColumnFate("Assignment rounds it made", "stays"),
    ("job", "created_by_id"): ColumnFate("Jobs it started", "stays"),
}
