"""`portal seed`: the plan is shown, applied as a whole, and made again if somebody saved in between."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.db import db
from portal.labs import seeding as seed_command
from portal.labs import service
from portal.labs.queries import lab_by_slug, profile_of
from portal.labs.seeding import TRIES, StalePlan, apply_plan, plan_for, seed
from portal.models import Lab, LabProposal, LabRevision
from portal.seeding.reader import seed_from
from tests.revisions import revisions_of
from tests.seeding.other_pages import HOME

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result
    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.seeding.merging import Plan
    from portal.seeding.records import LabRecord

NOW = datetime(2026, 11, 20, tzinfo=UTC)
SLUG = "analytical-engines-laboratory"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "ada.md").write_text(HOME, encoding="utf-8")
    return folder


def run(app: Flask, *arguments: object) -> Result:
    result = app.test_cli_runner().invoke(seed, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result


def lab() -> Lab:
    stored_lab = lab_by_slug(db.session(), SLUG)
    assert stored_lab is not None
    return stored_lab


def save(place: str) -> None:
    """An administrator saves the lab's place by hand."""
    profile = profile_of(db.session(), lab())
    service.save_profile(
        db.session(),
        lab(),
        replace(profile, place=place),
        base=lab().revision_number,
        author=None,
        reason="by hand",
        now=NOW,
    )
    db.session.commit()


def test_a_second_run_changes_nothing(app: Flask, pages: Path) -> None:
    assert run(app, pages).output.startswith(f"+ create  {SLUG}  (")
    assert run(app, pages).output.endswith("All of this is stored already.\n")
    with app.app_context():
        assert [revision.number for revision in revisions_of(db.session(), lab())] == [1]


def test_a_question_that_another_seeding_has_just_asked_makes_the_plan_stale(app: Flask, pages: Path) -> None:
    run(app, pages)
    with app.app_context():
        save("Mars")
        (record,) = seed_from(pages, None).labs
        plan = plan_for(db.session(), (replace(record, place="Venus"),))
        assert [proposal.path for step in plan for proposal in step.proposals] == ["place"]
        apply_plan(db.session(), plan, now=NOW)
        db.session.commit()
        with pytest.raises(StalePlan):
            apply_plan(db.session(), plan, now=NOW)
        db.session.rollback()


def test_a_dry_run_and_a_report_write_nothing(app: Flask, pages: Path) -> None:
    assert run(app, pages, "--dry-run").output.endswith("Nothing was changed (--dry-run).\n")
    assert json.loads(run(app, pages, "--dry-run", "--json").output)[0]["step"] == "create"
    assert "labs" in json.loads(run(app, pages, "--report", "--json").output)
    with app.app_context():
        assert db.session.scalars(select(Lab)).all() == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "bad.txt: the file is empty"),
        (b"\xff\xfea\x00", "bad.txt: the file is not UTF-8 text (byte 0)"),
        (b"Dear all,\n", "bad.txt: the kind of the page is not known"),
    ],
)
def test_one_bad_page_stops_all_with_its_name(app: Flask, pages: Path, content: bytes, message: str) -> None:
    (pages / "bad.txt").write_bytes(content)
    result = run(app, pages)
    assert result.exit_code == 1
    assert result.output.startswith(f"Error: {message}")
    with app.app_context():
        assert db.session.scalars(select(Lab)).all() == []


def test_what_is_saved_while_seeding_is_kept_and_the_plan_is_made_again(
    app: Flask, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(app, pages)
    (pages / "ada.md").write_text(HOME.replace("query optimization", "stream processing"), encoding="utf-8")
    plans: list[Plan] = []

    def planned(session: Session, seeded: tuple[LabRecord, ...]) -> Plan:
        plan = plan_for(session, seeded)
        plans.append(plan)
        if len(plans) == 1:
            _saved_by_another_process(app, "Lake Ontario")
        return plan

    monkeypatch.setattr(seed_command, "plan_for", planned)
    assert run(app, pages).exit_code == 0
    with app.app_context():
        profile = profile_of(db.session(), lab())
        assert profile.place == "Lake Ontario"
        assert "stream processing" in profile.about + profile.interests
        assert [revision.reason for revision in revisions_of(db.session(), lab())][1] == "by hand"
        assert list(db.session.scalars(select(LabProposal.path))) == ["place"]
    assert len(plans) == 2


def test_a_lab_that_another_seeding_creates_meanwhile_is_not_created_twice(
    app: Flask, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[Plan] = []

    def planned(session: Session, seeded: tuple[LabRecord, ...]) -> Plan:
        plan = plan_for(session, seeded)
        plans.append(plan)
        if len(plans) == 1:
            with app.app_context():
                apply_plan(db.session(), plan, now=NOW)
                db.session.commit()
        return plan

    monkeypatch.setattr(seed_command, "plan_for", planned)
    assert "\nAll of this is stored already.\n" in run(app, pages).output
    assert [plan[0].kind for plan in plans] == ["create", "skip"]


def test_seeding_gives_up_with_a_sentence_and_changes_nothing(
    app: Flask, pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(app, pages)
    (pages / "ada.md").write_text(HOME.replace("query optimization", "stream processing"), encoding="utf-8")
    places = iter(f"Place {number}" for number in range(TRIES))

    def planned(session: Session, seeded: tuple[LabRecord, ...]) -> Plan:
        plan = plan_for(session, seeded)
        _saved_by_another_process(app, next(places))
        return plan

    monkeypatch.setattr(seed_command, "plan_for", planned)
    result = run(app, pages)
    assert result.exit_code == 1
    assert "Nothing was changed" in result.output
    with app.app_context():
        reasons = set(db.session.scalars(select(LabRevision.reason).where(LabRevision.number > 1)))
        assert reasons == {"by hand"}


def _saved_by_another_process(app: Flask, place: str) -> None:
    """Save in a session of its own, while the seeding's stays as it is."""
    with app.app_context():
        save(place)
