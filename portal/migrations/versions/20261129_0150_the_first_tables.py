"""The first tables

Revision: first
After: None
Created: 2026-11-29 01:50:00
"""

from alembic import op
from sqlalchemy import JSON, BigInteger, Boolean, CheckConstraint, Column, Date, Double, ForeignKey, Index, Integer
from sqlalchemy import String, Text, TextClause, UniqueConstraint, text

from portal.db import UtcDateTime

revision = "first"
down_revision = None
branch_labels = None
depends_on = None

TABLES = """
audit_head clock_mark cycle instance_mark lab role user_account account_invitation announcement
api_answer api_token application assignment_round audit_entry conflict
interests invitation job lab_import lab_intake lab_professor lab_reviewing lab_revision lab_share
mail_preference merged_account notification open_identity opening outbox_mail queue_visit release resume
role_of_user saved_lab sign_in work announcement_recipient choice document interest_topic lab_photo lab_proposal
referee submission lab_text decision interview_slot match_record move_record scorecard redaction release_item
assigned_reviewer choice_note choice_tag
"""


def refers_to(column: str, ondelete: str) -> ForeignKey:
    return ForeignKey(column, ondelete=ondelete)


def only_where(condition: str) -> dict[str, TextClause]:
    """For an index over some rows only."""
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}


def upgrade() -> None:
    op.create_table(
        "audit_head",
        Column("id", Integer(), primary_key=True),
        Column("position", Integer(), nullable=False),
        Column("seal", String(64), nullable=False),
        CheckConstraint("id = 1", name="one_row"),
    )
    op.execute("INSERT INTO audit_head (id, position, seal) VALUES (1, 0, '')")  # which every entry locks
    op.create_table(
        "clock_mark",
        Column("name", String(80), primary_key=True),
        Column("begun_at", UtcDateTime(), nullable=False),
        Column("done_at", UtcDateTime()),
    )
    op.create_table(
        "cycle",
        Column("id", Integer(), primary_key=True),
        Column("slug", String(120), nullable=False, unique=True),
        Column("name", String(200), nullable=False),
        Column("zone", String(64), nullable=False),
        Column("opens_at", UtcDateTime(), nullable=False),
        Column("deadline_at", UtcDateTime(), nullable=False, index=True),
        Column("reply_by_at", UtcDateTime(), nullable=False),
        Column("closed_at", UtcDateTime()),
        Column("most_choices", Integer(), nullable=False),
        Column("referees", Integer(), nullable=False),
        Column("about", Text(), nullable=False),
        Column("questions", JSON(), nullable=False),
        Column("documents", JSON(), nullable=False),
        Column("rubric", JSON(), nullable=False),
        Column("retention_days", Integer(), nullable=False),
        Column("erased_at", UtcDateTime()),
        Column("kept_counts", JSON(), nullable=False),
        Column("version", Integer(), nullable=False),
        Column("created_at", UtcDateTime(), nullable=False),
        CheckConstraint("deadline_at > opens_at", name="deadline_after_opening"),
        CheckConstraint("most_choices BETWEEN 1 AND 50", name="most_choices"),
        CheckConstraint("referees BETWEEN 0 AND 5", name="referees"),
        CheckConstraint("reply_by_at > deadline_at", name="reply_after_deadline"),
        CheckConstraint("retention_days BETWEEN 1 AND 7300", name="retention_days"),
    )
    op.create_table("instance_mark", Column("name", String(40), primary_key=True), Column("set_at", UtcDateTime(), nullable=False))
    op.create_table(
        "lab",
        Column("id", Integer(), primary_key=True),
        Column("slug", String(120), nullable=False, unique=True),
        Column("name", String(300), nullable=False),
        Column("leader", String(200), nullable=False),
        Column("institution", String(300), nullable=False, index=True),
        Column("place", String(200), nullable=False, index=True),
        Column("hardware", JSON(), nullable=False),
        Column("search_text", Text(), nullable=False),
        Column("revision_number", Integer(), nullable=False),
        Column("changed_at", UtcDateTime(), nullable=False),
        Column("confirmed_on", Date()),
        Column("reminded_on", Date()),
        Column("is_draft", Boolean(), nullable=False),
        Column("archived_at", UtcDateTime()),
        Column("archived_why", String(500), nullable=False),
        Column("untold_since", UtcDateTime()),
        Column("seeded", JSON()),
        Index("ix_lab_listed", "archived_at", "is_draft"),
    )
    op.create_table(
        "role",
        Column("id", Integer(), primary_key=True),
        Column("name", String(80), nullable=False, unique=True),
        Column("description", String(255), nullable=False),
    )
    op.create_table(
        "user_account",
        Column("id", Integer(), primary_key=True),
        Column("name", String(200), nullable=False),
        Column("email", String(255), nullable=False, unique=True),
        Column("password", String(255)),
        Column("active", Boolean(), nullable=False),
        Column("fs_uniquifier", String(64), nullable=False, unique=True),
        Column("confirmed_at", UtcDateTime()),
        Column("tf_primary_method", String(64)),
        Column("tf_totp_secret", String(255)),
        Column("tf_last_counter", BigInteger()),
        Column("mf_recovery_codes", JSON()),
        Column("created_at", UtcDateTime()),
        Column("zone", String(64), nullable=False),
    )
    op.create_table(
        "account_invitation",
        Column("id", Integer(), primary_key=True),
        Column("email", String(255), nullable=False),
        Column("roles", JSON(), nullable=False),
        Column("lab_id", Integer(), refers_to("lab.id", "SET NULL")),
        Column("position", String(20)),
        Column("token_hash", String(64), unique=True),
        Column("invited_by_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("created_at", UtcDateTime(), nullable=False),
        Column("linked_at", UtcDateTime(), nullable=False),
        Column("expires_at", UtcDateTime(), nullable=False),
        Column("taken_at", UtcDateTime()),
        Column("revoked_at", UtcDateTime()),
        Column("user_id", Integer(), refers_to("user_account.id", "SET NULL")),
        CheckConstraint("(token_hash IS NOT NULL) = (taken_at IS NULL AND revoked_at IS NULL)", name="link_while_open"),
        CheckConstraint("position IS NULL OR position IN ('leader', 'reviewer')", name="position"),
        CheckConstraint("taken_at IS NULL OR revoked_at IS NULL", name="taken_or_revoked"),
        Index("uq_account_invitation_one_open", "email", unique=True, **only_where("taken_at IS NULL AND revoked_at IS NULL")),
    )
    op.create_table(
        "announcement",
        Column("id", Integer(), primary_key=True),
        Column("cycle_id", Integer(), refers_to("cycle.id", "CASCADE"), nullable=False, index=True),
        Column("text_key", String(64), nullable=False, unique=True),
        Column("about", String(150), nullable=False),
        Column("message", Text(), nullable=False),
        Column("announced_to", String(20), nullable=False),
        Column("recipients", Integer(), nullable=False),
        Column("written_by_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("written_at", UtcDateTime(), nullable=False),
        CheckConstraint("announced_to IN ('everybody', 'not_submitted', 'considered', 'accepted')", name="announced_to"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "api_answer",
        Column("id", Integer(), primary_key=True),
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), nullable=False),
        Column("key", String(64), nullable=False),
        Column("request_digest", String(64), nullable=False),
        Column("status", Integer(), nullable=False),
        Column("body", JSON(), nullable=False),
        Column("created_at", UtcDateTime(), nullable=False, index=True),
        UniqueConstraint("user_id", "key"),
    )
    op.create_table(
        "api_token",
        Column("id", Integer(), primary_key=True),
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), nullable=False, index=True),
        Column("name", String(80), nullable=False),
        Column("digest", String(64), nullable=False, unique=True),
        Column("hint", String(12), nullable=False),
        Column("scopes", JSON(), nullable=False),
        Column("created_at", UtcDateTime(), nullable=False),
        Column("expires_at", UtcDateTime(), nullable=False),
        Column("last_used_at", UtcDateTime()),
        Column("revoked_at", UtcDateTime()),
    )
    op.create_table(
        "application",
        Column("id", Integer(), primary_key=True),
        Column("cycle_id", Integer(), refers_to("cycle.id", "CASCADE"), nullable=False),
        Column("applicant_id", Integer(), refers_to("user_account.id", "CASCADE"), nullable=False, index=True),
        Column("state", String(20), nullable=False),
        Column("state_since", UtcDateTime(), nullable=False),
        Column("state_reason", Text(), nullable=False),
        Column("answers", JSON(), nullable=False),
        Column("named_referees", JSON(), nullable=False),
        Column("version", Integer(), nullable=False),
        Column("submissions", Integer(), nullable=False),
        Column("submitted_at", UtcDateTime()),
        Column("receipt", String(40), unique=True),
        Column("created_at", UtcDateTime(), nullable=False),
        CheckConstraint("state IN ('draft', 'submitted', 'incomplete', 'eligible', 'ineligible', 'closed', 'withdrawn')", name="state"),
        CheckConstraint("state IN ('draft', 'withdrawn') OR (submitted_at IS NOT NULL AND submissions > 0)", name="submitted"),
        UniqueConstraint("cycle_id", "applicant_id"),
        Index("ix_application_cycle_id_state", "cycle_id", "state"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "assignment_round",
        Column("id", Integer(), primary_key=True),
        Column("cycle_id", Integer(), refers_to("cycle.id", "CASCADE"), nullable=False),
        Column("number", Integer(), nullable=False),
        Column("seed", String(200), nullable=False),
        Column("certificate", Text(), nullable=False),
        Column("made_by_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("made_at", UtcDateTime(), nullable=False),
        Column("staged_at", UtcDateTime()),
        UniqueConstraint("cycle_id", "number"),
    )
    op.create_table(
        "audit_entry",
        Column("id", Integer(), primary_key=True),
        Column("at", UtcDateTime(), nullable=False, index=True),
        Column("actor_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("actor_label", String(255), nullable=False),
        Column("act", String(80), nullable=False, index=True),
        Column("object_type", String(80), nullable=False),
        Column("object_key", String(255), nullable=False),
        Column("before", JSON(), nullable=False),
        Column("after", JSON(), nullable=False),
        Column("position", Integer(), unique=True),
        Column("seal", String(64)),
        Index("ix_audit_entry_object_type_object_key", "object_type", "object_key"),
    )
    op.create_table(
        "conflict",
        Column("id", Integer(), primary_key=True),
        Column("reviewer_id", Integer(), refers_to("user_account.id", "CASCADE"), nullable=False),
        Column("applicant_id", Integer(), refers_to("user_account.id", "CASCADE"), nullable=False, index=True),
        Column("state", String(20), nullable=False),
        Column("reason", Text(), nullable=False),
        Column("changed_at", UtcDateTime(), nullable=False),
        Column("declared_by_id", Integer(), refers_to("user_account.id", "SET NULL"), index=True),
        Column("by_administrator", Boolean(), nullable=False),
        CheckConstraint("state IN ('declared', 'dismissed')", name="state"),
        UniqueConstraint("reviewer_id", "applicant_id"),
    )
    op.create_table(
        "interests",
        Column("id", Integer(), primary_key=True),
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), nullable=False, unique=True),
        Column("statement", Text(), nullable=False),
        Column("education", String(300), nullable=False),
        Column("facets", JSON(), nullable=False),
        Column("resume_weight", Double(), nullable=False),
        Column("discoverable", Boolean(), nullable=False),
        Column("version", Integer(), nullable=False),
        Column("changed_at", UtcDateTime(), nullable=False),
        CheckConstraint("resume_weight BETWEEN 0 AND 1", name="resume_weight"),
    )
    op.create_table(
        "invitation",
        Column("id", Integer(), primary_key=True),
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), nullable=False),
        Column("applicant_id", Integer(), refers_to("user_account.id", "CASCADE"), nullable=False, index=True),
        Column("invited_by_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("message", Text(), nullable=False),
        Column("invited_at", UtcDateTime(), nullable=False),
        Column("answer", String(20)),
        Column("answered_at", UtcDateTime()),
        CheckConstraint("answer IS NULL OR answer IN ('accepted', 'refused')", name="answer"),
        UniqueConstraint("lab_id", "applicant_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "job",
        Column("id", Integer(), primary_key=True),
        Column("kind", String(60), nullable=False),
        Column("title", String(300), nullable=False),
        Column("arguments", JSON(), nullable=False),
        Column("state", String(20), nullable=False),
        Column("done", Integer(), nullable=False),
        Column("total", Integer()),
        Column("now_doing", String(300), nullable=False),
        Column("outcome", JSON(), nullable=False),
        Column("error", Text(), nullable=False),
        Column("cancel_asked", Boolean(), nullable=False),
        Column("tries", Integer(), nullable=False),
        Column("created_by_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("created_at", UtcDateTime(), nullable=False),
        Column("started_at", UtcDateTime()),
        Column("beat_at", UtcDateTime()),
        Column("finished_at", UtcDateTime()),
        CheckConstraint("state IN ('waiting', 'running', 'done', 'refused', 'failed', 'cancelled')", name="state"),
        Index("ix_job_state_created_at", "state", "created_at"),
    )
    op.create_table(
        "lab_import",
        Column("id", Integer(), primary_key=True),
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), index=True),
        Column("filename", String(255), nullable=False),
        Column("kind", String(40), nullable=False),
        Column("digest", String(64), nullable=False),
        Column("created_by_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("created_at", UtcDateTime(), nullable=False),
        Column("counts", JSON(), nullable=False),
        Column("left_out", JSON(), nullable=False),
        Column("remarks", JSON(), nullable=False),
        Column("profile", JSON()),
    )
    op.create_table(
        "lab_intake",
        Column("id", Integer(), primary_key=True),
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), nullable=False),
        Column("cycle_id", Integer(), refers_to("cycle.id", "CASCADE"), nullable=False),
        Column("seats", Integer()),
        Column("open", Boolean(), nullable=False),
        CheckConstraint("seats IS NULL OR seats >= 0", name="seats"),
        UniqueConstraint("lab_id", "cycle_id"),
    )
    op.create_table(
        "lab_professor",
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), primary_key=True),
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), primary_key=True),
        Column("position", String(20), nullable=False),
        CheckConstraint("position IN ('leader', 'reviewer')", name="position"),
    )
    op.create_table(
        "lab_reviewing",
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), primary_key=True),
        Column("blind_first", Boolean(), nullable=False),
        Column("changed_at", UtcDateTime(), nullable=False),
    )
    op.create_table(
        "lab_revision",
        Column("id", Integer(), primary_key=True),
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), nullable=False),
        Column("number", Integer(), nullable=False),
        Column("saved_at", UtcDateTime(), nullable=False),
        Column("author_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("author_label", String(255), nullable=False),
        Column("reason", String(500), nullable=False),
        Column("source", String(20), nullable=False),
        Column("snapshot", JSON(), nullable=False),
        UniqueConstraint("lab_id", "number"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "lab_share",
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), primary_key=True),
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), primary_key=True),
        Column("shared_at", UtcDateTime(), nullable=False),
    )
    op.create_table(
        "mail_preference",
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), primary_key=True),
        Column("kind", String(60), primary_key=True),
        Column("how", String(20), nullable=False),
        CheckConstraint("how IN ('at_once', 'digest', 'never')", name="how"),
    )
    op.create_table(
        "merged_account",
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), primary_key=True),
        Column("into_id", Integer(), refers_to("user_account.id", "SET NULL"), index=True),
        Column("merged_at", UtcDateTime(), nullable=False),
        CheckConstraint("user_id <> into_id", name="two_accounts"),
    )
    op.create_table(
        "open_identity",
        Column("id", Integer(), primary_key=True),
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), nullable=False, index=True),
        Column("issuer", String(200), nullable=False),
        Column("subject", String(255), nullable=False),
        Column("connected_at", UtcDateTime(), nullable=False),
        UniqueConstraint("issuer", "subject"),
    )
    op.create_table(
        "notification",
        Column("id", Integer(), primary_key=True),
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), nullable=False),
        Column("kind", String(60), nullable=False),
        Column("text", String(500), nullable=False),
        Column("path", String(500), nullable=False),
        Column("dedupe_key", String(200)),
        Column("created_at", UtcDateTime(), nullable=False),
        Column("read_at", UtcDateTime()),
        Column("in_digest", Boolean(), nullable=False),
        Column("digested_at", UtcDateTime()),
        UniqueConstraint("user_id", "dedupe_key"),
        Index("ix_notification_dedupe_key", "dedupe_key", postgresql_ops={"dedupe_key": "varchar_pattern_ops"}),
        Index("ix_notification_user_id_read_at", "user_id", "read_at"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "opening",
        Column("id", Integer(), primary_key=True),
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), nullable=False),
        Column("key", String(200), nullable=False),
        Column("degree", String(40), nullable=False, index=True),
        Column("funding", String(300), nullable=False),
        Column("start", String(100), nullable=False),
        UniqueConstraint("lab_id", "key"),
    )
    op.create_table(
        "outbox_mail",
        Column("id", Integer(), primary_key=True),
        Column("kind", String(60), nullable=False),
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), index=True),
        Column("address", String(255), nullable=False),
        Column("context", JSON(), nullable=False),
        Column("attachments", JSON(), nullable=False),
        Column("dedupe_key", String(200), unique=True),
        Column("message_id", String(200), nullable=False, unique=True),
        Column("state", String(20), nullable=False),
        Column("tries", Integer(), nullable=False),
        Column("due_at", UtcDateTime(), nullable=False),
        Column("lease_until", UtcDateTime()),
        Column("error", Text(), nullable=False),
        Column("created_at", UtcDateTime(), nullable=False),
        Column("sent_at", UtcDateTime()),
        CheckConstraint("state IN ('waiting', 'sending', 'sent', 'dead', 'cancelled')", name="state"),
        Index("ix_outbox_mail_dedupe_key", "dedupe_key", postgresql_ops={"dedupe_key": "varchar_pattern_ops"}),
        Index("ix_outbox_mail_state_due_at", "state", "due_at"),
    )
    op.create_table(
        "lab_text",
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), primary_key=True),
        Column("kind", String(20), primary_key=True),
        Column("text", Text(), nullable=False),
        CheckConstraint("kind IN ('decline', 'waitlist', 'offer', 'invitation')", name="kind"),
    )
    op.create_table(
        "queue_visit",
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), primary_key=True),
        Column("reviewer_id", Integer(), refers_to("user_account.id", "CASCADE"), primary_key=True),
        Column("visited_at", UtcDateTime(), nullable=False),
        Column("before_at", UtcDateTime()),
    )
    op.create_table(
        "release",
        Column("id", Integer(), primary_key=True),
        Column("cycle_id", Integer(), refers_to("cycle.id", "CASCADE"), nullable=False, index=True),
        Column("state", String(20), nullable=False),
        Column("prepared_by_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("prepared_at", UtcDateTime(), nullable=False),
        Column("due_at", UtcDateTime(), index=True),
        Column("approved_by_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("approved_at", UtcDateTime()),
        Column("held_by_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("held_at", UtcDateTime()),
        Column("done_at", UtcDateTime()),
        CheckConstraint("state NOT IN ('approved', 'done') OR approved_at IS NOT NULL", name="approved"),
        CheckConstraint("state IN ('prepared', 'approved', 'held', 'discarded', 'done')", name="state"),
        CheckConstraint("approved_by_id IS NULL OR approved_by_id <> prepared_by_id", name="two_people"),
    )
    op.create_table(
        "resume",
        Column("id", Integer(), primary_key=True),
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), nullable=False, unique=True),
        Column("kind", String(20), nullable=False),
        Column("filename", String(255), nullable=False),
        Column("storage_key", String(255), nullable=False, index=True),
        Column("size", Integer(), nullable=False),
        Column("sha256", String(64), nullable=False),
        Column("pages", Integer()),
        Column("text", Text(), nullable=False),
        Column("hidden_text", Text(), nullable=False),
        Column("warnings", JSON(), nullable=False),
        Column("uploaded_at", UtcDateTime(), nullable=False),
        Column("confirmed_at", UtcDateTime()),
        CheckConstraint("kind IN ('pdf', 'docx', 'txt', 'pasted')", name="kind"),
    )
    op.create_table(
        "role_of_user",
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), primary_key=True),
        Column("role_id", Integer(), refers_to("role.id", "CASCADE"), primary_key=True),
    )
    op.create_table(
        "saved_lab",
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), primary_key=True),
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), primary_key=True),
        Column("saved_at", UtcDateTime(), nullable=False),
    )
    op.create_table(
        "sign_in",
        Column("id", Integer(), primary_key=True),
        Column("key", String(64), nullable=False, unique=True),
        Column("user_id", Integer(), refers_to("user_account.id", "CASCADE"), nullable=False, index=True),
        Column("identity", String(64), nullable=False),
        Column("device", String(80), nullable=False),
        Column("created_at", UtcDateTime(), nullable=False),
    )
    op.create_table(
        "work",
        Column("id", Integer(), primary_key=True),
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), nullable=False),
        Column("key", String(200), nullable=False),
        Column("title", String(1000), nullable=False),
        Column("question", String(500), nullable=False),
        UniqueConstraint("lab_id", "key"),
    )
    op.create_table(
        "announcement_recipient",
        Column("announcement_id", Integer(), refers_to("announcement.id", "CASCADE"), primary_key=True),
        Column("application_id", Integer(), refers_to("application.id", "CASCADE"), primary_key=True, index=True),
        Column("told_at", UtcDateTime()),
    )
    op.create_table(
        "choice",
        Column("id", Integer(), primary_key=True),
        Column("application_id", Integer(), refers_to("application.id", "CASCADE"), nullable=False),
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), nullable=False),
        Column("position", Integer(), nullable=False),
        Column("reason", Text(), nullable=False),
        Column("state", String(30), nullable=False),
        Column("state_since", UtcDateTime(), nullable=False),
        Column("shown_state", String(30), nullable=False),
        Column("shown_since", UtcDateTime(), nullable=False),
        Column("preference", Integer()),
        Column("score", Double(), nullable=False),
        Column("percentile", Double(), nullable=False),
        Column("reply_by_at", UtcDateTime(), index=True),
        Column("replied_at", UtcDateTime()),
        Column("released_at", UtcDateTime()),
        Column("offer_reply_by_at", UtcDateTime(), index=True),
        Column("listed_in_id", Integer()),
        Column("listed_since", UtcDateTime()),
        Column("submitted_at", UtcDateTime()),
        Column("created_at", UtcDateTime(), nullable=False),
        CheckConstraint("shown_state NOT IN ('shortlisted', 'ranked')", name="never_shown"),
        CheckConstraint("position >= 1", name="position"),
        CheckConstraint("preference IS NULL OR preference >= 1", name="preference"),
        CheckConstraint("state NOT IN ('accepted', 'declined_by_applicant', 'expired') OR released_at IS NOT NULL", name="released"),
        CheckConstraint(
            "shown_state NOT IN ('declined', 'waitlisted', 'offered', 'accepted', 'declined_by_applicant', 'expired') OR released_at IS NOT NULL",
            name="shown_after_release",
        ),
        CheckConstraint(
            "shown_state IN ('pending', 'in_review', 'shortlisted', 'declined', 'interview', 'interviewed', 'ranked', 'waitlisted', 'offered', 'accepted', 'declined_by_applicant', 'expired', 'closed')",
            name="shown_state",
        ),
        CheckConstraint(
            "state IN ('pending', 'in_review', 'shortlisted', 'declined', 'interview', 'interviewed', 'ranked', 'waitlisted', 'offered', 'accepted', 'declined_by_applicant', 'expired', 'closed')",
            name="state",
        ),
        UniqueConstraint("application_id", "lab_id"),
        Index("ix_choice_lab_id_replied_at", "lab_id", "replied_at"),
        Index("ix_choice_listed_by_score", "lab_id", "listed_in_id", text("score DESC"), "id", "state", "application_id"),
        Index(
            "ix_choice_listed_by_state", "lab_id", "listed_in_id", "state", text("score DESC"), "id", "state_since", "listed_since", "application_id"
        ),
        Index("ix_choice_listed_by_time", "lab_id", "listed_in_id", text("submitted_at DESC"), text("score DESC"), "id", "state", "application_id"),
        Index(
            "ix_choice_listed_unanswered", "lab_id", "listed_in_id", "reply_by_at", "application_id", "replied_at", **only_where("replied_at IS NULL")
        ),
        Index("uq_choice_one_accepted", "application_id", unique=True, **only_where("state = 'accepted'")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "document",
        Column("id", Integer(), primary_key=True),
        Column("application_id", Integer(), refers_to("application.id", "CASCADE"), nullable=False, index=True),
        Column("key", String(60), nullable=False),
        Column("kind", String(20), nullable=False),
        Column("filename", String(255), nullable=False),
        Column("storage_key", String(255), nullable=False, index=True),
        Column("size", Integer(), nullable=False),
        Column("uploaded_at", UtcDateTime(), nullable=False),
        Column("removed_at", UtcDateTime()),
    )
    op.create_table(
        "interest_topic",
        Column("id", Integer(), primary_key=True),
        Column("interests_id", Integer(), refers_to("interests.id", "CASCADE"), nullable=False),
        Column("position", Integer(), nullable=False),
        Column("text", String(200), nullable=False),
        Column("weight", Double(), nullable=False),
        CheckConstraint("weight >= 0 AND weight <= 5", name="weight"),
        UniqueConstraint("interests_id", "position"),
    )
    op.create_table(
        "lab_photo",
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), primary_key=True),
        Column("storage_key", String(255), nullable=False, index=True),
        Column("alt", String(200), nullable=False),
    )
    op.create_table(
        "lab_proposal",
        Column("id", Integer(), primary_key=True),
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), nullable=False, index=True),
        Column("path", String(500), nullable=False),
        Column("current", JSON(), nullable=False),
        Column("proposed", JSON(), nullable=False),
        Column("why", String(500), nullable=False),
        Column("fingerprint", String(64), nullable=False),
        Column("state", String(20), nullable=False),
        Column("created_at", UtcDateTime(), nullable=False),
        Column("decided_at", UtcDateTime()),
        Column("decided_by_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("import_id", Integer(), refers_to("lab_import.id", "SET NULL"), index=True),
        CheckConstraint("state IN ('open', 'accepted', 'refused')", name="state"),
        UniqueConstraint("lab_id", "fingerprint"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "referee",
        Column("id", Integer(), primary_key=True),
        Column("application_id", Integer(), refers_to("application.id", "CASCADE"), nullable=False),
        Column("name", String(200), nullable=False),
        Column("email", String(255), nullable=False),
        Column("relation", String(300), nullable=False),
        Column("token_hash", String(64), unique=True),
        Column("invited_at", UtcDateTime()),
        Column("expires_at", UtcDateTime()),
        Column("revoked_at", UtcDateTime()),
        Column("reminded_at", UtcDateTime()),
        Column("declined_at", UtcDateTime()),
        Column("received_at", UtcDateTime()),
        Column("letter", Text(), nullable=False),
        Column("letter_filename", String(255), nullable=False),
        Column("letter_kind", String(20), nullable=False),
        Column("storage_key", String(255), nullable=False, index=True),
        Column("created_at", UtcDateTime(), nullable=False),
        UniqueConstraint("application_id", "email"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "submission",
        Column("id", Integer(), primary_key=True),
        Column("application_id", Integer(), refers_to("application.id", "CASCADE"), nullable=False),
        Column("number", Integer(), nullable=False),
        Column("submitted_at", UtcDateTime(), nullable=False),
        Column("answers", JSON(), nullable=False),
        Column("choices", JSON(), nullable=False),
        Column("interests", JSON(), nullable=False),
        Column("document_ids", JSON(), nullable=False),
        Column("resume_kind", String(20), nullable=False),
        Column("resume_filename", String(255), nullable=False),
        Column("resume_size", Integer(), nullable=False),
        Column("resume_pages", Integer()),
        Column("resume_text", Text(), nullable=False),
        Column("resume_hidden_text", Text(), nullable=False),
        Column("resume_warnings", JSON(), nullable=False),
        Column("storage_key", String(255), nullable=False, index=True),
        UniqueConstraint("application_id", "number"),
    )
    op.create_table(
        "decision",
        Column("id", Integer(), primary_key=True),
        Column("choice_id", Integer(), refers_to("choice.id", "CASCADE"), nullable=False),
        Column("kind", String(20), nullable=False),
        Column("message", Text(), nullable=False),
        Column("reply_days", Integer()),
        Column("preference", Integer()),
        Column("staged_at", UtcDateTime(), nullable=False),
        Column("staged_by_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("released_at", UtcDateTime()),
        Column("released_by_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("taken_back_at", UtcDateTime()),
        CheckConstraint("kind IN ('offer', 'waitlist', 'decline')", name="kind"),
        CheckConstraint("released_at IS NULL OR taken_back_at IS NULL", name="released_or_taken_back"),
        CheckConstraint("reply_days IS NULL OR reply_days BETWEEN 1 AND 365", name="reply_days"),
        Index("ix_decision_choice_id_released_at", "choice_id", "released_at"),
        Index("uq_decision_one_staged", "choice_id", unique=True, **only_where("released_at IS NULL AND taken_back_at IS NULL")),
    )
    op.create_table(
        "interview_slot",
        Column("id", Integer(), primary_key=True),
        Column("lab_id", Integer(), refers_to("lab.id", "CASCADE"), nullable=False),
        Column("cycle_id", Integer(), refers_to("cycle.id", "CASCADE"), nullable=False),
        Column("interviewer_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("choice_id", Integer(), refers_to("choice.id", "SET NULL")),
        Column("uid", String(80), nullable=False, unique=True),
        Column("organizer", String(255), nullable=False),
        Column("sequence", Integer(), nullable=False),
        Column("starts_at", UtcDateTime(), nullable=False, index=True),
        Column("minutes", Integer(), nullable=False),
        Column("zone", String(64), nullable=False),
        Column("where", String(500), nullable=False),
        Column("picked_at", UtcDateTime()),
        Column("cancelled_at", UtcDateTime()),
        Column("cancelled_choice_id", Integer(), refers_to("choice.id", "SET NULL"), index=True),
        Column("cancel_reason", Text(), nullable=False),
        Column("created_at", UtcDateTime(), nullable=False),
        CheckConstraint("minutes BETWEEN 5 AND 480", name="minutes"),
        CheckConstraint("choice_id IS NULL OR cancelled_at IS NULL", name="taken_or_cancelled"),
        Index("ix_interview_slot_lab_id_starts_at", "lab_id", "starts_at"),
        Index("uq_interview_slot_choice_id", "choice_id", unique=True, **only_where("choice_id IS NOT NULL")),
    )
    op.create_table(
        "match_record",
        Column("id", Integer(), primary_key=True),
        Column("choice_id", Integer(), refers_to("choice.id", "CASCADE"), nullable=False),
        Column("submission_id", Integer(), refers_to("submission.id", "CASCADE"), nullable=False, index=True),
        Column("computed_at", UtcDateTime(), nullable=False),
        Column("score", Double(), nullable=False),
        Column("fits", Boolean(), nullable=False),
        Column("position", Integer(), nullable=False),
        Column("labs", Integer(), nullable=False),
        Column("percentile", Double(), nullable=False),
        Column("applicant_position", Integer(), nullable=False),
        Column("applicants", Integer(), nullable=False),
        Column("applicant_percentile", Double(), nullable=False),
        Column("found", JSON(), nullable=False),
        Column("model", JSON(), nullable=False),
        UniqueConstraint("choice_id", "submission_id"),
    )
    op.create_table(
        "move_record",
        Column("id", Integer(), primary_key=True),
        Column("application_id", Integer(), refers_to("application.id", "CASCADE"), nullable=False, index=True),
        Column("choice_id", Integer(), refers_to("choice.id", "CASCADE"), index=True),
        Column("move", String(40), nullable=False),
        Column("from_state", String(30), nullable=False),
        Column("to_state", String(30), nullable=False),
        Column("at", UtcDateTime(), nullable=False),
        Column("actor_id", Integer(), refers_to("user_account.id", "SET NULL")),
        Column("actor_role", String(20), nullable=False),
        Column("message", Text(), nullable=False),
        Column("shown_at", UtcDateTime()),
    )
    op.create_table(
        "assigned_reviewer",
        Column("choice_id", Integer(), refers_to("choice.id", "CASCADE"), primary_key=True),
        Column("reviewer_id", Integer(), refers_to("user_account.id", "CASCADE"), primary_key=True, index=True),
        Column("assigned_at", UtcDateTime(), nullable=False),
    )
    op.create_table(
        "choice_note",
        Column("id", Integer(), primary_key=True),
        Column("choice_id", Integer(), refers_to("choice.id", "CASCADE"), nullable=False, index=True),
        Column("author_id", Integer(), refers_to("user_account.id", "SET NULL"), index=True),
        Column("text", Text(), nullable=False),
        Column("written_at", UtcDateTime(), nullable=False),
    )
    op.create_table(
        "choice_tag",
        Column("choice_id", Integer(), refers_to("choice.id", "CASCADE"), primary_key=True),
        Column("tag", String(40), primary_key=True),
    )
    op.create_table(
        "scorecard",
        Column("id", Integer(), primary_key=True),
        Column("choice_id", Integer(), refers_to("choice.id", "CASCADE"), nullable=False),
        Column("reviewer_id", Integer(), refers_to("user_account.id", "CASCADE"), nullable=False, index=True),
        Column("fit", Integer()),
        Column("potential", Integer()),
        Column("preparation", Integer()),
        Column("writing", Integer()),
        Column("confidence", Integer()),
        Column("comment", Text(), nullable=False),
        Column("abstained", Boolean(), nullable=False),
        Column("abstain_reason", Text(), nullable=False),
        Column("version", Integer(), nullable=False),
        Column("changed_at", UtcDateTime(), nullable=False),
        Column("locked_at", UtcDateTime()),
        Column("reopened_at", UtcDateTime()),
        Column("reopen_reason", Text(), nullable=False),
        Column("reopened_after", Integer(), nullable=False),
        CheckConstraint("confidence IS NULL OR confidence BETWEEN 1 AND 3", name="confidence"),
        CheckConstraint(
            "(fit IS NULL OR fit BETWEEN 1 AND 5) AND (potential IS NULL OR potential BETWEEN 1 AND 5) AND (preparation IS NULL OR preparation BETWEEN 1 AND 5) AND (writing IS NULL OR writing BETWEEN 1 AND 5)",
            name="criteria",
        ),
        CheckConstraint(
            "locked_at IS NULL OR (abstained AND abstain_reason <> '') OR (fit IS NOT NULL AND potential IS NOT NULL AND preparation IS NOT NULL AND writing IS NOT NULL AND confidence IS NOT NULL)",
            name="locked_when_complete",
        ),
        UniqueConstraint("choice_id", "reviewer_id"),
    )
    op.create_table(
        "redaction",
        Column("choice_id", Integer(), refers_to("choice.id", "CASCADE"), primary_key=True),
        Column("submission_id", Integer(), refers_to("submission.id", "CASCADE"), nullable=False, index=True),
        Column("record_id", Integer(), refers_to("match_record.id", "SET NULL"), index=True),
        Column("rules", String(40), nullable=False),
        Column("name", String(200), nullable=False),
        Column("email", String(255), nullable=False),
        Column("other_names", JSON(), nullable=False),
        Column("hidden", JSON(), nullable=False),
        Column("topics", JSON(), nullable=False),
        Column("searchable", Text(), nullable=False),
    )
    op.create_table(
        "release_item",
        Column("id", Integer(), primary_key=True),
        Column("release_id", Integer(), refers_to("release.id", "CASCADE"), nullable=False, index=True),
        Column("decision_id", Integer(), refers_to("decision.id", "CASCADE"), nullable=False, index=True),
        Column("released_at", UtcDateTime()),
        Column("problem", String(500), nullable=False),
    )


def downgrade() -> None:
    for table in reversed(TABLES.split()):
        op.drop_table(table)
