"""The report of a seeding, for people and for programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.seeding.pages import PROBLEM_KINDS, Problem, ProblemKind
from portal.seeding.records import work_label

if TYPE_CHECKING:
    from portal.seeding.assemble import SeedResult
    from portal.seeding.records import LabRecord, Origin
    from portal.seeding.snapshots import Json

_HEADINGS: dict[ProblemKind, str] = {
    "rejected": "Rejected entries",
    "merged": "Merged duplicates",
    "repaired": "Repaired text",
    "lossy": "Text with missing bytes",
    "ignored": "Understood, but not part of a profile",
    "question": "Open questions",
}
_FIELDS: dict[ProblemKind, str] = {
    "rejected": "rejected",
    "merged": "merged",
    "repaired": "repaired",
    "lossy": "lossy",
    "ignored": "ignored",
    "question": "questions",
}


@dataclass(frozen=True, slots=True)
class SeedReport:
    """The report of one seeding, computed from the result."""

    result: SeedResult

    def as_json(self) -> dict[str, Json]:
        """Counts; labs, members, works and systems; problems by kind, each with page, line, text and reason.

        "counts" has a number for every list; in "labs" each lab has its own counts.
        """
        labs = self.result.labs
        problems = {kind: [self._problem(item) for item in self._of(kind)] for kind in PROBLEM_KINDS}
        members: list[Json] = [
            {"lab": lab.key, "name": item.name, "role": item.role, "current": item.current, "term": item.term}
            for lab in labs
            for item in lab.members
        ]
        works: list[Json] = [
            {
                "lab": lab.key,
                "key": item.key,
                "title": item.title,
                "label": work_label(item),
                "venue": item.venue,
                "year": item.year,
                "question": item.question,
                "origins": _origins(item.origins),
            }
            for lab in labs
            for item in lab.works
        ]
        systems: list[Json] = [
            {"lab": lab.key, "name": item.name, "works": list(item.works)} for lab in labs for item in lab.systems
        ]
        counts: dict[str, Json] = {
            "pages": len(self.result.pages),
            "labs": len(labs),
            "members": len(members),
            "works": len(works),
            "systems": len(systems),
            **{_FIELDS[kind]: len(listed) for kind, listed in problems.items()},
        }
        return {
            "counts": counts,
            "pages": [{"page": page.page, "kind": page.kind} for page in self.result.pages],
            "labs": [_lab(lab) for lab in labs],
            "members": members,
            "works": works,
            "systems": systems,
            **{_FIELDS[kind]: list(listed) for kind, listed in problems.items()},
        }

    def as_lines(self) -> list[str]:
        """The same for a terminal: the labs with their counts, then the problems by kind."""
        labs = self.result.labs
        total = sum(len(lab.works) for lab in labs)
        lines = [
            f"{_count(len(labs), 'lab')}, {_count(total, 'work')}, from {_count(len(self.result.pages), 'page')}",
            "",
        ]
        for lab in labs:
            lines.append(lab.name)
            lines.append(f"  {_people(lab)}")
            lines.append(f"  {_count(len(lab.works), 'work')}, {_count(len(lab.systems), 'system')}")
        for kind in PROBLEM_KINDS:
            problems = self._of(kind)
            if problems:
                lines += ["", f"{_HEADINGS[kind]} ({len(problems)})"]
                lines += [f"  {item.page}:{item.line}  {item.text} – {item.reason}" for item in problems]
        return lines

    def _of(self, kind: ProblemKind) -> list[Problem]:
        return [problem for problem in self.result.problems if problem.kind == kind]

    @staticmethod
    def _problem(problem: Problem) -> Json:
        return {"page": problem.page, "line": problem.line, "text": problem.text, "reason": problem.reason}


def _lab(lab: LabRecord) -> Json:
    roles = Counter(member.role for member in lab.members)
    places = [item.origins for item in lab.works]
    places += [item.origins for item in lab.members]
    places += [item.origins for item in lab.activities]
    pages = {origin.page for origins in places for origin in origins}
    return {
        "key": lab.key,
        "name": lab.name,
        "leader": lab.leader,
        "institution": lab.institution,
        "pages": [*sorted(pages)],
        "members": len(lab.members),
        "members_by_role": {str(role): count for role, count in roles.items()},
        "works": len(lab.works),
        "systems": len(lab.systems),
        "activities": len(lab.activities),
    }


def _origins(origins: tuple[Origin, ...]) -> list[Json]:
    return [{"page": origin.page, "line": origin.line} for origin in origins]


def _people(lab: LabRecord) -> str:
    former = sum(not member.current for member in lab.members)
    described = _count(len(lab.members), "member profile")
    return f"{described}, {former} of them former" if former else described


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
