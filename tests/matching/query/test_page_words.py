"""What web pages say of themselves, told from what somebody works on."""

from __future__ import annotations

import pytest

from portal.matching.query.page_words import are_of_pages, without_labels


@pytest.mark.parametrize(
    ("text", "is_of_a_page"),
    [
        ("we use cookies to make this site better", True),
        ("cookies in web tracking of users", False),
        ("we study how sites track users by cookies", False),
        ("13th international conference on learning representations", True),
        ("proceedings of the vldb endowment", True),
        ("learning representations", False),
        ("scheduling for the conference on learning", False),
        ("home research teaching cv", True),
        ("cv", False),
        ("osdi", False),
    ],
)
def test_a_banner_a_venue_and_a_menu_are_of_pages(text: str, is_of_a_page: bool) -> None:  # noqa: FBT001 - a parameter
    assert are_of_pages([text.split()]) == is_of_a_page


def test_every_segment_is_of_a_page_and_one_surely() -> None:
    assert are_of_pages([["home"], ["search"]])
    assert not are_of_pages([["home"], ["federated", "learning"]])
    assert not are_of_pages([["search"], ["video"]])
    assert not are_of_pages([])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[video] of a talk", "        of a talk"),
        ("[[code]](https://example.org/a) here", " " * 31 + " here"),
        ("[\\[pdf\\]](a)", " " * 12),
        ("the [MASK] token", "the [MASK] token"),
    ],
)
def test_labels_of_links_are_blank_and_places_stay(text: str, left: str) -> None:
    assert without_labels(text).rstrip() == left.rstrip()
    assert len(without_labels(text)) == len(text)
