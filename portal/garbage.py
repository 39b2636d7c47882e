"""How often Python looks for garbage in a process that serves or works for long."""

from __future__ import annotations

import gc

FULLY_AFTER = 100  # collections of younger objects; usually ten
"""Until then, 700,000 objects may come to be, and with them some 70 MB of garbage at most."""


def look_for_garbage_seldom() -> None:
    """Never look among what is there by now, and more seldom than usual among all that will live long.

    Looking through an index and the concepts, a million objects, takes half a second of a request, and usually is
    begun again whenever a quarter more has come to be.
    """
    gc.collect()
    gc.freeze()
    youngest, younger, _ = gc.get_threshold()
    gc.set_threshold(youngest, younger, FULLY_AFTER)
