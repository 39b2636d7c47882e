"""A part of a form that two tabs changed differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Side = Literal["mine", "theirs"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One part that both sides changed: its label, and both versions as text, line by line."""

    part: str
    label: str
    mine: str
    theirs: str
