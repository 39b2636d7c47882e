"""Messages on the next page that carry a way back: "Removed Relaxed System Lab. [Undo]"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from flask import flash

if TYPE_CHECKING:
    from collections.abc import Mapping

Tone = Literal["good", "info", "warn", "bad"]


def say(text: str, tone: Tone = "good") -> None:
    """Show `text` on the next page."""
    flash(text, tone)


def say_with_undo(text: str, action: str, values: Mapping[str, str] | None = None, *, label: str = "Undo") -> None:
    """Show `text` on the next page with a button that posts `values` (and the form token) to `action`.

    Side effects: writes the message into the session; it is shown once.
    """
    flash({"text": text, "action": action, "values": dict(values or {}), "label": label}, "good")  # type: ignore[arg-type]


def say_with_link(text: str, href: str, label: str, tone: Tone = "good") -> None:
    """Show `text` on the next page, followed by a link."""
    flash({"text": text, "href": href, "label": label}, tone)  # type: ignore[arg-type]
