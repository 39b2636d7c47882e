from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from portal.seeding.merging import Change, Conflict, MergeError, apply, diff, three_way
from portal.seeding.records import LabRecord, MemberRecord, Origin, SystemRecord, WorkRecord
from tests.seeding.strategies import labs

RAN = MemberRecord("ran", "Ran", "phd_student", term="2023-Fall")
YOU = MemberRecord("you", "You", "phd_student")
XU = MemberRecord("xu", "Xu", "phd_student")
BASE = LabRecord("lab", "Lab", about="old", members=(RAN, YOU))


# Laws


@given(labs(), labs())
def test_applying_the_difference_gives_the_new_profile(old: LabRecord, new: LabRecord) -> None:
    assert apply(old, diff(old, new)) == new


@given(labs(), labs())
def test_where_only_they_changed_theirs_is_the_result(base: LabRecord, theirs: LabRecord) -> None:
    merge = three_way(base, base, theirs)
    assert (merge.record, merge.conflicts) == (theirs, ())


@given(labs(), labs())
def test_where_only_we_changed_ours_is_the_result(base: LabRecord, ours: LabRecord) -> None:
    merge = three_way(base, ours, base)
    assert (merge.record, merge.conflicts, merge.applied) == (ours, (), ())


@given(labs(), labs())
def test_the_same_change_on_both_sides_is_no_conflict(base: LabRecord, both: LabRecord) -> None:
    merge = three_way(base, both, both)
    assert (merge.record, merge.conflicts, merge.applied) == (both, (), ())


@given(labs(), labs(), labs())
def test_what_was_applied_leads_from_ours_to_the_result(base: LabRecord, ours: LabRecord, theirs: LabRecord) -> None:
    merge = three_way(base, ours, theirs)
    assert apply(ours, merge.applied) == merge.record


@given(labs(), labs(), labs())
def test_both_directions_meet_the_same_conflicts(base: LabRecord, ours: LabRecord, other: LabRecord) -> None:
    conflicts = {(item.path, str(item.ours), str(item.theirs)) for item in three_way(base, ours, other).conflicts}
    back = {(item.path, str(item.theirs), str(item.ours)) for item in three_way(base, other, ours).conflicts}
    assert conflicts == back


@given(labs(), labs(), labs())
def test_where_a_fact_is_from_is_never_a_conflict(base: LabRecord, ours: LabRecord, theirs: LabRecord) -> None:
    paths = [item.path for item in three_way(base, ours, theirs).conflicts]
    assert [path for path in paths if path.endswith("origins")] == []


@given(labs(), labs(), labs())
def test_no_system_of_the_result_names_a_work_that_is_gone(base: LabRecord, ours: LabRecord, theirs: LabRecord) -> None:
    record = three_way(base, ours, theirs).record
    referred_works = {key for system in record.systems for key in system.works}
    assert referred_works - {work.key for work in record.works} == set()


# Cases


def test_a_difference_names_its_place_and_both_values() -> None:
    new = replace(BASE, about="new", members=(XU, replace(RAN, term="2024-Spring")))
    assert [(change.path, change.kind, change.old) for change in diff(BASE, new)] == [
        ("about", "changed", "old"),
        ("members/you", "removed", diff(BASE, new)[1].old),
        ("members/xu", "added", None),
        ("members/ran/term", "changed", "2023-Fall"),
    ]
    assert diff(BASE, new)[3].new == "2024-Spring"


def test_an_item_added_between_others_is_no_reordering() -> None:
    changes = diff(BASE, replace(BASE, members=(RAN, XU, YOU)))
    assert [(change.path, change.kind, change.after) for change in changes] == [("members/xu", "added", "ran")]


def test_a_new_order_is_one_change() -> None:
    changes = diff(BASE, replace(BASE, members=(YOU, RAN)))
    assert changes == (Change("members", "moved", ["ran", "you"], ["you", "ran"]),)


def test_changes_of_both_sides_are_taken_together() -> None:
    ours = replace(BASE, about="by hand")
    theirs = replace(BASE, place="Hong Kong", members=(RAN, YOU, XU))
    merge = three_way(BASE, ours, theirs)
    assert merge.record == replace(BASE, about="by hand", place="Hong Kong", members=(RAN, YOU, XU))
    assert merge.conflicts == ()
    assert [change.path for change in merge.applied] == ["place", "members/xu"]


def test_two_different_edits_of_one_place_keep_ours_and_list_all_three() -> None:
    ours = replace(BASE, members=(replace(RAN, term="ours"), YOU))
    theirs = replace(BASE, members=(replace(RAN, term="theirs"), YOU))
    merge = three_way(BASE, ours, theirs)
    assert merge.record == ours
    assert merge.conflicts == (Conflict("members/ran/term", "2023-Fall", "ours", "theirs"),)


def test_an_item_we_removed_and_they_changed_stays_removed_and_is_asked_about() -> None:
    ours = replace(BASE, members=(YOU,))
    theirs = replace(BASE, members=(replace(RAN, term="2024"), YOU))
    merge = three_way(BASE, ours, theirs)
    assert merge.record == ours
    assert [(item.path, item.ours is None) for item in merge.conflicts] == [("members/ran", True)]


def test_an_item_they_removed_and_we_changed_stays_and_is_asked_about() -> None:
    ours = replace(BASE, members=(replace(RAN, term="2024"), YOU))
    theirs = replace(BASE, members=(YOU,))
    merge = three_way(BASE, ours, theirs)
    assert merge.record == ours
    assert [(item.path, item.theirs) for item in merge.conflicts] == [("members/ran", None)]


def test_an_item_both_added_takes_what_only_one_of_them_says() -> None:
    ours = replace(BASE, members=(RAN, YOU, XU))
    theirs = replace(BASE, members=(RAN, YOU, replace(XU, term="2025-Fall")))
    merge = three_way(BASE, ours, theirs)
    assert (merge.record, merge.conflicts) == (theirs, ())


def test_two_different_new_orders_keep_ours_and_are_asked_about() -> None:
    base = replace(BASE, members=(RAN, YOU, XU))
    ours = replace(BASE, members=(YOU, RAN, XU))
    theirs = replace(BASE, members=(RAN, XU, YOU))
    merge = three_way(base, ours, theirs)
    assert merge.record == ours
    assert merge.conflicts == (Conflict("members", ["ran", "you", "xu"], ["you", "ran", "xu"], ["ran", "xu", "you"]),)


def test_a_page_whose_lines_moved_changes_only_where_facts_are_from() -> None:
    base = replace(BASE, origins=(("about", Origin("p", 1)),))
    theirs = replace(BASE, origins=(("about", Origin("p", 9)),))
    ours = replace(base, name="By hand")
    merge = three_way(base, ours, theirs)
    assert merge.record == replace(theirs, name="By hand")
    assert [change.is_origin for change in merge.applied] == [True]


def test_a_field_edited_by_hand_does_not_get_a_page_as_its_origin_again() -> None:
    base = replace(BASE, origins=(("about", Origin("p", 1)), ("name", Origin("p", 2))))
    ours = replace(base, about="by hand", origins=(("name", Origin("p", 2)),))
    theirs = replace(base, origins=(("about", Origin("p", 5)), ("name", Origin("p", 6))))
    assert three_way(base, ours, theirs).record.origins == (("name", Origin("p", 6)),)


def test_a_system_loses_the_work_that_the_merge_removed() -> None:
    work, other = WorkRecord("w", "W"), WorkRecord("v", "V")
    base = replace(BASE, works=(work, other))
    ours = replace(base, systems=(SystemRecord("s", "S", works=("w", "v")),))
    theirs = replace(base, works=(other,))
    assert three_way(base, ours, theirs).record.systems == (SystemRecord("s", "S", works=("v",)),)


def test_profiles_of_different_labs_do_not_merge() -> None:
    with pytest.raises(MergeError, match="profiles of different labs: 'lab' and 'other'"):
        three_way(BASE, BASE, replace(BASE, key="other"))


@pytest.mark.parametrize(
    "change",
    [
        Change("titel", "changed", "", "x"),
        Change("key", "changed", "lab", "x"),
        Change("about/x", "changed", "", "x"),
        Change("members/nobody/term", "changed", "", "x"),
        Change("members/ran/termin", "changed", "", "x"),
        Change("members/ran/key", "changed", "ran", "x"),
        Change("members/nobody", "removed", {}, None),
        Change("members/ran", "added", None, {"key": "ran", "name": "Ran", "role": "leader"}),
        Change("members/xu", "added", None, {"key": "other", "name": "Xu", "role": "leader"}),
        Change("members/xu", "added", None, "Xu"),
    ],
)
def test_a_change_that_does_not_fit_is_refused(change: Change) -> None:
    with pytest.raises(MergeError, match=change.path):
        apply(BASE, [change])


def test_a_whole_item_can_be_put_in_place_of_another() -> None:
    new = {"key": "ran", "name": "Ran Yan", "role": "phd_student"}
    result = apply(BASE, [Change("members/ran", "changed", None, dict(new))])
    assert result.members == (MemberRecord("ran", "Ran Yan", "phd_student"), YOU)


def test_an_order_that_names_only_some_keys_keeps_the_others_beside_their_neighbours() -> None:
    base = replace(BASE, members=(RAN, YOU, XU))
    result = apply(base, [Change("members", "moved", [], ["xu", "ran"])])
    assert [member.key for member in result.members] == ["xu", "ran", "you"]


def test_a_conflict_shows_the_whole_system_although_the_work_it_names_was_removed() -> None:
    loom, system = WorkRecord("loom", "A Loom"), SystemRecord("weaver", "Weaver")
    base = replace(BASE, works=(loom,), systems=(system,))
    tied = replace(base, systems=(replace(system, works=("loom",)),))
    removed = replace(base, works=(), systems=())
    merge = three_way(base, tied, removed)
    (conflict,) = merge.conflicts
    assert isinstance(conflict.ours, dict)
    assert (conflict.path, conflict.ours["works"], conflict.theirs) == ("systems/weaver", ["loom"], None)
    assert merge.record.systems == (system,)
