"""Stretches of a text as marks: whatever the text holds, the marks are the only tags."""

from __future__ import annotations

import pytest

from portal.web.templating import highlighted


@pytest.mark.parametrize(
    ("text", "spans", "shown"),
    [
        ("GPU kernels", [(4, 11)], "GPU <mark>kernels</mark>"),
        ("a<b>&c", [(1, 4), (0, 2), (5, 6)], "<mark>a&lt;</mark><mark>b&gt;</mark>&amp;<mark>c</mark>"),
        ("</mark><mark>", [(0, 7)], "<mark>&lt;/mark&gt;</mark>&lt;mark&gt;"),
        ("\ufdd0<b>\ufdd1", [(0, 1)], "<mark>\ufffd</mark>&lt;b&gt;\ufffd"),
        ("short", [(2, 99), (7, 9)], "sh<mark>ort</mark>"),
    ],
)
def test_only_the_marks_are_tags(text: str, spans: list[tuple[int, int]], shown: str) -> None:
    assert str(highlighted(text, spans)) == shown
