"""Repairs mojibake ("â€œ" for “) and lists what was done."""

from __future__ import annotations

import re
from dataclasses import dataclass

import ftfy

from portal.seeding.pages import Problem, ProblemKind, excerpt

# Windows-1252 and -1254 have undefined bytes (81, 8D, 8E, 8F, 90, 9D, 9E), which are lost. The rest of
# the commonest characters has one likely reading. Emoji come before ftfy, which would take the space
# after them for the lost byte.
_EMOJI = {"‰": "🎉", "–": "🎖", "“": "📝"}
_EMOJI_LEFTOVER = re.compile(r"[ðğ]Ÿ([‰–“])(?=[\sðğ]|$)")
_CLOSING_QUOTE = re.compile(r"â€(?=[\s.,;:)\]]|$)")
_LEFTOVERS = (("â€", "”"), ("ï¬", "fi"))
_REMAINS = re.compile(r"[ðğ]Ÿ\S{0,2}|â€\S?|ï¬|Ã[\u0080-\u00bf]|Â[\u0080-\u00bf]|\ufffd")


@dataclass(frozen=True, slots=True)
class Repaired:
    """The repaired text, line by line, and a note for every changed line."""

    text: str
    problems: tuple[Problem, ...]


def repair(page: str, text: str) -> Repaired:
    """Repair each line (with ftfy; curly quotes stay), then replace known remains.

    A line that decodes exactly is "repaired"; one with lost bytes is "lossy", whether its likely reading was filled in
    or the damage remains.
    """
    lines: list[str] = []
    problems: list[Problem] = []
    for line_number, line in enumerate(text.split("\n"), start=1):
        fixed, note = _repair_line(line)
        lines.append(fixed)
        if note is not None:
            kind, reason = note
            problems.append(Problem(kind, page, line_number, excerpt(line), reason))
    return Repaired("\n".join(lines), tuple(problems))


def _repair_line(line: str) -> tuple[str, tuple[ProblemKind, str] | None]:
    if line.isascii():
        return line, None
    guessed = [f"{match[0]} read as {_EMOJI[match[1]]}" for match in _EMOJI_LEFTOVER.finditer(line)]
    whole = _EMOJI_LEFTOVER.sub(lambda match: _EMOJI[match[1]], line)
    if "â€œ" in line and _CLOSING_QUOTE.search(line):  # closes an opened quote, so it is not a dagger
        whole = _CLOSING_QUOTE.sub("”", whole)
        guessed.append("â€ read as ”")
    fixed = ftfy.fix_encoding(whole)
    for leftover, reading in _LEFTOVERS:
        if leftover in fixed:
            fixed = fixed.replace(leftover, reading)
            guessed.append(f"{leftover} read as {reading}")
    remains = _REMAINS.findall(fixed)
    if remains:
        return fixed, ("lossy", f"bytes are missing, still damaged: {', '.join(dict.fromkeys(remains))}")
    if guessed:
        return fixed, ("lossy", f"bytes are missing, the likely reading was taken: {', '.join(dict.fromkeys(guessed))}")
    if fixed != line:
        return fixed, ("repaired", "decoded with the wrong table; the right reading is certain")
    return line, None
