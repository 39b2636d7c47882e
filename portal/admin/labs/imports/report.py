"""The report of `portal import` on a file: as lines for a person, or as data for a program."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from portal.seeding.imports.imported import KIND_NAMES
from portal.seeding.snapshots import COLLECTIONS, to_json
from portal.seeding.texts import plain
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.admin.labs.imports.service import Decided, FileProposals
    from portal.seeding.imports.imported import Imported
    from portal.seeding.imports.planning_labs import LabPlan

QUESTIONS = "/admin/questions"
LONGEST = 120  # characters of a value
SIGNS = {"merged": "merged ", "problem": "problem", "ignored": "ignored"}
TECHNICAL = ("schema", "key", "origins")
NAMING = ("title", "name", "text", "kind")


@dataclass(frozen=True, slots=True)
class Account:
    """The result of an import. `lab` is the slug of the lab that the file is about, or empty for a table of labs.

    `import_id` is the id of the import on the pages, or None if nothing was stored; `decided` is None unless proposals
    were to be accepted.
    """

    imported: Imported
    lab: str
    brought: FileProposals
    dry_run: bool
    import_id: int | None = None
    decided: Decided | None = None

    @property
    def page(self) -> str:
        """The page that lists the proposals; empty if none were stored."""
        if self.import_id is None:
            return ""
        return f"/admin/labs/{self.lab}/imports/{self.import_id}" if self.lab else QUESTIONS

    def as_json(self) -> dict[str, Any]:
        """The report for programs: what the file says of its lab, the entries left out, remarks, and proposals."""
        imported, fresh = self.imported, self.brought.fresh
        open_count = self.brought.waiting + (self.brought.count if self.import_id is not None else 0)
        left_out = (*imported.problems, *imported.merged, *imported.ignored)
        return {
            "file": imported.filename,
            "kind": imported.kind,
            "lab": self.lab or None,
            "counts": _counts(imported),
            **_contents(imported),
            "left_out": [asdict(entry) for entry in left_out],
            "remarks": [asdict(remark) for remark in imported.remarks],
            "new_labs": [
                {"line": plan.line, "lab": plan.lab, "profile": to_json(plan.new)}
                for plan in self.brought.new
                if plan.new
            ],
            "changes": [asdict(proposal) for plan in fresh for proposal in plan.proposals],
            "waiting_from_before": self.brought.waiting,
            "dry_run": self.dry_run,
            "import": self.import_id,
            "page": self.page or None,
            "made": self.decided.made if self.decided else 0,
            "accepted": self.decided.accepted if self.decided else 0,
            "revision": self.decided.revision if self.decided else None,
            "decided_by_others": self.decided.by_others if self.decided else 0,
            "left_open": self.decided.left if self.decided else open_count,
        }

    def as_lines(self) -> Iterator[str]:
        """The report for a person."""
        imported = self.imported
        yield f"{imported.filename}: {KIND_NAMES[imported.kind]}{f', for {self.lab}' if self.lab else ''}."
        problems = counted(len(imported.problems), "problem", "problems")
        yield (
            f"Entries: {len(imported.taken):,} taken, {len(imported.merged):,} merged, {problems}, "
            f"{len(imported.ignored):,} ignored."
        )
        for entry in imported.entries:
            if entry.outcome != "taken":
                yield f"  {SIGNS[entry.outcome]}  {entry.where}: {plain(entry.said)}: {plain(entry.reason)}"
        for remark in imported.remarks:
            where = f"entry {remark.pointer}: " if remark.pointer else f"line {remark.line}: " if remark.line else ""
            yield f"  note     {where}{plain(remark.said)}: {plain(remark.reason)}"
        for plan in (*self.brought.new, *self.brought.fresh):
            yield from _of_plan(plan)
        yield from self._ending()

    def _ending(self) -> Iterator[str]:
        count, waiting, new = self.brought.count, self.brought.waiting, len(self.brought.new)
        if not count and not waiting and not new:
            yield "It proposes nothing: all of it is stored already, or was decided before."
        if self.dry_run:
            if new:
                yield f"{counted(new, 'lab', 'labs')} would be made with --accept."
            if count:
                yield f"{counted(count, 'proposal', 'proposals')} would be made."
            if waiting:
                yield f"{counted(waiting, 'proposal', 'proposals')} made before still open."
            yield "Nothing was changed (--dry-run)."
            return
        if self.decided is not None:
            yield from self._decided(self.decided)
            return
        if new:
            yield f"{counted(new, 'lab is', 'labs are')} not there yet. --accept makes them; nothing was made."
        if count:
            yield f"{counted(count, 'proposal', 'proposals')} stored. Decide on the page {self.page}."
        if waiting:
            open_page = self.page or QUESTIONS
            yield f"{counted(waiting, 'proposal', 'proposals')} made before still open; look at {open_page}."

    def _decided(self, decided: Decided) -> Iterator[str]:
        if self.brought.new:
            yield f"{counted(decided.made, 'lab', 'labs')} made."
        if self.brought.count or self.brought.waiting:
            revision = f" This is revision {decided.revision}." if decided.revision else ""
            yield f"{counted(decided.accepted, 'proposal', 'proposals')} accepted.{revision}"
        if decided.by_others:
            yield f"{counted(decided.by_others, 'was', 'were')} made or decided by somebody else meanwhile."
        if decided.left:
            left = counted(decided.left, "proposal", "proposals")
            yield f"{left} not accepted and still open; look at {self.page or QUESTIONS}."


def _contents(imported: Imported) -> dict[str, Any]:
    """What a file says of one lab: its fields, people and works, and what could not be read."""
    profile = to_json(imported.labs[0]) if len(imported.labs) == 1 else {}
    return {
        "fields": {name: value for name, value in profile.items() if name not in (*COLLECTIONS, *TECHNICAL) and value},
        "people": profile.get("members", []),
        "works": profile.get("works", []),
        "problems": [asdict(entry) for entry in imported.problems],
    }


def _counts(imported: Imported) -> dict[str, int]:
    return {name: len(getattr(imported, name)) for name in ("taken", "merged", "problems", "ignored")}


def _of_plan(plan: LabPlan) -> Iterator[str]:
    if plan.new is not None:
        leader = f", led by {plain(plan.new.leader)}" if plan.new.leader else ""
        yield f"+ new lab {plan.lab}: {plain(plan.new.name)}{leader} (line {plan.line})"
    for proposal in plan.proposals:
        replaces = proposal.current not in (None, "", [])
        current_text = f"today: {_value(proposal.current)}; " if replaces else ""
        mark, why = "~" if replaces else "+", plain(proposal.why)
        yield f"{mark} {plan.lab}, {proposal.path}: {_value(proposal.proposed)} ({current_text}{why})"


def _value(value: object) -> str:
    """A value on one short line: a text, a list of texts, or the name of an item."""
    if isinstance(value, dict):
        value = next((value[name] for name in NAMING if value.get(name)), "")
    if isinstance(value, list):
        value = ", ".join(_value(entry) for entry in value)
    return plain(str(value), LONGEST)
