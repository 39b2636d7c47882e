"""Pages → labs: one profile per lab, with corrections, systems and open questions; a report for people and programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from portal.seeding.corrections import add_named_systems, apply_values
from portal.seeding.names import Keys, name_words, same_person, slug, unique
from portal.seeding.pages import Note, Reading, excerpt
from portal.seeding.records import dumped, work_label
from portal.seeding.same_works import fits, join
from portal.seeding.systems import systems_of
from portal.seeding.topics import distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.corrections import Corrections
    from portal.seeding.pages import Outcome
    from portal.seeding.records import ActivityRecord, Json, LabRecord, MemberRecord, SystemRecord, WorkRecord


_ORDER = {"leader": 0, "member": 1, "author": 2}
_FILLER_WORDS = frozenset(("the", "of", "and", "at", "university", "institute", "technology", "science", "for"))
_FILLED = (
    "leader", "leader_title", "institution", "department", "place", "homepage",
    "about", "interests", "recruiting", "recruiting_focus", "contact",
)  # fmt: skip
_FILLED_OF_A_MEMBER = ("term", "degrees", "homepage", "co_supervisor", "now", "interests")


# For each outcome its name in the JSON of the report, and its heading for people.
_OUTCOMES: dict[Outcome, tuple[str, str]] = {
    "problem": ("rejected", "Rejected entries"),
    "merged": ("merged", "Merged duplicates"),
    "repaired": ("repaired", "Repaired text"),
    "lossy": ("lossy", "Text with missing bytes"),
    "ignored": ("ignored", "Understood, but not part of a profile"),
    "question": ("questions", "Open questions"),
}


@dataclass(frozen=True, slots=True)
class SeedResult:
    """The labs of all pages, and what a person should know about how they were made."""

    labs: tuple[LabRecord, ...]
    notes: tuple[Note, ...]
    pages: tuple[Reading, ...]

    def as_json(self) -> dict[str, Json]:
        """A report: counts; labs, members, works and systems; notes by kind, each with page, line, text and reason.

        "counts" has a number for every list; in "labs" each lab has its own counts.
        """
        lists: dict[str, list[Json]] = {
            "pages": [{"page": page.filename, "kind": page.kind} for page in self.pages],
            "labs": [_counted(lab) for lab in self.labs],
            "members": [_said(lab, item, "name role current term") for lab in self.labs for item in lab.members],
            "works": [
                {**_said(lab, item, "key title venue year question origins"), "label": work_label(item)}
                for lab in self.labs
                for item in lab.works
            ],
            "systems": [_said(lab, item, "name works") for lab in self.labs for item in lab.systems],
        }
        for outcome, (name, _) in _OUTCOMES.items():
            lists[name] = [
                {"page": note.page, "line": note.line, "text": note.said, "reason": note.reason}
                for note in self._of(outcome)
            ]
        counts: dict[str, Json] = {name: len(listed) for name, listed in lists.items()}
        return {"counts": counts, **lists}

    def as_lines(self) -> list[str]:
        """The same for a terminal: the labs with their counts, then the notes by kind."""
        lines = [
            f"{lab.name}: {len(lab.members)} member profiles, {len(lab.works)} works, {len(lab.systems)} systems"
            for lab in self.labs
        ]
        for outcome, (_, heading) in _OUTCOMES.items():
            notes = self._of(outcome)
            lines += ["", f"{heading} ({len(notes)})"] if notes else []
            lines += [f"  {note.page}:{note.line}  {note.said} – {note.reason}" for note in notes]
        return lines

    def _of(self, outcome: Outcome) -> list[Note]:
        return [note for note in self.notes if note.outcome == outcome]


def _said(lab: LabRecord, item: MemberRecord | WorkRecord | SystemRecord, names: str) -> dict[str, Json]:
    return {"lab": lab.key, **{name: dumped(getattr(item, name)) for name in names.split()}}


def _counted(lab: LabRecord) -> Json:
    collections = (lab.works, lab.members, lab.activities)
    pages = {origin.page for items in collections for item in items for origin in item.origins}
    return {
        **{name: getattr(lab, name) for name in ("key", "name", "leader", "institution")},
        "pages": [*sorted(pages)],
        **{name: len(getattr(lab, name)) for name in ("members", "works", "systems", "activities")},
        "members_by_role": dict(Counter(str(item.role) for item in lab.members)),
    }


@dataclass(slots=True)
class _Lab:
    """A lab under construction; `position` is that of its first page."""

    record: LabRecord
    position: int
    has_own_page: bool
    notes: list[Note] = field(default_factory=list)


def assemble(pages: Sequence[Reading], corrections: Corrections) -> SeedResult:
    """One profile per lab, in the order of the pages.

    A leader's page makes a lab. A member's page joins the lab of the adviser it names. A listing joins the lab that its
    person leads, or else one they are a member of. A page without a lab makes its own.
    """
    labs: list[_Lab] = []
    for position in sorted(range(len(pages)), key=lambda index: (_ORDER[pages[index].role], index)):
        page = pages[position]
        lab = _lab_of(page, labs)
        if lab is None:
            key = unique(_key(page), [other.record.key for other in labs])
            record = replace(page.draft, key=key, name=page.draft.name or _name(page))
            labs.append(_Lab(record, position, has_own_page=page.role == "leader"))
        else:
            lab.position = min(lab.position, position)
            _add(lab, page)
    labs.sort(key=lambda lab: lab.position)
    notes = [note for page in pages for note in page.notes]
    records: list[LabRecord] = []
    for lab in labs:
        notes += lab.notes
        record = apply_values(lab.record, corrections, notes)
        record = replace(record, systems=systems_of(record.works))
        record = add_named_systems(record, corrections, notes)
        notes += [
            _note("question", work, work_label(work), "no source gives the title")
            for work in record.works
            if not work.title
        ]
        records.append(record)
    return SeedResult(tuple(records), tuple(notes), tuple(pages))


def _note(outcome: Outcome, work: WorkRecord, said: str, reason: str) -> Note:
    return Note(outcome, work.origins[0].line, said, reason, page=work.origins[0].page)


def _lab_of(page: Reading, labs: list[_Lab]) -> _Lab | None:
    person = page.adviser or page.draft.leader or page.subject
    if not person:
        return None
    for lab in labs:
        if lab.record.leader and same_person(lab.record.leader, person) and _may_be_same_place(lab.record, page.draft):
            return lab
    if page.role == "author":
        for lab in labs:
            if any(same_person(member.name, person) for member in lab.record.members):
                return lab
    if page.role == "leader" and page.draft.name:
        return next((lab for lab in labs if lab.record.name.casefold() == page.draft.name.casefold()), None)
    return None


def _may_be_same_place(record: LabRecord, other: LabRecord) -> bool:
    """Whether two institutions may be the same; namesakes at different institutions have different labs."""
    first, second = (name_words(each.institution) - _FILLER_WORDS for each in (record, other))
    return not first or not second or len(first & second) * 2 >= min(len(first), len(second))


def _name(page: Reading) -> str:
    if page.adviser:
        return f"Prof. {page.adviser}’s group"
    person = page.subject or page.account
    return f"{person}’s lab" if person else f"Lab of the page {page.filename}"


def _key(page: Reading) -> str:
    named = f"{page.adviser} group" if page.adviser else f"{page.subject or page.account or page.filename} lab"
    return slug(page.draft.name or named)


def _add(lab: _Lab, page: Reading) -> None:
    """Add a page to a lab: the first page takes precedence, later ones fill gaps and add items."""
    record, draft = lab.record, page.draft
    works, joined = join(record.works, draft.works)
    for work, existing in joined:
        lab.notes.append(_note("merged", work, work_label(work), f"the same work as “{work_label(existing)}”"))
    if page.role == "author" and lab.has_own_page:
        works = _with_questions(lab, page, works, len(record.works))
    filled = {name: value for name in _FILLED if not getattr(record, name) and (value := getattr(draft, name))}
    texts = replace(record, **filled)
    own_topics = draft.topics if page.role != "author" or not record.topics else ()
    origins = [pair for pair in draft.origins if pair[0] in filled]
    openings = {opening.key for opening in record.openings}
    lab.record = replace(
        texts,
        topics=distinct([*record.topics, *own_topics]),
        hardware=tuple(dict.fromkeys([*record.hardware, *draft.hardware])),
        figures=record.figures or draft.figures,
        members=_joined_members(record.members, draft.members),
        works=tuple(works),
        activities=_joined_activities(record, draft),
        openings=(*record.openings, *(new for new in draft.openings if new.key not in openings)),
        origins=(*record.origins, *origins),
    )


def _with_questions(lab: _Lab, page: Reading, works: list[WorkRecord], own_count: int) -> list[WorkRecord]:
    """The works; those of a listing that name nobody of the lab and have other words are marked as open questions."""
    record = lab.record
    profile = " ".join([record.about, record.interests, record.recruiting, *record.topics])
    own = works[:own_count]
    people = {name for work in own for name in work.authors} | {member.name for member in record.members}
    result = list(own)
    for work in works[own_count:]:
        names_the_lab = any(same_person(name, person) for name in work.authors for person in [page.subject, *people])
        if names_the_lab or not work.authors or fits(work, own, profile):
            result.append(work)
            continue
        question = (
            f"Does this work belong to the lab? The listing gives it to {page.subject or 'the lab'}, but names "
            "nobody of the lab among the authors it prints, and its words are far from the lab’s other works."
        )
        lab.notes.append(_note("question", work, excerpt(f"{work_label(work)}: {work.abstract}"), question))
        result.append(replace(work, question=question))
    return result


def _joined_members(present: tuple[MemberRecord, ...], new: tuple[MemberRecord, ...]) -> tuple[MemberRecord, ...]:
    result = list(present)
    for member in new:
        at = next((index for index, other in enumerate(result) if same_person(other.name, member.name)), None)
        if at is None:
            result.append(replace(member, key=unique(member.key, [other.key for other in result])))
            continue
        old = result[at]
        filled: dict[str, Any] = {name: getattr(old, name) or getattr(member, name) for name in _FILLED_OF_A_MEMBER}
        result[at] = replace(old, **filled, origins=(*old.origins, *member.origins))
    return tuple(result)


def _joined_activities(record: LabRecord, draft: LabRecord) -> tuple[ActivityRecord, ...]:
    present = {(item.kind, item.title, item.when, item.note) for item in record.activities}
    new = (item for item in draft.activities if (item.kind, item.title, item.when, item.note) not in present)
    keys = Keys(item.key for item in record.activities)
    return (*record.activities, *(replace(item, key=keys.give(item.key)) for item in new))
