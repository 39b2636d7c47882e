from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from portal.seeding.records import (
    COLLECTIONS,
    ActivityRecord,
    LabRecord,
    Link,
    MemberRecord,
    OpeningRecord,
    Origin,
    SnapshotError,
    SystemRecord,
    WorkRecord,
    from_json,
    to_json,
)
from tests.seeding.strategies import labs

FULL = LabRecord(
    key="lab",
    name="Lab",
    leader="李 明",
    topics=("serving", "training"),
    figures=(("papers", 39),),
    members=(MemberRecord("ran", "Ran", "phd_student", current=False, origins=(Origin("a.txt", 3),)),),
    works=(WorkRecord("w", "Title", year=2024, links=(Link("code", "https://example.org"),)),),
    systems=(SystemRecord("s", "S", works=("w",)),),
    activities=(ActivityRecord("t", "talk", "A talk", year=None),),
    openings=(OpeningRecord("phd", "phd", seats=2),),
    origins=(("about", Origin("a.txt", 1)),),
)


def test_a_full_profile_survives_json() -> None:
    assert from_json(json.loads(json.dumps(to_json(FULL)))) == FULL


@given(labs())
def test_every_profile_survives_json(lab: LabRecord) -> None:
    assert from_json(json.loads(json.dumps(to_json(lab)))) == lab


def test_the_json_names_its_schema() -> None:
    assert to_json(FULL)["schema"] == 1


def test_the_collections_are_those_of_the_record() -> None:
    keyed = [name for name, value in to_json(FULL).items() if isinstance(value, list) and value]
    assert [name for name in keyed if name in COLLECTIONS] == list(COLLECTIONS)


def test_an_old_snapshot_without_later_fields_loads_with_defaults() -> None:
    assert from_json({"key": "lab", "name": "Lab"}) == LabRecord("lab", "Lab")


def test_an_unknown_field_is_refused_and_the_known_ones_listed() -> None:
    with pytest.raises(SnapshotError) as refused:
        from_json({"key": "lab", "name": "Lab", "works": [{"key": "w", "title": "T", "titel": "T"}]})
    assert str(refused.value).startswith("lab/works/0: unknown titel; known: key, title, authors")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 2}, "schema 2 is not known; known: 1"),
        ({"about": 3}, "lab/about: expected str, got int"),
        ({"about": None}, "lab/about: expected str, got NoneType"),
        ({"topics": "serving"}, "lab/topics: expected a list, got str"),
        ({"topics": [1]}, "lab/topics/0: expected str, got int"),
        ({"figures": [["papers"]]}, "lab/figures/0: expected a list of 2, got 1"),
        ({"works": [3]}, "lab/works/0: expected an object, got int"),
        ({"works": [{"key": "w"}]}, "lab/works/0: missing title"),
        ({"works": [{"key": "w", "title": "", "year": True}]}, "lab/works/0/year: expected int, got bool"),
        ({"works": [{"key": "", "title": ""}]}, "works: the key '' is empty or holds a \"/\""),
        ({"works": [{"key": "a/b", "title": ""}]}, "works: the key 'a/b' is empty or holds a \"/\""),
        ({"works": [{"key": "a", "title": ""}] * 2}, "works: the key 'a' is used twice"),
        (
            {"members": [{"key": "a", "name": "A", "role": "boss"}]},
            (
                "lab/members/0/role: 'boss' is not known; known: leader, phd_student, mphil_student, "
                "research_assistant, visiting, member"
            ),
        ),
    ],
)
def test_what_is_no_profile_is_refused_with_its_place(change: dict[str, object], message: str) -> None:
    data = json.loads(json.dumps({**to_json(FULL), **change}))
    with pytest.raises(SnapshotError) as refused:
        from_json(data)
    assert str(refused.value) == message


def test_a_value_that_is_no_part_of_a_profile_is_not_written() -> None:
    broken = replace(FULL, members=("Ran",))  # type: ignore[arg-type]
    assert to_json(broken)["members"] == ["Ran"]
    with pytest.raises(SnapshotError):
        to_json(replace(FULL, about=b"text"))  # type: ignore[arg-type]
