"""Two edits of one profile: what is merged by itself, what is asked, what follows from the answers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.admin.labs.merging import Choice, Merging, can_be_both, merge, resolved
from portal.admin.labs.sections import item_of, without_item
from portal.seeding.records import MemberRecord, SystemRecord, WorkRecord
from tests.admin.desk import PROFILE
from tests.seeding.strategies import labs

if TYPE_CHECKING:
    from portal.seeding.records import LabRecord

ALL_MINE: Choice = "mine"
ALL_THEIRS: Choice = "theirs"


def everything(record: LabRecord, mine: LabRecord, theirs: LabRecord, name: Choice) -> LabRecord:
    """The merged profile with one choice for all disputes."""
    merging = merge(record, mine, theirs)
    return resolved(merging, {dispute.path: name for dispute in merging.disputes})


def disputed(merging: Merging) -> dict[str, bool]:
    """The disputed paths, each with whether both can stay."""
    return {dispute.path: can_be_both(dispute) for dispute in merging.disputes}


def test_changes_of_different_places_are_merged_without_a_question() -> None:
    mine = replace(PROFILE, about="Mine.", members=(PROFILE.members[0], replace(PROFILE.members[1], term="2030")))
    theirs = replace(PROFILE, place="Theirs", members=(replace(PROFILE.members[0], now="X"), PROFILE.members[1]))
    merging = merge(PROFILE, mine, theirs)
    assert disputed(merging) == {}
    assert merging.merged == replace(
        PROFILE, about="Mine.", place="Theirs", members=(theirs.members[0], mine.members[1])
    )


def test_a_field_both_changed_is_settled_as_chosen() -> None:
    merging = merge(PROFILE, replace(PROFILE, about="Mine."), replace(PROFILE, about="Theirs."))
    assert disputed(merging) == {"about": True}
    choices: tuple[Choice, ...] = ("mine", "theirs", "both")
    settled = {name: resolved(merging, {"about": name}).about for name in choices}
    assert settled == {"mine": "Mine.", "theirs": "Theirs.", "both": "Theirs.\n\nMine."}


def test_of_two_lists_both_keep_each_entry_once() -> None:
    merging = merge(PROFILE, replace(PROFILE, topics=("a", "b")), replace(PROFILE, topics=("b", "c")))
    assert disputed(merging) == {"topics": True}
    assert resolved(merging, {"topics": "both"}).topics == ("b", "c", "a")


def test_a_field_of_an_item_is_settled_as_chosen() -> None:
    mine, theirs = (
        replace(PROFILE, members=(PROFILE.members[0], replace(PROFILE.members[1], term=term))) for term in ("1", "2")
    )
    merging = merge(PROFILE, mine, theirs)
    path = "members/ran-yan/term"
    assert disputed(merging) == {path: False}
    assert resolved(merging, {path: "mine"}) == mine
    assert resolved(merging, {path: "theirs"}) == theirs


def test_a_removed_work_that_the_other_edited_comes_back_with_its_systems_or_goes() -> None:
    removed = without_item(PROFILE, "works", "flexgen")
    edited = replace(PROFILE, works=(replace(PROFILE.works[0], year=2025), *PROFILE.works[1:]))
    cases: tuple[tuple[LabRecord, LabRecord, Choice, Choice], ...] = (
        (removed, edited, "theirs", "mine"),
        (edited, removed, "mine", "theirs"),
    )
    for mine, theirs, keeps, goes in cases:
        merging = merge(PROFILE, mine, theirs)
        assert disputed(merging) == {"works/flexgen": False}
        assert resolved(merging, {"works/flexgen": keeps}) == edited
        assert resolved(merging, {"works/flexgen": goes}) == removed


def test_items_added_under_one_key_both_stay() -> None:
    mine = replace(PROFILE, members=(*PROFILE.members, MemberRecord("wei", "Wei", "phd_student", term="mine")))
    theirs = replace(PROFILE, members=(*PROFILE.members, MemberRecord("wei", "Wei", "visiting")))
    merging = merge(PROFILE, mine, theirs)
    assert disputed(merging) == {}
    assert {(member.key, member.role, member.term) for member in merging.merged.members[2:]} == {
        ("wei", "visiting", ""),
        ("wei-2", "phd_student", "mine"),
    }
    assert merge(PROFILE, mine, merging.merged).merged == merging.merged


def test_twin_works_keep_the_systems_that_name_them() -> None:
    def added(title: str) -> LabRecord:
        system = SystemRecord(title.lower(), title, works=("new",))
        return replace(PROFILE, works=(*PROFILE.works, WorkRecord("new", title)), systems=(*PROFILE.systems, system))

    merged = merge(PROFILE, added("Mine"), added("Theirs")).merged
    titles = {work.key: work.title for work in merged.works}
    assert {system.name: [titles[key] for key in system.works] for system in merged.systems[1:]} == {
        "Mine": ["Mine"],
        "Theirs": ["Theirs"],
    }


def test_the_same_item_added_by_both_is_no_question() -> None:
    added = replace(PROFILE, members=(*PROFILE.members, MemberRecord("wei", "Wei", "phd_student")))
    assert disputed(merge(PROFILE, added, added)) == {}
    assert merge(PROFILE, added, added).merged == added


def test_orders_can_be_settled() -> None:
    base = replace(PROFILE, works=(*PROFILE.works, WorkRecord("fourth", "Fourth")))
    mine = replace(base, works=base.works[::-1])
    theirs = replace(base, works=(base.works[1], base.works[0], *base.works[2:]))
    merging = merge(base, mine, theirs)
    assert disputed(merging) == {"works": False}
    assert resolved(merging, {"works": "mine"}).works == mine.works
    assert resolved(merging, {"works": "theirs"}).works == theirs.works


def test_a_dispute_takes_only_its_own_choices() -> None:
    merging = merge(PROFILE, replace(PROFILE, place="Mine"), replace(PROFILE, place="Theirs"))
    with pytest.raises(ValueError, match="place: both cannot stay; choose mine or theirs"):
        resolved(merging, {"place": "both"})
    with pytest.raises(KeyError):
        resolved(merging, {})


@given(labs(), labs(), labs())
def test_what_only_one_side_changed_is_never_lost(base: LabRecord, mine: LabRecord, theirs: LabRecord) -> None:
    for name in (ALL_MINE, ALL_THEIRS):
        record = everything(base, mine, theirs, name)
        for field in ("about", "place", "topics", "figures"):
            was, ours, others = (getattr(side, field) for side in (base, mine, theirs))
            expected = ours if others in (was, ours) else others if ours == was or name == ALL_THEIRS else ours
            assert getattr(record, field) == expected
        for key in {item.key for item in mine.members} - {item.key for item in (*base.members, *theirs.members)}:
            assert item_of(record, "members", key) == item_of(mine, "members", key)


@given(labs(), labs())
def test_an_edit_against_an_unchanged_profile_is_taken_as_it_is(base: LabRecord, mine: LabRecord) -> None:
    assert everything(base, mine, base, ALL_MINE) == mine
    assert everything(base, base, mine, ALL_THEIRS) == mine


@given(labs(), labs(), labs())
def test_a_choice_for_every_dispute_always_gives_a_profile_without_disputes(
    base: LabRecord, mine: LabRecord, theirs: LabRecord
) -> None:
    record = everything(base, mine, theirs, ALL_THEIRS)
    works = {work.key for work in record.works}
    assert all(set(system.works) <= works for system in record.systems)
    assert len(works) == len(record.works)


@given(st.sampled_from(["mine", "theirs"]), labs(), labs(), labs())
def test_merging_twice_with_the_same_answers_changes_nothing_more(
    name: Choice, base: LabRecord, mine: LabRecord, theirs: LabRecord
) -> None:
    once = everything(base, mine, theirs, name)
    assert everything(theirs, once, once, name) == once
