"""Sections and entries that Markdown does not mark as such: bold headings, and boxes of several paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.seeding.headings import classify
from portal.seeding.markdown import Entry, Section, Segment

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_HEADING = 60  # characters


def with_bold_headings(sections: list[Section]) -> Iterator[Section]:
    """The sections, split at paragraphs that are a bold heading ("**Research Interests**")."""
    for section in sections:
        current = Section(section.title, section.level, section.line)
        for entry in section.entries:
            text = entry.flat
            bold = not entry.is_item and entry.marked(strong=True) == [text] and len(text) <= _LONGEST_HEADING
            if bold and not entry.links() and classify(text.strip(" :")) is not None:
                yield current
                current = Section(text.strip(" :"), 7, entry.line)
            else:
                current.entries.append(entry)
        yield current


def with_boxes_joined(entries: list[Entry]) -> Iterator[Entry]:
    """Merges the entries between <div class="paper-box"> and its </div> into one."""
    box: list[Entry] = []
    for entry in entries:
        if "paper-box" in entry.raw_html:
            if box:
                yield _box_entry(box)
            box = [entry]
        elif box and entry.raw_html.lstrip().startswith("</div>"):
            yield _box_entry(box)
            box = []
        elif box:
            box.append(entry)
        else:
            yield entry
    if box:
        yield _box_entry(box)


def _box_entry(box: list[Entry]) -> Entry:
    """Title, people and notes in the order of the box, then the badge (the venue)."""
    badge, *inner = box
    segments: list[Segment] = []
    for entry in inner:
        segments += [*entry.segments, Segment("\n")]
    segments += [Segment(segment.text.strip(), emphasis=True) for segment in badge.segments if segment.text.strip()]
    raw = " ".join(entry.raw_html for entry in box)
    return Entry(tuple(segments), badge.line, is_item=True, raw_html=raw)
