"""The blocks of a page → the sections of a home page, each with its topic and its entries."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field, replace
from itertools import groupby, islice, takewhile
from typing import TYPE_CHECKING

from portal.seeding.citations import (
    are_buttons,
    entries_in,
    is_number,
    publication_entry,
    without_buttons,
)
from portal.seeding.headings import DEGREES, Topic, classify, names_people
from portal.seeding.names import plain_name
from portal.seeding.page_blocks import Block, Run, filled_lines, flat, joined
from portal.seeding.people import is_person, people_in, without_letters
from portal.seeding.texts import years
from portal.seeding.values import is_about_a_list, is_about_the_page, is_code, leftover_reason, words_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.seeding.headings import SectionKind
    from portal.seeding.page_blocks import Page
    from portal.seeding.pages import Ledger, Outcome

ENTRY_LIMIT = 4000

_PROSE: frozenset[SectionKind | None] = frozenset((None, "about", "interests", "openings", "contact"))
_KIND_OF_WORK = re.compile(
    r"(?i)\b(?:journals?|conferences?|articles?|proceedings|books?|chapters?|theses|thesis|workshops?|preprints?|patents?|"
    r"refereed|reviewed|selected|accepted|forthcoming|in press|under review|technical reports?|magazines?|posters?|"
    r"demos?)\b"
)
_MAY_LIST = re.compile(
    r"(?i)^(?!.*\bpublications?\b).*\b(?:research|works?|writings?|articles|output|journals?|conferences?)\b"
)
_YEARS = re.compile(
    r"(?i)\W*(?:(?:19|20)\d{2}(?:\s*[-–—/]\s*(?:(?:19|20)\d{2}|\d{2}|present|now))?|to appear|earlier|older)\W*"
)
# Sections that are not about the lab itself, below whatever heading.
_OF_OTHERS = re.compile(
    r"(?i)\b(?:collaborat\w+|sponsors?|funding|partners?|friends|gallery|photos?|pictures|links|(?<!in )press|"
    r"media)\b|合作|基金"
)
_BEGINS_WITH_YEAR = re.compile(r"\W*(?:19|20)\d{2}\b")
_WHICH_PEOPLE = re.compile(r"(?i)\b(?:current|present|former|past|graduated|co-?advised|co-?supervised|incoming)\b")
_VENUE_HEADING = re.compile(r"\W*([A-Z][A-Za-z+&/ -]{1,24}?)[\s,]*(?:['’](\d{2})|((?:19|20)\d{2}))\W*")
_LAB = re.compile(
    r"(?i)\b(?:lab|labs|laboratory|group|team|centre|center|lehrstuhl|arbeitsgruppe|laboratoire|laboratorio|équipe)\b|"
    r"实验室|课题组|研究组|研究室|연구실"
)
_PAGE = re.compile(
    r"(?i)\b(?:home|homepage|page|website|welcome|people|members|publications?|news)\b|メンバー|成员|구성원"
)
_GREETING = re.compile(r"(?i)^\W*(?:hi|hello|hey|welcome)\b.{0,12}?(?:\bI['’]?\s?a?m|\bmy name is|\bthis is)\s+")
_DATED = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_LONGEST_HEADING = 100
_WORDS_OF_A_HEADING = 3
_WORDS_OF_A_BOLD_HEADING = 7
_WORDS_OF_A_TITLE = 3
_WORDS_OF_A_LAB = 9
_WORDS_OF_A_LINE = 3
_NAVIGATION = 40
_SHORT_LINE = 70
_ENOUGH = 3
_DEEPEST = 3
_MOST_BELOW = 12
_LONGEST_LIST = 3000


@dataclass(slots=True)
class Section:
    """A heading and its entries. `topic` is None for a section that is not part of a profile.

    `year` and `venue` are those that the heading names ("2024", "ICML'24"), for entries that name none.
    """

    topic: Topic | None
    title: str = ""
    line: int = 1
    level: int = 0
    year: int | None = None
    venue: str = ""
    entries: list[Block] = field(default_factory=list)

    @property
    def kind(self) -> SectionKind | None:
        """The kind of its topic."""
        return self.topic.kind if self.topic is not None else None


class Outline:
    """The sections of a page in its order, headings above them (`titles`), and the person and lab it is about.

    What is left out is noted. Markdown has no menus or feet: what it says in further sections, in sentences, is about
    the person.
    """

    def __init__(self, page: Page, ledger: Ledger, *, is_markdown: bool) -> None:
        self.sections = [Section(Topic("about"))]
        self.titles: list[str] = []
        self.has_sections = False
        self._ledger = ledger
        # The sections that what follows is in, the innermost last.
        self._above: list[Section] = []
        # A heading such as "Research" above entries that are publications.
        self._list_head = ""
        self._read(list(page.blocks) if any(map(self._is_known, page.blocks)) else _assumed(page))
        self.person, self.lab = _person_and_lab(page, self.titles)
        for section in self.sections:
            section.entries = _nested(section.entries)
            if is_markdown and section.topic is None and all(entry.kind != "entry" for entry in section.entries):
                section.topic = Topic("about")

    def _read(self, blocks: list[Block]) -> None:
        index = 0
        while index < len(blocks):
            block = blocks[index]
            index += 1
            name = without_letters(block.runs)
            if block.kind == "heading" and self._is_among_people(block) and is_person(flat(name)):
                # A name that is a heading, with what stands below it.
                rest = islice(blocks, index, index + _MOST_BELOW)
                below = list(takewhile(lambda other: other.kind != "heading", rest))
                texts = (run for other in below if not other.is_linked for run in (Run("\n"), *other.runs))
                self._content(Block("entry", block.line, (*name, *texts)))
                index += len(below)
            elif self._took_people(block):
                continue
            elif block.kind == "heading" or self._is_known(block) or self._is_part(block):
                self._heading(block, blocks, index - 1)
            else:
                self._content(block)

    @property
    def _section(self) -> Section:
        return self.sections[-1]

    def _leave_out(self, block: Block, reason: str, outcome: Outcome = "ignored") -> None:
        self._ledger.note(outcome, block.flat, reason, line=block.line)

    def _is_among_people(self, heading: Block) -> bool:
        is_below = any(above.kind == "members" and above.level < heading.level for above in self._above)
        return is_below and self._section.kind == "members"

    def _took_people(self, block: Block) -> bool:
        """Take a line of names in a section about people; whether it is one."""
        may_list = self._section.kind == "members" and block.kind != "heading" and not block.is_row
        label, people = people_in(block) if may_list and len(block.flat) <= _LONGEST_LIST else ("", [])
        if label:
            self._heading(Block("heading", block.line, (Run(label, strong=True),), level=6), [], 0)
        for person in people:
            self._content(person)
        return bool(people)

    def _is_known(self, block: Block) -> bool:
        """Whether a block is a known heading: by its tag, or a short line with nothing else."""
        text = block.flat.strip(" :()")
        if block.kind == "heading":
            return classify(text) is not None and len(text) <= _LONGEST_HEADING
        words = _WORDS_OF_A_BOLD_HEADING if block.is_strong else _WORDS_OF_A_HEADING
        if block.kind != "paragraph" or block.is_linked or "\n" in block.text or len(text.split()) > words:
            return False
        is_short = (text[:1].isupper() or not text[:1].isascii()) and not re.search(r"[.,;@\d]", DEGREES.sub("", text))
        return is_short and classify(text) is not None

    def _is_part(self, block: Block) -> bool:
        """Whether a bold line names a part of the present section ("M.S. Theses")."""
        text = block.flat.strip(" :")
        is_line = block.kind == "paragraph" and block.is_strong and len(text.split()) <= _WORDS_OF_A_BOLD_HEADING
        return is_line and not block.is_linked and self._belongs(text)

    def _begin(
        self, topic: Topic | None, title: str, line: int, level: int, year: int | None = None, venue: str = ""
    ) -> None:
        while self._above and self._above[-1].level >= level:
            self._above.pop()
        self.has_sections |= topic is not None
        self.sections.append(Section(topic, title, line, level, year, venue))
        self._above.append(self._section)

    def _heading(self, block: Block, blocks: list[Block], index: int) -> None:
        text = block.flat.strip(" :#¶§")
        topic = classify(text) if len(text) <= _LONGEST_HEADING else None
        if self._section.kind == "publications" and _BEGINS_WITH_YEAR.match(text):
            topic = None  # "2024 (one award)"
        may_list = _MAY_LIST.search(text) and (topic is None or topic.kind == "interests")
        self._list_head = text if may_list and _lists_works(blocks, index) else ""
        known = next((above.level for above in reversed(self._above) if above.topic is not None), 0)
        level = block.level or (known if topic is not None else known + 1) or 1
        year = next(iter(years(text)), None)
        if topic is None and self._belongs(text):
            # "2024", "Journal articles" below "Publications", "Current" below "People".
            head = next((above for above in self._above if above.topic == self._section.topic), self._above[-1])
            named = _VENUE_HEADING.fullmatch(text) if self._section.kind == "publications" else None
            venue = named[1].strip() if named else ""
            year = year or (int(f"20{named[2]}") if named and named[2] else None)
            is_former = self._section.kind == "members" and bool(re.search(r"(?i)former|past|graduated", text))
            topic = replace(self._section.topic, former=is_former) if self._section.topic else None
            self._begin(topic, text, block.line, max(level, head.level + 1), year, venue)
        elif topic is not None:
            # A heading about people, with what the headings above it say of them ("Alumni").
            outer = next((above.topic for above in reversed(self._above) if above.level < level), None)
            if outer is not None and topic.kind == outer.kind == "members":
                topic = Topic("members", topic.role or outer.role, topic.former or outer.former)
            self._begin(topic, text, block.line, level, year)
        elif not self.has_sections:
            self.titles.append(text)
            if len(text) > _LONGEST_HEADING:
                self._content(replace(block, kind="paragraph"))
        else:
            self._unknown(block, text, level, year)

    def _unknown(self, block: Block, text: str, level: int, year: int | None) -> None:
        """A heading of no known words: part of the section above it, a title of a work, or a section of its own."""
        outer = next((above for above in reversed(self._above) if above.level < level), None)
        if outer is None or outer.topic is None or _OF_OTHERS.search(text):
            self._begin(None, text, block.line, level)
        elif outer.kind == "publications" and words_in(text) > _WORDS_OF_A_TITLE:
            self._entries(Block("entry", block.line, tuple(replace(run, strong=True) for run in block.runs)))
        else:
            self._begin(outer.topic, text, block.line, level, year or outer.year)

    def _belongs(self, text: str) -> bool:
        if self._section.kind == "publications":
            if _BEGINS_WITH_YEAR.match(text) or _YEARS.fullmatch(text) or _VENUE_HEADING.fullmatch(text):
                return True
            return bool(_KIND_OF_WORK.search(text)) and len(text) <= _LONGEST_HEADING
        return self._section.kind == "members" and bool(_WHICH_PEOPLE.search(text))

    def _content(self, block: Block) -> None:  # noqa: C901 - one case for each kind of line
        if self._list_head and block.kind == "entry":
            self._begin(Topic("publications"), self._list_head, block.line, self._above[-1].level if self._above else 1)
            self._list_head = ""
        if block.is_row and self._section.kind != "publications":
            block = replace(block, runs=joined(filled_lines(block.runs)))
        text = block.flat
        reason = leftover_reason(text, " ".join(href for _, href in block.links()))
        if reason or is_code(text):
            self._leave_out(block, reason or "code of the page", "problem")
        elif is_about_the_page(text):
            self._leave_out(block, "a line about the page itself")
        elif self._section.topic is None:
            self._section.entries.append(block)
        elif is_number(text):
            if self._section.kind == "publications" and _YEARS.fullmatch(text):
                self._heading(replace(block, level=0), [], 0)
            else:
                self._leave_out(block, "a number alone")
        elif self._section.kind in _PROSE and is_about_a_list(text):
            self._leave_out(block, "a line about a list or a site")
        elif self._section.kind in _PROSE and block.is_linked and len(text) <= _NAVIGATION:
            self._leave_out(block, "a link of the page’s navigation")
        elif self._section.kind in _PROSE:
            self._prose(block)
        else:
            self._entries(block)

    def _prose(self, block: Block) -> None:
        """A text; boxes and rows outside lists become paragraphs, long ones several."""
        if block.is_item and len(block.flat) <= ENTRY_LIMIT:
            self._section.entries.append(replace(block, runs=without_buttons(block.runs)))
            return
        for group in _prose_lines(block):
            text = flat(group)
            parts = textwrap.wrap(text, ENTRY_LIMIT, break_on_hyphens=False) if len(text) > ENTRY_LIMIT else []
            pieces: list[tuple[Run, ...]] = [(Run(part),) for part in parts] or [tuple(group)]
            self._section.entries += [Block("paragraph", block.line, piece) for piece in pieces]

    def _entries(self, block: Block) -> None:
        """The entries of a block: one, or several if a paragraph separates them by numbers or blank lines."""
        last = self._section.entries[-1] if self._section.entries else None
        for runs in entries_in(block) if block.kind == "paragraph" else [block.runs]:
            text = flat(runs)
            if not any(map(str.isalnum, text)):
                continue
            if len(text) > ENTRY_LIMIT:
                self._leave_out(block, f"longer than {ENTRY_LIMIT:,} characters: not a single entry", "problem")
                continue
            buttons = all(are_buttons(run.text) for run in runs if run.text.strip())
            if self._section.kind == "publications" and buttons and last is not None:
                # Links in a paragraph of their own ("PDF", "DOI").
                self._section.entries[-1] = replace(last, runs=(*last.runs, Run(" "), *without_buttons(runs)))
            elif self._section.kind == "publications":
                self._section.entries.append(replace(block, runs=publication_entry(block, runs)))
            elif self._section.kind == "members":
                self._section.entries.append(replace(block, runs=joined(filled_lines(runs), ", ")))
            else:
                self._section.entries.append(replace(block, runs=without_buttons(runs)))


def _assumed(page: Page) -> list[Block]:
    """The blocks of a page without a known heading, below one if its title or years say that it lists publications."""
    entries = [block.flat for block in page.blocks if block.kind == "entry" and len(block.flat) > _NAVIGATION]
    dated = sum(bool(_DATED.search(text)) for text in entries)
    titled = classify(page.title)
    is_list = titled is not None and titled.kind == "publications"
    if not is_list and (len(entries) < _ENOUGH or dated * 2 <= len(entries)):
        return list(page.blocks)
    first = next((index for index, block in enumerate(page.blocks) if block.kind == "entry"), 0)
    return [*page.blocks[:first], Block("heading", 1, (Run("Publications"),), level=1), *page.blocks[first:]]


def _lists_works(blocks: list[Block], index: int) -> bool:
    """Whether most entries below a heading such as "Research" have a year, as publications do."""
    below = takewhile(lambda block: block.kind != "heading", islice(blocks, index + 1, None))
    entries = [block.flat for block in below if block.kind == "entry" and len(block.flat) > _NAVIGATION]
    return len(entries) > 1 and sum(bool(_DATED.search(text)) for text in entries) * 5 >= len(entries) * 3


def _nested(entries: list[Block], depth: int = 0) -> list[Block]:
    """Entries with those of greater depth behind them as their children, to a depth of three."""
    result: list[Block] = []
    for is_inner, group in groupby(entries, lambda entry: entry.depth > depth and depth < _DEEPEST):
        if is_inner and result and result[-1].kind == "entry":
            result[-1] = replace(result[-1], children=tuple(_nested(list(group), depth + 1)))
        else:
            result.extend(group)
    return result


def _prose_lines(block: Block) -> list[list[Run]]:
    """The paragraphs of a block: short lines (a rank, a place) joined by commas, long lines separate."""
    groups: list[list[Run]] = []
    was_short = False
    for line in filled_lines(block.runs):
        text = flat(line)
        is_short = len(text) <= _SHORT_LINE and not text.endswith((".", "!", "?", ":", ",", ";"))
        if groups and (not block.is_weak or (was_short and is_short)):
            groups[-1] += [Run(", " if was_short and is_short else " "), *line]
        else:
            groups.append(list(line))
        was_short = is_short
    for group in groups:
        words = flat(group).split()
        # So that it is not read as one sentence with the next.
        if (
            len(words) >= _WORDS_OF_A_LINE
            and not re.search(r"[.!?:,;]$|[@/]", words[-1])
            and len(flat(group)) <= _SHORT_LINE
        ):
            group.append(Run("."))
    return groups


def _person_and_lab(page: Page, titles: Sequence[str]) -> tuple[str, str]:
    """The names of the person and of the lab, "" where the page gives none; `titles` are headings of no section."""
    parts = re.split(r"\s*[|｜·•:]\s*|\s+[-–—]\s+|(?<=[\u3400-\u9fff])[-–—_]|['’]s\s+(?=\w+)", page.title)
    # "The Rivera Lab – Computational Neuroscience" names nobody.
    parts = [part for part in parts if _LAB.search(part)] or parts
    person = lab = ""
    # Those in a first section are its people.
    first = takewhile(lambda block: block.kind != "entry" and names_people(block.flat) is None, page.blocks[:2])
    for candidate in [*titles[:3], page.author, *parts, *(block.flat for block in first)]:
        name = plain_name(re.sub(r"\([^()]*\)", "", _GREETING.sub("", candidate)))
        name = re.sub(r",?\s+(?:Ph\.?\s?D\.?|Dr\.?)$", "", name)
        if not person and is_person(name) and not leftover_reason(name):
            person = name
        elif not lab and _LAB.search(candidate) and not _PAGE.search(candidate):
            lab = candidate if 1 < words_in(candidate) <= _WORDS_OF_A_LAB else ""
    return person, lab
