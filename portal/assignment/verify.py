"""Proves or refutes a certificate of an assignment round. Self-contained: needs only this file and Python.

    python3 verify.py CERTIFICATE

It shares no code with the solver; from the certificate alone it recomputes everything: the digest, the lottery numbers,
every lab's order. It proves that every assignment is permitted, that no applicant and lab would both prefer each other
(no blocking pair), and that no other stable assignment gives anybody a better lab. Exits with 0 if the certificate is
proved, 1 if it is refuted, 2 if it cannot be read, and says so in sentences.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PROVED, REFUTED, UNREADABLE = 0, 1, 2
FORMAT = "portal-assignment-certificate/1"
TIE_BREAK = "one-lottery-sha256"
Part = TypeVar("Part")
FIELDS = {"format", "tie_break", "seed", "market", "lottery", "assignment", "digest"}


class Unreadable(Exception):
    """The file is not a certificate of this format; the message says why."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result: all violations as sentences, none if the certificate is proved."""

    violations: tuple[str, ...]
    applicants: int
    labs: int
    placed: int
    seed: str
    lists: str  # digest of lists, orders and seats, as published before the draw
    digest: str

    def lines(self) -> list[str]:
        """The verdict as sentences."""
        if self.violations:
            count = len(self.violations)
            return [*self.violations, f"Refuted: {count:,} violation{'s' if count > 1 else ''}."]
        return [
            f"Proved: {self.placed:,} of {self.applicants:,} applicants have a place; there are {self.labs:,} labs.",
            "No lab has more applicants than seats, and each of them has that lab on their list and is accepted by it.",
            "No applicant and lab would both prefer each other.",
            "No other such assignment gives any applicant a lab that they ranked higher.",
            f"Seed: {_shown(self.seed)}",
            f"Digest of lists, orders and seats: {self.lists}",
            f"Digest of this certificate: {self.digest}",
        ]


def prove(path: str) -> tuple[int, list[str]]:
    """The exit code and the output for the file at `path`."""
    try:
        verdict = check(Path(path).read_bytes())
    except OSError as error:
        return UNREADABLE, [f"Unreadable: {error.strerror or error}."]
    except MemoryError:
        return UNREADABLE, ["Unreadable: it is larger than the memory of this machine."]
    except Unreadable as error:
        return UNREADABLE, [f"Unreadable: {error}."]
    return REFUTED if verdict.violations else PROVED, verdict.lines()


def check(content: bytes) -> Verdict:
    """The verdict on a certificate.

    Raises:
        Unreadable: It is not a certificate of this format.
    """
    data = _parsed(content)
    case = _Case(data)
    whole = _digest({name: part for name, part in data.items() if name != "digest"})
    blocking, next_at = case.envy()
    violations = [*case.of_market(), *case.of_lottery(), *case.of_places(), *blocking]
    if case.digest != whole:
        violations.append(f"The digest is {_shown(case.digest)}, but that of the content is {_shown(whole)}.")
    # Optimality is defined for stable assignments only.
    violations += [] if violations else case.of_cycles(next_at)
    order = {lab: [sorted(group) for group in groups if group] for lab, groups in case.groups.items()}
    labs = {lab: {"seats": seats, "order": order[lab]} for lab, seats in case.seats.items()}
    lists = _digest({"applicants": case.choices, "labs": labs})
    placed = sum(map(len, case.admitted.values()))
    return Verdict(tuple(violations), len(case.choices), len(case.seats), placed, case.seed, lists, whole)


class _Case:
    """The content of a certificate, with every lab's order recomputed. Of repeated names, the first counts."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.seed, self.digest = _text(data["seed"], "seed"), _text(data["digest"], "digest")
        market = _object(data["market"], "market", {"applicants", "labs"})
        self.choices = _by_name(market, "applicants", "the list of", _texts)
        labs = _by_name(market, "labs", "the lab", _lab)
        self.seats = {lab: seats for lab, (seats, _) in labs.items()}
        self.groups = {lab: groups for lab, (_, groups) in labs.items()}
        self.lottery = _by_name(data, "lottery", "the lottery number of", _text)
        self.lab_of = _by_name(
            data, "assignment", "the place of", lambda lab, where: None if lab is None else _text(lab, where)
        )
        names = {name for groups in self.groups.values() for group in groups for name in group} | self.choices.keys()
        self.numbers = {name: sha256(f"{self.seed}\n{name}".encode()).hexdigest() for name in names}
        self.place = {lab: self._places(groups) for lab, groups in self.groups.items()}
        self.admitted: dict[str, list[str]] = {lab: [] for lab in self.seats}
        for applicant, assigned in self.lab_of.items():
            if assigned in self.admitted and applicant in self.choices:
                self.admitted[assigned].append(applicant)

    def _places(self, groups: list[list[str]]) -> dict[str, int]:
        place: dict[str, int] = {}
        for group in groups:
            for applicant in sorted(group, key=lambda name: (self.numbers[name], name)):
                place.setdefault(applicant, len(place) + 1)
        return place

    def of_market(self) -> Iterator[str]:
        """Inconsistencies within the lists."""
        for applicant, labs in self.choices.items():
            for lab, times in Counter(labs).items():
                if times > 1:
                    yield f"The list of {_shown(applicant)} has the lab {_shown(lab)} {times} times."
                if lab not in self.seats:
                    yield f"The list of {_shown(applicant)} has the lab {_shown(lab)}, which is not in the market."
        for lab, groups in self.groups.items():
            if self.seats[lab] < 0:
                yield f"The lab {_shown(lab)} has a negative number of seats: {self.seats[lab]:,}."
            for applicant, times in Counter(applicant for group in groups for applicant in group).items():
                if times > 1:
                    yield f"The order of the lab {_shown(lab)} has {_shown(applicant)} {times} times."
                if applicant not in self.choices:
                    yield f"The order of the lab {_shown(lab)} has {_shown(applicant)}, who is not in the market."

    def of_lottery(self) -> Iterator[str]:
        """Lottery numbers that the published rule does not give."""
        for applicant in self.choices:
            expected = self.numbers[applicant]
            if applicant not in self.lottery:
                yield f"The lottery number of {_shown(applicant)} is missing; it is {expected}."
            elif self.lottery[applicant] != expected:
                drawn = _shown(self.lottery[applicant])
                yield f"The lottery number of {_shown(applicant)} is {drawn}, but the rule gives {expected}."
        for applicant in sorted(self.lottery.keys() - self.choices):
            yield f"The lottery has {_shown(applicant)}, who is not in the market."

    def of_places(self) -> Iterator[str]:
        """Assignments that are not permitted, and labs with more than their seats."""
        for applicant in sorted(self.choices.keys() - self.lab_of):
            yield f"The assignment does not say what {_shown(applicant)} got."
        for applicant, lab in self.lab_of.items():
            if applicant not in self.choices:
                yield f"The assignment has {_shown(applicant)}, who is not in the market."
            elif lab is not None and lab not in self.seats:
                yield f"{_shown(applicant)} got {_shown(lab)}, which is not in the market."
            elif lab is not None:
                if lab not in self.choices[applicant]:
                    yield f"{_shown(applicant)} got {_shown(lab)}, which is not on their list."
                if applicant not in self.place[lab]:
                    yield f"{_shown(applicant)} got {_shown(lab)}, which does not find them acceptable."
        for lab, admitted in self.admitted.items():
            if len(admitted) > max(0, self.seats[lab]):
                yield f"The lab {_shown(lab)} has more applicants ({len(admitted):,}) than seats ({self.seats[lab]:,})."

    def envy(self) -> tuple[list[str], dict[str, str]]:
        """The blocking pairs; and for each full lab, the best of those after its last one who would prefer it."""
        # The last applicant admitted to each lab, with their place; those not in its order come after all others.
        last = {
            lab: max(((self.place[lab].get(applicant, inf), applicant) for applicant in admitted), default=(0, ""))
            for lab, admitted in self.admitted.items()
        }
        blocking: list[str] = []
        next_at: dict[str, str] = {}
        for applicant, labs in self.choices.items():
            assigned = self.lab_of.get(applicant)
            for lab in labs[: labs.index(assigned)] if assigned in labs else labs:
                if (place := self.place.get(lab, {}).get(applicant)) is None:
                    continue
                free = len(self.admitted[lab]) < self.seats[lab]
                if free or place < last[lab][0]:
                    has = "nothing" if assigned is None else _shown(assigned)
                    why = "it has a free seat" if free else f"it would prefer them to {_shown(last[lab][1])}"
                    blocking.append(f"{_shown(applicant)} got {has} and would prefer {_shown(lab)}; {why}.")
                elif self.admitted[lab] and (lab not in next_at or place < self.place[lab][next_at[lab]]):
                    next_at[lab] = applicant
        return blocking, next_at

    def of_cycles(self, next_at: dict[str, str]) -> Iterator[str]:
        """Cycles of labs that could each give their last seat to the next applicant, who would all be better off.

        A stable assignment is applicant-optimal exactly if there is no such cycle: no rotation leads up from the
        applicant-optimal matching (Gusfield and Irving, The Stable Marriage Problem, 1989).
        """
        done: set[str] = set()
        for start in next_at:
            path: list[str] = []
            lab: str | None = start
            while lab in next_at and lab not in done:
                done.add(lab)
                path.append(lab)
                lab = self.lab_of[next_at[lab]]
            if lab in path:
                cycle = path[path.index(lab) :]
                moves = ", ".join(f"{_shown(next_at[lab])} to {_shown(lab)}" for lab in cycle)
                yield f"These applicants could all get labs that they ranked higher, stable as well: {moves}."


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        data = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is not JSON in UTF-8 that can be read ({error})") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise Unreadable(f'it is not a certificate ("format": "{FORMAT}")')
    _object(data, "the certificate", FIELDS)
    if data["tie_break"] != TIE_BREAK:
        raise Unreadable(f'its tie_break is not "{TIE_BREAK}", the only one that this checker knows')
    return data


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) < len(pairs):
        [(repeated, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise Unreadable(f"{_shown(repeated)} occurs twice in one object, which is ambiguous")
    return data


def _object(value: object, where: str, fields: set[str] | None = None) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unreadable(f"{where} is not an object")
    if wrong := sorted(value.keys() ^ (value.keys() if fields is None else fields)):
        raise Unreadable(f"{where} {'has an unknown' if wrong[0] in value else 'lacks the'} part {_shown(wrong[0])}")
    return value


def _by_name(data: dict[str, Any], part: str, label: str, read: Callable[[object, str], Part]) -> dict[str, Part]:
    entries = _object(data[part], f"the part {_shown(part)}").items()
    return {_text(name, f"a name in {part}"): read(item, f"{label} {_shown(name)}") for name, item in entries}


def _lab(value: object, where: str) -> tuple[int, list[list[str]]]:
    parts = _object(value, where, {"seats", "order"})
    if type(parts["seats"]) is not int or not isinstance(parts["order"], list):
        raise Unreadable(f"{where} must have a whole number of seats and a list of groups as its order")
    return parts["seats"], [_texts(group, where) for group in parts["order"]]


def _texts(value: object, where: str) -> list[str]:
    if not isinstance(value, list):
        raise Unreadable(f"{where} is not a list")
    return [_text(item, f"an entry of {where}") for item in value]


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise Unreadable(f"{where} is not a text")
    if not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
        raise Unreadable(f"{where} has half a surrogate pair, which UTF-8 cannot write")
    return value


def _digest(data: dict[str, Any]) -> str:
    return "sha256:" + sha256(json.dumps(data, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _shown(name: str) -> str:
    return "“" + "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name) + "”"


def main(arguments: list[str]) -> int:
    """Check the file named in `arguments`; returns the exit code."""
    if len(arguments) != 1:
        print("Usage: python3 verify.py CERTIFICATE", file=sys.stderr)  # noqa: T201 - this file is also a program
        return UNREADABLE
    code, lines = prove(arguments[0])
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a terminal that lacks quotes
    print("\n".join(lines))  # noqa: T201 - see above
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
