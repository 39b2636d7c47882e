"""The report of a seeding, for people and for programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from portal.seeding.records import work_label

if TYPE_CHECKING:
    from portal.seeding.assemble import SeedResult
    from portal.seeding.pages import Problem, ProblemKind
    from portal.seeding.records import LabRecord
    from portal.seeding.snapshots import Json

# For each kind of problem its name in the JSON, and its heading for people.
_PROBLEMS: dict[ProblemKind, tuple[str, str]] = {
    "rejected": ("rejected", "Rejected entries"),
    "merged": ("merged", "Merged duplicates"),
    "repaired": ("repaired", "Repaired text"),
    "lossy": ("lossy", "Text with missing bytes"),
    "ignored": ("ignored", "Understood, but not part of a profile"),
    "question": ("questions", "Open questions"),
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
        lists: dict[str, list[Json]] = {
            "pages": [{"page": page.page, "kind": page.kind} for page in self.result.pages],
            "labs": [_lab(lab) for lab in labs],
            "members": [
                {"lab": lab.key, "name": item.name, "role": item.role, "current": item.current, "term": item.term}
                for lab in labs
                for item in lab.members
            ],
            "works": [
                {
                    "lab": lab.key,
                    "key": item.key,
                    "title": item.title,
                    "label": work_label(item),
                    "venue": item.venue,
                    "year": item.year,
                    "question": item.question,
                    "origins": [asdict(origin) for origin in item.origins],
                }
                for lab in labs
                for item in lab.works
            ],
            "systems": [
                {"lab": lab.key, "name": item.name, "works": list(item.works)} for lab in labs for item in lab.systems
            ],
        }
        for kind, (name, _) in _PROBLEMS.items():
            lists[name] = [
                {"page": problem.page, "line": problem.line, "text": problem.text, "reason": problem.reason}
                for problem in self._of(kind)
            ]
        counts: dict[str, Json] = {name: len(listed) for name, listed in lists.items()}
        return {"counts": counts, **lists}

    def as_lines(self) -> list[str]:
        """The same for a terminal: the labs with their counts, then the problems by kind."""
        labs = self.result.labs
        total = sum(len(lab.works) for lab in labs)
        pages = _count(len(self.result.pages), "page")
        lines = [f"{_count(len(labs), 'lab')}, {_count(total, 'work')}, from {pages}", ""]
        for lab in labs:
            former = sum(not member.current for member in lab.members)
            people = _count(len(lab.members), "member profile") + (f", {former} of them former" if former else "")
            works = f"{_count(len(lab.works), 'work')}, {_count(len(lab.systems), 'system')}"
            lines += [lab.name, f"  {people}", f"  {works}"]
        for kind, (_, heading) in _PROBLEMS.items():
            problems = self._of(kind)
            if problems:
                lines += ["", f"{heading} ({len(problems)})"]
                lines += [f"  {item.page}:{item.line}  {item.text} – {item.reason}" for item in problems]
        return lines

    def _of(self, kind: ProblemKind) -> list[Problem]:
        return [problem for problem in self.result.problems if problem.kind == kind]


def _lab(lab: LabRecord) -> Json:
    places = [item.origins for item in lab.works]
    places += [item.origins for item in lab.members]
    places += [item.origins for item in lab.activities]
    return {
        "key": lab.key,
        "name": lab.name,
        "leader": lab.leader,
        "institution": lab.institution,
        "pages": [*sorted({origin.page for origins in places for origin in origins})],
        "members": len(lab.members),
        "members_by_role": {str(role): count for role, count in Counter(item.role for item in lab.members).items()},
        "works": len(lab.works),
        "systems": len(lab.systems),
        "activities": len(lab.activities),
    }


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
