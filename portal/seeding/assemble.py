"""Pages → labs: assigns pages to labs, merges one profile per lab, applies corrections, finds systems and open
questions, and reports on it for people and for programs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from portal.seeding.corrections import add_named_systems, apply_values
from portal.seeding.names import Keys, name_words, same_person, slug, unique
from portal.seeding.pages import ParsedPage, Problem, excerpt
from portal.seeding.records import work_label
from portal.seeding.same_works import fits, join
from portal.seeding.systems import systems_of
from portal.seeding.topics import distinct

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.corrections import Corrections
    from portal.seeding.pages import ProblemKind
    from portal.seeding.records import ActivityRecord, LabRecord, MemberRecord, WorkRecord
    from portal.seeding.snapshots import Json


_ORDER = {"leader": 0, "member": 1, "author": 2}
_FILLER_WORDS = frozenset(("the", "of", "and", "at", "university", "institute", "technology", "science", "for"))
_FILLED = (
    "leader", "leader_title", "institution", "department", "place", "homepage",
    "about", "interests", "recruiting", "recruiting_focus", "contact",
)  # fmt: skip
_FILLED_OF_A_MEMBER = ("term", "degrees", "homepage", "co_supervisor", "now", "interests")


@dataclass(frozen=True, slots=True)
class SeedResult:
    """The labs of all pages, and what a person should know about how they were made."""

    labs: tuple[LabRecord, ...]
    problems: tuple[Problem, ...]
    pages: tuple[ParsedPage, ...]


@dataclass(slots=True)
class _Lab:
    """A lab under construction; `position` is that of its first page."""

    record: LabRecord
    position: int
    has_own_page: bool
    problems: list[Problem] = field(default_factory=list)


def assemble(pages: Sequence[ParsedPage], corrections: Corrections) -> SeedResult:
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
    problems = [problem for page in pages for problem in page.problems]
    records: list[LabRecord] = []
    for lab in labs:
        record, noted = apply_values(lab.record, corrections)
        record = replace(record, systems=systems_of(record.works))
        record, unknown = add_named_systems(record, corrections)
        problems += [*lab.problems, *noted, *unknown, *_open_titles(record)]
        records.append(record)
    return SeedResult(tuple(records), tuple(problems), tuple(pages))


def _lab_of(page: ParsedPage, labs: list[_Lab]) -> _Lab | None:
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


def _name(page: ParsedPage) -> str:
    if page.adviser:
        return f"Prof. {page.adviser}’s group"
    person = page.subject or page.account
    return f"{person}’s lab" if person else f"Lab of the page {page.page}"


def _key(page: ParsedPage) -> str:
    named = f"{page.adviser} group" if page.adviser else f"{page.subject or page.account or page.page} lab"
    return slug(page.draft.name or named)


# One lab from several pages


def _add(lab: _Lab, page: ParsedPage) -> None:
    """Add a page to a lab: the first page takes precedence, later ones fill gaps and add items."""
    record, draft = lab.record, page.draft
    works, joined = join(record.works, draft.works)
    for work, existing in joined:
        origin, reason = work.origins[0], f"the same work as “{existing.title or work_label(existing)}”"
        lab.problems.append(Problem("merged", origin.page, origin.line, work_label(work), reason))
    if page.role == "author" and lab.has_own_page:
        works = _with_questions(lab, page, works, len(record.works))
    filled = {name: value for name in _FILLED if not getattr(record, name) and (value := getattr(draft, name))}
    texts = replace(record, **filled)
    own_topics = draft.topics if page.role != "author" or not record.topics else ()
    origins = [pair for pair in draft.origins if pair[0] in filled]
    lab.record = replace(
        texts,
        topics=distinct([*record.topics, *own_topics]),
        hardware=tuple(dict.fromkeys([*record.hardware, *draft.hardware])),
        figures=record.figures or draft.figures,
        members=_joined_members(record.members, draft.members),
        works=tuple(works),
        activities=_joined_activities(record, draft),
        openings=(
            *record.openings,
            *(new for new in draft.openings if new.key not in {o.key for o in record.openings}),
        ),
        origins=(*record.origins, *origins),
    )


def _with_questions(lab: _Lab, page: ParsedPage, works: list[WorkRecord], own_count: int) -> list[WorkRecord]:
    """The works, those of a listing marked as open questions that name nobody of the lab and whose words are farther
    from the lab's other works than those of any of its own works.
    """
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
        origin = work.origins[0]
        label_and_abstract = f"{work_label(work)}: {work.abstract}"
        lab.problems.append(Problem("question", origin.page, origin.line, excerpt(label_and_abstract), question))
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


def _open_titles(record: LabRecord) -> list[Problem]:
    return [
        Problem("question", work.origins[0].page, work.origins[0].line, work_label(work), "no source gives the title")
        for work in record.works
        if not work.title
    ]


# The report


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
