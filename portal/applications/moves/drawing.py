"""The table of moves as a drawing (SVG) and as Markdown; pure text, the same for the pages, the docs and the terminal.

States stand at fixed places; moves between the same two states share an arrow. An arrow carries the numbers of its
moves in the table. Moves out of every open state, and those that leave the state as it is, are not drawn: see
`everywhere`.
"""

from __future__ import annotations

from math import hypot
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from portal.applications.states import LABELS, MOVES, OPEN_CHOICE, Capacity, Move, Subject

if TYPE_CHECKING:
    from collections.abc import Sequence

Place = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom

COLUMN, ROW = 168.0, 108.0  # pixels between the middles of two states
WIDTH, HEIGHT = 116.0, 44.0  # of a state
MARGIN = 24.0
BEND = 0.16  # how far an arrow bends aside, in parts of its length; there and back bend to different sides
# How far aside those bend that would lead through another state otherwise, or along another arrow
ASIDE = {
    ("eligible", "withdrawn"): -0.16,
    ("ranked", "declined"): 0.45,
    ("waitlisted", "declined"): 0.1,
    ("waitlisted", "offered"): -0.1,
}
ALONG = (0.5, 0.4, 0.6, 0.3, 0.7)  # where on an arrow its numbers may stand; they take the first that is free
DIGIT = 7.0  # width of a character of the numbers
PLACES: dict[Subject, dict[str, Place]] = {
    "application": {
        "draft": (0, 0.5),
        "submitted": (1.4, 0.5),
        "incomplete": (0.65, 2),
        "eligible": (3.2, -0.3),
        "ineligible": (4, 1.7),
        "closed": (5, 0.2),
        "withdrawn": (1.4, -0.9),
    },
    "choice": {
        "pending": (0, 1),
        "in_review": (1.2, 1),
        "shortlisted": (2.4, 1),
        "interview": (3, -0.2),
        "interviewed": (4.3, -0.2),
        "ranked": (4.8, 0.9),
        "waitlisted": (4, 1.9),
        "declined": (2, 2.8),
        "offered": (6, 1.4),
        "accepted": (7.2, 0.4),
        "declined_by_applicant": (7.2, 1.4),
        "expired": (7.2, 2.4),
        "closed": (0, 2),
    },
}
WHO: dict[Capacity, str] = {
    "applicant": "applicant",
    "reviewer": "reviewer",
    "leader": "leader",
    "admin": "administrator",
    "clock": "clock",
    "system": "portal",
}


def numbered(subject: Subject) -> Sequence[tuple[int, Move]]:
    """The moves of applications or of choices, counted from 1 in the order of the table."""
    return list(enumerate((move for move in MOVES if move.subject == subject), start=1))


def as_markdown() -> str:
    """Both tables as Markdown."""
    parts = []
    for subject in ("application", "choice"):
        rows = [
            f"| {number} | `{move.name}` | {', '.join(sorted(move.sources, key=list(LABELS[move.subject]).index))} "
            f"| {_target(move)} | {', '.join(WHO[actor] for actor in move.actors)} "
            f"| {', '.join(guard.replace('_', ' ') for guard in move.guards) or '–'} | {move.shown} | {move.label} |"
            for number, move in numbered(subject)
        ]
        head = "| | move | from | to | who | only if | the applicant sees it | button |"
        parts.append("\n".join([f"## Moves of {_plural(subject)}", "", head, "|" + "---|" * 8, *rows]))
    return "\n\n".join(parts) + "\n"


def as_svg(subject: Subject) -> str:
    """The drawing; lines and letters have the colour of the text around it."""
    places = PLACES[subject]
    top = min(y for _, y in places.values())
    width = 2 * MARGIN + WIDTH + COLUMN * max(x for x, _ in places.values())
    height = 2 * MARGIN + HEIGHT + ROW * (max(y for _, y in places.values()) - top)
    middles = {
        state: (MARGIN + WIDTH / 2 + x * COLUMN, MARGIN + HEIGHT / 2 + (y - top) * ROW)
        for state, (x, y) in places.items()
    }
    taken = [(x - WIDTH / 2, y - HEIGHT / 2, x + WIDTH / 2, y + HEIGHT / 2) for x, y in middles.values()]
    shapes = [
        _arrow(middles[ends[0]], middles[ends[1]], label, taken, ASIDE.get(ends))
        for ends, label in _arrows(subject).items()
    ]
    shapes += [_state(subject, state, middle) for state, middle in middles.items()]
    return (
        f'<svg class="states" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'role="img" aria-label="States and moves of {_plural(subject)}" font-size="13" fill="currentColor">'
        f"{''.join(shapes)}</svg>"
    )


def everywhere(subject: Subject) -> Sequence[tuple[int, Move]]:
    """The moves that are said in words instead of drawn: out of every open state of a choice, those that stay, and
    those that take another one back.
    """
    return [
        (number, move)
        for number, move in numbered(subject)
        if move.target is None or (subject == "choice" and move.sources == OPEN_CHOICE)
    ]


def _arrows(subject: Subject) -> dict[tuple[str, str], str]:
    undrawn = {number for number, _ in everywhere(subject)}
    arrows: dict[tuple[str, str], list[str]] = {}
    for number, move in numbered(subject):
        if number in undrawn or move.target is None:
            continue
        for source in sorted(move.sources):
            arrows.setdefault((source, move.target), []).append(str(number))
    return {ends: ", ".join(numbers) for ends, numbers in arrows.items()}


def _state(subject: Subject, state: str, middle: Place) -> str:
    x, y = middle
    words = LABELS[subject][state].split()
    half = (len(words) + 1) // 2
    lines = [" ".join(words)] if len(" ".join(words)) <= 16 else [" ".join(words[:half]), " ".join(words[half:])]  # noqa: PLR2004  (characters that fit)
    start = y + 4.5 - 8 * (len(lines) - 1)
    texts = "".join(
        f'<text x="{x:.1f}" y="{start + 16 * place:.1f}" text-anchor="middle">{escape(line)}</text>'
        for place, line in enumerate(lines)
    )
    return (
        f'<rect x="{x - WIDTH / 2:.1f}" y="{y - HEIGHT / 2:.1f}" width="{WIDTH:.0f}" height="{HEIGHT:.0f}" rx="4" '
        f'fill="none" stroke="currentColor"/>{texts}'
    )


def _arrow(start: Place, end: Place, label: str, taken: list[Box], aside: float | None = None) -> str:
    """An arrow with its numbers, which are put where nothing of `taken` is, and added to it.

    It bends as far aside as others of its length, or as `aside` says.
    """
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = hypot(dx, dy)
    aside = aside if aside is not None else BEND * (1 if length < 2 * COLUMN else 1.6)
    bend = (start[0] + end[0]) / 2 + dy * aside, (start[1] + end[1]) / 2 - dx * aside
    leaves, arrives = _edge_of(start, bend), _edge_of(end, bend)
    distance = hypot(bend[0] - arrives[0], bend[1] - arrives[1]) or 1.0
    ux, uy = (bend[0] - arrives[0]) / distance, (bend[1] - arrives[1]) / distance
    head = " ".join(
        f"{arrives[0] + 8 * ux + side * 4 * uy:.1f},{arrives[1] + 8 * uy - side * 4 * ux:.1f}" for side in (1, -1)
    )
    side = (11 if aside > 0 else -11) / (length or 1.0)
    points = [_on_curve(leaves, bend, arrives, fraction) for fraction in ALONG]
    boxes = [_around(x + dy * side, y - dx * side, label) for x, y in points]
    box = next((free for free in boxes if not any(_overlap(free, other) for other in taken)), boxes[0])
    taken.append(box)
    return (
        f'<path d="M{leaves[0]:.1f} {leaves[1]:.1f}Q{bend[0]:.1f} {bend[1]:.1f} {arrives[0]:.1f} {arrives[1]:.1f}" '
        'fill="none" stroke="currentColor" stroke-opacity="0.6"/>'
        f'<polygon points="{arrives[0]:.1f},{arrives[1]:.1f} {head}"/>'
        f'<text x="{(box[0] + box[2]) / 2:.1f}" y="{box[3]:.1f}" text-anchor="middle" font-size="12">{label}</text>'
    )


def _on_curve(start: Place, bend: Place, end: Place, fraction: float) -> Place:
    """A point of the curve from `start` to `end` that is drawn towards `bend`; `fraction` 0 is its start, 1 its end."""
    remaining = 1 - fraction
    x, y = (
        remaining * remaining * start[axis] + 2 * remaining * fraction * bend[axis] + fraction * fraction * end[axis]
        for axis in (0, 1)
    )
    return x, y


def _around(x: float, y: float, label: str) -> Box:
    """The room that the numbers of an arrow take with this middle."""
    half = DIGIT * len(label) / 2
    return x - half, y - 6, x + half, y + 4


def _overlap(box: Box, other: Box) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def _edge_of(middle: Place, towards: Place) -> Place:
    """Where the line from the middle of a state to a point leaves its rectangle."""
    dx, dy = towards[0] - middle[0], towards[1] - middle[1]
    reach = min(
        (WIDTH / 2 + 2) / abs(dx) if dx else float("inf"),
        (HEIGHT / 2 + 2) / abs(dy) if dy else float("inf"),
    )
    return middle[0] + dx * reach, middle[1] + dy * reach


def _target(move: Move) -> str:
    if move.undoes:
        return f"(before `{move.undoes}`)"
    return move.target or "(stays)"


def _plural(subject: str) -> str:
    return {"application": "applications", "choice": "choices"}[subject]
