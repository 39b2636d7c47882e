"""The input of the matcher: works, labs and queries as plain immutable data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Facets = Mapping[str, Sequence[str]]

HEAVIEST = 1e100
"""The largest weight of a topic or a resume; the squares of much larger ones are no numbers any more."""


@dataclass(frozen=True, slots=True)
class WorkDoc:
    """A publication as the matcher reads it.

    `systems` are the names of the systems that the work presents; they count as part of the title, and a query that is
    nothing but such a name finds the work. Such a query may also contain some of the `authors` and the `year`, which
    do not count otherwise. An abstract of None, as collections of papers have it, becomes an empty one.
    """

    key: str
    title: str
    abstract: str
    year: int | None = None
    systems: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "abstract", self.abstract or "")
        if not (isinstance(self.title, str) and isinstance(self.abstract, str)):
            raise TypeError(f"title and abstract of work {self.key!r} are each a str")
        _require_lists({"systems": self.systems, "authors": self.authors}, f"of work {self.key!r}")


@dataclass(frozen=True, slots=True)
class LabDoc:
    """A lab as the matcher reads it.

    `profile` is everything the lab says about itself (interests, recruiting statement, topics). `facets` maps
    the name of a facet ("hardware", "place", "start", "funding", "degree" …) to the lab's values.
    """

    key: str
    profile: str
    works: Sequence[WorkDoc]
    facets: Facets = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.profile, str):
            raise TypeError(f"the profile of lab {self.key!r} is a str, not {self.profile!r}")
        _require_lists(self.facets, "among the facets")
        object.__setattr__(self, "works", tuple(self.works))
        keys = [work.key for work in self.works]
        if len(set(keys)) != len(keys):
            twice = sorted({key for key in keys if keys.count(key) > 1})
            raise ValueError(f"lab {self.key!r} lists these works more than once: {', '.join(twice)}")


@dataclass(frozen=True, slots=True)
class Topic:
    """One stated topic; `weight` is relative to the other parts of the query, 0 leaves it out."""

    text: str
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"the text of a topic is a str, not {self.text!r}")
        _require_weight("topic weight", self.weight)


@dataclass(frozen=True, slots=True)
class Query:
    """What a person wants to work on.

    Every part (each topic, the statement, the resume) is normalised by itself; then the parts are mixed by weight: each
    topic by its own, the statement by 1, the resume by `resume_weight`. `facets` maps the name of a facet to the wanted
    values; facets are reported as met or missed and do not change the score. Unless `correct_spelling` is off, words of
    the topics and the statement that occur nowhere are corrected to the words that were probably meant.
    """

    topics: Sequence[Topic] = ()
    statement: str = ""
    resume: str = ""
    resume_weight: float = 0.3
    facets: Facets = field(default_factory=dict)
    correct_spelling: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "topics", tuple(self.topics))
        for topic in self.topics:
            if not isinstance(topic, Topic):
                raise TypeError(f"topics are a list of Topic, such as [Topic('LLM serving')], not of {topic!r}")
        if not (isinstance(self.statement, str) and isinstance(self.resume, str)):
            raise TypeError("the statement and the resume are each a str; an empty one is left out")
        _require_weight("resume weight", self.resume_weight)
        _require_lists(self.facets, "among the facets")


def _require_weight(name: str, weight: float) -> None:
    if not 0 <= weight <= HEAVIEST:
        raise ValueError(f"{name} must be a number from 0 to {HEAVIEST:g}, not {weight!r}")


def _require_lists(lists: Mapping[str, Sequence[str]], where: str) -> None:
    for name, values in lists.items():
        if isinstance(values, str):  # its letters would be taken for the values
            raise TypeError(f"{name} {where} is a list, such as [{values!r}], not one str")
