from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from portal.accounts.service import labs_read_by
from portal.db import db
from portal.labs import queries, service
from portal.models import AuditEntry, Lab, LabRevision, User, Work
from portal.seeding.records import LabRecord, MemberRecord, Origin, SystemRecord, WorkRecord
from tests.revisions import revisions_of
from tests.statements import statements_sent

if TYPE_CHECKING:
    from flask import Flask
    from sqlalchemy.orm import Session

    from tests.people import Person

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PROFILE = LabRecord(
    key="ada-lab",
    name="Ada Lab",
    leader="Ada Byron",
    interests="Engines that compute. And weave.",
    topics=("engines",),
    members=(MemberRecord("li-hua", "李华", "phd_student", origins=(Origin("page.txt", 3),)),),
    works=(WorkRecord("engine", "An Engine", ("Ada Byron",), year=2024), WorkRecord("loom", "A Loom", year=2025)),
    systems=(SystemRecord("engine", "Engine", works=("engine", "loom")),),
    origins=(("interests", Origin("page.txt", 1)), ("leader", Origin("page.txt", 2))),
)


@pytest.fixture
def lab(session: Session) -> Lab:
    lab = service.create_lab(session, PROFILE, author=None, reason="first", now=NOW)
    session.commit()
    return lab


def save(session: Session, lab: Lab, record: LabRecord, base: int, author: User | None = None) -> LabRevision | None:
    return service.save_profile(session, lab, record, base=base, author=author, reason="because", now=NOW)


def test_a_new_lab_has_its_profile_as_the_first_revision(session: Session, lab: Lab) -> None:
    assert queries.profile_of(session, lab) == PROFILE
    assert [(r.number, r.reason, r.author_label) for r in revisions_of(session, lab)] == [(1, "first", "command line")]


def test_nothing_of_a_new_lab_is_looked_up(app: Flask, session: Session) -> None:
    with statements_sent(app) as sent:
        service.create_lab(session, PROFILE, author=None, reason="first", now=NOW)
        session.commit()
    looks = re.compile(r"(SELECT.* FROM|DELETE FROM) (work|opening)\b", re.DOTALL)
    assert [text for text in sent if looks.match(text)] == []


def test_a_system_of_a_new_lab_names_only_works_that_are_there(session: Session) -> None:
    lost = replace(PROFILE, key="lost", systems=(SystemRecord("engine", "Engine", works=("gone", "loom")),))
    lab = service.create_lab(session, lost, author=None, reason="first", now=NOW)
    assert queries.profile_of(session, lab).systems[0].works == ("loom",)


def test_the_tables_say_what_the_profile_says(lab: Lab) -> None:
    assert (lab.slug, lab.name, lab.leader) == ("ada-lab", "Ada Lab", "Ada Byron")
    assert [work.title for work in lab.works] == ["An Engine", "A Loom"]
    assert all(text in lab.search_text for text in ("a loom", "李华", "engines that compute"))


def test_texts_longer_than_their_columns_are_cut_in_the_tables_and_whole_in_the_profile(session: Session) -> None:
    """As of a file that gives an abstract as a title: PostgreSQL would refuse the whole profile."""
    works = (WorkRecord("engine", "An engine " * 150, ("Ada Byron",), venue="Proceedings " * 50),)
    members = (MemberRecord("li-hua", "李华" * 150, "phd_student"),)
    record = replace(PROFILE, key="long-lab", name="Long Lab " * 40, works=works, systems=(), members=members)
    lab = service.create_lab(session, record, author=None, reason="first", now=NOW)
    session.commit()
    (work,) = lab.works
    assert [len(text) for text in (lab.name, work.title)] == [300, 1_000]
    assert work.title == f"{work.title[:-1].strip()}…"
    assert queries.profile_of(session, lab) == record
    service.save_profile(session, lab, replace(record, about="New."), base=1, author=None, reason="second", now=NOW)
    assert (len(lab.works[0].title), lab.works[0].id) == (1_000, work.id)


def test_a_save_keeps_the_rows_of_items_that_stay(session: Session, lab: Lab) -> None:
    ids = {work.key: work.id for work in lab.works}
    titled = replace(PROFILE, works=(replace(PROFILE.works[0], title="The Engine"),))
    save(session, lab, titled, 1)
    session.commit()
    assert {work.key: work.id for work in session.scalars(select(Work))} == {"engine": ids["engine"]}
    assert session.scalar(select(Work.title)) == "The Engine"


def test_a_removed_work_leaves_the_systems_that_named_it(session: Session, lab: Lab) -> None:
    save(session, lab, replace(PROFILE, works=PROFILE.works[1:]), 1)
    session.commit()
    assert queries.profile_of(session, lab).systems[0].works == ("loom",)


def test_saving_the_same_again_writes_nothing(session: Session, lab: Lab) -> None:
    assert save(session, lab, PROFILE, 1) is None
    edited = replace(PROFILE, about="New.")
    assert save(session, lab, edited, 1) is not None
    assert save(session, lab, edited, 1) is None  # the form was sent twice
    assert lab.revision_number == 2


def test_the_second_of_two_editors_is_told_and_loses_nothing(session: Session, lab: Lab) -> None:
    save(session, lab, replace(PROFILE, about="Theirs.", place="London"), 1)
    with pytest.raises(service.StaleEdit) as stale:
        save(session, lab, replace(PROFILE, about="Mine.", contact="Write to us."), 1)
    merge = stale.value.merge
    assert [(c.path, c.ours, c.theirs) for c in merge.conflicts] == [("about", "Mine.", "Theirs.")]
    assert (merge.record.about, merge.record.place, merge.record.contact) == ("Mine.", "London", "Write to us.")
    assert stale.value.theirs.number == 2
    assert queries.profile_of(session, lab).about == "Theirs."


def test_a_revision_taken_by_another_connection_is_noticed(app: Flask, session: Session, lab: Lab) -> None:
    assert queries.profile_of(session, lab) == PROFILE
    session.commit()
    with app.app_context():
        other = db.session.get_one(Lab, lab.id)
        save(db.session(), other, replace(PROFILE, about="Theirs."), 1)
        db.session.commit()
    with pytest.raises(service.StaleEdit):
        save(session, lab, replace(PROFILE, about="Mine."), 1)


def test_a_fact_that_a_person_changed_loses_its_page(session: Session, lab: Lab, admin: Person) -> None:
    author = session.get_one(User, admin.id)
    member = replace(PROFILE.members[0], term="2026-Fall")
    save(session, lab, replace(PROFILE, leader="Ada Lovelace", members=(member,)), 1, author)
    profile = queries.profile_of(session, lab)
    assert profile.origins == (("interests", Origin("page.txt", 1)),)
    assert profile.members[0].origins == ()
    assert revisions_of(session, lab)[0].author_id == author.id


def test_an_undo_is_a_new_revision_with_the_origins_of_the_earlier_one(
    session: Session, lab: Lab, admin: Person
) -> None:
    author = session.get_one(User, admin.id)
    save(session, lab, replace(PROFILE, about="New."), 1, author)
    revision = service.save_profile(
        session, lab, PROFILE, base=2, author=author, reason="wrong", now=NOW, source="undo"
    )
    assert revision is not None
    assert (revision.number, queries.profile_of(session, lab)) == (3, PROFILE)
    again = service.save_profile(session, lab, PROFILE, base=3, author=author, reason="again", now=NOW, source="undo")
    assert again is None


def test_every_save_is_in_the_audit_log(session: Session, lab: Lab) -> None:
    save(session, lab, replace(PROFILE, about="New."), 1)
    entries = session.scalars(select(AuditEntry).order_by(AuditEntry.id)).all()
    assert [(e.act, e.object_key, e.after["revision"]) for e in entries] == [
        ("lab.create", "ada-lab", 1),
        ("lab.save", "ada-lab", 2),
    ]


def test_a_professor_is_attached_moved_and_detached(session: Session, lab: Lab, professor: Person) -> None:
    user = session.get_one(User, professor.id)
    service.attach_professor(session, lab, user, "reviewer", author=None, now=NOW)
    service.attach_professor(session, lab, user, "leader", author=None, now=NOW)
    session.commit()
    assert list(labs_read_by(session, user)) == [lab]
    service.detach_professor(session, lab, user, author=None, now=NOW)
    service.detach_professor(session, lab, user, author=None, now=NOW)
    session.commit()
    assert list(labs_read_by(session, user)) == []
    acts = session.scalars(select(AuditEntry.act).where(AuditEntry.act.like("lab.%professor"))).all()
    assert acts == ["lab.attach_professor", "lab.attach_professor", "lab.detach_professor"]
