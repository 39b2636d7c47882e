"""Puts the lines of a page that was painted in no order of reading into one. Runs in the reading child only.

Most programs paint a page from the top to the bottom, column by column. Programs to design pages paint boxes in the
order in which they were made: all headings after all texts, or a box that was moved up last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portal.documents.pdf.lines import Line

# So many lines, and so large a share of a page, are painted after one below them: a running head alone is not enough.
FEWEST_MISPLACED = 3
MISPLACED_SHARE = 0.1
# In sizes of the letters; a raised figure is no line of its own.
ABOVE_BY = 0.6
# Of the narrower line, what it shares with one in the same column.
SHARED_WIDTH = 0.5
MOST_LINES = 300


def in_reading_order(lines: list[Line]) -> list[Line]:
    """The lines of a page as painted; if many come after one below them, each before all those below it."""
    if not 1 < len(lines) <= MOST_LINES:
        return lines
    places = [(line.first.angle, line.first.base, line.size, line.start, line.end) for line in lines]
    above = [[other for other in range(len(lines)) if _is_below(place, places[other])] for place in places]
    misplaced = len({other for number, others in enumerate(above) for other in others if other > number})
    if misplaced < max(FEWEST_MISPLACED, MISPLACED_SHARE * len(lines)):
        return lines
    # Each line as painted, but behind those above it, so that what is moved up draws nothing else with it.
    ordered: dict[int, Line] = {}
    for number in range(len(lines)):
        wanted = [number]
        while wanted:
            before = next((other for other in above[wanted[-1]] if other not in ordered), None)
            if before is not None:
                wanted.append(before)
            else:
                last = wanted.pop()
                ordered[last] = lines[last]
    return list(ordered.values())


_Place = tuple[float | None, float, float, float, float]
"""Angle, baseline, size, start and end of a line."""


def _is_below(line: _Place, other: _Place) -> bool:
    """Whether a line stands below another one in the same column."""
    angle, base, size, start, end = line
    angle_above, base_above, size_above, start_above, end_above = other
    if angle is None or angle != angle_above or base_above - base <= ABOVE_BY * max(size, size_above):
        return False
    shared = min(end, end_above) - max(start, start_above)
    return shared > SHARED_WIDTH * min(end - start, end_above - start_above)
