"""Reads a list of people as administrators type or paste it: e-mail addresses, each with or without a name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from portal.accounts.rules import tidy_name, why_not_name
from portal.accounts.service import AddressError, normal_address

LONGEST_EXCERPT = 60  # characters of what could not be read
LONGEST_REASON = 160  # some errors of the library list every character
# Characters of the same meaning from other keyboards.
PLAIN = str.maketrans(
    {"，": ",", "、": ",", "；": ";", "＜": "<", "＞": ">", "＠": "@", "“": '"', "”": '"', "\u3000": " "}
)
# One entry: quoted texts, a part in angle brackets, and anything else up to a comma or semicolon.
_ENTRY = re.compile(r'(?:"[^"]*"|<[^<>]*>|[^,;"]|")+')
_NAMED = re.compile(r"^(?P<name>[^<>]*)<(?P<address>[^<>]*)>$")


@dataclass(frozen=True, slots=True)
class Invitee:
    """Somebody in the list: the line, the normalised address, and the name, which may be empty."""

    line: int
    email: str
    name: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a line of the list, counted from 1, as a sentence."""

    line: int
    text: str

    def __str__(self) -> str:
        return f"Line {self.line}: {self.text}"


def read_addresses(text: str, *, test_domains: bool) -> tuple[list[Invitee], list[Problem]]:
    """The people of a list, each once and in its order, and the entries that could not be read.

    Lines, commas and semicolons separate people. "李雷 <li@example.edu>" gives a name; a name that contains a comma is
    quoted. A repeated address is taken once, with the first name that was given for it.

    Args:
        text: What was typed.
        test_domains: Whether names below .test are taken, as in tests and demos.
    """
    people: dict[str, Invitee] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), start=1):
        for entry in _ENTRY.findall(line.translate(PLAIN)):
            typed = entry.strip()
            if not typed:
                continue
            try:
                invitee = read_person(number, typed, test_domains=test_domains)
            except AddressError as error:
                problems.append(problem_with(number, typed, str(error)))
                continue
            earlier = people.get(invitee.email)
            people[invitee.email] = (
                Invitee(earlier.line, invitee.email, earlier.name or invitee.name) if earlier else invitee
            )
    return list(people.values()), problems


def problem_with(line: int, typed: str, reason: str) -> Problem:
    """A problem that quotes what was typed, with the reason."""
    return Problem(line, f"“{_cut(typed, LONGEST_EXCERPT)}”: {_cut(reason, LONGEST_REASON)}")


def read_person(line: int, typed: str, *, test_domains: bool) -> Invitee:
    """The person whom one entry names.

    Raises:
        AddressError: It is no address, or the name cannot be shown; with the reason.
    """
    named = _NAMED.match(typed)
    name, address = (named["name"], named["address"]) if named else ("", typed)
    called = tidy_name(name.strip().strip('"'))
    reason = why_not_name(called)
    if reason is not None:
        raise AddressError(reason)
    return Invitee(line, normal_address(address, test_domains=test_domains), called)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
