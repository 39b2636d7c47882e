"""Contrast by WCAG 2.2 of every pair of colours that the style sheets put together, in both themes."""

from __future__ import annotations

import re
from itertools import combinations, product
from typing import TYPE_CHECKING

import pytest

from portal.config import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterator

Theme = str
TOKEN = re.compile(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)")
LEAST_FOR_TEXT = 4.5
LEAST_FOR_CONTROLS = 3.0
LEAST_BETWEEN_SOURCES = 1.25  # so that they differ without hue

PAPERS = ("paper", "paper-raised", "paper-sunk")
TINTS = ("accent-quiet", "good-quiet", "warn-quiet", "bad-quiet")
SOURCES = ("from-topic", "from-statement", "from-resume", "from-added")

TEXT_ON = [
    *product(("ink", "ink-quiet"), (*PAPERS, *TINTS)),
    *product(("accent", "accent-strong"), (*PAPERS, "accent-quiet")),
    *product(("good", "warn", "bad"), PAPERS),
    ("good", "good-quiet"),
    ("warn", "warn-quiet"),
    ("bad", "bad-quiet"),
    ("accent", "good-quiet"),  # the undo button on a message
    ("on-accent", "accent"),
    ("on-accent", "accent-strong"),
    *((f"on-{source}", source) for source in SOURCES),
]
CONTROLS_ON = [
    *product(("line-control", "accent", "bad"), PAPERS),
    *product(("accent",), TINTS),  # the focus ring and the line under matched words
    *product(SOURCES, ("paper", "paper-sunk")),
]


def _tokens(theme: Theme) -> dict[str, str]:
    sheet = (RESOURCES / "static/css/tokens.css").read_text()
    return {name: light if theme == "light" else dark for name, light, dark in TOKEN.findall(sheet)}


def _luminance(colour: str) -> float:
    """Relative luminance of an sRGB colour, 0 to 1 (WCAG 2.2)."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _too_close(pairs: list[tuple[str, str]], theme: Theme, least: float) -> Iterator[str]:
    tokens = _tokens(theme)
    for front, back in pairs:
        ratio = _contrast(tokens[front], tokens[back])
        if ratio < least:
            yield f"{front} on {back}: {ratio:.2f}"


def test_the_ratio_of_black_on_white_is_21_and_of_mid_grey_is_known() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_can_be_read_on_what_it_stands_on(theme: Theme) -> None:
    assert list(_too_close(TEXT_ON, theme, LEAST_FOR_TEXT)) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_controls_focus_rings_and_bars_stand_out(theme: Theme) -> None:
    assert list(_too_close(CONTROLS_ON, theme, LEAST_FOR_CONTROLS)) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_topic_statement_and_resume_differ_in_lightness(theme: Theme) -> None:
    assert list(_too_close(list(combinations(SOURCES[:3], 2)), theme, LEAST_BETWEEN_SOURCES)) == []
