"""Zoë, who chose three labs and has much that not everybody may know; for tests of what shows where."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from portal.app import create_app
from portal.applications.files import file_store
from portal.applications.match_records import RESUME_MARKS
from portal.db import db
from portal.matching import mark
from portal.models import Choice, Decision, Interests, LabReviewing, MatchRecord, MoveRecord, Referee, Submission
from tests.admission import add_admission
from tests.reviews.crowd import TERMS, add_crowd

if TYPE_CHECKING:
    from pathlib import Path

    from tests.admission import Admission

NOW = datetime.now(UTC).replace(microsecond=0)
FULL = {"fit": 4, "potential": 4, "preparation": 3, "writing": 3, "confidence": 2}
NAME = "Zoë Quetzalcoatl"
PERSONAL = ("Quetzal", "Vogelsang", "zoe.q@", "Massachusetts Institute", "Grace Hopper", "navy.mil", "She ")
SECRET_ELSEWHERE = ("Other-reason", "Other-decision", "Other-step", "Drafted-answer", "Typed-since", "Withdrawn-words")
"""What only the other lab, or only the applicant, may know."""


def admission_of_zoe(instance: Path, database: Path) -> Admission:
    """Zoë chose the labs Mine, Blind and Other; so did two more. What nobody at Mine may know bears a mark."""
    shutil.copy(database, instance / "portal.sqlite")
    app = create_app({"PORTAL_MODE": "testing", "PORTAL_INSTANCE": str(instance), "PORTAL_MAIL_URL": "memory:"})
    with app.app_context():
        questions = [{"key": "why", "text": "Why a Ph.D.?", "help": "", "required": True, "limit": 900}]
        made = add_admission(
            app, deadline_in=timedelta(days=1), now=NOW - timedelta(days=9), questions=questions, referees=1
        )
        made.now = NOW
        labs = [made.add_lab(name) for name in ("Mine", "Blind", "Other")]
        add_crowd(made.session, made.cycle, labs, 3, now=NOW - timedelta(days=2), name="Person {}")
        db.session.add(LabReviewing(lab_id=labs[1].id, blind_first=True, changed_at=NOW))
        zoe = choice_of(made, "Mine")
        application = zoe.application
        application.applicant.name, application.applicant.email = NAME, "zoe.q@example.edu"
        submission = db.session.query(Submission).filter_by(application_id=application.id).one()
        head = f"{NAME}, née Vogelsang\nMassachusetts Institute of Technology"
        text = f"{head}\nSchedulers for annealers. Her <b>caches</b>."
        file_store(app).put("zoe.pdf", b"%PDF the file")
        file_store(app).put("letter.pdf", b"%PDF the letter")
        submission.answers, submission.resume_text = {"why": f"Because {NAME} likes serving."}, text
        submission.interests = {
            **submission.interests,
            "statement": "I, Zoë Quetzalcoatl, want annealers. Ask Vogelsang.",
        }
        submission.resume_kind, submission.storage_key = "pdf", "zoe.pdf"
        submission.resume_hidden_text = "hidden by Quetzalcoatl"
        application.answers = {"why": "Drafted-answer"}
        for record in db.session.query(MatchRecord).filter_by(submission_id=submission.id):
            said = {"mine": "Quetzalcoatl built schedulers. As Vogelsang.", "mine_spans": [[13, 18]]}
            record.found = {**record.found, "evidence": [{**record.found["evidence"][0], **said}]}
            record.found[RESUME_MARKS] = mark(text, TERMS)
        choice_of(made, "Other").reason = "Other-reason"
        other = choice_of(made, "Other")
        other.state = "declined"
        db.session.add(Decision(choice_id=other.id, kind="decline", message="Other-decision", staged_at=NOW))
        db.session.add(
            MoveRecord(
                application_id=application.id,
                choice_id=other.id,
                move="decline",
                from_state="in_review",
                to_state="declined",
                at=NOW,
                actor_role="leader",
                message="Other-step",
            )
        )
        db.session.add(Interests(user_id=application.applicant_id, statement="Typed-since", changed_at=NOW))
        letter = f"{NAME} is quick. Miss Vogelsang writes. She thinks.\n\nGrace Hopper, grace@navy.mil"
        common = {"application_id": application.id, "created_at": NOW}
        db.session.add_all(
            [
                Referee(
                    **common,
                    name="Grace Hopper",
                    email="grace@navy.mil",
                    relation="adviser",
                    received_at=NOW,
                    letter=letter,
                    letter_kind="pdf",
                    storage_key="letter.pdf",
                ),
                Referee(**common, name="Not-answered", email="x@example.edu"),
            ]
        )
        gone = choice_of(made, "Mine", 2)
        gone.application.state = "withdrawn"
        gone.listed_in_id = None
        gone.reason = "Withdrawn-words"
        db.session.commit()
    return made


def choice_of(admission: Admission, lab: str, at: int = 0) -> Choice:
    """The choice of a lab by Zoë, or by who came after her."""
    found = db.session.query(Choice).filter_by(lab_id=admission.labs[lab]).order_by(Choice.id)
    return list(found)[at]


def address(admission: Admission, lab: str, at: int = 0) -> str:
    with admission.app.app_context():
        return f"/reviews/{lab.lower()}/choices/{choice_of(admission, lab, at).id}"
