"""Files of judged queries, ratings and labs: every kind of line is read, every bad one named with the reason."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.matching import LabDoc, Query, Topic, WorkDoc
from portal.matching.evaluation.judged_queries import JudgedQuery
from portal.matching.evaluation.lines import Material, read_labs, read_material
from portal.matching.evaluation.ratings import Rating
from portal.matching.json_lines import Problem, printable

LAB = {
    "lab_key": "looms",
    "profile": "We weave.",
    "works": [
        {
            "key": "w",
            "title": "A loom",
            "abstract": "Silk.",
            "systems": ["LoomX"],
            "year": 2024,
            "authors": ["A. Weaver"],
        },
        {"key": "v", "title": "T"},
    ],
}

FIELDS = ("text", "labs", "id", "topics", "weight", "rating", "lab", "query", "lab_key", "works", "key", "title", "x")


def read(*lines: dict[str, Any] | str | bytes) -> Material:
    encoded = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
    return read_material([line if isinstance(line, bytes) else line.encode() + b"\n" for line in encoded])


def reason(line: dict[str, Any] | str | bytes) -> str:
    (problem,) = read(line).problems
    assert problem.line == 1
    return problem.reason


def test_a_judged_query_may_say_much() -> None:
    line = {
        "id": "q1",
        "text": "silk",
        "topics": ["looms", {"text": "GPUs", "weight": 0.5}],
        "statement": "I weave.",
        "resume": "Wove.",
        "labs": ["looms"],
        "kind": "topic",
        "evidence": ["A loom"],
        "not_evidence": ["Poetry"],
        "not": ["poems"],
        "same_as": "silks",
    }
    (judged,) = read(line).judged
    assert judged == JudgedQuery(
        "silk",
        ("looms",),
        "topic",
        ("A loom",),
        ("Poetry",),
        ("poems",),
        "silks",
        (Topic("looms"), Topic("GPUs", 0.5)),
        "I weave.",
        "Wove.",
        1,
    )
    assert judged.query == Query((Topic("silk"), Topic("looms"), Topic("GPUs", 0.5)), "I weave.", "Wove.")


def test_a_judged_query_may_say_little() -> None:
    assert read({"text": "silk", "labs": []}).judged == [JudgedQuery("silk", (), line=1)]


def test_kinds_of_line_mix_freely_and_ratings_may_name_later_lines() -> None:
    material = read(
        {"lab": "looms", "query": "q1", "rating": 4.5},
        "",
        LAB,
        {"lab": "looms", "text": "poetry", "rating": 1},
        {"id": "q1", "text": "silk"},
    )
    assert material.labs == [
        LabDoc(
            "looms",
            "We weave.",
            (WorkDoc("w", "A loom", "Silk.", 2024, ("LoomX",), ("A. Weaver",)), WorkDoc("v", "T", "")),
        )
    ]
    assert material.ratings == [
        Rating("looms", "silk", 4.5, Query((Topic("silk"),), correct_spelling=False), 1),
        Rating.of_text("looms", "poetry", 1, 4),
    ]
    assert (material.judged, material.problems, material.lab_lines) == ([], [], 1)


def test_a_judged_query_with_an_id_may_be_rated_too() -> None:
    material = read({"id": "q", "text": "silk", "labs": []}, {"lab": "looms", "query": "q", "rating": 2})
    assert (len(material.judged), [rating.text for rating in material.ratings]) == (1, ["silk"])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"\xff\n", "this is not UTF-8"),
        ("silk", "this is not JSON ("),
        ("[1]", "this is not a JSON object"),
        ("[" * 100_000, "this is nested too deeply"),
        ('{"rating": ' + "1" * 5000 + "}", "this is not JSON ("),
        ('{"text": "a", "text": "b", "labs": []}', "a field is given twice"),
        ({}, "it should be a judged query"),
        ({"text": "silk"}, "it should be a judged query"),
        ({"text": "silk", "labs": [], "lab": 1, "x\x1b": 1}, "unknown field lab, x; known here: id, text, topics,"),
        ({"text": 1, "labs": []}, '"text" must be a text'),
        ({"labs": []}, "it needs one of text, topics, statement, resume"),
        ({"text": "silk", "labs": "looms"}, '"labs" must be a list of texts'),
        ({"text": "silk", "labs": [1]}, '"labs" must be a list of texts'),
        ({"text": "silk", "labs": ["a", "a"]}, '"labs" has the same text twice'),
        ({"text": "silk", "labs": [], "not_evidence": [" "]}, '"not_evidence" has an empty text'),
        ({"text": "silk", "labs": [], "evidence": "x"}, '"evidence" must be a list of texts'),
        ({"text": "silk", "labs": ["a"], "not": ["a"]}, '"labs" and "not" both name a'),
        ({"topics": "silk", "labs": []}, '"topics" must be a list of topics'),
        ({"topics": [3], "labs": []}, 'a topic in "topics" is a text or an object'),
        ({"topics": [{"text": "x", "weight": -1}], "labs": []}, '"weight" must be a number from 0 to'),
        ({"topics": [{"weight": 1}], "labs": []}, '"text" is missing'),
        ({"id": " ", "text": "silk"}, '"id" is empty'),
        ({"id": "q", "text": "silk", "kind": "x"}, "unknown field kind; known here: id, text"),
        ({"lab": "a", "text": "x", "rating": 0.9}, '"rating" must be a number from 1 to 5'),
        ('{"lab": "a", "text": "x", "rating": NaN}', '"rating" must be a number from 1 to 5'),
        ({"lab": "a", "text": "x", "rating": True}, '"rating" must be a number from 1 to 5'),
        ({"lab": "a", "text": "x", "rating": "5"}, '"rating" must be a number from 1 to 5'),
        ({"lab": "a", "rating": 5}, 'a rating has either a "text" or the id of a "query"'),
        ({"lab": "a", "text": "x", "query": "q", "rating": 5}, 'a rating has either a "text"'),
        ({"text": "x", "rating": 5}, '"lab" is missing'),
        ({"lab": "a", "query": "q", "rating": 5}, 'no good line has the id "q"'),
        ({"lab_key": ""}, '"lab_key" is empty'),
        ({"lab_key": "a", "profile": None}, '"profile" must be a text'),
        ({"lab_key": "a", "works": {}}, '"works" must be a list of objects'),
        ({"lab_key": "a", "works": [{"title": "x"}]}, '"key" is missing'),
        ({"lab_key": "a", "works": [{"key": "w"}]}, '"title" is missing'),
        ({"lab_key": "a", "works": [{"key": "w", "title": "x", "year": "2024"}]}, '"year" must be a whole number'),
        ({"lab_key": "a", "works": [{"key": "w", "title": "x"}] * 2}, "lists these works more than once: w"),
        ({"lab_key": "a", "name": "A"}, "unknown field name; known here: lab_key, profile, works"),
    ],
)
def test_a_bad_line_is_named_with_the_reason(line: dict[str, Any] | str | bytes, why: str) -> None:
    assert reason(line).startswith(why) or why in reason(line)


def test_what_stands_twice_is_refused_the_second_time() -> None:
    material = read(
        LAB,
        LAB,
        {"lab": "looms", "text": "x", "rating": 1},
        {"lab": "looms", "text": "x", "rating": 2},
        {"id": "q", "text": "x"},
        {"id": "q", "text": "y"},
    )
    assert material.problems == [
        Problem(2, 'there is a lab "looms" already'),
        Problem(4, "this lab has rated the same text before"),
        Problem(6, 'there is an id "q" already'),
    ]
    assert (len(material.labs), len(material.ratings)) == (1, 1)


def test_the_good_lines_around_bad_ones_are_read() -> None:
    material = read({"text": "silk", "labs": []}, "no", {"text": "wool", "labs": []})
    assert [judged.line for judged in material.judged] == [1, 3]
    assert [problem.line for problem in material.problems] == [2]


def test_a_byte_order_mark_windows_lines_and_odd_separators_in_texts_do_no_harm() -> None:
    material = read_material([b'\xef\xbb\xbf{"text": "a\xe2\x80\xa8b", "labs": []}\r\n', b"\r\n"])
    assert (material.judged[0].text, material.problems) == ("a\u2028b", [])


def test_queries_and_ratings_for_unknown_labs_are_problems() -> None:
    material = read(
        {"text": "silk", "labs": ["looms", "lomos"]},
        {"lab": "lomos", "text": "x", "rating": 1},
        {"text": "silk", "labs": [], "not": ["lomos"]},
        {"text": "silk", "labs": ["looms"]},
    )
    valid, problems = material.with_known_labs({"looms"})
    assert problems == [Problem(line, "no lab has the key lomos; there are looms") for line in (1, 2, 3)]
    assert ([judged.line for judged in valid.judged], valid.ratings) == ([4], [])


def test_of_many_known_labs_some_are_named() -> None:
    _, problems = read({"text": "x", "labs": ["z"]}).with_known_labs([f"lab{n:02}" for n in range(12)])
    assert problems[0].reason.endswith("lab08, lab09 and 2 more")


def test_a_file_of_labs_holds_labs_alone() -> None:
    lines = [json.dumps(line).encode() for line in (LAB, {"text": "silk", "labs": []}, {**LAB, "lab_key": "taken"})]
    material = read_labs(lines, ["taken"])
    assert [lab.key for lab in material.labs] == ["looms"]
    assert material.problems == [
        Problem(2, 'this is no lab: it has no "lab_key"'),
        Problem(3, 'there is a lab "taken" already'),
    ]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), values, max_size=5), max_size=6))
def test_whatever_is_in_a_line_it_is_taken_or_named(records: list[dict[str, Any]]) -> None:
    material = read(*records)
    named = {problem.line for problem in material.problems}
    taken = len(material.judged) + len(material.ratings) + len(material.labs)
    texts_to_rate = sum(
        1
        for line_number, record in enumerate(records, start=1)
        if line_number not in named and "id" in record and not record.keys() & {"rating", "lab_key", "labs"}
    )
    assert taken + texts_to_rate + len(named) == len(records)


def test_what_is_shown_of_a_text_is_one_short_line() -> None:
    assert printable("a\x1b[31m\n\tb\u202ec\ud800") == "a [31m b c"
    assert printable("x" * 100) == "x" * 79 + "…"
    assert printable(" " * 1000 + "x") == "…"
    assert printable("深度学习") == "深度学习"
