"""Entries of lists of publications → works, in any of the common citation formats."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import dropwhile
from typing import TYPE_CHECKING

from portal.seeding import citation_titles as titles
from portal.seeding.names import are_names, slug, split_authors
from portal.seeding.page_blocks import SOFT_BREAK, Run, filled_lines, flat, joined, lines_of
from portal.seeding.records import Link, Origin, WorkRecord
from portal.seeding.texts import MONTHS, is_open_address, latest_year, years
from portal.seeding.venues import has_venue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal.seeding.page_blocks import Block


_SHOWN_ADDRESS = re.compile(r"(?:https?://|10\.\d{4,9}/).*")
_AWARD = re.compile(
    r"(?:(?:Best|Outstanding|Distinguished)\s+(?:[A-Z]\w+\s+){0,2}(?:Paper|Poster|Demo|Artifact)"
    r"(?:\s+(?:Award|Honorable|Mention|Runner-?[Uu]p|Finalist|Nominat\w+)){0,3}|Spotlight|Oral(?:\s+Presentation)?|"
    r"Test[- ]of[- ]Time\s+Award|Honorable\s+Mention|Research\s+Highlight)(?![\w-])"
)
_NOT_VENUES = frozenset(
    ("In", "Vol", "Issue", "PMLR", "ACM", "Article", "Pages", "Proceedings", "arXiv", "No", "DOI", "ISSN", "ISBN",
     "LNCS", "LNAI", "CCIS", "EISSN")
)  # fmt: skip
# "(* equal contribution)", "[J]" as Chinese lists have it behind a title, "by" before people.
_NOTE_ON_PEOPLE = re.compile(
    r"(?i)\s*[\[(][\s*†‡§#]*(?:(?:denotes|indicates)\s+)?(?:equal\w*|co-?first|joint\w*|corresponding|contributed)\b"
    r"[^()\[\]]*[\])]|\(\s*(?:通讯作者|通信作者|共同一作|共同第一作者|第一作者|导师一作)\s*\)|"
    r"\s*[\[(](?:to appear|in press|forthcoming|accepted|under (?:review|revision)|submitted)[\])]|"
    r"(?<=[^\W\d_])\s*\(\s*[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af·]{2,6}\s*\)(?=\s*(?:[*,.;]|and\b|$))"
)
_KIND_OF_WORK = re.compile(r"\s*\[(?:[JCDMRNPZ]|(?:J|C|D|M|R|N|EB|DB|CP)/OL)\](?:\s*//|\s*[.:,])?\s*")
_BY = re.compile(
    r"(?i)^(?:(?:by|with|(?:joint|joint work) with):?\s+|(?:authors?|contributors?|auteurs?|autoren|作者)\s*[:：]\s*)"
)
_BETWEEN_PARTS = re.compile(r"\s+(?:[|·•—–]|--)\s+")
_BEHIND_PEOPLE = re.compile(r"\s+[|·•—–]\s+")
_LEADING_YEAR = re.compile(r"^\W*((?:19|20)\d{2})[a-z]?(?:\s*·\s*\d{1,4})?(?:\s*[.,:;)\]–—-]+\s*|\s*\n\s*)(?=[^\W\d])")
# Numbers that look like years: of preprints, of pages, in addresses.
_NO_YEAR = re.compile(
    r"(?i)\b(?:https?://|doi(?:\.org)?[:/ ])\S+|\b10\.\d{4,9}/\S+|\b(?:arXiv|abs)[:/ ]?\s*\d{4}\.\d{4,5}(?:v\d+)?|"
    r"(?<!\d)\d{4}\.\d{4,5}(?:v\d+)?(?!\d)|\bIS[SB]N\b[:\s]*(?:\(\w+\)\s*)?[\dX:\s–-]+|\b\d{4}-\d{3}[\dX]\b|\b(?:pp?|pages|S)\.?\s*\d+\s*[-–—]+\s*\d+|(?<=[:(,])\s?\d{3,5}\s?[-–—]+\s?\d{3,5}"
)
_DATE_BEHIND = re.compile(rf"\s(?:(?:{MONTHS})[a-z]*\.?\s+)(?:\d{{1,2}},?\s+)?(?:19|20)\d{{2}}\W*$")
_NEWS_AHEAD = re.compile(
    r"(?i)^(?:\s*[\[(]?\s*(?:new|to appear|accepted|forthcoming|in press)\s*(?:[\])!:–—]+|(?=[\])]))[\])!:\s]*)+"
)
_FIRST_PHRASE = re.compile(
    r"[\s.,;:]*(?:In[: ]\s*|To appear in\s+)?(?:the\s+)?"
    r"((?:[A-Z][a-z]*\.\s+){0,4}(?:[A-Z][^.,;()\n]{2,120}|[A-Z][a-z]+\.))"
)
# What stands between people and the title: a year in full stops or brackets, a colon.
_COLON = re.compile(r"([^:\n]{3,500}):\s+")
_BEFORE_TITLE = (
    (re.compile(r"([^\n]{0,1500}?)\.\s+((?:19|20)\d{2}[a-z]?)\.\s+"), r"\1 (\2). "),
    (re.compile(r"([^\n]{0,1500}?)[.,]?\s*(\((?:19|20)\d{2}[a-z]?\))[,:]?\s+(?=[^\W\d_“\"])"), r"\1 \2. "),
    (_COLON, r"\1. "),
)
_BEHIND_INVERTED = re.compile(
    r"\s*[,.:;]?\s*(?P<year>\((?:19|20)\d{2}[a-z]?(?:,[^()]{1,30})?\)|(?:19|20)\d{2}[a-z]?(?=[.:]\s))?\s*[,.:;]?\s*"
)
_LONGEST = 1500  # characters
_LINES_BEFORE_PEOPLE = 4
_WORDS_OF_A_BUTTON = 4
_TAG = re.compile(r"^\s*[\[(]\s*([^\[\]()]{3,40}?)\s*[\])]\s*[:.,–—|-]?\s*")
_SHORT_YEAR_PIVOT = 50


def read_citation(page: str, entry: Block) -> WorkRecord | None:
    """The publication of an entry, or None if no title can be identified."""
    text, tag = _without_tag(entry, _without_notes(_without_buttons(entry, titles.plain(entry.text))))
    text = _with_lines(text)
    leading = None if tag else _LEADING_YEAR.match(text)
    text = _with_people_apart(text[leading.end() :] if leading else text)
    parts = titles.title_in(entry, text)
    if parts is None:
        return None
    before, title, after = parts
    people, after = _authors(before, after)
    authors, complete = split_authors(people) if people else ((), False)
    venue, year = tag or _venue(entry, after)
    if not venue and not year:
        # The venue is behind the title, or before it.
        venue, year = _acronym([before]) or ("", None)
    behind = titles.YEAR_BEHIND.search(title)
    years = (_latest_year(after), behind and int(behind[1]), leading and int(leading[1]), _latest_year(before))
    bare = clean_title(title[: behind.start()] if behind else title)
    return WorkRecord(
        key=slug(bare),
        title=bare,
        authors=authors,
        authors_complete=complete,
        venue=venue,
        venue_full=_venue_full(without_labels(entry, after), venue),
        year=year or next((found for found in years if found), None),
        awards=_awards(entry, after),
        links=tuple(
            Link("paper", link.url) if link.label.strip(" .") == title.strip(" .") else link
            for link in open_links(entry)
        ),
        origins=(Origin(page, entry.line),),
    )


def clean_title(text: str) -> str:
    """A title on one line without surrounding punctuation; "Ph.D." keeps its full stop."""
    whole = re.sub(r"^\s*[\[(](?:19|20)\d{2}[\])]\s*", "", " ".join(text.split())).strip(" ,;:")
    title = whole.strip(' ,;:“”"')
    is_stop = title.endswith(".") and not title.endswith("...") and not re.search(r"(?:^|\s)(?:\w+\.){2,}$", title)
    return title[:-1].rstrip() if is_stop else title


def open_links(entry: Block) -> tuple[Link, ...]:
    """The absolute web links of an entry; one that is shown as its address is named after what it is."""
    named = ((_SHOWN_ADDRESS.sub("", label), href) for label, href in entry.links() if is_open_address(href))
    return tuple(Link(label or ("DOI" if "doi.org/" in href else "link"), href) for label, href in named)


def read_venue(text: str) -> tuple[str, int | None]:
    """A venue and its year: "ICLR 2024", "FL-AAAI workshop '22"; without a year, the text itself and None."""
    venue = " ".join(text.split()).strip(" .,;:()")
    match = re.fullmatch(r"(.*?)[\s,]*(?:['’](\d{2})|((?:19|20)\d{2}))", venue)
    if match and match[1]:
        return match[1].strip(" ,"), _full_year(match[2] or match[3])
    return venue, None


def _without_notes(text: str) -> str:
    """An entry without "[pdf] [code]", which would confuse sentence splitting, and without notes on its people."""
    text = _NEWS_AHEAD.sub("", text)
    text = re.sub(r"\s*\[+([^\[\]]{1,40})\]+", lambda mark: "" if titles.LINK_LABELS.match(mark[1]) else mark[0], text)
    return _KIND_OF_WORK.sub(". ", _NOTE_ON_PEOPLE.sub("", text))


def _with_lines(text: str) -> str:
    """An entry in lines if it is divided by bars or dashes ("A Title — A. Lee, B. Kim — ICML 2020")."""
    marks = set(_BETWEEN_PARTS.findall(text))
    if "\n" not in text and len(marks) == 1 and text.count(*marks) > 1:
        return _BETWEEN_PARTS.sub("\n", text)
    # "A. Lee, B. Kim · Journal of Things", below a title.
    return "\n".join(
        _BEHIND_PEOPLE.sub("\n", line, count=1)
        if not are_names(line) and are_names(_BEHIND_PEOPLE.split(line)[0])
        else line
        for line in text.split("\n")
    )


def _with_people_apart(text: str) -> str:
    """An entry with a full stop behind its people, whose given names stand first."""
    found = titles.leading_people(text[:_LONGEST])
    if found is not None:
        names, end = found
        behind = _BEHIND_INVERTED.match(text, end)
        year = f" ({behind['year'].strip('()')})" if behind and behind["year"] else ""
        return f"{names}{year}. {text[behind.end() if behind else end :]}"
    for pattern, stopped in _BEFORE_TITLE:
        match = pattern.match(text)
        people = match[1].strip(" .,") if match else ""
        if match and titles.are_all_names(people) and (pattern is not _COLON or len(split_authors(people)[0]) > 1):
            return match.expand(stopped) + text[match.end() :]
    return text


def _without_buttons(entry: Block, text: str) -> str:
    """An entry without links of a few words in square brackets ("[Blog post]")."""
    for label, _ in entry.links():
        if f"[{label}]" in text and len(label.split()) <= _WORDS_OF_A_BUTTON:
            text = re.sub(rf"\s*\[+{re.escape(label)}\]+", "", text, count=1)
    return text


def _latest_year(text: str) -> int | None:
    """The latest year in a text that is no number of pages or of a preprint."""
    return latest_year(_NO_YEAR.sub(" ", text))


def _without_tag(entry: Block, text: str) -> tuple[str, tuple[str, int | None] | None]:
    """An entry without a leading venue in brackets or in a badge ("[VLDB'25] …"), and that venue."""
    match = _TAG.match(text)
    badge = titles.VENUE.match(text)
    if match is None and badge and (badge[0] in entry.marked(strong=False) or has_venue(badge["name"])):
        rest = text[badge.end() :]
        is_sure = len(badge["year"]) > 2 or badge["mark"]  # noqa: PLR2004 - four digits are a full year
        if is_sure and re.match(r"[\s:.,–—|-]*[\n\s][“\"A-Z]", rest):
            return rest.lstrip(" :.,–—|-\n"), (badge["name"], _full_year(badge["year"]))
    venue, year = read_venue(match[1]) if match else ("", None)
    return (text[match.end() :], (venue, year)) if match and year and venue != venue.lower() else (text, None)


def _full_year(digits: str) -> int:
    if len(digits) > 2:  # noqa: PLR2004 - four digits are a full year
        return int(digits)
    return (2000 if int(digits) < _SHORT_YEAR_PIVOT else 1900) + int(digits)


def _authors(before: str, after: str) -> tuple[str, str]:
    """The text that names the authors, and the rest of `after`."""
    people = re.sub(r"\((?:19|20)\d{2}[a-z]?\)", " ", _DATE_BEHIND.sub("", before)).strip(" .,:;\n-")
    # "A. Lee. In ICML 2020. A Title."
    for part in (people, *titles.sentences_of(people)[:1]):
        if part and are_names(part):
            return part, after
    remainder = _BY.sub("", after.lstrip(" .,:;\n-–—|"))
    for part in (remainder.partition("\n")[0], (titles.sentences_of(remainder) or [""])[0]):
        if part and are_names(part):
            return part, remainder[len(part) :]
    inverted = titles.leading_people(remainder)
    names, end = inverted or (titles.leading_names(remainder), len(titles.leading_names(remainder)))
    if names:
        return names, remainder[end:]
    # The venue, then people on a line of their own.
    lines = remainder.split("\n")
    for index, said in enumerate(lines[1:_LINES_BEFORE_PEOPLE], start=1):
        line = _BY.sub("", said)
        if are_names(line) and len(split_authors(line)[0]) > 1:
            return line, "\n".join([*lines[:index], *lines[index + 1 :]])
    return "", after


def _venue(entry: Block, after: str) -> tuple[str, int | None]:
    """The short venue and its year: "ICLR 2025" in emphasis or in brackets first, then longer names."""
    emphasised = _runs(entry, after, strong=False)
    for run in (*emphasised, *_runs(entry, after, strong=True)):
        match = titles.VENUE.fullmatch(run)
        if match:
            return match["name"].strip(" -"), _full_year(match["year"])
    groups = re.findall(r"\(([^()]{2,60})\)", after)
    short = _acronym([*reversed(groups), after])
    if short is not None:
        return short
    for run in emphasised:
        if not are_names(run) and not titles.AWARD_WORDS.search(run):
            return read_venue(run)
    for group in reversed(groups):
        name, year = read_venue(group)
        if year and len(name.split()) > 1 and name[0].isupper():
            return name, year
    return ("arXiv", _latest_year(after)) if "arxiv" in after.lower() else _first_phrase(after)


def _runs(entry: Block, after: str, *, strong: bool) -> list[str]:
    runs = [titles.plain(run).strip("() .,") for run in entry.marked(strong=strong)]
    return [run for run in runs if run and run in after]


def _acronym(texts: list[str]) -> tuple[str, int | None] | None:
    """The first "NAME 2024" or "NAME'24" with at least two capitals."""
    for text in texts:
        for match in titles.VENUE.finditer(text):
            name = match["name"].strip(" -")
            year_is_sure = len(match["year"]) > 2 or match["mark"]  # noqa: PLR2004
            if year_is_sure and name not in _NOT_VENUES and sum(char.isupper() for char in name) > 1:
                return name, _full_year(match["year"])
    return None


def _first_phrase(after: str) -> tuple[str, int | None]:
    """The first words ("In Proceedings of X, pp. 1–9, 2020" gives Proceedings of X), or nothing."""
    match = _FIRST_PHRASE.match(after)
    if match is None or titles.LINK_LABELS.match(match[1]):
        return "", None
    return read_venue(match[1])


def without_labels(entry: Block, text: str) -> str:
    """A text without the labels of links that say nothing of a work ("pdf"), and without the brackets around them."""
    for label, _ in entry.links():
        if titles.LINK_LABELS.match(label) or _SHOWN_ADDRESS.match(label):
            text = re.sub(rf"(?<!\w){re.escape(label)}(?!\w)", "", text, count=1)
    return re.sub(r"[(\[][\s,;|/\[\]]*[)\]]", " ", text)


def _venue_full(after: str, venue: str) -> str:
    text = (
        re.sub(r"\([^()]*[A-Za-z][^()]*\)\s*\.?\s*$", "", " ".join(after.split())) if venue else " ".join(after.split())
    )
    text = re.sub(r"^[\s.,;:\])]*(?:[Ii]n[: ]\s*)?", "", text).strip(" .,;:|[]")
    return "" if text == venue or not re.search(r"[A-Za-z]{3}", text) else text


def _awards(entry: Block, after: str) -> tuple[str, ...]:
    """Awards in strong text or with common wording; one that follows a second venue is named with it."""
    marked = [titles.plain(run).strip("()[] .,") for run in entry.marked(strong=True)]
    strong = [run for run in marked if run in after and titles.AWARD_WORDS.search(run)]
    awards_at = [(after.index(run), run) for run in strong]
    for match in _AWARD.finditer(after):
        if not any(match[0] in run for _, run in awards_at):
            awards_at.append((match.start(), match[0]))
    venues = [(match.start(), match[0]) for match in titles.VENUE.finditer(after) if len(match["year"]) > 2]  # noqa: PLR2004
    short = [venue for venue in venues if any(venue[1] in titles.plain(run) for run in entry.marked(strong=False))]
    awards: list[str] = []
    for position, award in sorted(awards_at):
        name = re.sub(r"^(?:selected\s+)?as\s+|^selected\s+", "", award, flags=re.IGNORECASE).strip()
        name = "Oral" if name.lower() == "oral presentation" else name
        before = [venue for start, venue in short if start < position]
        awards.append(f"{before[-1]} {name}" if len(before) > 1 else name)
    return tuple(dict.fromkeys(awards))


_NUMBERED = re.compile(r"\A\s*(?:\[\s*[A-Za-z]{0,3}\d{1,4}\s*\]|\(\s*\d{1,3}\s*\)|[A-Z]{0,2}\d{1,3}[.)](?=\s|$))\s*")
_NUMBER = re.compile(r"\W*\d{1,4}(?:\s*·\s*\d{1,4})?\W*")
# A line that ends within a list of people; a remark on people in brackets.
_GOES_ON = re.compile(r"(?:[,;&]|\band)\s*$")
_NOTE = re.compile(r"\([^()]*\)|\.\s*$")
_BUTTONS = frozenset(("cite", "cited", "citation", "copy", "share", "more", "details", "reprint", "ps"))
_SHORT_ENTRY = 40
_SEVERAL = 3


def publication_entry(block: Block, runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """An entry of a list of publications, or the row of a table."""
    runs = _at_soft_breaks(runs)
    if block.is_row:
        # Numbers and years of a row stand last.
        runs = joined(sorted(filled_lines(runs), key=lambda line: _is_numbering(flat(line))))
    first, *others = dropwhile(lambda run: not run.text.strip(), runs)
    # Without its leading "[12]" or "3.".
    return without_buttons((replace(first, text=_NUMBERED.sub("", first.text)), *others))


def entries_in(block: Block) -> Iterator[tuple[Run, ...]]:
    """The entries of a paragraph: lines that all have a year or a number, or parts between blank lines."""
    lines = list(lines_of(block.runs))
    texts = ["".join(run.text for run in line).strip() for line in lines]
    numbered = sum(bool(_NUMBERED.match(text)) for text in texts)
    filled = [text for text in texts if text]
    dated = sum(len(text) > _SHORT_ENTRY and bool(years(text)) for text in filled)
    each = len(filled) >= _SEVERAL and dated * 5 >= len(filled) * 4
    current: list[list[Run]] = []
    for line, text in zip(lines, texts, strict=True):
        starts = each or (_NUMBERED.match(text) if numbered > 1 else not text)
        if starts and current:
            yield joined(current)
            current = []
        if text:
            current.append(line)
    if current:
        yield joined(current)


def is_number(text: str) -> bool:
    """Whether a line is nothing but a number or a year."""
    return bool(_NUMBER.fullmatch(text))


def are_buttons(text: str) -> bool:
    """Whether a text consists of link labels only: "PDF", "Cite", "project page"."""
    return bool(titles.LINK_LABELS.match(" ".join(text.split()))) or all(
        word.casefold() in _BUTTONS or titles.LINK_LABELS.match(word) for word in re.findall(r"\w+", text)
    )


def without_buttons(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """The lines of an entry that say something; of lines of links and buttons only what leads somewhere."""
    kept: list[list[Run]] = []
    for line in lines_of(runs):
        with_text = [run for run in line if any(map(str.isalnum, run.text))]
        if with_text and all(are_buttons(run.text) for run in with_text):
            line = [part for run in line if is_open_address(run.href) for part in (run, Run(" "))]  # noqa: PLW2901
        kept += [line] if flat(line) else []
    return joined(kept)


def _at_soft_breaks(runs: tuple[Run, ...]) -> tuple[Run, ...]:
    """The runs with line breaks at the line ends of the file, if one of its lines is a whole list of people."""
    lines = "".join(run.text for run in runs).split(SOFT_BREAK)
    people = (line for line in lines[:-1] if not _GOES_ON.search(line) and titles.are_all_names(_NOTE.sub("", line)))
    end = "\n" if any(people) or (len(lines) > 1 and titles.are_all_names(_NOTE.sub("", lines[-1]))) else " "
    return tuple(replace(run, text=run.text.replace(SOFT_BREAK, end)) for run in runs)


def _is_numbering(text: str) -> bool:
    return bool(re.fullmatch(r"\W*(?:\d{1,4}|[A-Z]{1,2}\d{1,3})\W*", text) or titles.VENUE.fullmatch(text))
