from __future__ import annotations

import pytest

from portal.seeding.corrections import Corrections, parse_corrections
from portal.seeding.pages import SeedError
from portal.seeding.reader import seed_texts
from portal.seeding.records import LabRecord, Origin, work_label
from tests.seeding.other_pages import DSPACE, HOME

LAB = "analytical-engines-laboratory"
TITLE = f"""
[[set]]
lab = "{LAB}"
path = "works/lovelace-icde-2021-272004/title"
value = "Joins Revisited"
why = "The listing prints no title."
source = "The proceedings"
"""


def seeded(corrections: str) -> tuple[LabRecord, list[str]]:
    result = seed_texts([("home", HOME), ("listing", DSPACE)], parse_corrections("c.toml", corrections))
    return result.labs[0], [problem.reason for problem in result.notes if problem.page == "c.toml"]


def test_a_value_is_set_with_its_line_as_origin() -> None:
    lab, problems = seeded(TITLE)
    work = next(item for item in lab.works if item.key == "lovelace-icde-2021-272004")
    assert (work.title, work.origins[-1], problems) == ("Joins Revisited", Origin("c.toml", 2), [])


def test_a_field_of_the_lab_gets_the_correction_as_its_only_origin() -> None:
    lab, _ = seeded(TITLE.replace("works/lovelace-icde-2021-272004/title", "place"))
    assert (lab.place, dict(lab.origins)["place"]) == ("Joins Revisited", Origin("c.toml", 2))


def test_a_new_name_of_a_member_also_stands_in_what_they_did() -> None:
    lab, _ = seeded(TITLE.replace("works/lovelace-icde-2021-272004/title", "members/ada-lovelace/name"))
    assert {item.person for item in lab.activities} == {"Joins Revisited"}


def test_a_correction_for_what_is_not_there_becomes_a_question() -> None:
    _, problems = seeded(TITLE.replace("272004", "000000"))
    assert problems == ["does not apply: works/lovelace-icde-2021-000000/title: not in this profile"]


def test_a_correction_for_another_lab_does_nothing() -> None:
    assert seeded(TITLE.replace(LAB, "elsewhere")) == seeded("")


def test_a_named_system_is_added_or_completed() -> None:
    entry = """
[[system]]
lab = "analytical-engines-laboratory"
name = "{name}"
works = ["serverless-joins-at-scale", "{other}"]
why = "Because."
source = "The authors"
"""
    lab, problems = seeded(entry.format(name="Joinery", other="gone"))
    assert [(system.name, system.works) for system in lab.systems][1:] == [("Joinery", ("serverless-joins-at-scale",))]
    assert problems == ["the lab has no work of that key"]
    lab, _ = seeded(entry.format(name="Query Flow", other="serverless-joins-at-scale"))
    (system,) = lab.systems
    assert (system.name, system.works) == (
        "Query Flow",
        ("serverless-joins-at-scale", "queryflow-fast-plans-for-slow-disks"),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[set]", "c.toml: not TOML"),
        ("[[put]]\na = 1", "c.toml: unknown table put; known: set, system"),
        ("[set]\nlab = 'x'", "c.toml: set must be written as [[set]]"),
        (TITLE.replace("why", "because"), "c.toml, line 2: unknown because; known: lab, path, value, why, source"),
        (TITLE.replace('source = "The proceedings"', ""), "c.toml, line 2: missing source"),
        (TITLE.replace('"The proceedings"', "3"), "c.toml, line 2: source must be a text"),
        (TITLE.replace('"Joins Revisited"', "3"), "c.toml, line 2: lab/works/4/title: expected str, got int"),
        (
            "[[system]]\nlab='a'\nname='b'\nworks='c'\nwhy='d'\nsource='e'",
            "c.toml, line 1: works must be a list of keys",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_the_line(text: str, message: str) -> None:
    with pytest.raises(SeedError) as refused:
        seeded(text)
    assert str(refused.value).startswith(message)


def test_a_work_without_a_title_is_called_by_what_is_known() -> None:
    (lab,) = seed_texts([("listing", DSPACE)], Corrections()).labs
    assert [work_label(work) for work in lab.works] == [
        "Work without a printed title: Hopper, Lovelace (Proceedings of the VLDB Endowment 2024)",
        "Work without a printed title: Lovelace (ICDE 2021)",
        "Work without a printed title: Smith, Doe et al. (The Lancet 2020)",
    ]
