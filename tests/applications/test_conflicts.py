from __future__ import annotations

from portal.applications.conflicts import Difference, differences, parts_taken
from portal.applications.stated import Stated
from portal.matching import Topic


def test_both_versions_are_shown_part_by_part() -> None:
    mine = Stated((Topic("LLM serving", 2.0), Topic("queues")), "Mine.", {"place": ("Berlin", "Paris")})
    theirs = Stated((), "Mine.", {}, discoverable=True)
    assert differences(mine, theirs) == [
        Difference("topics", "Topics", "LLM serving (weight 2)\nqueues (weight 1)", "Nothing"),
        Difference("facets", "What the lab should have", "Place: Berlin, Paris", "Nothing"),
        Difference(
            "discoverable",
            "Whether other labs may find you",
            "Only labs I name can see me",
            "Labs I did not name may find me",
        ),
    ]


def test_only_parts_chosen_from_the_saved_version_are_taken() -> None:
    sent = {"take-topics": "mine", "take-statement": "theirs", "take-everything": "theirs", "take-facets": "x"}
    assert list(parts_taken(sent)) == ["statement"]
