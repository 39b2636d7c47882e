"""A home page in HTML, or in Markdown as published with Jekyll → a draft of a profile."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from markdown_it import MarkdownIt
from markdown_it.token import Token

from portal.seeding import people
from portal.seeding.activities import read_activities, read_paper_news
from portal.seeding.citations import read_citation
from portal.seeding.headings import Topic, names_people
from portal.seeding.names import Keys, looks_like_name, plain_name, same_person, slug, unique
from portal.seeding.page_blocks import SOFT_BREAK, read_html
from portal.seeding.page_outline import Outline
from portal.seeding.pages import Ledger, Reading, UnreadablePage
from portal.seeding.records import ActivityRecord, LabRecord, MemberRecord, OpeningRecord, Origin, WorkRecord
from portal.seeding.same_works import without_duplicates
from portal.seeding.texts import DEGREES_SOUGHT, is_open_address, sentences
from portal.seeding.topics import distinct, hardware_in, topics_in_list, topics_in_prose
from portal.seeding.values import note_tags, repaired

if TYPE_CHECKING:
    from portal.seeding.headings import SectionKind
    from portal.seeding.page_blocks import Block, Page
    from portal.seeding.page_outline import Section
    from portal.seeding.records import ActivityKind


_PROSE = ("about", "interests", "openings", "contact")


@dataclass(slots=True)
class HomePage:
    """A home page in parts, filled section by section; `prose` are the entries of sections of text, by their kind."""

    ledger: Ledger
    titles: list[str]
    notes_links: bool
    prose: dict[str, list[Block]] = field(default_factory=lambda: {kind: [] for kind in _PROSE})
    members: list[MemberRecord] = field(default_factory=list)
    works: list[WorkRecord] = field(default_factory=list)
    work_entries: list[Block] = field(default_factory=list)
    activities: list[ActivityRecord] = field(default_factory=list)
    leaders: set[str] = field(default_factory=set)
    member_keys: Keys = field(default_factory=Keys)
    activity_keys: Keys = field(default_factory=Keys)

    def text(self, kind: str) -> str:
        """The text of the sections of a kind: paragraphs separated by blank lines, items on lines of their own."""
        parts: list[str] = []
        for entry in self.prose[kind]:
            parts.append(f"- {entry.flat}" if entry.is_item else entry.flat)
            parts.extend(f"- {child.flat}" for child in entry.children)
        return "\n\n".join(part for part in parts if part.strip("- "))

    def origin(self, *kinds: str) -> Origin:
        """The first line of the sections of the first kind that there is (1 if there is none)."""
        entries = next(filter(None, map(self.prose.__getitem__, kinds)), [])
        return Origin(self.ledger.page, entries[0].line if entries else 1)


def read_home_page(ledger: Ledger, outline: Outline, *, notes_links: bool) -> HomePage:
    """The parts of a page; `notes_links` notes links that are relative to an address that is not known."""
    home = HomePage(ledger, outline.titles, notes_links)
    for section in outline.sections:
        if section.topic is not None:
            _read_section(home, section, section.topic)
        elif section.entries:
            ledger.note("ignored", section.title, "a section that is not part of a lab profile", line=section.line)
    # A work may be among the news and the publications.
    kept, places = without_duplicates(home.works)
    for work, match in zip(home.works, places, strict=True):
        if match.by:
            reason = f"the same work as at line {kept[match.index].origins[0].line} (by {match.by})"
            ledger.note("merged", work.title, reason, line=work.origins[0].line)
    home.works = kept
    _choose_leader(home)
    return home


def _read_section(home: HomePage, section: Section, topic: Topic) -> None:
    for entry in section.entries:
        if topic.kind in home.prose:
            home.prose[topic.kind].append(entry)
        elif topic.kind == "members":
            _read_member(home, entry, topic)
        elif topic.kind == "publications":
            _read_work(home, entry, section)
        else:
            _read_activity(home, entry, topic.kind)


def _read_member(home: HomePage, entry: Block, topic: Topic) -> None:
    person = people.read_member(home.ledger.page, entry)
    nested = [child for child in entry.children if person is None and people.read_member(home.ledger.page, child)]
    if nested:
        sub = names_people(entry.flat.strip(" :")) or topic
        for child in nested:
            _read_member(home, child, Topic("members", sub.role or topic.role, sub.former or topic.former))
        return
    if person is None:
        reason = "no person’s name at its beginning; enter the person by hand"
        home.ledger.note("problem", entry.flat, reason, line=entry.line)
        return
    # What a person says of themselves, below a heading that does not say it or speaks of all who teach.
    role = person.role if topic.role in (None, "leader") and person.role != "member" else topic.role
    # Former members are listed with the degree they got here, such as "PhD 2021".
    is_doctor = any(re.match(r"Ph\.?\s?D\.?\s+(?:19|20)\d{2}$", degree) for degree in person.degrees)
    role = role or ("phd_student" if is_doctor else "member")
    key = home.member_keys.give(person.key)
    home.leaders |= {key} if person.role == "leader" else set()
    home.members.append(
        replace(
            person,
            key=key,
            role=role,
            current=person.current and not topic.former and not person.now,
            interests=person.interests if role in ("phd_student", "mphil_student") else "",
        )
    )


def _choose_leader(home: HomePage) -> None:
    """Of several people below a heading such as "Faculty", those lead who say so; if nobody does, the only one."""
    leaders = [member for member in home.members if member.role == "leader"]
    sure = [member for member in leaders if member.key in home.leaders]
    lead = {member.key for member in (sure or (leaders if len(leaders) == 1 else []))}
    home.members = [
        replace(member, role="member") if member.role == "leader" and member.key not in lead else member
        for member in home.members
    ]


def _read_work(home: HomePage, entry: Block, section: Section) -> None:
    work = read_citation(home.ledger.page, entry)
    if work is None:
        reason = "no title of a publication can be recognised; enter the work by hand, or import it as BibTeX"
        home.ledger.note("problem", entry.flat, reason, line=entry.line)
        return
    _note_relative_links(home, entry)
    home.work_entries.append(entry)
    home.works.append(replace(work, venue=work.venue or section.venue, year=work.year or section.year))


def _read_activity(home: HomePage, entry: Block, kind: SectionKind) -> None:
    if kind == "news":
        work = read_paper_news(home.ledger.page, entry)
        if work is not None:
            home.works.append(work)
            home.work_entries.append(entry)
    _note_relative_links(home, entry)
    activities = read_activities(home.ledger.page, cast("ActivityKind", kind), entry)
    for activity in activities:
        home.activities.append(replace(activity, key=home.activity_keys.give(activity.key)))
    if not activities:
        home.ledger.note("ignored", entry.flat, "it has nothing but dates and links", line=entry.line)


def _note_relative_links(home: HomePage, entry: Block) -> None:
    for label, href in entry.links() if home.notes_links else ():
        if not is_open_address(href) and not re.match(r"(?i)mailto:|#", href):
            reason = "the link is relative to an address the page does not give"
            home.ledger.note("ignored", f"{label}: {href}", reason, line=entry.line)


_RECRUITS = re.compile(
    r"(?i)\b(?:recruit(?:ing|s)?|hiring|looking for|seeking|openings?|open positions?|positions? (?:are )?available|"
    r"(?:I|we) (?:have|offer) .{0,40}positions?)\b"
)
_CONTACT = re.compile(
    r"(?i)\b(?:contact (?:me|us)|e-?mail (?:me|us)|send (?:me|us) (?:an )?e-?mail|reach out|drop (?:me|us) (?:a|an)|"
    r"send (?:me|us|your))\b"
)
_HANDLE = re.compile(r"https?://(?:www\.)?(?:github\.com/([\w-]+)(?:/|$)|([\w-]+)\.github\.io)", re.IGNORECASE)
_LED_BY = re.compile(
    r"(?i)\b(?:led|headed|directed|run) by (?:(?:associate|assistant|prof(?:essor)?\.?|dr\.?) )*"
    r"(?-i:((?:[A-Z](?:\.|[\w'’-]+) ?){2,4}))"
)
_PRESENT = re.compile(r"present|now|current", re.IGNORECASE)


def profile_of(home: HomePage, front_matter: dict[str, str], *, person: str, lab: str) -> Reading:
    """The draft profile of a home page; `person` and `lab` are those that its title and first headings name.

    The subject leads a lab if they say so, have a leading rank, or list members; they are a member if they name a
    present adviser, or have the rank of a student or visitor.
    """
    intro = people.introduction(home.text("about"))
    current = next((job for job in home.activities if job.kind == "employment" and _PRESENT.search(job.when)), None)
    adviser = intro.adviser or (people.adviser_in(current.note) if current else "")
    led = _LED_BY.search(home.text("about")) if lab else None
    named = [*(front_matter.get(name, "") for name in ("author", "name", "title")), person, led[1] if led else ""]
    subject = _subject(home, named, intro)
    account = "" if subject or lab or home.members else _account(home)
    leads = intro.leads or bool(home.members) or not (adviser or intro.rank)
    draft = _lab_texts(home, intro, current, leads=leads)
    person = subject or account
    members = home.members if leads else []
    if person:
        listed = next((member for member in members if same_person(member.name, person)), None)
        members = [member for member in members if member is not listed]
        key = listed.key if listed else unique(slug(person), [member.key for member in members])
        own = _subject_member(home, MemberRecord(key, person, "leader"), intro, current, leads=leads)
        members = [replace(own, homepage=listed.homepage if listed else ""), *members]
    listed_leaders = [member.name for member in home.members if member.role == "leader"]
    draft = replace(
        draft,
        name=draft.name or (lab if leads else ""),
        leader=(subject or (listed_leaders[0] if len(listed_leaders) == 1 else "")) if leads else adviser,
        members=tuple(members),
        works=tuple(home.works),
        activities=tuple(replace(activity, person=person) for activity in home.activities),
    )
    return Reading(
        home.ledger.page,
        "jekyll_home",
        (draft,),
        subject=subject,
        role="leader" if leads else "member",
        adviser="" if leads else adviser,
        account=account,
    )


def _subject(home: HomePage, named: list[str], intro: people.Introduction) -> str:
    """The subject of a page, by what names it, its first sentence or headings, or the author printed in bold."""
    for candidate in [*named, intro.name, *home.titles]:
        name = plain_name(candidate)
        if people.is_person(name):
            return name
    found = [{plain_name(run) for run in entry.marked(strong=True)} for entry in home.work_entries]
    bold = Counter(name for names in found for name in names if looks_like_name(name))
    name, count = next(iter(bold.most_common(1)), ("", 0))
    return name if count * 2 > len(found) else ""


def _account(home: HomePage) -> str:
    links = (link.url for work in home.works for link in work.links)
    owners = Counter(match[1] or match[2] for url in links if (match := _HANDLE.match(url)))
    return owners.most_common(1)[0][0] if owners else ""


def _subject_member(
    home: HomePage, person: MemberRecord, intro: people.Introduction, current: ActivityRecord | None, *, leads: bool
) -> MemberRecord:
    degrees = tuple(
        f"{item.title} {item.organisation} ({item.when})".replace(" ()", "")
        for item in home.activities
        if item.kind == "education"
    )
    person = replace(person, degrees=degrees, origins=(home.origin("about"),))
    if leads:
        return person
    return replace(
        person,
        role=people.role_of_rank(intro.rank or (current.title if current else "")),
        term=current.when if current else "",
        interests=home.text("interests"),
        origins=current.origins if current and not intro.rank else person.origins,
    )


def _topics(home: HomePage, prose: str) -> tuple[str, ...]:
    """The topics in the section of interests, its list before its sentences, and then those in this prose."""
    entries = home.prose["interests"]
    parts = [
        (entry.flat, ", ".join(child.flat.strip(" .") for child in entry.children))
        for entry in entries
        if entry.is_item
    ]
    listed = [f"{text.rstrip(' :')}: {inner}" if inner else text for text, inner in parts]
    sentences_of_interests = " ".join(entry.flat for entry in entries if not entry.is_item)
    return distinct([*topics_in_list(listed), *topics_in_prose(sentences_of_interests), *topics_in_prose(prose)])


def _lab_texts(home: HomePage, intro: people.Introduction, current: ActivityRecord | None, *, leads: bool) -> LabRecord:
    about, recruiting, contact = _sorted_sentences(home)
    focus = _focus(home) if leads else ""
    interests = home.text("interests")
    topics = _topics(home, f"{recruiting} {focus}" if interests else f"{recruiting} {focus} {about}")
    here, there = home.origin("about"), home.origin("openings", "about")
    institution, where = intro.institution, here
    if not institution and current is not None:
        institution, where = people.institution_in(current.organisation), current.origins[0]
    facts: dict[str, tuple[Any, Origin]] = {
        "institution": (institution, where),
        "place": (people.place_of(institution), where),
        "department": (intro.department, here),
        "topics": (topics, home.origin("interests")),
        "hardware": (hardware_in(f"{recruiting} {focus} {interests}"), here),
    }
    of_a_leader: dict[str, tuple[Any, Origin]] = {
        "name": (intro.lab_name, here),
        "leader_title": (intro.rank[:1].upper() + intro.rank[1:], here),
        "about": (about, here),
        "interests": (interests, home.origin("interests")),
        "recruiting": (recruiting, there),
        "recruiting_focus": (focus, here),
        "contact": (contact, home.origin("contact", "about")),
        "openings": (_openings(recruiting, there), there),
    }
    facts |= of_a_leader if leads else {}
    origins = tuple((name, origin) for name, (value, origin) in facts.items() if value and name != "openings")
    return LabRecord(key="", **{"name": "", **{name: value for name, (value, _) in facts.items()}}, origins=origins)


def _sorted_sentences(home: HomePage) -> tuple[str, str, str]:
    """(about, recruiting, contact): the biography's sentences by purpose, and the sections on these."""
    purposes: dict[str, list[str]] = {"about": [], "recruiting": [], "contact": []}
    for entry in home.prose["about"]:
        about: list[str] = []
        for sentence in sentences(entry.flat):
            is_other = _RECRUITS.search(sentence) or _CONTACT.search(sentence)
            purpose = about if not is_other else purposes["recruiting" if _RECRUITS.search(sentence) else "contact"]
            purpose.append(sentence)
        purposes["about"] += [" ".join(about)] if about else []
    said = (sentence for entry in home.prose["openings"] for sentence in sentences(entry.flat))
    contact = purposes["contact"] or [sentence for sentence in said if _CONTACT.search(sentence)][:1]
    recruiting = (" ".join(purposes["recruiting"]), home.text("openings"))
    texts = (purposes["about"], recruiting, (" ".join(contact), home.text("contact")))
    about_text, recruiting_text, contact_text = ("\n\n".join(filter(None, parts)) for parts in texts)
    return about_text, recruiting_text, contact_text


def _focus(home: HomePage) -> str:
    """The bold sentence that says whom the lab is looking for."""
    entries = (*home.prose["about"], *home.prose["openings"])
    runs = (run for entry in entries for run in entry.marked(strong=True) if len(run.split()) > 5)  # noqa: PLR2004
    return next((run for run in runs if _RECRUITS.search(run) or re.search(r"(?i)\bfocus", run)), "")


def _openings(recruiting: str, origin: Origin) -> tuple[OpeningRecord, ...]:
    """One opening per degree that the recruiting text mentions, with the first sentence that does."""
    said = sentences(recruiting)
    found = ((degree, next(filter(pattern.search, said), "")) for degree, pattern in DEGREES_SOUGHT)
    openings = (OpeningRecord(degree, degree, sentence, origins=(origin,)) for degree, sentence in found if sentence)
    return tuple(sorted(openings, key=lambda opening: said.index(opening.text)))


INLINE_LIMIT = 10_000

_MATTER = re.compile(r"\s*---[ \t]*\n(.*?)^---[ \t]*$", re.MULTILINE | re.DOTALL)
_VALUE = re.compile(r"^(author|name|title)[ \t]*:[ \t]*[\"']?([^\n\"'>|&*\[{][^\n]{0,200}?)[\"']?[ \t]*$", re.MULTILINE)
_TEMPLATE = re.compile(
    r"^author_profile\s*:|paper-box|site\.google_scholar|class=['\"]anchor['\"]|^redirect_from\s*:", re.MULTILINE
)
_COMMENT = re.compile(r"<!--.*?-->|\{%-?\s*comment\s*-?%\}.*?\{%-?\s*endcomment\s*-?%\}", re.DOTALL)
# Tags of site generators: Liquid, shortcodes, attributes in braces, fences of divisions, names of icons.
_TAGS = re.compile(
    r"\{%[^{%]{0,300}%\}|\{\{[^{}]{0,300}\}\}|<%[^<%]{0,300}%>|\{[:.#][^{}\n]{0,200}\}|^[ \t]*:{3,}[^\n]*$|"
    r"(?<![\w:]):[a-z][a-z0-9_-]{2,60}:(?![\w:])",
    re.MULTILINE,
)
_OPENING_TAG = re.compile(r"<([a-zA-Z][\w-]*)(?=[\s>])")
# Badges and pictures; a box to tick in front of an item.
_PICTURE = r"!\[[^\[\]\n]{0,200}\]\([^()\n]{0,500}\)"
_IMAGE = re.compile(rf"\[{_PICTURE}\]\([^()\n]{{0,500}}\)|{_PICTURE}")
_TICK = re.compile(r"^([ \t]*[-*+][ \t]+)\[[ xX]\][ \t]+", re.MULTILINE)
_WRONGLY_DECODED = re.compile(r"[ÃÂ][\u0080-\u00bf]|â€|ï¬|[ðğ]Ÿ")
_LONGEST_LINE = 20_000


def read_markdown(filename: str, text: str) -> Reading:
    """The profile draft of a Markdown home page; unreadable if it shows nothing, or its front matter has no end."""
    ledger = Ledger(filename)
    whole = repaired(ledger, text)
    matter, body, first_line = split_front_matter(filename, whole)
    title, author = (re.sub(r"[<>&'\"]", " ", matter.get(name, "")) for name in ("title", "author"))
    head = f"<title>{title}</title><meta name='author' content='{author}'>"
    html = f"<html><head>{head}</head><body>{_rendered(body, first_line)}</body></html>"
    note_tags(ledger, whole.split("\n"))
    reading = _profile(read_html(filename, html, has_lines=True), ledger, matter)
    return replace(reading, kind="academic_pages") if _TEMPLATE.search(text) else reading


def read_html_page(filename: str, text: str) -> Reading:
    """The profile draft of a home page in HTML; it is unreadable if too large or without what such a page has."""
    ledger = Ledger(filename)
    if _WRONGLY_DECODED.search(text) and max(map(len, text.split("\n"))) <= _LONGEST_LINE:
        text = repaired(ledger, text)
    page = read_html(filename, text)
    if page.cut_at:
        reason = "tags nest more than 2,000 levels deep here; what follows was not read"
        ledger.note("problem", f"line {page.cut_at}", reason, line=page.cut_at)
    return _profile(page, ledger, None)


def split_front_matter(page: str, text: str) -> tuple[dict[str, str], str, int]:
    """Author, name and title in the front matter, the body, and the body's first line."""
    matter = _MATTER.match(text)
    if matter is not None:
        return dict(_VALUE.findall(matter[1])), text[matter.end() :], matter[0].count("\n") + 1
    if re.match(r"\s*---[ \t]*\n", text):
        raise UnreadablePage(f"{page}: the front matter on the first line has no end; the file seems cut off")
    return {}, text, 1


def _profile(page: Page, ledger: Ledger, matter: dict[str, str] | None) -> Reading:
    """The profile draft of a page's blocks; `matter` is the front matter of one in Markdown."""
    reason = "" if page.blocks else "the page shows no text; if a program builds it in the browser, paste its text"
    inner = Ledger(ledger.page)
    outline = Outline(page, inner, is_markdown=matter is not None)
    if not reason and not outline.has_sections and not outline.person:
        reason = (
            "the page has no section of a home page (such as Publications, Students, Teaching) and names nobody; check "
            "that it is the right one"
        )
    elif any("Liquid" in note.reason for note in ledger.notes) and not any(s.entries for s in outline.sections):
        reason = "its lists are filled in by the site generator; save the page as a browser shows it"
    if reason:
        raise UnreadablePage(f"{ledger.page}: {reason}")
    home = read_home_page(inner, outline, notes_links=matter is not None)
    reading = profile_of(home, matter or {}, person=outline.person, lab=outline.lab)
    return replace(reading, notes=(*ledger.notes, *sorted(inner.notes, key=lambda note: note.line)))


def _rendered(body: str, first_line: int) -> str:
    """The HTML of a Markdown text without comments and Liquid tags; each block has the line it starts on."""
    markdown = MarkdownIt("commonmark", {"html": True}).enable("table")
    for unseen in (_COMMENT, _TAGS):
        body = unseen.sub(lambda tag: "\n" * tag[0].count("\n"), body)
    # Inline text is parsed per block below; overlong blocks are kept verbatim.
    blocks = MarkdownIt("commonmark", {"html": True}).enable("table").disable("inline")
    tokens = blocks.parse(_TICK.sub(r"\1", _IMAGE.sub("", body)))
    for token in tokens:
        line = (token.map[0] if token.map else 0) + first_line
        if token.map and token.nesting >= 0:
            token.attrSet("data-line", str(line))
        if token.type == "html_block":
            lines = enumerate(token.content.split("\n"), start=line)
            token.content = "\n".join(_OPENING_TAG.sub(rf'<\1 data-line="{at}"', text) for at, text in lines)
        if token.type == "inline" and len(token.content) <= INLINE_LIMIT:
            token.children = _with_soft_breaks(markdown.parseInline(token.content)[0].children or [])
        elif token.type == "inline":
            token.children = [Token("text", "", 0, content=token.content)]
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def _with_soft_breaks(tokens: list[Token]) -> list[Token]:
    """Inline tokens in which line ends outside of links and emphasis, which may part an entry, stay known."""
    depth = 0
    for token in tokens:
        depth += token.nesting
        if token.type == "softbreak" and not depth:
            token.type, token.content = "text", SOFT_BREAK
    return tokens
