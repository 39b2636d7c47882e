"""The time zones that people can choose."""

from __future__ import annotations

from functools import cache

from portal.moments import ANYWHERE_ON_EARTH, is_zone, known_zones

AREAS = (
    "Africa",
    "America",
    "Antarctica",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
)
USUAL_ZONE = "UTC"


@cache
def zones() -> tuple[str, ...]:
    """UTC and the zones that are named after places, in order."""
    return (USUAL_ZONE, *sorted(name for name in known_zones() if name.partition("/")[0] in AREAS))


def zone_choices(*in_use: str) -> list[tuple[str, str]]:
    """The zones as choices of a form, with zones that are in use but not on the list."""
    unlisted = [name for name in dict.fromkeys(in_use) if name and name not in zones() and is_zone(name)]
    return [(name, zone_name(name)) for name in (*unlisted, *zones())]


def zone_name(name: str) -> str:
    """The displayed name of a zone."""
    return "Anywhere on Earth" if name == ANYWHERE_ON_EARTH else name.replace("_", " ")
