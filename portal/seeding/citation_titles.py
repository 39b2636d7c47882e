"""Finds the title in the text of a publication entry."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.seeding.names import CAPITAL, PARTICLES, are_names, looks_like_name, split_authors
from portal.seeding.texts import sentences, years
from portal.seeding.values import why_no_title, words_in

if TYPE_CHECKING:
    from portal.seeding.page_blocks import Block


LINK_LABELS = re.compile(
    r"(?i)^\W*(?:(?:the )?(?:paper|pdf|code|codes|link|links|arxiv|preprint|project(?: page)?|page|website|slides?|"
    r"video|poster|data|dataset|demo|bib|bibtex|doi|abs|abstract|html|github|appendix|supp\w*|talk|blog|openreview|"
    r"proceedings|acm|ieee|springer|full text|source|ps|postscript|dvi)\W*)+$"
)
VENUE = re.compile(
    r"(?<![\w-])(?!(?:In|At|The|To|Proc)\b)(?P<name>[A-Z][A-Za-z+/-]*(?:&[A-Z][A-Za-z+/-]*)?"
    r"(?:\s+(?:[Ww]orkshop|[A-Z][A-Z]+))?)"
    r"[\s,]{0,3}(?P<mark>['’]?)(?P<year>(?:19|20)\d{2}|\d{2})(?!\d)"
)
AWARD_WORDS = re.compile(
    r"(?i)award|\boral\b|spotlight|highlight|\bbest\b|honou?rable|distinguished|outstanding|prize|nominat|finalist"
)
# A year in brackets behind a title or behind its people.
YEAR_BEHIND = re.compile(r"[\s.,]*[(\[]((?:19|20)\d{2})[a-z]?[)\]]\W*$")
_QUOTED = re.compile(
    r"“([^“”]{0,300}(?:“[^“”]{1,300}”[^“”]{0,300}){1,3})”|\"([^\"]{8,500})\"|[“\"]([^“”\"]{8,500})[”\"]|‘([^‘’]{12,500})’(?!\w)|``([^`']{8,500})''|«\s*([^«»]{8,500}?)\s*»|„([^„“”]{8,500})[“”]"
)
_ET_AL = re.compile(r"(.{3,300}?\bet\.?\s+al\b\.?),?:?\s+")
# A venue or a title may begin in lower case ("arXiv", "mmWave").
_LOWER_START = re.compile(r"(?<=[.?!])\s+(?=(?:[a-z]{1,5}[A-Z]\w|(?:eprint|in [Pp]roc|to appear)\b))")
_SHORT_VENUE = re.compile(r"^\s*[\[(]([A-Z][\w&'’+ -]{1,20})[\])]\s*")
_VENUE_WORDS = re.compile(
    r"(?i)^\s*(?:in[:\s]|(?:ACM|IEEE|USENIX|AAAI|Nature|PLOS|Lecture Notes)\b)|"
    r"\b(?:annual meeting|meeting of|proc|proceedings|journal|trans|transactions|conference|conf|symposium|workshop|"
    r"arxiv|biorxiv|letters|magazine|review|annals|press|preprint|advances in|ph\.?d\.? thesis|thesis)\b"
)
_ITEM = re.compile(
    r"([^,;，、；]+?)(?:\s*[,;，、；]\s*(?:(?:and|et|und)\s+|&\s*)?|\s+(?:and|et|und|[ey](?=\s[A-Z]))\s+|\s*&\s*|$)"
)
_COMMA = re.compile(r"[,，](?!\d)")
_NEXT_PART = re.compile(rf"\s*(?:{CAPITAL}|[^\x00-\u024f])")
_INITIAL = re.compile(rf"{CAPITAL}[.-]")
# What bold text says of a work that is not out, or of where it is.
_NO_TITLE = re.compile(
    r"(?i)(?:under (?:review|revision)|(?:re)?submitted|accepted|in press|forthcoming|to appear|(?:minor|major) "
    r"revision|in (?:the )?proc(?:eedings|\.))\b"
)
_TITLE_WORDS = 3
_END_OF_VENUE = 12  # characters, with the year

Parts = tuple[str, str, str]


def title_in(entry: Block, text: str) -> Parts | None:
    """What precedes the title, the title, and what follows it; None if no title can be told.

    The title is the first quoted text; else a linked or strong text of three words or more that is neither people nor a
    venue; else the first line or sentence that is not a list of people.
    """
    marked = _marked_title(entry, text) or _emphasised_title(entry, text)
    others = [*entry.marked(strong=True), *(label for label, _ in entry.links())]
    others = [run for run in others if run and not LINK_LABELS.match(run) and not are_names(run)]
    emphasised = tuple(map(plain, (*entry.marked(strong=False), *others)))
    return _quoted_title(text) or marked or _title_by_parts(text, emphasised)


def are_all_names(text: str) -> bool:
    """Whether all parts of a list may be names of people."""
    names, _ = split_authors(text)
    return bool(names) and all(map(looks_like_name, names))


def leading_names(text: str) -> str:
    """The leading people of a comma-separated text."""
    end = 0
    initials = False
    for item in _ITEM.finditer(text):
        name = item[1].strip("*†. ")
        # Among "A. Lee, B. Kim", words without an initial are a title.
        is_other = initials and not _INITIAL.match(name)
        if item.start() != end or is_other or not looks_like_name(name):
            break
        initials = bool(_INITIAL.match(name)) and (initials or not end)
        end = item.end()
    return text[:end]


def is_like_a_venue(text: str) -> bool:
    """Whether a text has a year, a word of venues or an acronym with a year."""
    return bool(_VENUE_WORDS.search(text) or years(text) or VENUE.match(text.strip()))


def _quoted_title(text: str) -> Parts | None:
    match = _QUOTED.search(text)
    if match is None:
        return None
    title = next(group for group in match.groups() if group)
    return text[: match.start()], title, text[match.end() :]


def _marked_title(entry: Block, text: str) -> Parts | None:
    runs = [*(label for label, _ in entry.links()), *entry.marked(strong=True)]
    found = [plain(" ".join(run.split())) for run in runs]
    lines = text.split("\n")
    # The first in the entry, which is not yet on one line.
    places = {run: text.find(run) for run in found}
    for candidate in sorted(found, key=lambda run: places[run] if places[run] >= 0 else len(text)):
        title = _SHORT_VENUE.sub("", candidate)
        if lines[:1] == [title] and len(lines) > 1 and _are_several(lines[1]) and not _are_several(title):
            return "", title, "\n".join(lines[1:])
        if words_in(title) < _TITLE_WORDS or title.startswith("(") or LINK_LABELS.match(title) or are_names(title):
            continue
        if AWARD_WORDS.search(title) or VENUE.fullmatch(title) or _NO_TITLE.match(title) or why_no_title(title):
            continue
        before, separator, after = text.partition(title)
        if separator and not _has_title(before):
            return before, title, after
    return None


def _emphasised_title(entry: Block, text: str) -> Parts | None:
    """A title in emphasis directly behind the people."""
    for run in map(plain, entry.marked(strong=False)):
        before, found, after = text.partition(run)
        people = before.rstrip(" ,;:–—|-\n")
        is_title = found and words_in(run) >= _TITLE_WORDS and not is_like_a_venue(run)
        if is_title and not people.endswith(".") and are_all_names(people):
            return people, run, after
    return None


def _are_several(text: str) -> bool:
    return are_names(text) and len(split_authors(text)[0]) > 1


def _has_title(before: str) -> bool:
    """Whether a whole sentence stands between the people and a marked text, which is the venue then."""
    rest = before[len(leading_names(before)) :].lstrip(" ,;:\n").rstrip()
    said = [part for part in sentences_of(rest) if not are_names(part) and not is_like_a_venue(part)]
    return rest.endswith((".", "?", "!", ",")) and any(words_in(part) >= _TITLE_WORDS for part in said)


def plain(text: str) -> str:
    """A text with Latin brackets, spaces and full stops."""
    return text.translate({0xFF08: "(", 0xFF09: ")", 0x00A0: " ", 0x3002: ". "})


def _title_by_parts(text: str, emphasised: tuple[str, ...]) -> Parts | None:
    """The title among lines or, if there is one, sentences: people come first or second, the title is the other."""
    lines = [part for part in text.split("\n") if part]
    said = [part for part in lines if any(map(str.isalpha, part))]
    if len(said) == 1:
        # Others are a number or a year on a line of its own.
        found = _title_in_line(said[0], emphasised)
        others = (part for part in lines if part != said[0])
        return found and (found[0], found[1], "\n".join([found[2], *others]))
    return _title_beside_people(lines, emphasised) if len(lines) > 1 else None


def _title_in_line(text: str, emphasised: tuple[str, ...]) -> Parts | None:
    cut = _ET_AL.match(text)
    named = cut is not None and are_names(cut[1])
    parts = [cut[1], *sentences_of(text[cut.end() :])] if cut is not None and named else sentences_of(text)
    beside = _title_beside_people(parts, emphasised) if len(parts) > 1 else None
    return beside or _title_between_commas(text, emphasised)


def _title_beside_people(parts: list[str], emphasised: tuple[str, ...]) -> Parts | None:
    first = YEAR_BEHIND.sub("", parts[0])
    if are_names(first) and not first.endswith(("?", "!")) and not _is_title_before_people(first, parts[1]):
        if re.fullmatch(r"\(?(?:19|20)\d{2}[a-z]?\)?\.?", parts[1]) and len(parts) > 2:  # noqa: PLR2004
            return " ".join(parts[:2]), parts[2], "\n".join(parts[3:])
        title, venue = _without_venue(parts[1], emphasised)
        return parts[0], title, "\n".join([*([venue] if venue else []), *parts[2:]])
    if are_names(parts[1]) and words_in(parts[0]) >= _TITLE_WORDS:
        return "", parts[0], "\n".join(parts[1:])
    return None


def _without_venue(title: str, emphasised: tuple[str, ...]) -> tuple[str, str]:
    """A title and the venue behind its comma, if a year says that it ends with one ("A Title, ICML, 2020")."""
    is_dated = bool(years(title[-_END_OF_VENUE:]))
    for comma in _COMMA.finditer(title):
        rest = title[comma.end() :].strip()
        is_venue = _begins_with_venue(rest, emphasised) if is_dated else rest.startswith(emphasised)
        if is_venue and words_in(title[: comma.start()]) >= _TITLE_WORDS:
            return title[: comma.start()], rest
    return title, ""


def sentences_of(text: str) -> list[str]:
    """The sentences of an entry; the next may begin with a name in lower case ("arXiv")."""
    return [part for sentence in sentences(text) for part in _LOWER_START.split(sentence) if part]


def _title_between_commas(text: str, emphasised: tuple[str, ...]) -> Parts | None:
    """The title of "A. Lee, B. Kim, A Title, ICML 2020" or "A Title, A. Lee, ICML 2020" on one line."""
    if "\n" in text:
        return None
    people = leading_names(text)
    rest = text[len(people) :]
    commas = [comma.start() for comma in _COMMA.finditer(rest)]
    if people:
        before_venue = [comma for comma in commas if _begins_with_venue(rest[comma + 1 :].strip(), emphasised)]
        end = next((comma for comma in before_venue if words_in(rest[:comma]) >= _TITLE_WORDS), None)
    else:
        end = next((comma for comma in commas if leading_names(rest[comma + 1 :].lstrip())), None)
        dated = years(rest) and not _VENUE_WORDS.match(rest)
        venues = [comma for comma in commas if dated and _begins_with_venue(rest[comma + 1 :].strip(), ())]
        end = venues[0] if end is None and venues else end
    if end is None and people:
        # "Accra, 2020" and "Registers, and Artifacts" go on.
        ends = (comma for comma in commas if _NEXT_PART.match(rest, comma + 1))
        end = next((comma for comma in ends if words_in(rest[:comma]) >= _TITLE_WORDS), None)
    if end is None or not rest[end + 1 :].strip() or words_in(rest[:end]) < _TITLE_WORDS:
        return None
    return people, rest[:end], rest[end + 1 :]


def _begins_with_venue(text: str, emphasised: tuple[str, ...]) -> bool:
    first = re.split(r"[,，]", text)[0]
    return text.startswith(emphasised) or (is_like_a_venue(first) and not re.match(r"\W*\d", first))


def _is_title_before_people(first: str, second: str) -> bool:
    """Whether a capitalised title that could be one person ("Indexing Without Regret") precedes several people."""
    several = are_names(second) and len(split_authors(second)[0]) > 1
    return several and len(split_authors(first)[0]) == 1 and len(first.split()) >= _TITLE_WORDS


# A capital and at least one small letter.
_WORD = rf"{CAPITAL}(?:{CAPITAL}|['’-]){{0,20}}+[^\W\d_][\w'’-]{{0,40}}+"
_FAMILY = rf"(?P<family>(?:(?:{'|'.join(sorted(PARTICLES))})\s){{0,3}}+{_WORD}(?:[ ]{_WORD})?)"
_ONE_FAMILY = rf"(?P<family>(?:(?:{'|'.join(sorted(PARTICLES))})\s){{0,3}}+{_WORD})"
_INITIALS = rf"{CAPITAL}(?:\.|(?=-{CAPITAL}\.))(?:[ -]?{CAPITAL}(?:\.|(?=-{CAPITAL}\.))){{0,3}}+"
# "Lee, A. B."; "Lee AB"; "Lee, Ann B."
_WITH_COMMA = re.compile(rf"{_FAMILY},?\s?(?P<given>{_INITIALS})")
_ONE_WITH_COMMA = re.compile(rf"{_ONE_FAMILY},|{_WORD} {_WORD},\s?{_INITIALS}\s?\(")
_WITHOUT_COMMA = re.compile(rf"{_FAMILY} (?P<given>{CAPITAL}{{1,3}}+(?:-{CAPITAL})?+(?![\w-])\.?+)")
_IN_FULL = re.compile(rf"{_ONE_FAMILY},\s?(?P<given>{_WORD}(?:[ ](?:{_WORD}|{CAPITAL}\.?+)){{0,2}}+)")
_SEPARATOR = re.compile(
    r"(?:\s?[*†‡§¶#⁎∗^]){0,3}+\s{0,3}+(?:[,;/]\s{0,3}+(?:(?:&|(?:and|et|und)\b)\s{0,3}+)?+|(?:&|(?:and|et|und)\b)\s{0,3}+)"
)
_MARKS = re.compile(r"(?:\s?[*†‡§¶#⁎∗^]){0,3}+")
_MORE = re.compile(r"\s{0,3}+,?+\s{0,3}+(?:(?:&|and)\s{1,3}+)?+(?:et\.? al\.?+|\.\.\.|…)")
_BEFORE_TITLE = re.compile(r"\s{0,3}+[:,;.(]|\s{1,3}+[\w“\"«]")
_BEFORE_TITLE_OR_YEAR = re.compile(r"\s{0,3}+[.:(]|(?<=\.)\s")
_COLON = re.compile(r":\s|\s{0,3}\((?:19|20)\d{2}[a-z]?\)\s?[:.,]?\s")
# Abbreviations behind a word of a title that look like initials.
_NO_INITIALS = frozenset("AI ML RL VR AR US UK EU IT TV II III IV DNA RNA GPU".split())  # noqa: SIM905 - a list
_MOST_PEOPLE = 300


def leading_people(text: str) -> tuple[str, int] | None:
    """The people with their given names first ("A. Lee, B. Kim"), and where their list ends; None if it is another."""
    for person, behind in ((_WITH_COMMA, _BEFORE_TITLE), (_WITHOUT_COMMA, _BEFORE_TITLE_OR_YEAR), (_IN_FULL, _COLON)):
        names: list[str] = []
        end = 0
        found = person.match(text, len(text) - len(text.lstrip()))
        while found and len(names) < _MOST_PEOPLE and found["given"].strip(".") not in _NO_INITIALS:
            given = found["given"]
            if given.replace("-", "").rstrip(".").isupper() and "." not in given[:-1]:
                # "A. B." for "AB"
                given = "-".join(" ".join(f"{letter}." for letter in part) for part in given.rstrip(".").split("-"))
            names.append(f"{given} {found['family']}")
            marks, separator = _MARKS.match(text, found.end()), _SEPARATOR.match(text, found.end())
            end = marks.end() if marks else found.end()
            found = person.match(text, separator.end()) if separator else None
        more = _MORE.match(text, end)
        end = more.end() if more else end
        # "Ann Lee, B. Kim" are two people with their given names first.
        is_other = person is _WITH_COMMA and len(names) == 1 and not _ONE_WITH_COMMA.match(text.lstrip())
        if names and not found and behind.match(text, end) and not is_other:
            return ", ".join(names) + (" et al." if more else ""), end
    return None
