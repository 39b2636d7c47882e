from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hypothesis import given

from portal.admin.labs.differences import MOST_ITEMS_SHOWN, differences, item_fields
from portal.admin.labs.sections import text_at
from portal.seeding.records import COLLECTIONS, Link, MemberRecord, Origin, WorkRecord, to_json
from tests.admin.desk import PROFILE
from tests.seeding.strategies import labs

if TYPE_CHECKING:
    from portal.seeding.records import LabRecord


def test_equal_profiles_have_no_differences() -> None:
    assert differences(PROFILE, PROFILE).is_empty


def test_values_are_shown_as_people_read_them() -> None:
    assert text_at(PROFILE, "members/ran-yan/role") == "Ph.D. student"
    assert text_at(PROFILE, "members/ran-yan/current") == "Yes, a current member"
    assert text_at(PROFILE, "works/flexgen/authors_complete") == "Complete"
    assert text_at(PROFILE, "works/flexgen/links") == "code https://code.example/flexgen"
    assert text_at(PROFILE, "works/hexgen/year") == "2024"
    assert text_at(PROFILE, "systems/flexgen/works") == "FlexGen: High-throughput generative inference"
    assert text_at(PROFILE, "figures") == "citations 1219\nh-index 39"
    assert text_at(PROFILE, "members/nobody/term") == ""


def test_an_item_is_shown_by_its_filled_fields() -> None:
    assert item_fields(PROFILE, "openings/phd") == [
        ("Degree or position", "Ph.D. student"),
        ("Text", "Two students."),
        ("Seats", "2"),
        ("Funding", "full"),
        ("Start", "Fall 2027"),
        ("Deadline", "2026-12-15"),
    ]
    assert item_fields(PROFILE, "openings/none") == []


def test_items_are_added_removed_and_changed_by_name() -> None:
    new = replace(
        PROFILE,
        members=(PROFILE.members[1], MemberRecord("x", "X", "visiting")),
        works=(replace(PROFILE.works[0], links=(Link("code", "https://new.example/"),)), *PROFILE.works[1:]),
    )
    shown = differences(PROFILE, new)
    people, works = shown.sections
    assert [(item.kind, item.name) for item in people.items] == [("added", "X"), ("removed", "Bin Yuan")]
    (work,) = works.items
    assert (work.kind, [field.label for field in work.fields]) == ("changed", ["Links"])


def test_another_order_is_said() -> None:
    (section,) = differences(PROFILE, replace(PROFILE, members=PROFILE.members[::-1])).sections
    assert (section.items, section.reordered) == ((), True)


def test_facts_of_which_only_the_source_moved_are_not_shown() -> None:
    moved = replace(
        PROFILE,
        origins=(("about", Origin("page.txt", 9)), PROFILE.origins[1]),
        works=(replace(PROFILE.works[0], origins=()), *PROFILE.works[1:]),
    )
    shown = differences(PROFILE, moved)
    assert shown.is_empty


def test_thousands_of_changes_are_counted_rather_than_listed() -> None:
    many = replace(PROFILE, works=(*PROFILE.works, *(WorkRecord(f"w{n}", f"W{n}") for n in range(1000))))
    (section,) = differences(PROFILE, many).sections
    assert (len(section.items), section.not_shown) == (MOST_ITEMS_SHOWN, 1000 - MOST_ITEMS_SHOWN)


def visible(record: LabRecord) -> dict[str, Any]:
    """What people see of a profile: all but its key and where facts are from."""
    snapshot: dict[str, Any] = {
        name: value for name, value in to_json(record).items() if name not in {"key", "origins"}
    }
    for name in COLLECTIONS:
        snapshot[name] = [{**item, "origins": None} for item in snapshot[name]]
    return snapshot


@given(labs(), labs())
def test_differences_are_empty_exactly_when_people_see_the_same(old: LabRecord, new: LabRecord) -> None:
    assert differences(old, new).is_empty == (visible(old) == visible(new))
