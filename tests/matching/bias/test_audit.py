"""The bias audit: what it swaps, that it finds what moves, and that nothing moves on the resumes that are shipped."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

import pytest

from portal.config import RESOURCES
from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc, redact
from portal.matching.bias.audit import Person, Shift, audit, compare
from portal.matching.bias.swaps import FRAMES, KINDS, OWN_NAME, PAIRS, Kind, Word, swap
from portal.matching.results import Match
from tests.matching.corpus import LABS

if TYPE_CHECKING:
    from collections.abc import Sequence

RESUME = """Ada Example
ada@stanford.edu, Boston, USA

He studied at Stanford University; HIS brothers and father-in-law live in Boston. Emily Walsh taught him.
"""


def swapped(text: str, kind: Kind, direction: str = "there", name: str = "Nobody Known") -> str:
    return swap(text, (kind,), direction=direction, own_name=name, number=0).after  # type: ignore[arg-type]


def test_each_kind_is_swapped_and_nothing_else() -> None:
    assert swapped(RESUME, "gender").endswith(
        "She studied at Stanford University; HER sisters and mother-in-law live in Boston. Emily Walsh taught her.\n"
    )
    assert "University of Lagos; HIS" in swapped(RESUME, "schools")
    assert "ada@stanford.edu, Lagos, Ghana\n" in swapped(RESUME, "places")
    assert "ada@unilag.edu.ng, Boston" in swapped(RESUME, "addresses")
    assert "Lakisha Washington taught him" in swapped(RESUME, "names")
    own = swapped(RESUME, "names", name="Ada Example")
    assert own.startswith("Lakisha Washington\nada@")


def test_swapping_there_and_back_gives_what_was() -> None:
    for kind in ("schools", "places", "addresses"):
        assert swapped(swapped(RESUME, kind), kind, "back") == RESUME
    assert swapped("Nationality: Somali, of Mogadishu", "places", "back") == "Nationality: Swedish, of Stockholm"


@pytest.mark.parametrize("text", ["Hermes sheds mankind", "man-in-the-middle", "a Bostonian in USAGE", "x@notmit.edu"])
def test_words_are_swapped_whole_and_a_line_is_added_where_there_is_none(text: str) -> None:
    kinds: tuple[Kind, ...] = ("gender", "places")
    swapped = swap(text, kinds, direction="there", own_name="", number=0)
    added = "\nColleagues say that {} writes clear code.\n\nBorn and raised in {}.\n"
    assert (swapped.before, swapped.after) == (
        text + added.format("he", "United States"),
        text + added.format("she", "Nigeria"),
    )
    assert swapped.words == (Word("gender", "he", "she"), Word("places", "United States", "Nigeria"))


@pytest.mark.parametrize("kind", KINDS)
def test_every_word_of_the_lists_is_left_out_of_resumes(kind: Kind) -> None:
    words = [word for pair in PAIRS[kind] for word in pair if kind != "names" or " " in word]
    frame = re.sub(r"\W", " ", redact(FRAMES[kind].format("Paris")).text).split()
    redacted = {word: redact(FRAMES[kind].format(word)).text for word in words}
    remaining = {
        word: [part for part in re.findall(r"[\w]+", word) if part in re.findall(r"\w+", text)]
        for word, text in redacted.items()
    }
    assert {word: rest for word, rest in remaining.items() if set(rest) - set(frame)} == {}


def matches(*labs: str) -> list[Match]:
    return [Match(lab, 1 - place / 10, place, 100.0) for place, lab in enumerate(labs, start=1)]


@pytest.mark.parametrize(
    ("before", "after", "shift"),
    [
        ("", "", Shift(0, 0.0, 1.0)),
        ("abc", "abc", Shift(0, 0.0, 1.0)),
        ("abc", "bac", Shift(1, 0.1, 1.0)),
        ("ab", "ba", Shift(1, 0.1, 1.0)),
        ("ab", "a", Shift(1, 0.5, 0.5)),
        ("", "a", Shift(1, 0.5, 0.0)),
        ("abcdefg", "gabcdef", Shift(6, 0.6, 0.8)),
    ],
)
def test_a_shift_says_how_far_a_ranking_moved(before: Sequence[str], after: Sequence[str], shift: Shift) -> None:
    assert compare(matches(*before), matches(*after), lambda _lab: (0.5, 0.0)) == pytest.approx(shift)


def test_a_name_that_means_something_to_the_labs_is_found_and_not_printed() -> None:
    work = WorkDoc("w", "Sparse Attention kernels for language models", "Sparse attention is fast.")
    other = WorkDoc("w", "Databases of proteins", "Proteins in tables.")
    index = LabIndex.fit([LabDoc("attention", "", (work,)), LabDoc("proteins", "", (other,))])
    resume = "Curriculum vitae\nI am called Sparse Attention by my friends. I keep proteins in tables."
    person = Person("Sparse Attention", Query((Topic("proteins"),), resume=resume, resume_weight=1.0))
    report = audit([person], index)
    assert report.kinds["names"].people == report.kinds["all"].people == 1
    assert report.kinds["names"].largest_score > 0
    assert (report.kinds["gender"].changed, report.kinds["gender"].rankings) == (0, 4)
    assert {word.before for word in report.words} == {OWN_NAME}


def test_nothing_moves_on_the_shipped_resumes() -> None:
    resumes = tomllib.loads((RESOURCES / "seeds/bias_resumes.toml").read_text(encoding="utf-8"))["people"]
    assert len(resumes) >= 12
    people = [
        Person(resume["name"], Query(tuple(map(Topic, resume["topics"])), resume["statement"], resume["resume"]))
        for resume in resumes
    ]
    report = audit(people, LabIndex.fit(LABS))
    assert report.words == {}
    assert {kind: moved.changed for kind, moved in report.kinds.items()} == dict.fromkeys((*KINDS, "all"), 0)
    assert report.kinds["all"].rankings == 4 * len(people)
