"""Text that was decoded with the wrong table ("â€œ" for “) made readable again, and what was done listed."""

from __future__ import annotations

import re
from dataclasses import dataclass

import ftfy

from portal.seeding.pages import Problem, ProblemKind, excerpt

# Windows-1252 and -1254 have holes (81, 8D, 8E, 8F, 90, 9D, 9E): bytes that fell into one are lost. What is left
# of the commonest characters has one likely reading. The emoji come before ftfy, which would take the space
# behind them for the lost byte.
_EMOJI = {"‰": "🎉", "–": "🎖", "“": "📝"}
_EMOJI_LEFTOVER = re.compile(r"[ðğ]Ÿ([‰–“])(?=[\sðğ]|$)")
_CLOSING_QUOTE = re.compile(r"â€(?=[\s.,;:)\]]|$)")
_LEFTOVERS = (("â€", "”"), ("ï¬", "fi"))
_REMAINS = re.compile(r"[ðğ]Ÿ\S{0,2}|â€\S?|ï¬|Ã[\u0080-\u00bf]|Â[\u0080-\u00bf]|\ufffd")


@dataclass(frozen=True, slots=True)
class Repaired:
    """The text after repair, line for line the same as before, and a note for every line that changed."""

    text: str
    problems: tuple[Problem, ...]


def repair(page: str, text: str) -> Repaired:
    """Undo wrong decoding line by line (with ftfy; curly quotes stay), then fill in known leftovers.

    A line that decodes back exactly is "repaired"; one whose bytes were partly lost is "lossy", whether its
    likely reading was filled in or the damage remains.
    """
    lines: list[str] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), start=1):
        fixed, note = _repair_line(line)
        lines.append(fixed)
        if note is not None:
            kind, reason = note
            problems.append(Problem(kind, page, number, excerpt(line), reason))
    return Repaired("\n".join(lines), tuple(problems))


def _repair_line(line: str) -> tuple[str, tuple[ProblemKind, str] | None]:
    if line.isascii():
        return line, None
    guessed = [f"{found[0]} read as {_EMOJI[found[1]]}" for found in _EMOJI_LEFTOVER.finditer(line)]
    whole = _EMOJI_LEFTOVER.sub(lambda found: _EMOJI[found[1]], line)
    if "â€œ" in line and _CLOSING_QUOTE.search(line):  # what was opened is closed; it is no dagger
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
