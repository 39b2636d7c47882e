from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from portal.seeding.merging import Plan, Proposal, Stored, make_plan
from portal.seeding.records import LabRecord, MemberRecord, Origin, WorkRecord
from tests.seeding.strategies import labs

PAGE = LabRecord(
    "lab",
    "Lab",
    about="from the page",
    members=(MemberRecord("ran", "Ran", "phd_student", term="2023-Fall"),),
    works=(WorkRecord("w", "Title"),),
    origins=(("about", Origin("p", 1)),),
)


def after(plan: Plan) -> dict[str, Stored]:
    """The stored labs after a plan has been applied."""
    return {step.record.key: Stored(step.record, step.seeded) for step in plan}


def asked(plan: Plan) -> list[Proposal]:
    return [proposal for step in plan for proposal in step.proposals]


def is_nothing(plan: Plan) -> bool:
    return all(step.kind == "skip" for step in plan)


def test_a_lab_that_is_new_is_created() -> None:
    (step,) = make_plan({}, [PAGE])
    assert (step.kind, step.record.key, step.record, step.seeded) == ("create", "lab", PAGE, PAGE)


@given(labs())
def test_the_same_pages_again_change_nothing(lab: LabRecord) -> None:
    assert is_nothing(make_plan({lab.key: Stored(lab, lab)}, [lab]))


@given(labs(), labs(), labs())
def test_after_a_plan_is_applied_the_same_pages_bring_nothing_new(
    seeded: LabRecord, edited: LabRecord, page: LabRecord
) -> None:
    first = make_plan({"lab": Stored(edited, seeded)}, [page])
    fingerprints = {proposal.fingerprint for proposal in asked(first)}
    again = make_plan(after(first), [page], excluded=fingerprints)
    assert is_nothing(again)
    assert asked(again) == []


def test_a_page_that_changed_updates_what_nobody_edited() -> None:
    edited = replace(PAGE, name="By hand")
    (step,) = make_plan({"lab": Stored(edited, PAGE)}, [replace(PAGE, about="new")])
    assert (step.kind, step.record) == ("update", replace(edited, about="new"))
    assert [(change.path, change.old, change.new) for change in step.changes] == [("about", "from the page", "new")]


def test_an_edit_by_hand_that_the_page_still_contradicts_is_asked_about_once() -> None:
    stored = {"lab": Stored(replace(PAGE, name="By hand"), PAGE)}
    plan = make_plan(stored, [PAGE])
    (proposal,) = asked(plan)
    assert (plan[0].kind, proposal.path, proposal.current, proposal.proposed, proposal.why) == (
        "ask",
        "name",
        "By hand",
        "Lab",
        "It was edited by hand, and the page still says something else.",
    )
    assert is_nothing(make_plan(stored, [PAGE], excluded={proposal.fingerprint}))


def test_an_edit_by_hand_is_never_overwritten_but_asked_about() -> None:
    edited = replace(PAGE, about="by hand")
    plan = make_plan({"lab": Stored(edited, PAGE)}, [replace(PAGE, about="new")])
    (step,) = plan
    assert (step.kind, step.record) == ("ask", edited)
    (proposal,) = asked(plan)
    assert (proposal.lab, proposal.path, proposal.current, proposal.proposed) == ("lab", "about", "by hand", "new")
    assert proposal.why == "It was edited by hand, and the page has changed it to something else since."


@pytest.mark.parametrize(
    ("edited", "page", "why"),
    [
        (
            replace(PAGE, place="here"),
            replace(PAGE, place="there"),
            "It was filled in by hand, and the page says something else.",
        ),
        (
            replace(PAGE, members=()),
            replace(PAGE, members=(replace(PAGE.members[0], term="2024"),)),
            "It was removed by hand, and the page has changed it since.",
        ),
        (
            replace(PAGE, members=(replace(PAGE.members[0], term="2024"),)),
            replace(PAGE, members=()),
            "It was edited by hand, and the page no longer has it.",
        ),
    ],
)
def test_a_proposal_says_why_it_is_asked(edited: LabRecord, page: LabRecord, why: str) -> None:
    plan = make_plan({"lab": Stored(edited, PAGE)}, [page])
    assert [proposal.why for proposal in asked(plan)] == [why]
    assert plan[0].record == edited


def test_a_proposal_is_recognised_by_lab_path_and_value_only() -> None:
    page = replace(PAGE, about="new")
    (proposal,) = asked(make_plan({"lab": Stored(replace(PAGE, about="by hand"), PAGE)}, [page]))
    (same,) = asked(make_plan({"lab": Stored(replace(PAGE, about="by other hand"), PAGE)}, [page]))
    (other,) = asked(make_plan({"lab": Stored(replace(PAGE, about="x"), PAGE)}, [replace(PAGE, about="newer")]))
    assert proposal.fingerprint == same.fingerprint
    assert proposal.fingerprint != other.fingerprint
    assert len(proposal.fingerprint) == 64


def test_a_lab_made_by_hand_is_filled_in_and_asked_about_where_it_differs() -> None:
    by_hand = LabRecord("lab", "My lab", members=(MemberRecord("xu", "Xu", "phd_student"),))
    (step,) = make_plan({"lab": Stored(by_hand, None)}, [PAGE])
    assert (step.kind, step.record.about, [member.key for member in step.record.members]) == (
        "update",
        "from the page",
        ["xu", "ran"],
    )
    assert [(proposal.path, proposal.current, proposal.proposed) for proposal in step.proposals] == [
        ("name", "My lab", "Lab")
    ]


def test_labs_the_pages_do_not_name_are_left_alone() -> None:
    other = LabRecord("other", "Other")
    plan = make_plan({"other": Stored(other, other), "lab": Stored(PAGE, PAGE)}, [PAGE])
    assert [(step.record.key, step.kind) for step in plan] == [("lab", "skip")]
