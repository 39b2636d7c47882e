"""A topic map as shapes in pixels: dots, labels that do not overlap, and the mark of the query."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from portal.matching.topic_map import Point

Anchor = Literal["start", "middle", "end"]

TEXT = 12.0  # pixels
LINE, WIDE_LINE = 16.0, 19.0  # pixels; typefaces of scripts with wide characters are taller
DOT = 4.5  # pixels, the radius
MARK = 8.0  # pixels, half of the query's mark
GAPS = (3.0, 9.0)  # pixels between a point and its name; the first that fits is taken
WIDER_GAPS = (*GAPS, 18.0, 30.0)  # for the best matches, which people look for
# Right, left, above, below, and the corners: the side, and how many lines down.
BESIDE = (
    *((1, 0.0), (-1, 0.0), (0, -1.0), (0, 1.0)),
    *((1, -0.7), (1, 0.7), (-1, -0.7), (-1, 0.7)),
    *((1, -2.0), (1, 2.0), (-1, -2.0), (-1, 2.0)),
)
FRAME = 16.0  # pixels kept free at each side
YOU = "You"
LEADS_TO = 3  # best matches that are connected by a line
NAMED_FIRST = 10  # best matches whose names are placed first
# Character widths in ems; generous ones, so that any system's typeface fits.
WIDE, UPPER, LOWER = 1.0, 0.74, 0.6


class Size(NamedTuple):
    """A drawing's width and height in pixels, how many labs it labels, and the longest label in ems (see `units`)."""

    width: int
    height: int
    most_names: int
    longest_name: float


FOR_DESKS = Size(720, 360, 36, 17.0)
FOR_PHONES = Size(340, 320, 14, 11.0)


class Box(NamedTuple):
    """A rectangle by its upper left and lower right corners."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether the two overlap."""
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


class Name(NamedTuple):
    """A text at its position, and the rectangle that it fits in."""

    text: str
    x: float
    y: float
    anchor: Anchor
    box: Box


@dataclass(frozen=True)
class NamedLab:
    """A labelled lab; `position` is its position in the ranking, 0 if it does not fit."""

    slug: str
    full_name: str
    position: int
    x: float
    y: float
    name: Name


@dataclass(frozen=True)
class Drawing:
    """One drawing. `fitting` and `others` are the dots of unlabelled labs, as SVG paths of points."""

    size: Size
    labelled: Sequence[NamedLab]
    fitting: str
    others: str
    you: tuple[float, float] | None
    your_name: Name | None
    lines: Sequence[tuple[float, float]]


def units(text: str) -> float:
    """The largest width of a text, in ems."""
    return sum(_unit(character) for character in text)


def short_name(name: str, longest: float) -> str:
    """`name` cut between words, or inside an overlong word, with an ellipsis."""
    clean = " ".join(name.split())
    if units(clean) <= longest:
        return clean
    room = longest - units("…")
    beginning = ""
    for character in clean:
        if units(beginning) + _unit(character) > room:
            break
        beginning += character
    words = beginning if clean[len(beginning)] == " " else beginning.rpartition(" ")[0]
    return f"{(words if units(words) >= room / 2 else beginning).rstrip()}…"


def draw(
    places: Mapping[str, Point], names: Mapping[str, str], ranked: Sequence[str], you: Point | None, size: Size
) -> Drawing:
    """The map of the labs in `names` that have a position, for a query that `ranked` labs fit, best first."""
    point_of = {slug: _pixels(places[slug], size) for slug in sorted(names) if slug in places}
    position = {slug: rank for rank, slug in enumerate(ranked, start=1)}
    query_point = _pixels(you, size) if you is not None else None
    occupied = [_around(*query_point, MARK)] if query_point else []
    your_name = _placed(YOU, query_point, MARK, occupied, size) if query_point else None
    if your_name is not None:
        occupied.append(your_name.box)
    first = [slug for slug in ranked if slug in point_of][:NAMED_FIRST]
    occupied += [_around(*point_of[slug], DOT) for slug in first]
    labelled: list[NamedLab] = []
    for slug in _in_turn(first, point_of, size.most_names):
        if len(labelled) == size.most_names:
            break
        dot = _around(*point_of[slug], DOT)
        if slug not in first and any(dot.meets(other) for other in occupied):
            continue
        rank = position.get(slug, 0)
        # The longer label is tried first.
        labels = dict.fromkeys(short_name(names[slug], longest * size.longest_name) for longest in (1.6, 1))
        gaps = WIDER_GAPS if slug in first else GAPS
        tries = (f"{rank} {label}" if rank else label for label in labels)
        name = next(filter(None, (_placed(text, point_of[slug], DOT, occupied, size, gaps) for text in tries)), None)
        if name is not None:
            occupied += [name.box, dot]
            labelled.append(NamedLab(slug, names[slug], rank, *point_of[slug], name))
    unlabelled = point_of.keys() - {lab.slug for lab in labelled}
    return Drawing(
        size,
        tuple(sorted(labelled, key=lambda lab: (lab.position or len(point_of) + 1, lab.slug))),
        _dots(point_of[slug] for slug in unlabelled if slug in position),
        _dots(point_of[slug] for slug in unlabelled if slug not in position),
        query_point,
        your_name,
        tuple(point_of[slug] for slug in first[:LEADS_TO]) if query_point else (),
    )


def _unit(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF":
        return WIDE
    return LOWER if (character.islower() and character not in "mw") or character in " .,:;'’|!-" else UPPER


def _pixels(point: Point, size: Size) -> tuple[float, float]:
    """Whole pixels: points closer than one pixel cannot be told apart."""
    across, down = (size.width - 2 * FRAME) / 2, (size.height - 2 * FRAME) / 2
    return round(FRAME + across * (1 + point.x), 0), round(FRAME + down * (1 - point.y), 0)


def _around(x: float, y: float, reach: float) -> Box:
    return Box(x - reach, y - reach, x + reach, y + reach)


def _in_turn(first: Sequence[str], point_of: Mapping[str, tuple[float, float]], most: int) -> Iterator[str]:
    """Labs in the order in which they are labelled: the best matches, then each time the farthest from all before."""
    yield from first[:most]
    others = [slug for slug in point_of if slug not in set(first)]
    if not others:
        return
    points = np.array([point_of[slug] for slug in others])
    nearest = np.full(len(others), np.inf)
    for slug in first:
        nearest = np.minimum(nearest, np.hypot(*(points - point_of[slug]).T))
    for _ in range(min(len(others), 2 * most)):
        chosen = int(nearest.argmax())
        if nearest[chosen] < 0:
            return
        yield others[chosen]
        nearest = np.minimum(nearest, np.hypot(*(points - points[chosen]).T))
        nearest[chosen] = -1.0


def _placed(
    text: str,
    point: tuple[float, float],
    reach: float,
    occupied: Sequence[Box],
    size: Size,
    gaps: Sequence[float] = GAPS,
) -> Name | None:
    """The text beside a point where it overlaps nothing and stays inside the drawing; None if it fits nowhere."""
    for name in (name for gap in gaps for name in _tries(text, *point, reach + gap)):
        box = name.box
        inside = box.left >= 0 and box.top >= 0 and box.right <= size.width and box.bottom <= size.height
        if inside and not any(box.meets(other) for other in occupied):
            return name
    return None


def _tries(text: str, x: float, y: float, gap: float) -> Iterator[Name]:
    """The text at each side listed in `BESIDE`, in turn."""
    width = units(text) * TEXT
    line = WIDE_LINE if any(_unit(character) == WIDE for character in text) else LINE
    half = line / 2
    for side, middle in BESIDE:
        left = x - width / 2 if side == 0 else x + gap if side > 0 else x - gap - width
        centre = y + middle * (gap + half if side == 0 else line)
        anchor: Anchor = "middle" if side == 0 else "start" if side > 0 else "end"
        text_x = {"start": left, "middle": x, "end": left + width}[anchor]
        yield Name(
            text, round(text_x, 1), round(centre, 1), anchor, Box(left, centre - half, left + width, centre + half)
        )


def _dots(points: Iterable[tuple[float, float]]) -> str:
    """Points as an SVG path; points on the same pixel once."""
    return "".join(f"M{x:.0f} {y:.0f}h0" for x, y in sorted(set(points)))
