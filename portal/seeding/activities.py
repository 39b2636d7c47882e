"""Lines of a home page about courses, talks, degrees, jobs, service, awards and news → `ActivityRecord`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from portal.seeding.citation_titles import LINK_LABELS
from portal.seeding.citations import clean_title, open_links, read_venue, without_labels
from portal.seeding.names import slug
from portal.seeding.records import ActivityKind, ActivityRecord, Link, Origin, WorkRecord
from portal.seeding.texts import MONTHS, SEASONS, TIME_SPAN, latest_year, sentences
from portal.seeding.values import why_no_title

if TYPE_CHECKING:
    from portal.seeding.page_blocks import Block


_QUOTED = re.compile(r"[“\"]([^“”\"]{4,300})[”\"]")
_TIME_LEFT = re.compile(
    rf"(?i)^\W*((?:(?:19|20)\d{{2}}/\d{{2}}(?!\d)|{TIME_SPAN})(?:\s+(?:{SEASONS})(?:\s+Semester)?)?)\s*[,:.)\]–-]*\s*"
)
_TIME_RIGHT = re.compile(rf"[,\s(\[–-]{{0,6}}({TIME_SPAN})\s*[)\]]?\s*\.?\s*$", re.IGNORECASE)
_TERM_IN_BRACKETS = re.compile(r"\(([^()]*(?:19|20)\d{2}[^()]*)\)")
_NEWS_DATE = re.compile(
    rf"(?i)^\W*((?:19|20)\d{{2}}(?:[./-]\d{{1,2}}){{0,2}}|(?:{MONTHS})[a-z]*\.?\s+(?:\d{{1,2}},?\s+)?(?:19|20)\d{{2}}|"
    r"\d{1,2}/(?:19|20)\d{2})[^\w\[]*"
)
_ADVISED = re.compile(r",?\s*\b((?:co-)?(?:advised|supervised|mentored|hosted) by .+)$", re.IGNORECASE)
_TITLE_LIMIT = 500
_Parts: TypeAlias = tuple[str, str, str, str]  # title, organisation, time, note


def read_activities(page: str, kind: ActivityKind, entry: Block) -> list[ActivityRecord]:
    """The activities of one entry; each nested item gives one, with the outer text as its note."""
    if entry.children:
        outer = entry.flat.strip(" :")
        inner = (activity for child in entry.children for activity in read_activities(page, kind, child))
        return [
            replace(
                activity,
                key=slug(f"{kind} {outer} {activity.title} {activity.when}"),
                note=f"{outer}; {activity.note}" if activity.note else outer,
            )
            for activity in inner
        ]
    readers = {"course": _course, "talk": _talk, "service": _service, "award": _award, "news": _news}
    said, organisation, at, note = readers.get(kind, _position)(_without_links(entry, entry.flat).strip(" |"), entry)
    # "2022年 …" has the word for year behind it.
    title = clean_title(re.sub(r"^年(?:\d{1,2}月)?[\s，：:]*", "", said))
    when = " ".join(at.split()).strip(" ,.;:()[]")
    record = ActivityRecord(
        key=slug(f"{kind} {title} {when}"),
        kind=kind,
        title=title[:_TITLE_LIMIT],
        organisation=organisation.strip(" ,.;:@|-–—"),
        when=when,
        year=latest_year(_expand_short_years(when)),
        note=note.strip(" ,.;"),
        links=open_links(entry),
        origins=(Origin(page, entry.line),),
    )
    return [record] if title else []


def _expand_short_years(when: str) -> str:
    """Writes out the second year of "2022/23"; a number up to 12 is a month ("2016/08")."""
    return re.sub(r"((?:19|20)\d{2})/(1[3-9]|[2-9]\d)(?![\d/])", lambda span: f"{span[1]} {span[1][:2]}{span[2]}", when)


def _dated(text: str) -> tuple[str, str]:
    """A text without the time at its beginning or end, and that time."""
    left, right = _TIME_LEFT.match(text), _TIME_RIGHT.search(text)
    if left and left.end() < len(text):
        return clean_title(text[left.end() :]), left[1]
    if right and right.start() > 0:
        return clean_title(text[: right.start()]), right[1]
    return clean_title(text), ""


def _course(text: str, _entry: Block) -> _Parts:
    """Parses "COMP4091Y (Spring 2024, Spring 2025)", "2023 Spring Semester, COMP7940 Cloud Computing"."""
    bracket = _TERM_IN_BRACKETS.search(text)
    if bracket:
        return (text[: bracket.start()] + text[bracket.end() :]).strip(" ,:"), "", bracket[1], ""
    title, when = _dated(text)
    return title, "", when, ""


def _talk(text: str, _entry: Block) -> _Parts:
    """Parses "2024 Some Workshop @ City "Title" [Slides]"; without quotes the first part is the title."""
    quoted = _QUOTED.search(text)
    if quoted is None:
        whole, when = _dated(text)
        return whole, "", when, ""
    around, when = _dated(f"{text[: quoted.start()]} {text[quoted.end() :]}".strip())
    year = re.match(r"(20\d{2}|19\d{2})\s*[-–:]\s*", quoted[1])
    title = quoted[1][year.end() :] if year else quoted[1]
    return title, re.sub(r"^(?:at|in)\s+", "", around), when or (year[1] if year else ""), ""


def _service(text: str, _entry: Block) -> _Parts:
    """Parses "ICLR Reviewer: 2022, 2023" or just a journal's name."""
    title, _, behind = text.partition(":")
    is_time = re.match(r"\s*(?:19|20)\d{2}", behind)
    if behind.strip():
        return title, "" if is_time else behind, behind if is_time else "", ""
    title, when = _dated(text)
    return title, "", when, ""


def _award(text: str, _entry: Block) -> _Parts:
    """Parses "2022/23, Research Performance Award, HKBU CS Department"."""
    whole, when = _dated(text)
    title, _, where = whole.partition(",")
    return title, where, when, ""


def _position(text: str, entry: Block) -> _Parts:
    """Parses "**Ph.D.** University (*2016/08 - 2020/12*)" or "09/2023-present: Researcher, Place, advised by …"."""
    whole, when = _dated(text)
    advised = _ADVISED.search(whole)
    rest = whole[: advised.start()] if advised else whole
    strong = entry.marked(strong=True)
    if strong and rest.startswith(strong[0]):
        title, where = strong[0], rest[len(strong[0]) :]
    else:
        title, _, where = rest.partition(",")
    return title, where, when, advised[1] if advised else ""


def _news(text: str, _entry: Block) -> _Parts:
    """Parses "[2024.01] Something happened."; the whole text is the title, cut after 500 characters."""
    date = _NEWS_DATE.match(text)
    title = text[date.end() :] if date else text
    # "[Paper]" before what was new is its kind.
    title = re.sub(r"^[^\w\"“‘'(\[]+|^\[[^\[\]]{1,20}\][\s:.,-]*(?=\S)", "", title)
    return title, "", date[1] if date else "", ""


_PAPER = re.compile(
    r"(?i)\b(?:papers?|article|preprint|survey|manuscript|accepted|published|arxiv|to appear|spotlight|oral)\b"
)
_NOT_A_PAPER = re.compile(r"\b(?:talk|keynote|tutorial|award|lecture|grant|workshop on)\b", re.IGNORECASE)
_ACCEPTED = re.compile(
    r"(?i)\b(?:accepted|published|appears?|appeared|presented|selected)\s+(?:at|by|to|in|for|as)\s+(?:the\s+)?"
    r"(.{2,120}?)(?=\s+as\s+|\s+with\s+|[.,;!(\[]|$)"
)
_AWARD = re.compile(r"(?i)(?:\bas\s+(?:an?\s+)?|\()(oral|spotlight|best paper\w*)(?:\s+presentation|\s+paper)?(?!\w)")
# "the best paper in ICML"
_HONOUR = re.compile(r"(?i)^.{0,40}\b(?:award|paper|oral|spotlight)\b.{0,20}?\b(?:at|in|of|by)\s+(?:the\s+)?")


def read_paper_news(page: str, entry: Block) -> WorkRecord | None:
    """The paper that a news line announces by its quoted (or linked) title, or None if there is none.

    Its abstract is the rest of the line; news do not list authors, so the list is empty and marked as incomplete.
    """
    text = entry.flat
    title_and_end = _title(entry, text)
    if title_and_end is None or not _PAPER.search(text):
        return None
    title, end = title_and_end
    rest = _without_links(entry, text[end:])
    if _NOT_A_PAPER.search(text[: end - len(title)]):
        return None
    dated = _NEWS_DATE.match(text)
    date = dated[1] if dated else ""
    accepted = _ACCEPTED.search(rest)
    venue, year = read_venue(_HONOUR.sub("", accepted[1])) if accepted else ("", None)
    award = _AWARD.search(rest)
    body = [sentence for sentence in sentences(rest)[1:] if re.search(r"\w{3}", sentence)]
    return WorkRecord(
        key=slug(clean_title(title)),
        title=clean_title(title),
        authors_complete=False,
        venue=venue,
        year=year or latest_year(date),
        date=date,
        abstract=" ".join(body),
        links=tuple(Link("paper", link.url) if link.label == title else link for link in open_links(entry)),
        awards=(award[1].capitalize(),) if award else (),
        origins=(Origin(page, entry.line),),
    )


def _title(entry: Block, text: str) -> tuple[str, int] | None:
    quoted = _QUOTED.search(text)
    if quoted:
        return quoted[1], quoted.end()
    for label, _ in entry.links():
        is_title = len(label.split()) > 3 and not LINK_LABELS.match(label)  # noqa: PLR2004 - a title
        if is_title and label in text and not why_no_title(label):
            return label, text.index(label) + len(label)
    return None


def _without_links(entry: Block, text: str) -> str:
    """The text on one line without link labels such as "paper"."""
    return re.sub(r"\s+([.,;])", r"\1", " ".join(without_labels(entry, text).split())).lstrip(" .,;:")
