"""The parts of a home page → the draft of a lab profile: its subject, and the lab they lead or belong to."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from portal.seeding.headings import classify
from portal.seeding.names import looks_like_name, plain_name, same_person, slug, unique
from portal.seeding.pages import PageKind, ParsedPage, Problem, SubjectRole
from portal.seeding.people import (
    Introduction,
    adviser_in,
    institution_in,
    introduction,
    place_of,
    role_of_rank,
)
from portal.seeding.phrases import sentences
from portal.seeding.records import ActivityRecord, LabRecord, MemberRecord, OpeningRecord, Origin
from portal.seeding.topics import distinct, hardware_in, topics_in_list, topics_in_prose

if TYPE_CHECKING:
    from portal.seeding.home_page import HomePage

_RECRUITS = re.compile(
    r"\b(?:recruit(?:ing|s)?|hiring|looking for|seeking|openings?|open positions?|positions? (?:are )?available|"
    r"(?:I|we) (?:have|offer) .{0,40}positions?)\b",
    re.IGNORECASE,
)
_CONTACT = re.compile(
    r"\b(?:contact (?:me|us)|e-?mail (?:me|us)|send (?:me|us) (?:an )?e-?mail|reach out|drop (?:me|us) (?:a|an)|"
    r"send (?:me|us|your))\b",
    re.IGNORECASE,
)
_DEGREES = (
    ("phd", re.compile(r"\bph\.?\s?d|doctoral", re.IGNORECASE)),
    ("mphil", re.compile(r"\bm\.?\s?phil|\bmaster", re.IGNORECASE)),
    ("ra", re.compile(r"research assistant|\bRAs?\b")),
    ("postdoc", re.compile(r"\bpost-?doc", re.IGNORECASE)),
)
_START = re.compile(
    r"\b(?:(?:Spring|Summer|Fall|Autumn|Winter)\s+20\d{2}|20\d{2}\s+(?:Spring|Summer|Fall|Autumn|Winter))\b"
)
_FUNDING = re.compile(r"\b(?:fully[- ]funded|full scholarships?|scholarships?|stipends?)\b", re.IGNORECASE)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_SEATS = re.compile(
    r"\b(\d{1,2}|one|two|three|four|five|six)\s+(?:fully[- ]funded\s+)?(?=ph\.?\s?d|doctoral|post-?doc|m\.?phil)",
    re.IGNORECASE,
)
_HANDLE = re.compile(r"https?://(?:www\.)?(?:github\.com/([\w-]+)(?:/|$)|([\w-]+)\.github\.io)", re.IGNORECASE)
_PRESENT = re.compile(r"present|now|current", re.IGNORECASE)
_NO_NAMES = re.compile(
    r"\b(?:home|homepage|page|website|academic|welcome|cv|resume|lab|group|bios?|profile|overview|vita|faculty|staff|links)\b",
    re.IGNORECASE,
)


def profile_of(
    home: HomePage,
    kind: PageKind,
    front_matter: dict[str, str],
    problems: list[Problem],
    *,
    person: str = "",
    lab: str = "",
) -> ParsedPage:
    """The draft profile of a home page; `person` and `lab` are those that its title and first headings name.

    The subject leads a lab if they say so, have a leading rank, or list members; they are a member if they name a
    present adviser, or have the rank of a student or visitor.
    """
    intro = introduction(home.about.text)
    current = next((job for job in home.activities if job.kind == "employment" and _PRESENT.search(job.when)), None)
    adviser = intro.adviser or (adviser_in(current.note) if current else "")
    subject = _subject(home, [*(front_matter.get(name, "") for name in ("author", "name", "title")), person], intro)
    account = "" if subject else _account(home)
    leads = intro.leads or bool(home.members) or not (adviser or intro.rank)
    role: SubjectRole = "leader" if leads else "member"
    draft = _lab_texts(home, intro, leads=leads)
    if not draft.institution and current is not None:
        institution = institution_in(current.organisation)
        origin = (("institution", current.origins[0]),) if institution else ()
        draft = replace(draft, institution=institution, origins=(*draft.origins, *origin))
    draft = _with_place(draft)
    if leads and lab and not draft.name:
        draft = replace(draft, name=lab)
    person = subject or account
    members = home.members if leads else []
    if person:
        listed = next((member for member in members if same_person(member.name, person)), None)
        members = [member for member in members if member is not listed]
        own = _subject_member(home, person, intro, current, members, leads=leads)
        members = [replace(own, homepage=listed.homepage, key=listed.key) if listed else own, *members]
    draft = replace(
        draft,
        leader=(subject or _leading_member(home)) if leads else adviser,
        members=tuple(members),
        works=tuple(home.works),
        activities=tuple(replace(activity, person=person) for activity in home.activities),
    )
    return ParsedPage(
        page=home.page,
        kind=kind,
        subject=subject,
        role=role,
        draft=draft,
        problems=(*problems, *home.problems),
        adviser="" if leads else adviser,
        account=account,
    )


def _subject(home: HomePage, named: list[str], intro: Introduction) -> str:
    """The subject of a page, by what names it, its first sentence or headings, or the author printed in bold."""
    for candidate in [*named, intro.name, *home.titles]:
        name = plain_name(candidate)
        if looks_like_name(name) and classify(name) is None and not _NO_NAMES.search(name):
            return name
    bold: Counter[str] = Counter()
    for entry in home.work_entries:
        names = {plain_name(run) for run in entry.marked(strong=True)}
        bold.update(name for name in names if looks_like_name(name))
    if not bold:
        return ""
    name, count = bold.most_common(1)[0]
    return name if count * 2 > len(home.work_entries) else ""


def _leading_member(home: HomePage) -> str:
    leaders = [member.name for member in home.members if member.role == "leader"]
    return leaders[0] if len(leaders) == 1 else ""


def _account(home: HomePage) -> str:
    """The GitHub account that most code links of the page's works lead to."""
    owners: Counter[str] = Counter()
    for work in home.works:
        for link in work.links:
            match = _HANDLE.match(link.url)
            if match:
                owners[match[1] or match[2]] += 1
    return owners.most_common(1)[0][0] if owners else ""


def _subject_member(
    home: HomePage,
    person: str,
    intro: Introduction,
    current: ActivityRecord | None,
    others: list[MemberRecord],
    *,
    leads: bool,
) -> MemberRecord:
    key = unique(slug(person), [member.key for member in others])
    degrees = tuple(
        f"{item.title} {item.organisation} ({item.when})".replace(" ()", "")
        for item in home.activities
        if item.kind == "education"
    )
    if leads:
        return MemberRecord(key, person, "leader", degrees=degrees, origins=(Origin(home.page, home.about.line),))
    rank = intro.rank or (current.title if current else "")
    origin = current.origins[0] if current and not intro.rank else Origin(home.page, home.about.line)
    return MemberRecord(
        key,
        person,
        role_of_rank(rank),
        term=current.when if current else "",
        degrees=degrees,
        interests=home.interests.text,
        origins=(origin,),
    )


def _topics(home: HomePage, prose: str) -> tuple[str, ...]:
    """The topics in the section of interests, its list before its sentences, and then those in this prose."""
    entries = home.interests.entries
    listed = [_whole(entry.flat, [child.flat for child in entry.children]) for entry in entries if entry.is_item]
    sentences_of_interests = " ".join(entry.flat for entry in entries if not entry.is_item)
    return distinct([*topics_in_list(listed), *topics_in_prose(sentences_of_interests), *topics_in_prose(prose)])


def _lab_texts(home: HomePage, intro: Introduction, *, leads: bool) -> LabRecord:
    """About, recruiting, contact, interests, topics and hardware, each with its origin."""
    about, recruiting, contact = _sorted_sentences(home)
    focus = _focus(home) if leads else ""
    interests = home.interests.text
    topics = _topics(home, f"{recruiting} {focus}" if interests else f"{recruiting} {focus} {about}")
    recruiting_line = home.openings.line if home.openings.entries else home.about.line
    facts: dict[str, tuple[Any, int]] = {
        "leader_title": (intro.rank[:1].upper() + intro.rank[1:] if leads else "", home.about.line),
        "institution": (intro.institution, home.about.line),
        "department": (intro.department, home.about.line),
        "about": (about if leads else "", home.about.line),
        "interests": (interests if leads else "", home.interests.line),
        "recruiting": (recruiting if leads else "", recruiting_line),
        "recruiting_focus": (focus, home.about.line),
        "contact": (contact if leads else "", home.contact.line if home.contact.entries else home.about.line),
        "name": (intro.lab_name if leads else "", home.about.line),
        "topics": (topics, home.interests.line),
        "hardware": (hardware_in(f"{recruiting} {focus} {interests}"), home.about.line),
    }
    return LabRecord(
        key="",
        **{name: value for name, (value, _) in facts.items()},
        openings=_openings(recruiting, Origin(home.page, recruiting_line)) if leads else (),
        origins=tuple((name, Origin(home.page, line)) for name, (value, line) in facts.items() if value),
    )


def _whole(text: str, children: list[str]) -> str:
    return f"{text.rstrip(' :')}: {', '.join(child.strip(' .') for child in children)}" if children else text


def _sorted_sentences(home: HomePage) -> tuple[str, str, str]:
    """(about, recruiting, contact): the biography's sentences by purpose, and the sections on these."""
    about: list[str] = []
    recruiting: list[str] = []
    contact: list[str] = []
    for entry in home.about.entries:
        other_sentences: list[str] = []
        for sentence in sentences(entry.flat):
            if _RECRUITS.search(sentence):
                recruiting.append(sentence)
            elif _CONTACT.search(sentence):
                contact.append(sentence)
            else:
                other_sentences.append(sentence)
        about.append(" ".join(other_sentences))
    if not contact:
        contact = [
            sentence
            for entry in home.openings.entries
            for sentence in sentences(entry.flat)
            if _CONTACT.search(sentence)
        ][:1]
    recruiting_text = "\n\n".join(part for part in (" ".join(recruiting), home.openings.text) if part)
    contact_text = "\n\n".join(part for part in (" ".join(contact), home.contact.text) if part)
    return "\n\n".join(part for part in about if part), recruiting_text, contact_text


def _focus(home: HomePage) -> str:
    """The bold sentence that says whom the lab is looking for."""
    for entry in (*home.about.entries, *home.openings.entries):
        for run in entry.marked(strong=True):
            if len(run.split()) > 5 and (_RECRUITS.search(run) or re.search(r"\bfocus", run, re.IGNORECASE)):  # noqa: PLR2004
                return run
    return ""


def _openings(recruiting: str, origin: Origin) -> tuple[OpeningRecord, ...]:
    """One opening per degree that the recruiting text mentions."""
    openings: dict[str, OpeningRecord] = {}
    for sentence in sentences(recruiting):
        for degree, pattern in _DEGREES:
            if degree in openings or not pattern.search(sentence):
                continue
            seats, start, funding = _SEATS.search(sentence), _START.search(sentence), _FUNDING.search(sentence)
            count = seats[1].lower() if seats else ""
            openings[degree] = OpeningRecord(
                key=degree,
                degree=degree,
                text=sentence,
                seats=_NUMBERS.get(count) or (int(count) if count.isdigit() else None),
                funding=funding[0].strip() if funding else "",
                start=start[0] if start else "",
                origins=(origin,),
            )
    return tuple(openings.values())


def _with_place(draft: LabRecord) -> LabRecord:
    place = place_of(draft.institution)
    if not place:
        return draft
    origin = dict(draft.origins).get("institution")
    return replace(draft, place=place, origins=(*draft.origins, *((("place", origin),) if origin else ())))
