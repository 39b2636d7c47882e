"""What may be a value: the rules that everything a reader proposes obeys, and what site generators leave on pages.

A value that breaks a rule is left out, and its line is listed as one to look at.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import ftfy

from portal.seeding.names import are_names, looks_like_name, why_no_name
from portal.seeding.pages import Ledger, Reading
from portal.seeding.texts import MONTHS, sentences
from portal.seeding.venues import is_name_of_venue

if TYPE_CHECKING:
    from portal.seeding.pages import Outcome
    from portal.seeding.records import MemberRecord, WorkRecord


# What common templates for academics have as samples; those of one are papers of Albert Einstein alone.
_SAMPLES = {
    "sample entry of the page's template (it links to the template's example)": re.compile(
        r"He_Deep_Residual_Learning_CVPR_2016_paper|[?&;]user=DhtAFkwAAAAJ|citation_for_view=DhtAFkwAAAAJ"
    ),
    "placeholder text of the page's template (Lorem ipsum)": re.compile(
        r"(?i)\blorem\s+ipsum\b|\bconsectetur\s+adipiscing\b|\bdolor\s+sit\s+amet\b|"
        r"^(?:[\W\d_]|\bnow\b|\bpresent\b){0,60}lorem\b"
    ),
    "sample entry of the page's template": re.compile(
        r"(?i)\bpaper title number \d|\bthis paper is about the number \d|\brelevant topic in your field\b|"
        r"\bnote about which of these is the best way to reach you|\b555 your office number|"
        r"\b123 your address street|\bwrite your biography here|\bteaching experience \d+\b|"
        r"\bportfolio item number \d|\bblog post number \d|\byour name, you\b|\bnelson bighetti\b|"
        r"^\W*an? example (?:conference paper|journal article|preprint)\b|"
        r"^(?=.*Einstein).*(?:\bquantum-mechanical description of physical reality|\bletters on wave mechanics|"
        r"\btheory of (?:the )?brownian movement|\bmolekularkinetischen theorie|\bthe meaning of relativity)"
    ),
    "placeholder authors of the page's template (A, B, C)": re.compile(r"(?:^|[,\s])A, B(?:,| and) C\b"),
}
_TAG = re.compile(r"\{%|\{\{")
# Style sheets and programs that a page shows by mistake.
_CODE = re.compile(
    r"(?<![\w-])[\w-]++\s*+\{\s*+[\w-]++\s*+:[^{}]*;|\bfunction\s*\w*\s*\([\w\s,]*\)\s*\{|\bwindow\.\w+|"
    r"\bdocument\.(?:get|query|write|ready)|\b(?:var|let|const)\s+\w+\s*=|@media\b|\bdataLayer\b|=>\s*\{|<!\[CDATA\[|"
    r"\$\(\s*[\w.'\"#]+\s*\)\s*\.\w+\("
)

# Sentences of a widget that checks a site's repository name, cut where it prints names.
_WIDGET = re.compile(
    r"(?i)does not match the (?:recommended repository name|baseurl)|recommended repository name for your site|"
    r"so that your site can be accessed directly at|you can ignore this message by removing|"
    r"widgets/debug_repo_name|configured in _config\.yml|^in _config\.yml$|^in index\.html$|^baseurl$"
)
_FOOT = re.compile(
    r"(?i)\W*(?:(?:this )?(?:page|site|website)?\s*(?:was )?last\s+(?:modified|updated?|changed|edited|revised)\b|"
    r"(?:copyright\b|©|\(c\)\s)[^.]{0,20}(?:19|20)\d{2}|(?:proudly )?powered by\b|report abuse$|page details$|"
    r"(?:denotes |indicates )?(?:equal(?:ly)? contribut|co-?first author|corresponding author)|all rights reserved|"
    r"feel free to (?:steal|copy|use) this|(?:(?:web)?(?:page|site) )?(?:template|design|source code) (?:from|by|of)\b|"
    r"(?:impressum|imprint|datenschutz\w*|privacy policy|sitemap)\b|page generated\b|(?:updated|modified)(?: on|:)\s)"
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
    """Why an entry is a leftover of the template ("" if it is not); `addresses` are its links."""
    said = f"{text}\n{addresses}"
    return next((reason for reason, pattern in _SAMPLES.items() if pattern.search(said)), "")


def note_tags(ledger: Ledger, lines: list[str]) -> None:
    """Note every run of lines with tags of the site generator as a problem."""
    numbers = [number for number, line in enumerate(lines, start=1) if _TAG.search(line)]
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        first, *more = [number for _, number in group]
        last = more[-1] if more else first
        reason = f"tags of the site generator (Liquid), lines {first}–{last}"
        ledger.note("problem", " ".join(lines[first - 1 : last]), reason, line=first)


def widget_lines(lines: list[str]) -> set[int]:
    """The numbers (from 1) of lines left by a debugging widget, including fragments around them."""
    marked = {number for number, line in enumerate(lines, start=1) if _WIDGET.search(line) or _TAG.search(line)}
    fragments = {at for at, line in enumerate(lines, start=1) if len(line) <= _OPENING and _FRAGMENT.search(line)}
    for start in sorted(marked):
        for step in (-1, 1):
            number = start + step
            while number in fragments - marked:
                marked.add(number)
                number += step
    between = {number for number in range(1, len(lines)) if {number - 1, number + 1} <= marked}
    return marked | {number for number in between if len(lines[number - 1].strip()) <= _SHORT}


# Windows-1252 and -1254 have undefined bytes (81, 8D, 8E, 8F, 90, 9D, 9E), which are lost. The rest of
# the commonest characters has one likely reading. Emoji come before ftfy, which would take the space
# after them for the lost byte.
_EMOJI = {"‰": "🎉", "–": "🎖", "“": "📝"}
_EMOJI_LEFTOVER = re.compile(r"[ðğ]Ÿ([‰–“])(?=[\sðğ]|$)")
_CLOSING_QUOTE = re.compile(r"â€(?=[\s.,;:)\]]|$)")
_LEFTOVERS = (("â€", "”"), ("ï¬", "fi"))
_REMAINS = re.compile(r"[ðğ]Ÿ\S{0,2}|â€\S?|ï¬|Ã[\u0080-\u00bf]|Â[\u0080-\u00bf]|\ufffd")


def repaired(ledger: Ledger, text: str) -> str:
    """The text, each line repaired (with ftfy; curly quotes stay), then known remains replaced; a note for each change.

    A line that decodes exactly is "repaired"; one with lost bytes is "lossy", whether its likely reading was filled in
    or the damage remains.
    """
    lines: list[str] = []
    for number, line in enumerate(text.split("\n"), start=1):
        fixed, outcome, reason = _repaired(line)
        lines.append(fixed)
        if reason:
            ledger.note(outcome, line, reason, line=number)
    return "\n".join(lines)


def _repaired(line: str) -> tuple[str, Outcome, str]:
    if line.isascii():
        return line, "repaired", ""
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
        return fixed, "lossy", f"bytes are missing, still damaged: {', '.join(dict.fromkeys(remains))}"
    if guessed:
        return fixed, "lossy", f"bytes are missing, the likely reading was taken: {', '.join(dict.fromkeys(guessed))}"
    if fixed != line:
        return fixed, "repaired", "decoded with the wrong table; the right reading is certain"
    return line, "repaired", ""


_NO_VENUE = re.compile(
    rf"(?i)\W*(?:in|at|to|on|by|pp?|vol|no|eds?|accepted|(?:to )?appear|under review|submitted|"
    r"(?:in )?(?:press|submission|preparation|revision)|links?|pdf|code|"
    rf"IS[SB]N.*|doi.*|(?:{MONTHS})[a-z]*|[\d\W]*)\W*"
)
_TEXTS = ("about", "interests", "recruiting", "recruiting_focus", "contact")
_NAMES = ("name", "leader_title", "institution", "department", "place")
_FIRST_YEAR, _LAST_YEAR = 1800, 2100
_LONGEST_VENUE = 250


def vetted(reading: Reading, *, is_page: bool) -> Reading:
    """The reading with what breaks a rule left out of its draft, and a note for each person and work that was.

    For a page (not a file of works) a work must also have people, a venue, a year or a link beside its title. The
    reading's account stands for the name of a person whom the page does not name.
    """
    draft = reading.draft
    ledger = Ledger(reading.filename)
    outcome: Outcome = "problem" if is_page else "remark"
    members: list[MemberRecord] = []
    for member in draft.members:
        reason = why_no_name(member.name) if member.name != reading.account else ""
        if reason:
            advice = f"no name of a person: {reason}; enter the person by hand"
            ledger.note(outcome, member.name, advice, line=member.origins[0].line)
        else:
            supervisor = "" if why_no_name(member.co_supervisor) else member.co_supervisor
            members.append(replace(member, co_supervisor=supervisor))
    works: list[WorkRecord] = []
    for work in draft.works:
        has_more = any((work.authors, work.venue, work.venue_full, work.year, work.links, work.abstract))
        alone = "" if has_more else "nothing beside it that a publication has: people, venue, year or link"
        reason = (why_no_title(work.title) or alone) if is_page and work.title else ""
        if reason:
            advice = f"{reason}; enter the work by hand, or import it as BibTeX"
            ledger.note(outcome, work.title, advice, line=work.origins[0].line)
        else:
            works.append(_work(work, is_page=is_page))
    changed: dict[str, Any] = {name: _without_code(getattr(draft, name)) for name in _TEXTS}
    changed |= {name: "" for name in _NAMES if is_code(getattr(draft, name))}
    if is_page and draft.leader and not looks_like_name(draft.leader):
        changed["leader"] = ""
    kept = replace(
        draft,
        **changed,
        topics=tuple(topic for topic in draft.topics if not is_code(topic)),
        members=tuple(members),
        works=tuple(works),
        activities=tuple(activity for activity in draft.activities if not is_code(activity.title)),
    )
    filled = {name for name, _ in draft.origins if getattr(kept, name, None)}
    kept = replace(kept, origins=tuple(pair for pair in draft.origins if pair[0] in filled))
    return replace(reading, labs=(kept,), notes=(*reading.notes, *ledger.notes))


def _work(work: WorkRecord, *, is_page: bool) -> WorkRecord:
    authors = tuple(name for name in work.authors if not why_no_name(name, may_be_group=not is_page))
    venue, full = (
        "" if _NO_VENUE.fullmatch(name) or is_code(name) or len(name) > _LONGEST_VENUE else name
        for name in (work.venue, work.venue_full)
    )
    year = work.year if work.year is not None and _FIRST_YEAR <= work.year <= _LAST_YEAR else None
    complete = work.authors_complete and len(authors) == len(work.authors)
    return replace(work, authors=authors, authors_complete=complete, venue=venue, venue_full=full, year=year)


def _without_code(text: str) -> str:
    if not is_code(text):
        return text
    paragraphs = (
        " ".join(part for part in sentences(paragraph) if not is_code(part)) for paragraph in text.split("\n\n")
    )
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SITES = (
    r"(?:google )?scholar|dblp|researchgate|orcid|github|semantic scholar|web of science|scopus|academia|linkedin|"
    r"publons|arxiv|zenodo|openreview|curriculum vitae|cv|resume"
)
_ARTICLES = r"(?:(?:my|our|the|see|view|visit|check|here|on|a|an|for|is|in|please|also|click)\s+)*"
_WHICH = r"(?:(?:full|complete|all|more|further|other|selected|recent|older|past|entire|up[- ]to[- ]date)\s+)*"
_LIST = r"(?:lists?(?: of)?|publications?|papers?|articles?|works?|pubs)"
_BEHIND_LIST = r"(?:\s+(?:lists?|pages?|here|of .{0,30}|by .{0,20}|on .{0,30}))*"
# A link or a line whose words are about a list or a site.
_OF_A_LIST = re.compile(
    rf"(?i)\W*{_ARTICLES}(?:(?:{_SITES})\b.{{0,60}}|{_WHICH}{_LIST}{_BEHIND_LIST}|"
    r"(?:show|read|see|view|load) (?:more|all|less|details).{0,60}|back to top|"
    r"(?:group |lab |personal |project |academic )?(?:home ?)?(?:page|website|web site|site))\W*"
)
_ABOUT_A_LIST = re.compile(
    r"(?i)\b(?:you can (?:also )?find|can be found|(?:full|complete|up-to-date) list|"
    rf"list of (?:all )?(?:my |our )?publications|see (?:also )?my|my (?:{_SITES}))\b"
)
_OF_KINDS = re.compile(
    r"(?i)\W*(?:(?:(?:peer[- ]?)?(?:refereed|reviewed)|journals?|conferences?|papers?|articles?|proceedings|books?|"
    r"chapters?|theses|thesis|workshops?|preprints?|patents?|publications?|technical reports?|posters?|demos?|"
    r"abstracts?|talks?|manuscripts?|selected|recent|other|international|national|invited|accepted|forthcoming|"
    r"submitted|in|press|under|review|and|of|to|appear)\b[\s,:&/()-]*)+\W*"
)
_REMARK = re.compile(
    r"(?i)\W*(?:to appear|accepted|(?:re)?submitted|under (?:review|revision|submission)|"
    r"in (?:press|preparation|submission)|forthcoming|(?:equal|corresponding|co-?first|denotes)\b.*|"
    r"(?:authors?|abstract|keywords?|copyright)\b[^a-z]*|last (?:updated|modified)\b.*|pages?\s+[\d–-]+|"
    r"vol(?:ume|\.)?\s*\d.*|pp?\.\s*\d.*|doi\b.*|https?:.*|www\..*)\W*"
)
_HAS_INITIAL = re.compile(r"\b[A-Z]\.\s*[A-Z]")
_LONGEST = 200
_SHORTEST = 2  # words, or pairs of East Asian letters


def words_in(text: str) -> int:
    """The number of words, two East Asian letters counting as one."""
    return len(_EAST_ASIAN.sub(" ", text).split()) + len(_EAST_ASIAN.findall(text)) // 2


def is_about_a_list(text: str) -> bool:
    """Whether a short text is about a list or a site ("You can also find my articles on Google Scholar")."""
    return len(text) <= _LONGEST and bool(_OF_A_LIST.fullmatch(text) or _ABOUT_A_LIST.search(text))


def why_no_title(text: str) -> str:
    """The rule that the title of a work on a page breaks, "" for what may be one."""
    letters = sum(map(str.isalpha, text))
    rules = (
        (is_code(text), "a variable of the site generator or code, not a title"),
        (words_in(text) < _SHORTEST or letters * 2 < len(text.replace(" ", "")), "too few words for a title"),
        (is_about_a_list(text), "words about a list or a site, not a title"),
        (_OF_KINDS.fullmatch(text), "words about kinds of publications, not a title"),
        (_REMARK.fullmatch(text), "a remark on a publication, not a title"),
        (is_name_of_venue(text), "the name of a venue, not a title"),
        (_HAS_INITIAL.search(text) and are_names(text), "people, not a title"),
    )
    return next((reason for broken, reason in rules if broken), "")
