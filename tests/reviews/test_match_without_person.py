"""What a blind reviewer sees of a match says nothing of who it is."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from portal.labs.matches import ProfileView
from portal.matching import TermShare
from portal.reviews.applicant.queries import match_without_person
from portal.reviews.blind_review import Redactor

from .crowd import match_in

LAB = SimpleNamespace(slug="lab", name="Lab", leader="A Leader", place="Leeds")
SENTENCE = "With Quetzalcoatl we built schedulers."


def shown(*terms: str) -> ProfileView | None:
    """The lab's own sentence, with all words marked at first, as it is shown where these terms made the match."""
    match = replace(
        match_in(LAB, 0.5),  # type: ignore[arg-type]  # what a match is made of, without a database
        terms=tuple(TermShare(term, 0.1, "statement", ()) for term in terms),
        profile=ProfileView(SENTENCE, ((5, 17), (27, 37)), adds=True),
    )
    return match_without_person(match, Redactor("Zoe Quetzalcoatl", "zoe@example.org", ())).profile


def test_in_the_words_of_the_lab_no_name_is_marked() -> None:
    profile = shown("Quetzalcoatl", "schedulers")
    assert profile is not None
    assert [profile.sentence[start:end] for start, end in profile.spans] == ["schedulers"]


def test_words_of_the_lab_that_met_by_a_name_alone_are_not_shown() -> None:
    assert shown("Quetzalcoatl") is None
