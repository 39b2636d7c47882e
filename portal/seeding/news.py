"""News lines that announce a paper → a `WorkRecord`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.seeding.citation_titles import LINK_LABELS
from portal.seeding.citations import clean_title, open_links, read_venue
from portal.seeding.names import slug
from portal.seeding.phrases import latest_year, sentences
from portal.seeding.records import Link, Origin, WorkRecord
from portal.seeding.titles import why_no_title

if TYPE_CHECKING:
    from portal.seeding.page_blocks import Block

_PAPER = re.compile(
    r"\b(?:papers?|article|preprint|survey|manuscript|accepted|published|arxiv|to appear|spotlight|oral)\b",
    re.IGNORECASE,
)
_NOT_A_PAPER = re.compile(r"\b(?:talk|keynote|tutorial|award|lecture|grant|workshop on)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[“\"]([^“”\"]{8,500})[”\"]")
_ACCEPTED = re.compile(
    r"\b(?:accepted|published|appears?|appeared|presented|selected)\s+(?:at|by|to|in|for|as)\s+(?:the\s+)?"
    r"(.{2,120}?)(?=\s+as\s+|\s+with\s+|[.,;!(\[]|$)",
    re.IGNORECASE,
)
_AWARD = re.compile(
    r"(?:\bas\s+(?:an?\s+)?|\()(oral|spotlight|best paper\w*)(?:\s+presentation|\s+paper)?(?!\w)", re.IGNORECASE
)
# "the best paper in ICML"
_HONOUR = re.compile(
    r"^.{0,40}\b(?:award|paper|oral|spotlight)\b.{0,20}?\b(?:at|in|of|by)\s+(?:the\s+)?", re.IGNORECASE
)
_DATE = re.compile(r"^\W*((?:19|20)\d{2}(?:[./-]\d{1,2}){0,2}|[A-Z][a-z]{2,8}\.?\s+(?:\d{1,2},?\s+)?(?:19|20)\d{2})")


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
    dated = _DATE.match(text)
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
    """The text without link labels such as "paper" and the brackets around them."""
    for label, _ in entry.links():
        if LINK_LABELS.match(label):
            text = re.sub(rf"(?<!\w){re.escape(label)}(?!\w)", "", text, count=1)
    text = re.sub(r"[(\[][\s,;|/\[\]]*[)\]]", " ", text)
    return re.sub(r"\s+([.,;])", r"\1", " ".join(text.split())).lstrip(" .,;:")
