from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from portal.applications.erasure import erase_everything
from portal.applications.files import file_store
from portal.applications.interests.service import (
    FACETS,
    StaleInterests,
    Stated,
    asks_for_something,
    facet_values,
    interests_of,
    query_of,
    resume_of,
    save_interests,
    stated_in,
)
from portal.applications.locks import Refusal
from portal.applications.resume import ReplacedResume, confirm_resume, delete_resume, keep_resume
from portal.applications.sharing import (
    applicants_in_short,
    applicants_of_lab,
    share_with_lab,
    shares_of,
    stop_sharing,
)
from portal.db import db
from portal.documents.extraction import pasted
from portal.labs.queries import lab_by_slug
from portal.matching import Query, Topic
from portal.models import Interests, LabShare, Resume, User
from tests.people import add_person

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.models import Lab
    from portal.storage import FileStore
    from tests.people import Person

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
STATED = Stated((Topic("LLM serving", 2.0), Topic("queues")), "I like queues.", {"place": ("Berlin",)})


@pytest.fixture
def user(session: Session, applicant: Person) -> User:
    return session.get_one(User, applicant.id)


@pytest.fixture
def files(app: Flask) -> FileStore:
    return file_store(app)


@pytest.fixture
def uploads(app: Flask) -> Path:
    folder: Path = app.config["PORTAL"].instance / "uploads"
    return folder


def save(session: Session, user: User, stated: Stated, base: int) -> Interests:
    return save_interests(session, user, stated, base=base, now=NOW)


def hand_in(
    session: Session, files: FileStore, user: User, text: str, data: bytes = b"", filename: str = "cv.txt"
) -> Resume:
    name = filename if data else ""
    return keep_resume(session, files, user, pasted(text), data=data, filename=name, now=NOW)


def stored_files(uploads: Path) -> list[bytes]:
    return [path.read_bytes() for path in uploads.rglob("*") if path.is_file()]


def test_what_is_saved_is_what_is_read(session: Session, user: User) -> None:
    saved = save(session, user, STATED, 0)
    session.commit()
    session.expire_all()
    assert stated_in(interests_of(session, user)) == STATED
    assert (saved.version, saved.changed_at) == (1, NOW)


def test_topics_can_be_reordered_taken_out_and_added(session: Session, user: User) -> None:
    save(session, user, STATED, 0)
    one, two = STATED.topics
    for base, topics in enumerate([(two, one), (one,), (Topic("new"), two, one)], start=1):
        save(session, user, replace(STATED, topics=topics), base)
        session.commit()
        session.expire_all()
        assert stated_in(interests_of(session, user)).topics == topics


def test_the_same_form_sent_twice_saves_once(session: Session, user: User) -> None:
    save(session, user, STATED, 0)
    again = save_interests(session, user, STATED, base=0, now=LATER)
    assert (again.version, again.changed_at) == (1, NOW)
    assert session.scalar(select(func.count()).select_from(Interests)) == 1


def test_a_stale_form_is_refused_and_writes_nothing(session: Session, user: User) -> None:
    save(session, user, STATED, 0)
    save(session, user, replace(STATED, statement="From the other tab."), 1)
    with pytest.raises(StaleInterests) as stale:
        save(session, user, replace(STATED, statement="From this tab."), 1)
    assert stale.value.stored.version == 2
    assert stated_in(interests_of(session, user)).statement == "From the other tab."


def test_a_save_by_another_connection_meanwhile_is_noticed(app: Flask, session: Session, user: User) -> None:
    save(session, user, STATED, 0)
    session.commit()
    held = interests_of(session, user)
    assert held is not None
    session.commit()
    with app.app_context():
        save(db.session(), db.session.get_one(User, user.id), replace(STATED, topics=()), 1)
        db.session.commit()
    with pytest.raises(StaleInterests) as stale:
        save(session, user, replace(STATED, statement="Mine."), 1)
    assert stated_in(stale.value.stored) == replace(STATED, topics=())


def test_a_first_save_meets_the_first_save_of_another_tab(app: Flask, session: Session, user: User) -> None:
    with app.app_context():
        save(db.session(), db.session.get_one(User, user.id), STATED, 0)
        db.session.commit()
    with pytest.raises(StaleInterests):
        save(session, user, replace(STATED, statement="Mine."), 0)


def test_a_limit_is_kept_even_when_no_form_has_checked_it(session: Session, user: User) -> None:
    with pytest.raises(Refusal, match="4,001"):
        save(session, user, Stated(statement="x" * 4_001), 0)
    assert interests_of(session, user) is None


@pytest.fixture
def lab(session: Session, labs: None) -> Lab:  # noqa: ARG001  (the labs are there)
    lab = lab_by_slug(session, "serving-lab")
    assert lab is not None
    return lab


def test_a_lab_is_shared_with_once_and_no_more_once(session: Session, user: User, lab: Lab) -> None:
    assert share_with_lab(session, user, lab, now=NOW) is True
    assert share_with_lab(session, user, lab, now=NOW) is False
    assert [share.lab.slug for share in shares_of(session, user)] == ["serving-lab"]
    assert stop_sharing(session, user, lab) is True
    assert stop_sharing(session, user, lab) is False
    assert list(shares_of(session, user)) == []


def test_no_more_labs_are_shared_with_than_can_be(
    session: Session, user: User, lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.applications.sharing.MOST_SHARES", 1)
    other = lab_by_slug(session, "federated-lab")
    assert other is not None
    share_with_lab(session, user, lab, now=NOW)
    with pytest.raises(Refusal, match="You share with 1 labs"):
        share_with_lab(session, user, other, now=NOW)


def test_a_resume_waits_for_confirmation(session: Session, files: FileStore, user: User) -> None:
    resume = hand_in(session, files, user, "I wrote a scheduler.")
    assert resume.confirmed_at is None
    confirm_resume(session, user, sha256=resume.sha256, now=LATER)
    assert resume.confirmed_at == LATER


def test_a_resume_that_was_replaced_cannot_be_confirmed_by_the_old_page(
    session: Session, files: FileStore, user: User
) -> None:
    seen = hand_in(session, files, user, "I wrote a scheduler.").sha256
    hand_in(session, files, user, "I wrote a compiler.")
    with pytest.raises(ReplacedResume):
        confirm_resume(session, user, sha256=seen, now=LATER)
    resume = resume_of(session, user)
    assert resume is not None
    assert resume.confirmed_at is None


def test_the_same_resume_again_stays_confirmed(session: Session, files: FileStore, user: User, uploads: Path) -> None:
    resume = hand_in(session, files, user, "I wrote a scheduler.", b"I wrote a scheduler.")
    confirm_resume(session, user, sha256=resume.sha256, now=NOW)
    hand_in(session, files, user, "I wrote a scheduler.", b"I wrote a scheduler.", filename="newest.txt")
    session.commit()
    assert (resume.confirmed_at, resume.filename) == (NOW, "newest.txt")
    assert stored_files(uploads) == [b"I wrote a scheduler."]


def test_a_replaced_file_goes_only_after_the_commit(
    session: Session, files: FileStore, user: User, uploads: Path
) -> None:
    hand_in(session, files, user, "Old.", b"Old.")
    session.commit()
    hand_in(session, files, user, "New.", b"New.")
    assert sorted(stored_files(uploads)) == [b"New.", b"Old."]
    session.commit()
    assert stored_files(uploads) == [b"New."]


def test_a_failed_transaction_leaves_no_file_and_keeps_the_old_one(
    session: Session, files: FileStore, user: User, uploads: Path
) -> None:
    hand_in(session, files, user, "Old.", b"Old.")
    session.commit()
    hand_in(session, files, user, "New.", b"New.")
    session.rollback()
    assert stored_files(uploads) == [b"Old."]
    resume = resume_of(session, user)
    assert resume is not None
    assert (resume.text, files.get(resume.storage_key)) == ("Old.", b"Old.")


def test_a_failed_first_upload_leaves_no_file(session: Session, files: FileStore, user: User, uploads: Path) -> None:
    hand_in(session, files, user, "First.", b"First.")
    session.rollback()
    assert stored_files(uploads) == []
    assert resume_of(session, user) is None


def test_pasting_over_a_file_removes_the_file(session: Session, files: FileStore, user: User, uploads: Path) -> None:
    hand_in(session, files, user, "Old.", b"Old.")
    session.commit()
    resume = hand_in(session, files, user, "Pasted.")
    session.commit()
    assert (resume.kind, resume.storage_key, resume.size) == ("pasted", "", 0)
    assert stored_files(uploads) == []


def test_a_first_upload_meets_that_of_another_tab(
    app: Flask, session: Session, files: FileStore, user: User, uploads: Path
) -> None:
    assert resume_of(session, user) is None
    with app.app_context():
        hand_in(db.session(), files, db.session.get_one(User, user.id), "Theirs.", b"Theirs.")
        db.session.commit()
    hand_in(session, files, user, "Mine.", b"Mine.")
    session.commit()
    assert [resume.text for resume in session.scalars(select(Resume))] == ["Mine."]
    assert stored_files(uploads) == [b"Mine."]


def test_deleting_a_resume_deletes_its_file(session: Session, files: FileStore, user: User, uploads: Path) -> None:
    hand_in(session, files, user, "Old.", b"Old.")
    session.commit()
    assert delete_resume(session, files, user) is True
    assert stored_files(uploads) == [b"Old."]
    session.commit()
    assert stored_files(uploads) == []
    assert delete_resume(session, files, user) is False


def test_erasing_takes_everything_of_one_person_and_nothing_of_another(
    session: Session, files: FileStore, user: User, lab: Lab, app: Flask, uploads: Path
) -> None:
    other = session.get_one(User, add_person(app, "applicant").id)
    for somebody in (user, other):
        save(session, somebody, STATED, 0)
        share_with_lab(session, somebody, lab, now=NOW)
        hand_in(session, files, somebody, "Resume.", f"Resume of {somebody.id}".encode())
    session.commit()
    erase_everything(session, files, user, now=NOW)
    session.commit()
    left = [session.scalars(select(table.user_id)).all() for table in (Interests, LabShare, Resume)]
    assert left == [[other.id]] * 3
    assert stored_files(uploads) == [f"Resume of {other.id}".encode()]
    assert session.get(User, user.id) is not None


SAVED = Stated((Topic("LLM serving", 2.0),), "I like queues.", {"hardware": ("GPU",)}, resume_weight=0.4)


@pytest.fixture
def somebody(app: Flask, session: Session, person: Callable[..., Person]) -> Callable[..., User]:
    """Makes applicants that stated something: somebody(discoverable=True, resume="…", confirmed=True)."""

    def make(
        stated: Stated | None = SAVED,
        *,
        discoverable: bool = False,
        resume: str = "",
        confirmed: bool = True,
        shares_with: Lab | None = None,
        roles: tuple[str, ...] = ("applicant",),
    ) -> User:
        user = session.get_one(User, person(*roles).id)
        if stated is not None:
            said = Stated(stated.topics, stated.statement, stated.facets, discoverable, stated.resume_weight)
            save_interests(session, user, said, base=0, now=NOW)
        if resume:
            kept = keep_resume(session, file_store(app), user, pasted(resume), data=b"", filename="", now=NOW)
            if confirmed:
                confirm_resume(session, user, sha256=kept.sha256, now=NOW)
        if shares_with:
            share_with_lab(session, user, shares_with, now=NOW)
        session.commit()
        return user

    return make


def found(session: Session, lab: Lab) -> list[tuple[int, bool, bool, datetime | None]]:
    """Who a lab sees: account, whether interests and resume are there, since when they share with it."""
    return [
        (row.user.id, row.interests is not None, row.resume is not None, row.shared_at)
        for row in applicants_of_lab(session, lab, [person.id for person in applicants_in_short(session, lab)])
    ]


def test_who_stated_nothing_has_an_empty_query(session: Session, somebody: Callable[..., User]) -> None:
    user = somebody(None)
    assert query_of(session, user) == Query()
    assert asks_for_something(query_of(session, user)) is False


def test_a_confirmed_resume_is_part_of_the_query(session: Session, somebody: Callable[..., User]) -> None:
    user = somebody(resume="I wrote a scheduler.")
    assert query_of(session, user) == Query(
        topics=(Topic("LLM serving", 2.0),),
        statement="I like queues.",
        resume="I wrote a scheduler.",
        resume_weight=0.4,
        facets={"hardware": ("GPU",)},
    )


def test_an_unconfirmed_resume_is_not(session: Session, somebody: Callable[..., User]) -> None:
    user = somebody(None, resume="I wrote a scheduler.", confirmed=False)
    assert query_of(session, user).resume == ""
    assert asks_for_something(query_of(session, user)) is False


@pytest.mark.parametrize(
    ("query", "asks"),
    [
        (Query(), False),
        (Query(topics=(Topic("queues", 0.0),)), False),
        (Query(topics=(Topic("queues", 0.1),)), True),
        (Query(statement=" \n"), False),
        (Query(statement="queues"), True),
        (Query(resume="queues", resume_weight=0.0), False),
        (Query(resume="queues", resume_weight=0.1), True),
    ],
)
def test_a_query_asks_for_something_when_a_part_weighs_something(query: Query, asks: bool) -> None:  # noqa: FBT001
    assert asks_for_something(query) is asks


def test_a_lab_sees_who_shares_with_it_and_who_agreed_to_be_found(
    session: Session, lab: Lab, somebody: Callable[..., User]
) -> None:
    federated = lab_by_slug(session, "federated-lab")
    sharing = somebody(shares_with=lab, resume="I wrote a scheduler.")
    open_to_all = somebody(discoverable=True)
    both = somebody(discoverable=True, shares_with=lab)
    somebody()
    somebody(shares_with=federated)
    assert found(session, lab) == [
        (sharing.id, True, True, NOW),
        (open_to_all.id, True, False, None),
        (both.id, True, False, NOW),
    ]


def test_a_lab_does_not_see_an_unconfirmed_resume(session: Session, lab: Lab, somebody: Callable[..., User]) -> None:
    user = somebody(shares_with=lab, resume="I wrote a scheduler.", confirmed=False)
    assert found(session, lab) == [(user.id, True, False, NOW)]


def test_who_shares_before_stating_anything_is_seen(session: Session, lab: Lab, somebody: Callable[..., User]) -> None:
    user = somebody(None, shares_with=lab)
    assert found(session, lab) == [(user.id, False, False, NOW)]


def test_who_can_be_found_but_not_matched_is_left_out(
    session: Session, lab: Lab, somebody: Callable[..., User]
) -> None:
    somebody(Stated(), discoverable=True)
    assert found(session, lab) == []


def test_suspended_people_and_former_applicants_are_left_out(
    session: Session, lab: Lab, somebody: Callable[..., User]
) -> None:
    suspended = somebody(shares_with=lab)
    suspended.active = False
    somebody(shares_with=lab, roles=("professor",))
    session.commit()
    assert found(session, lab) == []


def test_a_lab_sees_nothing_once_sharing_stopped(session: Session, lab: Lab, somebody: Callable[..., User]) -> None:
    user = somebody(shares_with=lab)
    stop_sharing(session, user, lab)
    session.commit()
    assert found(session, lab) == []


def test_facets_offer_what_labs_state_the_most_frequent_first(session: Session, lab: Lab) -> None:
    assert lab.slug == "serving-lab"
    assert facet_values(session) == {
        "degree": {"phd": 2},
        "hardware": {"GPU": 1, "NPU": 1, "phones": 1},
        "place": {"Berlin": 1, "Hong Kong": 1},
        "start": {"Fall 2027": 1, "Spring 2027": 1},
        "funding": {"full scholarship": 1},
    }


def test_without_labs_there_is_nothing_to_choose(session: Session) -> None:
    assert facet_values(session) == {name: {} for name in FACETS}
