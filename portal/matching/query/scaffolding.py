"""Boilerplate of web pages: "News", "Publications", "Loading …" say nothing about what a lab works on.

Such words are searched for like others, but a text of nothing else fits no lab. Program text is always removed.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from portal.matching.language.beside_names import is_venue
from portal.matching.language.spelling import is_common
from portal.matching.language.stemming import pair_key, stem
from portal.matching.language.terms import is_weak, stop_words
from portal.matching.language.word_cache import cached_by_word
from portal.matching.query.filling_words import KEYS as FILLING
from portal.matching.query.page_samples import is_of_samples, is_sample, is_within_sample, longest_sample
from portal.matching.query.page_words import are_idle, bare, is_listed, one_is_sure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Uses = Callable[[str], bool]
    BareWord = tuple[str, str]
    """A word, folded and bare."""

_COOKIE, _LONGEST_BANNER = "cookie", 12
"""Words of a banner before it says "cookies"."""
_OURS, _ASKING = (
    frozenset(words.split()) for words in ("our thi we you", "accept agree consent continue keep store use using")
)
_KINDS_OF_VENUES = frozenset(("conference", "journal", "proceedings", "symposium", "transactions"))
_BEHIND_VENUES = frozenset(("for", "in", "of", "on"))
_ADORNING = (
    "annual appear appearing asia asian committee european international joint national nd pacific proceeding program "
    "rd reviewer st th usenix"
)
_BEFORE_VENUES = frozenset(_ADORNING.split())
_LABEL = re.compile(r"\[(?:\\?\[)?\s?(?P<label>[A-Za-z]{2,16})\s?(?:\\?\])?\](?:\([^()\n]{0,500}\))?")
# Each alternative begins with something rare in texts, and its length is bounded.
_PROGRAM_TEXT = re.compile(
    r"""
      \{%[^{}]{0,500}%\} | \{\#[^{}]{0,500}\#\} | <!--.{0,2000}?--> | <!doctype[^<>]{0,200}>
    | \{\{-?\s*[\w.]+\.\w[^{}]{0,300}\}\} | \{\{-?\s[^{}]{0,300}\s-?\}\}
    | <(?P<element>script|style)\b[^<>]{0,500}>.{0,5000}?</(?P=element)\s*>
    | \(?\bfunction\s*\w{0,40}\([^()\n]{0,200}\)\s*\{[^\n]{0,2000}
    | \{\s*"[@\w-]{1,40}"\s*:[^\n]{0,2000}
    | (?:\b(?:var|let|const)\s[\w$]{1,40}|\b[\w$]{1,40}\.[\w.$]{1,80})\s?=\s?[^=;\n]{1,200};
    | (?:\b[\w$]{1,40}\.[\w.$]{1,80}\(|\b[\w$]{1,40}\((?=["']))[^()\n]{0,200}(?:\(\)[^()\n]{0,200})?\)\s?;
    | (?:[.\#@*][\w.\#:>,*@\ ()-]{0,80}|\b[a-z][\w.-]{0,20}\s?)\{[^{}]{0,500}:[^{}]{0,500};\s*\}
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_COMMAND = re.compile(
    r"^[ \t]*+(?:\$[ \t]*+)?(?:sudo )?(?:apt|apt-get|brew|bundle|conda|docker|gem|git|npm|pip3?|yarn) [a-z-]{2,12} "
    r"(?=-|&&|[^\n]{0,200}[/:=])[^\n]{0,300}",
    re.MULTILINE,
)
"""A line of a page's source code for a terminal ("pip install -r requirements.txt")."""
_AMOUNT = re.compile(r"[\d.]+[km]")
"""As pages give numbers ("2.6k stars")."""
_NOTHING = re.compile(r"(?<![\w/])n/a(?![\w/])", re.IGNORECASE)
_TELLTALES = ("{", ";", "<!", "<s", "<S")
_POINTING = frozenset(("the", "this", "your", "our"))
_POINTED_AT = frozenset(
    "account blog browser homepage javascript newsletter page site template theme web webpage website widget".split()  # noqa: SIM905 - easier to read
)
_FIRST_PERSON = frozenset(("i", "im", "ive", "me", "my", "mine", "myself"))
_SURE_OF_SAMPLES = 3
"""Consecutive words of a long sample that certainly belong to it; two ("image recognition") may be a concept."""
FEWEST_LISTED = 4
"""Words of pages in boilerplate that has other words, too."""
_UNLISTED, _UNLISTED_BESIDE_ITSELF = 0.25, 0.4
"""The share of other words allowed in boilerplate, and if it speaks of the page ("this website") or has a sample."""


def without_labels(text: str) -> str:
    """`text` with blanks instead of the labels of links to works ("[video]", "[[code]](…)") and of "N/A"."""
    text = _LABEL.sub(_without_label, text) if "[" in text else text
    return _NOTHING.sub("   ", text) if "/" in text else text


def without_program_text(text: str) -> str:
    """`text` with blanks instead of the template tags, scripts, styles, data and commands of pages."""
    text = _COMMAND.sub(_blanks, text)
    return _PROGRAM_TEXT.sub(_blanks, text) if any(telltale in text for telltale in _TELLTALES) else text


def _blanks(match: re.Match[str]) -> str:
    return "".join(character if character == "\n" else " " for character in match.group())


def _without_label(match: re.Match[str]) -> str:
    label = match["label"].lower()
    return " " * len(match.group()) if is_listed(label, bare(label)) else match.group()


def are_of_pages(segments: Iterable[Sequence[str]], uses: Uses) -> Literal["no", "perhaps", "surely"]:
    """Whether a text, given as the folded words of its segments (such as the entries of a menu), is boilerplate.

    "surely": every segment has hardly any other words, or is a template text or a passage of one, a banner, or the name
    of a venue; and at least one segment certainly is boilerplate. "perhaps": none certainly is, but hardly any word can
    be a subject of research, or two words belong to a template. Numbers and single letters do not count, stop words
    only in whole texts. `uses` says which terms some lab has.
    """
    surely = perhaps = False
    listed: list[BareWord] = []
    for segment in segments:
        counts = list(map(may_be_of_a_page, segment))
        if 0 in counts and sum(counts) < FEWEST_LISTED:
            return "no"  # as the rest of this function would
        words = [(form, bare(form)) for form in segment if not (is_weak(form) or _AMOUNT.fullmatch(form))]
        is_surely = _is_of_a_page(words, uses)
        if not is_surely:
            rest = _without_lead(words)
            is_surely = _is_of_a_page(rest, uses) or is_surely
            words = rest
        is_in_sample = is_within_sample([single for _, single in words]) and not _has_pair_of_labs(words, uses)
        if is_in_sample:
            is_surely = is_surely or len(words) >= _SURE_OF_SAMPLES
        elif is_surely is None:
            return "no"
        surely = surely or is_surely
        perhaps = perhaps or is_in_sample
        listed += words
    if surely:
        return "surely"
    return "perhaps" if perhaps or are_idle(listed) else "no"


@cached_by_word(32_768)
def may_be_of_a_page(form: str) -> int:
    """How much a folded word may do to make its segment boilerplate; one that does nothing has 0.

    A segment with such a word is no sample, nor part of one. It can only be boilerplate if it is a banner or the name
    of a venue, or has enough words of pages: what banners and venues cannot do without counts as enough.
    """
    return does_on_pages(form) or int(stem(form) in FILLING)


def does_on_pages(form: str) -> int:
    """`may_be_of_a_page` for words that do not fill texts of every field. Not cached."""
    single = bare(form)
    if form in _KINDS_OF_VENUES or single == _COOKIE:
        return FEWEST_LISTED
    return int(
        is_weak(form)
        or _AMOUNT.fullmatch(form) is not None
        or is_listed(form, single)
        or is_of_samples(single)
        or single in _BEFORE_VENUES
    )


def _without_lead(words: list[BareWord]) -> list[BareWord]:
    """The words of a text without an opening that says nothing: "I am interested in …", "recent work on …"."""
    stop = stop_words()
    telling = (place for place, (form, _) in enumerate(words) if form not in stop and stem(form) not in FILLING)
    return words[next(telling, 0) :]


def _is_of_a_page(words: Sequence[BareWord], uses: Uses) -> bool | None:
    """Whether a segment certainly is boilerplate; None if it is not boilerplate."""
    singles = [single for _, single in words]
    if (
        is_sample([single for form, single in words if not is_venue(form)])
        or _is_a_banner(singles)
        or _is_a_venue(words)
    ):
        return True
    surely = one_is_sure(singles)
    first, last = longest_sample(singles)
    rest = [*words[:first], *words[last:]]
    others = [place for place, word in enumerate(rest) if not is_listed(*word)]
    if not others or (_may_be_among(rest, others, last - first) and not _is_telling(rest, others, uses)):
        return surely or last > first
    return None


def _may_be_among(rest: Sequence[BareWord], others: Sequence[int], sample: int) -> bool:
    """Whether `rest` has few enough words that pages do not have, next to a sample of so many words.

    People who speak about themselves have something to say.
    """
    forms = [form for form, _ in rest]
    if not _FIRST_PERSON.isdisjoint(forms):
        return False
    stop = stop_words()
    listed = sample + sum(form not in stop for form in forms) - len(others)
    share = _UNLISTED_BESIDE_ITSELF if sample or _points_at_itself(rest) else _UNLISTED
    return listed >= FEWEST_LISTED and len(others) <= share * (listed + len(others))


def _points_at_itself(words: Sequence[BareWord]) -> bool:
    """Whether a page speaks of itself: "this website's …", "your new site"."""
    places = [place for place, (form, _) in enumerate(words) if form in _POINTING]
    return any(single in _POINTED_AT for place in places for _, single in words[place + 1 : place + 4])


def _is_telling(rest: Sequence[BareWord], others: Sequence[int], uses: Uses) -> bool:
    """Whether one of the `others` may belong to a field: an uncommon word of a lab, or a word in a pair of one."""
    for place in others:
        form = rest[place][0]
        if uses(stem(form)) and not is_common(form):
            return True
        neighbours = [neighbour for neighbour, _ in rest[max(place - 1, 0) : place + 2]]
        if any(uses(pair_key(first, second)) for first, second in pairwise(neighbours)):
            return True
    return False


def _has_pair_of_labs(words: Sequence[BareWord], uses: Uses) -> bool:
    """Whether two neighbouring words (ignoring stop words) are neighbours in a lab, too."""
    stop = stop_words()
    return any(
        uses(pair_key(first, second)) for first, second in pairwise(form for form, _ in words if form not in stop)
    )


def _is_a_banner(words: Sequence[str]) -> bool:
    """Whether these words are a cookie banner."""
    return _COOKIE in words[:_LONGEST_BANNER] and not (_OURS.isdisjoint(words) or _ASKING.isdisjoint(words))


def _is_a_venue(words: Sequence[BareWord]) -> bool:
    """Whether words are the full name of a venue, perhaps with "To appear in the 13th" before it.

    Nothing else distinguishes the subjects in a conference's name from those of a lab.
    """
    for (form, single), (following, _) in pairwise(words):
        if form in _KINDS_OF_VENUES:
            return following in _BEHIND_VENUES
        if not (single in _BEFORE_VENUES or is_listed(form, single)):
            return False
    return False
