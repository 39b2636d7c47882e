"""OpenAlex and ORCID: nulls everywhere, several sources of one work, complete and cut-off files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from portal.seeding.imports.imported import ImportRefused
from portal.seeding.reader import read_import
from tests.seeding.exports import OPENALEX, ORCID, openalex_work, orcid_group


def read(value: Any, name: str = "export.json") -> Any:  # noqa: ANN401 - JSON
    return read_import(json.dumps(value).encode(), filename=name)


def test_works_of_openalex_are_taken_merged_told_or_left_out() -> None:
    imported = read(OPENALEX)
    assert [(entry.pointer, entry.outcome) for entry in imported.entries] == [
        ("/results/0", "taken"),
        ("/results/1", "ignored"),
        ("/results/2", "ignored"),
        ("/results/3", "problem"),
        ("/results/4", "problem"),
        ("/results/5", "taken"),
        ("/results/6", "merged"),
        ("/results/7", "problem"),
        ("/results/8", "problem"),
    ]
    assert imported.problems[0].reason.startswith("the work was retracted; enter it by hand")
    work = imported.draft.works[0]
    assert (work.title, work.authors, work.abstract) == (
        "Work number 1 & more",
        ("Jane Doe", "R. Roe"),
        "We join and join",
    )
    assert (work.venue, work.venue_full) == ("VLDB", "Proceedings of the VLDB Endowment, 15, pp. 1–12")
    assert {link.url for link in work.links} >= {"https://doi.org/10.1000/work.1", "https://arxiv.org/abs/2201.00001"}


@pytest.mark.parametrize(
    "value",
    [
        openalex_work(1),
        [openalex_work(1)],
        {"results": [openalex_work(1)]},
        [{"meta": {}, "results": [openalex_work(1)]}, {"meta": {}, "results": []}],
    ],
)
def test_a_work_alone_a_list_and_answers_of_the_api_are_the_same(value: Any) -> None:  # noqa: ANN401
    assert [work.title for work in read(value).draft.works] == ["Work number 1 & more"]


def test_a_record_of_orcid_is_a_person_with_works() -> None:
    imported = read(ORCID)
    draft = imported.draft
    assert (draft.leader, draft.about, draft.topics) == (
        "Jane Doe",
        "I study joins.\n\nAnd more.",
        ("Databases", "Query optimization"),
    )
    assert [(work.title, work.date) for work in draft.works] == [
        ("Work 1: the preferred title", "April 2021"),
        ("Work 2 of the record", "April 2021"),
    ]
    # What the work is part of (a book, a journal) is no name of the work itself.
    assert [[link.url for link in work.links] for work in draft.works] == [
        ["https://doi.org/10.1000/j.1"],
        ["https://arxiv.org/abs/2104.00002"],
    ]
    assert [entry.said for entry in imported.ignored] == ["Work 4 of the record"]
    assert (len(imported.taken), len(imported.merged), len(imported.problems)) == (5, 1, 2)


@pytest.mark.parametrize(
    "value",
    [
        {"group": [orcid_group(1), orcid_group(2)], "path": "/0000/works"},
        {"works": {"group": [orcid_group(1), orcid_group(2)]}, "employments": None},
    ],
)
def test_sections_of_a_record_are_read_by_themselves(value: Any) -> None:  # noqa: ANN401
    imported = read(value)
    assert (imported.kind, [work.title for work in imported.draft.works]) == (
        "orcid",
        ["Work 1 of the record", "Work 2 of the record"],
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}', "this kind of JSON is not known"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' * 100_000, "nested too deeply"),
        ('{"a": 1', "the JSON is broken (line 1: "),
        ('[{"title": "A", "container-title": ["B"], "DOI": "10.1/x"}]', "from other services, export BibTeX"),
    ],
)
def test_other_json_is_refused_with_one_sentence(text: str, message: str) -> None:
    with pytest.raises(ImportRefused) as refused:
        read_import(text.encode(), filename="x.json")
    assert message in str(refused.value)
