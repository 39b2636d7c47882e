"""Weights that are tried out: those in the address of the matches page, checked, beside the saved ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from portal.applications import rules
from portal.applications.queries import Weights
from portal.applications.stated import topic_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.applications.stated import Stated

TOPIC_PREFIX = "weight-"
RESUME = "resume-weight"
TOPIC_STEP = 0.1
RESUME_STEP = 0.05
MOST_TYPED_SHOWN = 20  # characters of a wrong value that are repeated in the error

_NUMBER = re.compile(r"[+-]?\d{1,6}(?:[.,]\d{0,6})?|[+-]?[.,]\d{1,6}", re.ASCII)

LEFT_OUT = "A weight in the address belongs to a topic that you no longer state. It was ignored."


@dataclass(frozen=True, slots=True)
class Slider:
    """One weight that can be tried: the value in force, the saved one, and what was wrong with the requested one."""

    name: str
    label: str
    value: float
    saved: float
    most: float
    step: float
    error: str = ""


@dataclass(frozen=True, slots=True)
class Trial:
    """All sliders of a page, and errors that belong to none of them."""

    topics: tuple[Slider, ...]
    resume: Slider | None
    errors: tuple[str, ...]

    @property
    def sliders(self) -> tuple[Slider, ...]:
        """Those of the topics, then that of the resume."""
        return (*self.topics, *([self.resume] if self.resume else ()))

    @property
    def weights(self) -> Weights:
        """The values in force."""
        return Weights(
            topics={slider.name.removeprefix(TOPIC_PREFIX): slider.value for slider in self.topics},
            resume=self.resume.value if self.resume else None,
        )

    @property
    def differs(self) -> bool:
        """Whether any value in force is not the saved one."""
        return any(slider.value != slider.saved for slider in self.sliders)

    @property
    def has_errors(self) -> bool:
        """Whether anything asked for was refused."""
        return bool(self.errors) or any(slider.error for slider in self.sliders)


def read_trial(args: Mapping[str, str], stated: Stated, *, with_resume: bool) -> Trial:
    """The sliders for what is stated, at the values that are asked for, or at the saved ones where those are wrong."""
    topics = tuple(
        _slider(
            args, f"{TOPIC_PREFIX}{topic_key(topic.text)}", topic.text, topic.weight, rules.HEAVIEST_TOPIC, TOPIC_STEP
        )
        for topic in stated.topics
    )
    resume = _slider(args, RESUME, "Your resume", stated.resume_weight, 1.0, RESUME_STEP) if with_resume else None
    known = {slider.name for slider in topics}
    unknown = any(name.startswith(TOPIC_PREFIX) and name not in known for name in args)
    return Trial(topics, resume, (LEFT_OUT,) if unknown else ())


def _slider(args: Mapping[str, str], name: str, label: str, saved: float, most: float, step: float) -> Slider:
    typed = args.get(name)
    if typed is None:
        return Slider(name, label, saved, saved, most, step)
    text = typed.strip()
    value = round(float(text.replace(",", ".")), 2) if _NUMBER.fullmatch(text) else None
    reason = rules.why_not_weight(float("nan") if value is None else value, most)
    if value is None or reason is not None:
        error = f"“{text[:MOST_TYPED_SHOWN]}” cannot be used. {reason} Your saved weight is used instead."
        return Slider(name, label, saved, saved, most, step, error)
    return Slider(name, label, value, saved, most, step)
