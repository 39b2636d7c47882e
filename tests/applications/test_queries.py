from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from portal.applications.files import file_store
from portal.applications.interests.rules import Stated, topic_key
from portal.applications.interests.service import (
    FACETS,
    FacetValue,
    Weights,
    asks_for_something,
    facet_values,
    has_something_to_match,
    interests_of,
    query_from,
    query_of,
    resume_of,
    save_interests,
)
from portal.applications.resume import confirm_resume, keep_resume
from portal.applications.sharing import applicants_in_short, applicants_of_lab, share_with_lab, stop_sharing
from portal.documents.extraction import pasted
from portal.labs.queries import lab_by_slug
from portal.matching import Query, Topic
from portal.models import User

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from sqlalchemy.orm import Session

    from portal.models import Lab
    from tests.people import Person

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
STATED = Stated((Topic("LLM serving", 2.0),), "I like queues.", {"hardware": ("GPU",)}, resume_weight=0.4)


@pytest.fixture
def lab(session: Session, labs: None) -> Lab:  # noqa: ARG001  (the labs are there)
    lab = lab_by_slug(session, "serving-lab")
    assert lab is not None
    return lab


@pytest.fixture
def somebody(app: Flask, session: Session, person: Callable[..., Person]) -> Callable[..., User]:
    """Makes applicants that stated something: somebody(discoverable=True, resume="…", confirmed=True)."""

    def make(
        stated: Stated | None = STATED,
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
    assert has_something_to_match(session, user) is False


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
    assert has_something_to_match(session, user) is False


def test_tried_weights_replace_the_saved_ones(session: Session, somebody: Callable[..., User]) -> None:
    user = somebody(resume="I wrote a scheduler.")
    saved = interests_of(session, user), resume_of(session, user)
    tried = query_from(*saved, Weights({topic_key("LLM serving"): 0.0}, resume=0.0))
    assert tried.topics == (Topic("LLM serving", 0.0),)
    assert tried.resume_weight == 0.0


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
        "degree": (FacetValue("phd", 2),),
        "hardware": (FacetValue("GPU", 1), FacetValue("NPU", 1), FacetValue("phones", 1)),
        "place": (FacetValue("Berlin", 1), FacetValue("Hong Kong", 1)),
        "start": (FacetValue("Fall 2027", 1), FacetValue("Spring 2027", 1)),
        "funding": (FacetValue("full scholarship", 1),),
    }


def test_without_labs_there_is_nothing_to_choose(session: Session) -> None:
    assert facet_values(session) == dict.fromkeys(FACETS, ())
