"""Colours that a reader cannot tell apart."""

from __future__ import annotations

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

WHITE: Colour = (255, 255, 255)
SAME_COLOUR_WITHIN = 20
# Blue adds little to how bright a colour is: pale yellow on white cannot be read either.
_SAME_BLUE_WITHIN = 50
_WITHIN = (SAME_COLOUR_WITHIN, SAME_COLOUR_WITHIN, _SAME_BLUE_WITHIN)


def alike(first: Colour, second: Colour, opacity: float = 1.0) -> bool:
    """Whether a reader sees no difference between the second colour and the first, of this opacity, on it."""
    return all(
        abs(channel - other_channel) * opacity <= tolerance
        for channel, other_channel, tolerance in zip(first, second, _WITHIN, strict=True)
    )
