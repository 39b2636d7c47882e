"""The blocks of a page → Markdown in the form that the home page parser expects, with a map from lines to blocks."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from typing import TYPE_CHECKING

from portal.seeding.headings import DEGREES, classify
from portal.seeding.imports.blocks import Block, Run, lines_of
from portal.seeding.imports.citation_styles import (
    columns_of,
    in_known_style,
    row_in_order,
    with_given_names_first,
    with_people_of_citation,
    without_empty_cells,
)
from portal.seeding.imports.contents_list import links_to_headings
from portal.seeding.imports.headed_entries import with_headed_entries
from portal.seeding.imports.heading_words import in_english
from portal.seeding.imports.inline_markdown import (
    are_buttons,
    entries_in,
    escaped,
    marked_item,
    marked_line,
    names_before_colon,
    on_one_line,
    parts_of,
    prose_lines,
    without_number,
)
from portal.seeding.imports.member_blocks import is_remark, with_people_apart
from portal.seeding.imports.page_names import person_and_lab
from portal.seeding.leftovers import is_about_the_page

if TYPE_CHECKING:
    from portal.seeding.headings import SectionKind, Topic
    from portal.seeding.imports.blocks import Page

PIECE_LIMIT = 3500

_PROSE: frozenset[SectionKind | None] = frozenset((None, "about", "interests", "openings", "contact"))
_KIND_OF_WORK = re.compile(
    r"\b(?:journals?|conferences?|articles?|proceedings|books?|chapters?|theses|thesis|workshops?|preprints?|patents?|"
    r"refereed|reviewed|selected|accepted|forthcoming|in press|under review|technical reports?|magazines?|posters?|"
    r"demos?)\b",
    re.IGNORECASE,
)
_MAY_LIST = re.compile(
    r"^(?!.*\bpublications?\b).*\b(?:research|works?|writings?|articles|output|journals?|conferences?)\b", re.IGNORECASE
)
_YEARS = re.compile(
    r"\W*(?:(?:19|20)\d{2}(?:\s*[-–—/]\s*(?:(?:19|20)\d{2}|\d{2}|present|now))?|to appear|earlier|older)\W*",
    re.IGNORECASE,
)
_WHICH_PEOPLE = re.compile(
    r"\b(?:current|present|former|past|graduated|co-?advised|co-?supervised|incoming)\b", re.IGNORECASE
)
_NUMBERING = re.compile(r"\W*\d{1,4}\W*")
_HEADING_LENGTH = 100
_WORDS_OF_A_HEADING = 3
_WORDS_OF_A_BOLD_HEADING = 7
_NAVIGATION = 40
_DATED = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_ENOUGH = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """A heading, paragraph or entry in Markdown. `level` is a heading's, 0 for others; `text` is its plain text.

    `is_outer` means that the following entries are nested in it.
    """

    lines: tuple[str, ...]
    block: Block
    level: int = 0
    text: str = ""
    is_outer: bool = False


@dataclass(slots=True)
class Written:
    """A page in Markdown: its pieces in order, the omitted blocks with reasons, and the page's person and lab."""

    pieces: list[Piece] = field(default_factory=list)
    left_out: list[tuple[Block, str]] = field(default_factory=list)
    person: str = ""
    lab: str = ""
    has_sections: bool = False


def write(page: Page) -> Written:
    """The page in Markdown."""
    return _Writer(page).written()


class _Writer:
    def __init__(self, page: Page) -> None:
        self._page = page
        self._out = Written()
        self._topic: Topic | None = None
        self._level = 0
        self._titles: list[str] = []
        self._seen_known = False
        # Whether the section is not part of a lab profile.
        self._is_foreign = False
        # A heading such as "Research" above entries that are publications.
        self._list_head = ""
        # The meaning of the present table's columns.
        self._columns: tuple[str, ...] = ()

    def written(self) -> Written:
        parts = [part for block in self._page.blocks for part in parts_of(block)]
        blocks = with_people_apart(with_headed_entries(parts))
        if not any(self._is_known(block) for block in blocks):
            self._assume(blocks)
        contents = links_to_headings(blocks)
        for index, block in enumerate(blocks):
            if index in contents:
                self._out.left_out.append((block, "a link of the page’s navigation"))
            elif block.kind == "heading" or self._is_known(block) or self._is_part(block):
                self._heading(block, blocks, index)
            else:
                self._content(block)
        self._out.person, self._out.lab = person_and_lab(self._page, self._titles)
        self._out.has_sections = self._seen_known
        return self._out

    def _is_known(self, block: Block) -> bool:
        """Whether a block is a known heading: by its tag, or a short line with nothing else."""
        text = in_english(block.text.strip(" :()"))
        if block.kind == "heading":
            return classify(text) is not None and len(text) <= _HEADING_LENGTH
        words = _WORDS_OF_A_BOLD_HEADING if block.is_strong else _WORDS_OF_A_HEADING
        lines = sum(any(map(str.isalnum, "".join(run.text for run in line))) for line in lines_of(block.runs))
        if block.kind != "paragraph" or block.is_linked or lines > 1 or len(text.split()) > words:
            return False
        is_short = text[:1].isupper() and not re.search(r"[.,;@\d]", DEGREES.sub("", text))
        return is_short and classify(text) is not None

    def _is_part(self, block: Block) -> bool:
        """Whether a bold line names a part of the present section ("M.S. Theses")."""
        text = block.text.strip(" :")
        is_line = block.kind == "paragraph" and block.is_strong and len(text.split()) <= _WORDS_OF_A_BOLD_HEADING
        return is_line and not block.is_linked and self._topic is not None and self._belongs(text, self._topic.kind)

    def _assume(self, blocks: list[Block]) -> None:
        """A page without a known heading is a list of publications if its title or most entries suggest so."""
        entries = [block for block in blocks if block.kind == "entry" and len(block.text) > _NAVIGATION]
        dated = sum(bool(_DATED.search(block.text)) for block in entries)
        titled = classify(in_english(self._page.title))
        listed = titled is not None and titled.kind == "publications"
        if listed or (len(entries) >= _ENOUGH and dated * 2 > len(entries)):
            self._put_heading(Block("heading", 1, (Run("Publications"),), level=1), "Publications", 1)

    def _heading(self, block: Block, blocks: list[Block], index: int) -> None:
        text = in_english(block.text.strip(" :#¶§"))
        topic = classify(text) if len(text) <= _HEADING_LENGTH else None
        may_list = _MAY_LIST.search(text) and (topic is None or topic.kind == "interests")
        self._list_head = text if may_list and self._lists_works(blocks, index) else ""
        level = block.level or min(6, self._level + (self._level == 0))
        inherited = self._topic
        if topic is None and inherited is not None and self._belongs(text, inherited.kind):
            # "2024", "Journal articles" below "Publications", "Current" below "People".
            head = "Publications" if inherited.kind == "publications" else "Members"
            self._put_heading(block, f"{head}: {text}", max(level, min(6, self._level + 1)), keeps=True)
        elif topic is not None:
            self._topic, self._level, self._seen_known = topic, level, True
            self._put_heading(block, text, level)
        elif not self._seen_known:
            self._titles.append(text)
            if len(text) > _HEADING_LENGTH:
                self._content(Block("paragraph", block.line, block.runs))
        else:
            is_own = level <= self._level
            self._put_heading(block, text, level)
            if is_own:
                self._topic, self._is_foreign = None, True

    @staticmethod
    def _lists_works(blocks: list[Block], index: int) -> bool:
        """Whether most entries below a heading such as "Research" have a year, as publications do."""
        below = takewhile(lambda block: block.kind != "heading", islice(blocks, index + 1, None))
        entries = [block.text for block in below if block.kind == "entry" and len(block.text) > _NAVIGATION]
        return len(entries) > 1 and sum(bool(_DATED.search(text)) for text in entries) * 5 >= len(entries) * 3

    @staticmethod
    def _belongs(text: str, kind: SectionKind) -> bool:
        if kind == "publications":
            return bool(_YEARS.fullmatch(text) or (_KIND_OF_WORK.search(text) and len(text) <= _HEADING_LENGTH))
        return kind == "members" and bool(_WHICH_PEOPLE.search(text))

    def _put_heading(self, block: Block, text: str, level: int, *, keeps: bool = False) -> None:
        if not keeps:
            self._is_foreign = False
            self._topic = classify(text)
            self._level = level if self._topic is not None else self._level
            self._seen_known |= self._topic is not None
        line = f"{'#' * max(1, min(6, level))} {escaped(text)}"
        self._out.pieces.append(Piece((line,), block, level=max(1, min(6, level))))

    def _content(self, block: Block) -> None:
        if self._list_head and block.kind == "entry":
            self._put_heading(block, f"Publications: {self._list_head}", max(1, self._level))
            self._list_head = ""
        kind = self._topic.kind if self._topic is not None else None
        if block.is_row and (kind != "publications" or self._is_foreign):
            block = without_empty_cells(block)
        text = block.text
        if self._is_foreign:
            self._out.left_out.append((block, "a section that is not part of a lab profile"))
        elif is_about_the_page(text):
            self._out.left_out.append((block, "a line about the page itself"))
        elif kind == "publications" and block.is_row and (columns := columns_of(block.runs)):
            self._columns = columns
            self._out.left_out.append((block, "the first row of a table, which names its columns"))
        elif _NUMBERING.fullmatch(text):
            if kind == "publications" and _YEARS.fullmatch(text):
                self._put_heading(block, f"Publications: {text}", min(6, self._level + 1), keeps=True)
            else:
                self._out.left_out.append((block, "a number alone"))
        elif kind in _PROSE and block.is_linked and len(text) <= _NAVIGATION:
            self._out.left_out.append((block, "a link of the page’s navigation"))
        elif kind in _PROSE:
            self._prose(block)
        else:
            self._entries(block, kind)

    def _prose(self, block: Block) -> None:
        """A text; boxes and rows outside lists become paragraphs, long ones several."""
        is_item = block.kind == "entry" and not block.is_weak
        if is_item and len(block.text) <= PIECE_LIMIT:
            self._out.pieces.append(Piece(marked_item(block.runs), block, text=block.text))
            return
        for group in prose_lines(block):
            text = " ".join("".join(run.text for run in group).split())
            if len(text) <= PIECE_LIMIT:
                self._out.pieces.append(Piece((marked_line(group),), block, text=text))
            else:
                for part in textwrap.wrap(text, PIECE_LIMIT, break_on_hyphens=False):
                    self._out.pieces.append(Piece((marked_line([Run(part)]),), block, text=part))

    def _add_links(self, runs: tuple[Run, ...]) -> bool:
        """Adds links in a paragraph of their own ("PDF", "DOI") to the previous entry."""
        last = self._out.pieces[-1] if self._out.pieces else None
        if last is None or last.level:
            return False
        links = "".join(line.replace("- ", " ", 1) for line in marked_item(runs)[:1])
        self._out.pieces[-1] = Piece((*last.lines[:-1], last.lines[-1] + links), last.block, text=last.text)
        return True

    def _is_no_person(self, block: Block) -> bool:
        """Whether a line stands above a part of a list of people, or is nested and says where the last one went.

        The former is left out, the latter added to the person ("Now at MIT").
        """
        if block.text.endswith((":", "：")):
            self._out.left_out.append((block, "a line above a part of the list"))
            return True
        last = self._out.pieces[-1] if self._out.pieces else None
        if last is None or last.level or not block.depth or not is_remark(block.text):
            return False
        remark = marked_line([Run(", "), *on_one_line(block.runs)])
        self._out.pieces[-1] = replace(last, lines=(*last.lines[:-1], last.lines[-1] + remark))
        return True

    def _entries(self, block: Block, kind: SectionKind | None) -> None:
        """The entries of a block: one, or several if a paragraph separates them by numbers or blank lines."""
        if kind == "members" and self._is_no_person(block):
            return
        parts = list(entries_in(block)) if block.kind == "paragraph" else [block.runs]
        for runs in parts:
            text = "".join(run.text for run in runs)
            if not any(character.isalnum() for character in text):
                continue
            if len(text) > PIECE_LIMIT:
                self._out.left_out.append((block, f"longer than {PIECE_LIMIT:,} characters: not a single entry"))
                continue
            buttons = all(are_buttons(run.text) for run in runs if run.text.strip())
            if kind == "publications" and buttons and self._add_links(runs):
                continue
            self._out.pieces.append(self._entry(block, runs, text, kind))

    def _entry(self, block: Block, runs: tuple[Run, ...], text: str, kind: SectionKind | None) -> Piece:
        if kind == "members":
            return Piece(marked_item(on_one_line(runs)), block, text=text)
        if kind == "publications":
            ordered = row_in_order(runs, self._columns) if block.is_row else without_number(runs)
            listed = names_before_colon(with_given_names_first(with_people_of_citation(ordered)))
            return Piece(marked_item(in_known_style(listed)), block, text=text)
        last = self._out.pieces[-1] if self._out.pieces else None
        depth = min(block.depth, last.block.depth + 1) if last is not None and not last.level else 0
        if last is not None and depth > last.block.depth:
            # "Conferences" above a nested list classifies the inner entries.
            self._out.pieces[-1] = replace(last, is_outer=True)
        return Piece(tuple("  " * depth + line for line in marked_item(runs)), block, text=text)
