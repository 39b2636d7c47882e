"""Detects what a site generator's template left on a page: placeholders, sample entries, tags, widgets."""

from __future__ import annotations

import re
from itertools import groupby

import ftfy

from portal.seeding.pages import Problem, ProblemKind, excerpt

_PLACEHOLDER = re.compile(r"\blorem\s+ipsum\b|\bconsectetur\s+adipiscing\b|\bdolor\s+sit\s+amet\b", re.IGNORECASE)
# The first word, perhaps behind dates.
_OPENING_PLACEHOLDER = re.compile(r"(?:[\W\d_]|\bnow\b|\bpresent\b){0,60}lorem\b", re.IGNORECASE)
_PLACEHOLDER_AUTHORS = re.compile(r"(?:^|[,\s])A, B(?:,| and) C\b")
# The sample paper and scholar account of the common academic template.
_SAMPLE = re.compile(r"He_Deep_Residual_Learning_CVPR_2016_paper|[?&;]user=DhtAFkwAAAAJ|citation_for_view=DhtAFkwAAAAJ")
# Sample entries of common templates.
_SAMPLE_TEXT = re.compile(
    r"\bpaper title number \d|\bthis paper is about the number \d|\brelevant topic in your field\b|"
    r"\bnote about which of these is the best way to reach you|\b555 your office number|\b123 your address street|"
    r"\bwrite your biography here|"
    r"\bteaching experience \d+\b|\bportfolio item number \d|\bblog post number \d|\byour name, you\b|"
    r"^\W*an? example (?:conference paper|journal article|preprint)\b|\bnelson bighetti\b",
    re.IGNORECASE,
)
# One template's samples are papers of Albert Einstein alone.
_SAMPLE_OF_EINSTEIN = re.compile(
    r"\bquantum-mechanical description of physical reality|\btheory of (?:the )?brownian movement|"
    r"\bletters on wave mechanics|\bmolekularkinetischen theorie|\bthe meaning of relativity",
    re.IGNORECASE,
)
_TAG = re.compile(r"\{%|\{\{")
# Style sheets and programs that a page shows by mistake.
_CODE = re.compile(
    r"[.#@]?[\w-]+\s*\{\s*[\w-]+\s*:[^{}]*;|\bfunction\s*\w*\s*\([\w\s,]*\)\s*\{|\bwindow\.\w+|"
    r"\bdocument\.(?:get|query|write|ready)|\b(?:var|let|const)\s+\w+\s*=|@media\b|\bdataLayer\b|=>\s*\{|<!\[CDATA\[|"
    r"\$\(\s*[\w.'\"#]+\s*\)\s*\.\w+\("
)

# Sentences of a widget that checks a site's repository name, cut where it prints names.
_WIDGET = re.compile(
    r"does not match the (?:recommended repository name|baseurl)|recommended repository name for your site|"
    r"so that your site can be accessed directly at|you can ignore this message by removing|"
    r"widgets/debug_repo_name|configured in _config\.yml|^in _config\.yml$|^in index\.html$|^baseurl$",
    re.IGNORECASE,
)
_FOOT = re.compile(
    r"\W*(?:(?:this )?(?:page|site|website)?\s*(?:was )?last\s+(?:modified|updated?|changed|edited|revised)\b|"
    r"(?:copyright\b|©|\(c\)\s)[^.]{0,20}(?:19|20)\d{2}|(?:proudly )?powered by\b|report abuse$|page details$|"
    r"(?:denotes |indicates )?(?:equal(?:ly)? contribut|co-?first author|corresponding author)|all rights reserved|"
    r"(?:impressum|imprint|datenschutz\w*|privacy policy|sitemap)\b|page generated\b|(?:updated|modified)(?: on|:)\s)",
    re.IGNORECASE,
)
_FOOT_LENGTH = 160
_SHORT = 40
_OPENING = 80
_FRAGMENT = re.compile(r"^[\"'”“().,;:\s]*(?:to|and|is|in)?[\"'”“().,;:\s]*$|^[\"”][,).]")


def is_about_the_page(text: str) -> bool:
    """Whether a line belongs to the page's footer: last change, copyright, generator."""
    return len(text) <= _FOOT_LENGTH and bool(_FOOT.match(text))


def is_code(text: str) -> bool:
    """Whether a text is part of a style sheet, a program or a template of the page."""
    return bool(_CODE.search(text) or _TAG.search(text))


def leftover_reason(text: str, addresses: str = "") -> str:
    """Why an entry is a leftover of the template ("" if it is not); `addresses` are its links or raw HTML."""
    if _SAMPLE.search(addresses):
        return "sample entry of the page's template (it links to the template's example)"
    if _PLACEHOLDER.search(text) or _OPENING_PLACEHOLDER.match(text):
        return "placeholder text of the page's template (Lorem ipsum)"
    if _SAMPLE_TEXT.search(text) or ("Einstein" in text and _SAMPLE_OF_EINSTEIN.search(text)):
        return "sample entry of the page's template"
    if _PLACEHOLDER_AUTHORS.search(text):
        return "placeholder authors of the page's template (A, B, C)"
    return ""


def tag_problems(page: str, lines: list[str]) -> list[Problem]:
    """One "rejected" problem per run of lines with tags of the site generator."""
    numbers = [number for number, line in enumerate(lines, start=1) if _TAG.search(line)]
    runs = [[number for _, number in run] for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])]
    reason = "tags of the site generator (Liquid), lines"
    return [
        Problem(
            "rejected", page, run[0], excerpt(" ".join(lines[run[0] - 1 : run[-1]])), f"{reason} {run[0]}–{run[-1]}"
        )
        for run in runs
    ]


def widget_lines(lines: list[str]) -> set[int]:
    """The numbers (from 1) of lines left by a debugging widget, including fragments around them."""
    marked = {number for number, line in enumerate(lines, start=1) if _WIDGET.search(line) or _TAG.search(line)}
    for start in sorted(marked):
        for step in (-1, 1):
            number = start + step
            while 0 < number <= len(lines) and number not in marked and _is_fragment(lines[number - 1]):
                marked.add(number)
                number += step
    between = {number for number in range(1, len(lines)) if {number - 1, number + 1} <= marked}
    return marked | {number for number in between if len(lines[number - 1].strip()) <= _SHORT}


def _is_fragment(line: str) -> bool:
    return len(line) <= _OPENING and bool(_FRAGMENT.search(line))


# Windows-1252 and -1254 have undefined bytes (81, 8D, 8E, 8F, 90, 9D, 9E), which are lost. The rest of
# the commonest characters has one likely reading. Emoji come before ftfy, which would take the space
# after them for the lost byte.
_EMOJI = {"‰": "🎉", "–": "🎖", "“": "📝"}
_EMOJI_LEFTOVER = re.compile(r"[ðğ]Ÿ([‰–“])(?=[\sðğ]|$)")
_CLOSING_QUOTE = re.compile(r"â€(?=[\s.,;:)\]]|$)")
_LEFTOVERS = (("â€", "”"), ("ï¬", "fi"))
_REMAINS = re.compile(r"[ðğ]Ÿ\S{0,2}|â€\S?|ï¬|Ã[\u0080-\u00bf]|Â[\u0080-\u00bf]|\ufffd")


def repair(page: str, text: str) -> tuple[str, list[Problem]]:
    """The text, each line repaired (with ftfy; curly quotes stay), then known remains replaced; a note for each change.

    A line that decodes exactly is "repaired"; one with lost bytes is "lossy", whether its likely reading was filled in
    or the damage remains.
    """
    lines: list[str] = []
    problems: list[Problem] = []
    for line_number, line in enumerate(text.split("\n"), start=1):
        fixed, note = _repair_line(line)
        lines.append(fixed)
        if note is not None:
            problems.append(Problem(note[0], page, line_number, excerpt(line), note[1]))
    return "\n".join(lines), problems


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
