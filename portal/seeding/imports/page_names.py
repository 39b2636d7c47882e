"""The person and the lab that a page is about, by its first headings, its author and its title."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING

from portal.seeding.citation_titles import words_in
from portal.seeding.headings import classify
from portal.seeding.imports.heading_words import in_english
from portal.seeding.leftovers import leftover_reason
from portal.seeding.names import looks_like_name, plain_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.imports.blocks import Page

_LAB = re.compile(
    r"\b(?:lab|labs|laboratory|group|team|centre|center|lehrstuhl|arbeitsgruppe|laboratoire|laboratorio|équipe)\b|"
    r"实验室|课题组|研究组|研究室|연구실",
    re.IGNORECASE,
)
_PAGE = re.compile(r"\b(?:home|homepage|page|website|welcome|people|members|publications?|news)\b", re.IGNORECASE)
_NO_PERSON = re.compile(
    r"\b(?:lab|labs|laboratory|group|team|cent(?:re|er)|universit\w*|department|institut\w*|school|faculty|college|home|"
    r"homepage|page|website|welcome|cv|resume|bios?|profile|overview|vita|faculty|staff|links|"
    r"computational|artificial|intelligence|neuroscience|biology|physics|robotics|informatics|mathematics|research|publications?|science|sciences|engineering|computer|systems?|"
    r"learning|professor|hello|about)\b",
    re.IGNORECASE,
)
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|welcome)\b.{0,12}?(?:\bI['’]?\s?a?m|\bmy name is|\bthis is)\s+", re.IGNORECASE
)
_LEAST_WORDS = 2
_WORDS_OF_A_LAB = 9


def person_and_lab(page: Page, titles: Sequence[str]) -> tuple[str, str]:
    """The names of the person and of the lab, "" where the page gives none; `titles` are headings of no section."""
    parts = re.split(r"\s*[|·•:]\s*|\s+[-–—]\s+|['’]s\s+(?=\w+)", page.title)
    # "The Rivera Lab – Computational Neuroscience" names nobody.
    parts = [part for part in parts if _LAB.search(part)] or parts
    person = lab = ""
    # Those in a first section are its people.
    first = takewhile(lambda block: block.kind != "entry" and not _lists_people(block.text), page.blocks[:2])
    for candidate in [*titles[:3], page.author, *parts, *(block.text for block in first)]:
        name = plain_name(re.sub(r"\([^()]*\)", "", _GREETING.sub("", candidate)))
        name = re.sub(r",?\s+(?:Ph\.?\s?D\.?|Dr\.?)$", "", name)
        if not person and _may_be_person(name):
            person = name
        elif not lab and _may_be_lab(candidate):
            lab = candidate
    return person, lab


def _may_be_person(name: str) -> bool:
    return looks_like_name(name) and not _is_section(name) and not _NO_PERSON.search(name) and not leftover_reason(name)


def _lists_people(heading: str) -> bool:
    topic = classify(in_english(heading))
    return topic is not None and topic.kind == "members"


def _is_section(text: str) -> bool:
    return classify(in_english(text)) is not None


def _may_be_lab(text: str) -> bool:
    return bool(_LAB.search(text)) and not _PAGE.search(text) and _LEAST_WORDS <= words_in(text) <= _WORDS_OF_A_LAB
