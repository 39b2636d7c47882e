"""Small lab profiles that overlap often, for the laws of merging."""

from __future__ import annotations

from hypothesis import strategies as st

from portal.seeding.records import (
    ActivityRecord,
    LabRecord,
    MemberRecord,
    OpeningRecord,
    Origin,
    SystemRecord,
    WorkRecord,
)

TEXT = st.sampled_from(["", "x", "y", "表"])
KEYS = st.sampled_from(["a", "b", "c", "d"])
LISTS = st.lists(TEXT, max_size=2).map(tuple)
ORIGIN = st.builds(Origin, st.sampled_from(["p", "q"]), st.integers(1, 3))
ORIGINS = st.lists(ORIGIN, max_size=2).map(tuple)

_members = st.builds(
    MemberRecord,
    key=KEYS,
    name=TEXT,
    role=st.sampled_from(["leader", "phd_student"]),
    current=st.booleans(),
    term=TEXT,
    degrees=LISTS,
    origins=ORIGINS,
)
_works = st.builds(
    WorkRecord,
    key=KEYS,
    title=TEXT,
    authors=LISTS,
    year=st.sampled_from([None, 2023, 2024]),
    abstract=TEXT,
    origins=ORIGINS,
)
_activities = st.builds(ActivityRecord, key=KEYS, kind=st.just("talk"), title=TEXT, origins=ORIGINS)
_openings = st.builds(OpeningRecord, key=KEYS, degree=st.just("phd"), seats=st.sampled_from([None, 1]))


@st.composite
def labs(draw: st.DrawFn) -> LabRecord:
    """A profile of the lab "lab" whose systems name only its own works."""
    works = tuple(draw(st.lists(_works, max_size=4, unique_by=lambda work: work.key)))
    keys = [work.key for work in works]
    evidence = st.lists(st.sampled_from(keys), unique=True).map(tuple) if keys else st.just(())
    systems = st.builds(SystemRecord, key=KEYS, name=TEXT, works=evidence, origins=ORIGINS)
    origins = draw(st.dictionaries(st.sampled_from(["about", "place", "topics"]), ORIGIN, max_size=3))
    return LabRecord(
        key="lab",
        name=draw(TEXT),
        about=draw(TEXT),
        place=draw(TEXT),
        topics=draw(LISTS),
        figures=draw(st.sampled_from([(), (("papers", 1),), (("papers", 2),)])),
        members=tuple(draw(st.lists(_members, max_size=4, unique_by=lambda member: member.key))),
        works=works,
        systems=tuple(draw(st.lists(systems, max_size=3, unique_by=lambda system: system.key))),
        activities=tuple(draw(st.lists(_activities, max_size=2, unique_by=lambda item: item.key))),
        openings=tuple(draw(st.lists(_openings, max_size=2, unique_by=lambda item: item.key))),
        origins=tuple(origins.items()),
    )
