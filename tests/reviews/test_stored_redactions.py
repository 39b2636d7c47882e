"""What is hidden of texts that are read blind is found once, and pages show the same with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.db import db
from portal.matching import TermShare
from portal.models import LabReviewing, MatchRecord, Redaction, Scorecard, Submission
from portal.reviews import blind_review as redaction
from portal.reviews import blind_review as stored_redactions
from portal.reviews.blind_review import choices_to_redact, keep_redactions, pseudonym
from portal.reviews.clockwork import AT_ONCE, keep_missing_redactions
from tests.admission import add_admission
from tests.databases import application_over_each
from tests.reviews.crowd import add_crowd
from tests.reviews.zoe import FULL, NOW, address, admission_of_zoe, choice_of
from tests.statements import statements_sent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask import Flask
    from flask.testing import FlaskClient

    from tests.admission import Admission

MANY = 100
app = application_over_each()


@pytest.fixture
def admission(tmp_path: Path, migrated_database: Path) -> Iterator[Admission]:
    """Zoë, who was born a Wood, as her resume alone says; two of her terms are her names."""
    made = admission_of_zoe(tmp_path, migrated_database)
    with made.app.app_context():
        zoe = choice_of(made, "Blind")
        submission = db.session.scalars(select(Submission).filter_by(application_id=zoe.application_id)).one()
        submission.resume_text = "Zoë Quetzalcoatl (née Wood)\nSchedulers for annealers. Wood et al. built caches."
        submission.interests = {
            **submission.interests,
            "statement": "I was Zoë Wood then. I want annealers, Rust and Kestrel.",
            "topics": [{"text": text, "weight": 1.0} for text in ("caches of Vogelsang", "Quetzalcoatl machines")],
        }
        submission.resume_hidden_text = "née Vogelsang"
        zoe.reason = "Your caches are as Quetzalcoatl would build them."
        terms = [TermShare(term, 0.1, "resume", ("w1",))._asdict() for term in ("vogelsang", "cache", "quetzalcoatl")]
        record = db.session.scalars(select(MatchRecord).filter_by(choice_id=zoe.id)).one()
        record.found = {**record.found, "terms": terms}
        db.session.commit()
        yield made


@pytest.fixture
def professor(admission: Admission) -> FlaskClient:
    return admission.leaders["Blind"].sign_in()


def pages_of(admission: Admission, professor: FlaskClient) -> dict[str, str]:
    """All that a lab reads of Zoë, without what is new with each answer."""
    one = address(admission, "Blind")
    searches = ("annealers", "rust", "caches", "wood", "Quetz", "zoe.q", "then. i")
    asked = [
        "/reviews/blind/",
        "/reviews/blind/?sort=newest",
        "/reviews/blind/board",
        "/reviews/blind/applicants.csv",
        "/reviews/blind/applicants/print",
        *(f"/reviews/blind/?q={text}" for text in searches),
        *(f"{one}{end}" for end in ("", "?q=annealers", "?sort=newest")),
    ]
    return {page: _without_tokens(professor.get(page).text) for page in asked}


def _without_tokens(page: str) -> str:
    return "\n".join(line for line in page.splitlines() if "csrf" not in line and "nonce" not in line)


def test_an_applicants_page_is_the_same_whether_it_is_kept_or_found_now_and_the_queue_waits_for_it(
    admission: Admission, professor: FlaskClient
) -> None:
    pages_of(admission, professor)  # the first visit shows what is new
    found_now = pages_of(admission, professor)
    keep_missing_redactions(db.session(), NOW)
    assert db.session.query(Redaction).count() == 2  # Zoë and another; the third has withdrawn
    with_kept = pages_of(admission, professor)
    label = pseudonym("choice", choice_of(admission, "Blind").id)
    for page, text in found_now.items():
        if page.startswith(address(admission, "Blind")):
            assert with_kept[page] == text, page
        assert "wood" not in text.casefold() or "?q=wood" in page
    assert [page for page, text in found_now.items() if label in text and "blind/?q=" in page] == []
    seen = {page.partition("?q=")[2] for page, text in with_kept.items() if label in text and "blind/?q=" in page}
    assert seen == {"annealers", "rust", "caches", "then. i"}
    assert [page for page, text in with_kept.items() if "wood" in text.casefold() and "?q=wood" not in page] == []


def test_pages_read_what_is_kept(admission: Admission, professor: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    keep_missing_redactions(db.session(), NOW)

    def refuse(*_texts: object) -> None:
        raise AssertionError("looked for again")

    monkeypatch.setattr(stored_redactions, "other_names", refuse)
    monkeypatch.setattr(redaction, "_stretches", refuse)
    page = professor.get("/reviews/blind/").text
    assert ("caches of [name]" in page, "[name] machines" in page, "vogelsang" in page.casefold()) == (
        True,
        True,
        False,
    )
    assert pseudonym("choice", choice_of(admission, "Blind").id) in professor.get("/reviews/blind/?q=annealers").text
    db.session.query(Redaction).filter_by(choice_id=choice_of(admission, "Blind").id).one().other_names = []
    db.session.commit()
    # A letter is no part of what was submitted: it is looked at when it is read.
    with pytest.raises(AssertionError, match="looked for again"):
        professor.get(address(admission, "Blind"))


@pytest.mark.parametrize("what", ["name", "email", "rules", "submission"])
def test_what_does_not_hold_any_more_is_found_anew(
    admission: Admission, professor: FlaskClient, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_missing_redactions(db.session(), NOW)
    assert choices_to_redact(db.session(), 10) == []
    zoe = choice_of(admission, "Blind")
    user, application = zoe.application.applicant, zoe.application
    submission = db.session.query(Submission).filter_by(application_id=application.id).one()
    hidden = "kestrel"
    if what == "name":
        user.name = "Zoë Kestrel"
    elif what == "email":
        user.email = "kestrel@example.edu"
    elif what == "rules":
        kept = db.session.get_one(Redaction, zoe.id)
        kept.hidden, kept.other_names, kept.searchable = {}, [], "kept by other rules: wood"
        monkeypatch.setattr(stored_redactions, "rules_in_use", lambda: "others")
        monkeypatch.setattr("portal.reviews.queue.queries.rules_in_use", lambda: "others")
        monkeypatch.setattr("portal.reviews.choice_snapshot.rules_in_use", lambda: "others")
        hidden = "wood"
    else:
        application.submissions = 2
        again = {column: getattr(submission, column) for column in ("application_id", "submitted_at", "interests")}
        again["interests"] = {**again["interests"], "statement": "I like Kestrel."}
        db.session.add(Submission(**again, number=2, resume_text="Zoë Quetzalcoatl (née Kestrel)"))
    db.session.commit()
    label = pseudonym("choice", zoe.id)
    for _turn in ("found now", "kept again"):
        page = professor.get(address(admission, "Blind")).text
        assert label in page
        assert hidden not in page.casefold()
        assert label not in professor.get(f"/reviews/blind/?q={hidden}").text
        assert (label in professor.get("/reviews/blind/?q=like").text) is (_turn == "kept again")
        assert zoe.id in choices_to_redact(db.session(), 10) or _turn == "kept again"
        keep_missing_redactions(db.session(), NOW)
        assert choices_to_redact(db.session(), 10) == []


def test_nothing_is_kept_for_labs_that_show_names_and_drafts(app: Flask) -> None:
    with app.app_context():
        made = add_admission(app)
        made.add_lab("Open"), made.add_lab("Blind")
        made.session.add(LabReviewing(lab_id=made.labs["Blind"], blind_first=True, changed_at=NOW))
        made.eligible(made.add_applicant("Ada"), "Open")
        made.draft(made.add_applicant("Ben"), "Blind")
        made.submitted(made.add_applicant("Cem"), "Blind")
        read = made.eligible(made.add_applicant("Dan"), "Blind", "Open")
        assert choices_to_redact(made.session, 10) == [made.choice(read, "Blind").id]


def test_many_are_kept_in_steps_and_a_queue_asks_no_more_of_them(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    with app.app_context():
        made = add_admission(app)
        lab = made.add_lab("Blind")
        made.session.add(LabReviewing(lab_id=lab.id, blind_first=True, changed_at=NOW))
        add_crowd(made.session, made.cycle, [lab], MANY + 1, now=NOW)
        professor = made.leaders["Blind"].sign_in()

        def number_of_statements() -> int:
            with statements_sent(app) as statements:
                assert professor.get("/reviews/blind/").status_code == 200
            return len(statements)

        number_of_statements()
        before = number_of_statements()
        steps = []

        def killed_in_the_second_step(session: object, choices: list[int]) -> None:
            steps.append(len(choices))
            if len(steps) == 2:
                raise KeyboardInterrupt
            keep_redactions(session, choices)  # type: ignore[arg-type]

        monkeypatch.setattr("portal.reviews.clockwork.keep_redactions", killed_in_the_second_step)
        with pytest.raises(KeyboardInterrupt):
            keep_missing_redactions(made.session, NOW)
        made.session.rollback()
        assert made.session.query(Redaction).count() == AT_ONCE
        keep_missing_redactions(made.session, NOW)
        assert made.session.query(Redaction).count() == MANY + 1
        assert steps == [AT_ONCE, AT_ONCE, AT_ONCE, 1]
        assert number_of_statements() == before
        page = professor.get("/reviews/blind/?q=NUMBER+77").text
        assert page.count('class="queue-terms"') == 1
        assert choices_to_redact(made.session, MANY) == []


def test_one_that_fails_does_not_keep_the_others_from_their_turn(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("portal.reviews.clockwork.AT_ONCE", 2)
    with app.app_context():
        made = add_admission(app)
        lab = made.add_lab("Blind")
        made.session.add(LabReviewing(lab_id=lab.id, blind_first=True, changed_at=NOW))
        choices = [made.choice(made.eligible(made.add_applicant(), "Blind"), "Blind").id for _ in range(3)]

        def keep_unless_broken(session: object, batch: list[int]) -> None:
            if choices[-1] in batch:
                raise ValueError("broken")
            keep_redactions(session, batch)  # type: ignore[arg-type]

        monkeypatch.setattr("portal.reviews.clockwork.keep_redactions", keep_unless_broken)
        keep_missing_redactions(made.session, NOW)
        assert choices_to_redact(made.session, MANY) == choices[-1:]


def test_a_name_is_read_again_behind_the_own_locked_card(admission: Admission, professor: FlaskClient) -> None:
    keep_missing_redactions(db.session(), NOW)
    zoe = choice_of(admission, "Blind")
    me = admission.leaders["Blind"].id
    db.session.add(Scorecard(choice_id=zoe.id, reviewer_id=me, changed_at=NOW, locked_at=NOW, **FULL))
    db.session.commit()
    assert "Quetzalcoatl (née Wood" in professor.get(address(admission, "Blind")).text
    assert "Quetzalcoatl" in professor.get("/reviews/blind/?q=wood").text
