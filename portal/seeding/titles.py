"""What may be the title of a work that a page lists."""

from __future__ import annotations

import re

from portal.seeding.leftovers import is_code
from portal.seeding.venues import is_name_of_venue

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
    rf"\W*{_ARTICLES}(?:(?:{_SITES})\b.{{0,60}}|{_WHICH}{_LIST}{_BEHIND_LIST}|"
    r"(?:show|read|see|view|load) (?:more|all|less|details).{0,60}|back to top|"
    r"(?:group |lab |personal |project |academic )?(?:home ?)?(?:page|website|web site|site))\W*",
    re.IGNORECASE,
)
_ABOUT_A_LIST = re.compile(
    r"\b(?:you can (?:also )?find|can be found|(?:full|complete|up-to-date) list|"
    rf"list of (?:all )?(?:my |our )?publications|see (?:also )?my|my (?:{_SITES}))\b",
    re.IGNORECASE,
)
_OF_KINDS = re.compile(
    r"\W*(?:(?:(?:peer[- ]?)?(?:refereed|reviewed)|journals?|conferences?|papers?|articles?|proceedings|books?|"
    r"chapters?|theses|thesis|workshops?|preprints?|patents?|publications?|technical reports?|posters?|demos?|"
    r"abstracts?|talks?|manuscripts?|selected|recent|other|international|national|invited|accepted|forthcoming|"
    r"submitted|in|press|under|review|and|of|to|appear)\b[\s,:&/()-]*)+\W*",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"\W*(?:to appear|accepted|(?:re)?submitted|under (?:review|revision|submission)|"
    r"in (?:press|preparation|submission)|forthcoming|(?:equal|corresponding|co-?first|denotes)\b.*|"
    r"(?:authors?|abstract|keywords?|copyright)\b[^a-z]*|last (?:updated|modified)\b.*|pages?\s+[\d–-]+|"
    r"vol(?:ume|\.)?\s*\d.*|pp?\.\s*\d.*|doi\b.*|https?:.*|www\..*)\W*",
    re.IGNORECASE,
)
_SHORTEST = 2  # words, or pairs of East Asian letters


def words_in(text: str) -> int:
    """The number of words, two East Asian letters counting as one."""
    return len(_EAST_ASIAN.sub(" ", text).split()) + len(_EAST_ASIAN.findall(text)) // 2


def why_no_title(text: str) -> str:
    """The rule that the title of a work on a page breaks, "" for what may be one."""
    letters = sum(map(str.isalpha, text))
    rules = (
        (is_code(text), "a variable of the site generator or code, not a title"),
        (words_in(text) < _SHORTEST or letters * 2 < len(text.replace(" ", "")), "too few words for a title"),
        (_OF_A_LIST.fullmatch(text) or _ABOUT_A_LIST.search(text), "words about a list or a site, not a title"),
        (_OF_KINDS.fullmatch(text), "words about kinds of publications, not a title"),
        (_REMARK.fullmatch(text), "a remark on a publication, not a title"),
        (is_name_of_venue(text), "the name of a venue, not a title"),
    )
    return next((reason for broken, reason in rules if broken), "")
