"""Reads a list that invites each person to a lab of their own: lines of an address, a lab and perhaps a position."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.accounts.addresses import AddressError
from portal.admin.lab_choice import NoSuchLab
from portal.admin.people.address_list import PLAIN, Invitee, Problem, problem_with, read_person
from portal.admin.rules import POSITIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.models import Lab

HOW = "Write an address, a comma and a lab, such as: li@example.edu, Ada Lab"
LONGEST_ADVICE = 1_000  # characters about labs that a text may mean
# Up to the first separator after the @: a name before the address, and the name of a lab, may hold commas.
_LINE = re.compile(r"^(?P<person>[^@]*@[^,;\t]*)(?:[,;\t](?P<lab>.*))?$")
_WITH_POSITION = re.compile(r"^(?P<lab>.*)[,;\t，；、]\s*(?P<position>\w+)\s*$")


@dataclass(frozen=True, slots=True)
class LabInvitee:
    """Somebody in the list, the lab they are to read for, and their position there."""

    person: Invitee
    lab: Lab
    position: str


def read_lines(
    text: str, *, position: str, find_lab: Callable[[str], Lab], test_domains: bool
) -> tuple[list[LabInvitee], list[Problem]]:
    """The people of a list in its order, and the lines that could not be read. The same line again is left out.

    Args:
        text: What was typed; commas, semicolons or tabs separate, as when it is pasted from a spreadsheet.
        position: The position in lines that name none.
        find_lab: Gives the lab that a text names, or raises `NoSuchLab`.
        test_domains: Whether names below .test are taken, as in tests and demos.
    """
    found: dict[tuple[str, int], LabInvitee] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), start=1):
        typed = line.strip(" \t,;，；")
        if not typed:
            continue
        match = _LINE.match(typed.translate(PLAIN))  # which keeps every character in its place
        lab_text = typed[slice(*match.span("lab"))].strip() if match and match["lab"] else ""
        if match is None or not lab_text:
            problems.append(problem_with(number, typed, HOW if match is None else f"No lab is named. {HOW}"))
            continue
        try:
            person = read_person(number, match["person"].strip(), test_domains=test_domains)
            lab, its_position = _lab_and_position(lab_text, position, find_lab)
        except AddressError as error:
            problems.append(problem_with(number, typed, str(error)))
            continue
        except NoSuchLab as error:
            problems.append(problem_with(number, typed, str(error), longest=LONGEST_ADVICE))
            continue
        found.setdefault((person.email, lab.id), LabInvitee(person, lab, its_position))
    return list(found.values()), problems


def _lab_and_position(text: str, position: str, find_lab: Callable[[str], Lab]) -> tuple[Lab, str]:
    """The lab that a text names, and the position behind it if it names one."""
    match = _WITH_POSITION.match(text)
    if match is not None and match["position"].lower() in POSITIONS:
        return find_lab(match["lab"].strip()), match["position"].lower()
    return find_lab(text), position
