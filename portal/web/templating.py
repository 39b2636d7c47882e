"""Filters and functions for all templates: dates with their zone, paragraphs, highlights."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlencode

from flask import g, request, url_for
from jinja2.utils import urlize
from markupsafe import Markup, escape

from portal.mail.rendering import add_contact_filters
from portal.matching.formula import FULL, strength
from portal.moments import READERS_ZONE, format_in_zone, is_zone, told
from portal.web.access import is_of_api
from portal.web.word_diff import word_diff

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from flask import Flask

    from portal.matching.results import Source, TermShare


Kind = Literal["topic", "statement", "resume", "added"]
KINDS: tuple[Kind, ...] = ("topic", "statement", "resume", "added")
"""In the order of the bar."""
_KIND_OF: dict[str, Kind] = {kind: kind for kind in KINDS}


class ScorePart(NamedTuple):
    """The part of a score from one kind of source: `x` and `width` on the bar in per cent, and its printed figures."""

    kind: Kind
    x: float
    width: float
    points: float


def kind_of_source(source: Source | Kind) -> Kind:
    """The kind under which pages show a source; all terms that the matcher added are one kind."""
    return _KIND_OF.get(source, "added")


def score_parts(shares: Iterable[TermShare], score: float) -> Iterator[ScorePart]:
    """The parts of `score` that are above zero, on a bar whose scale is the same for every query; their figures add up
    to the rounded score.
    """
    totals = dict.fromkeys(KINDS, 0.0)
    for item in shares:
        totals[kind_of_source(item.source)] += item.share
    scale = 100 / (max(FULL, score))
    parts = [(kind, share) for kind, share in totals.items() if share > 0]
    so_far, points = 0.0, 0.0
    for kind, share in parts:
        x, so_far = so_far * scale, so_far + share
        whole = score if kind == parts[-1][0] else so_far
        part = ScorePart(kind, x, share * scale, round(whole, 3) - points)
        points += part.points
        yield part


_STAMP = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d)[\d:.]*(?: UTC|\+00:00|Z)")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
# No blank stands between an address and these, so that they would be taken for a part of it.
_WIDE_PUNCTUATION = re.compile("([、。，；：！？（）《》「」“”‘’])")
# Placeholders for tags while the text is escaped: two code points that Unicode guarantees never to assign.
_OPENS, _CLOSES, _UNKNOWN = "\ufdd0", "\ufdd1", "\ufffd"


def point_in_time(moment: datetime | None) -> str:
    """A moment with its zone, as in "20 Nov 2026, 21:55 UTC"; empty for None."""
    if moment is None:
        return ""
    local = moment.astimezone(UTC)
    return f"{local.day} {local:%b %Y, %H:%M} UTC"


def calendar_day(day: date | None) -> str:
    """A day without a time, as in "15 Dec 2026"; empty for None."""
    return f"{day.day} {day:%b %Y}" if day else ""


def time_left(until: datetime) -> str:
    """How long it is from now until then, as in "12 days left", "5 hours left"; empty when it has passed."""
    seconds = (until - datetime.now(UTC)).total_seconds()
    for length, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= (2 * length if unit == "day" else length):
            return f"{counted(int(seconds // length), unit, f'{unit}s')} left"
    return "less than a minute left" if seconds > 0 else ""


def time_element(moment: datetime | None, zone: str = "", *, is_deadline: bool = False) -> Markup:
    """A <time> element in UTC or in `zone`; static/js/local-time.js puts it into the reader's own zone, and the other
    one into its title, or beside it where `is_deadline`.
    """
    if moment is None:
        return Markup("")
    stamp = moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    text = escape(format_in_zone(moment, zone) if zone else point_in_time(moment))
    kind = "deadline" if is_deadline else "moment"
    element = f'<time datetime="{stamp}" data-local-time="{kind}">{text}</time>'
    return Markup(element)  # noqa: S704  (a stamp of digits; the rest is escaped)


def in_own_zone(text: str) -> str:
    """A stored text with its points in time, which are in UTC, as `told` to its reader."""
    return _STAMP.sub(lambda stamp: told(datetime.fromisoformat(f"{stamp[1]}+00:00"), "UTC"), text)


def deadline_element(moment: datetime | None, zone: str) -> Markup:
    """`time_element` of a moment until which somebody has to act."""
    return time_element(moment, zone, is_deadline=True)


def paragraphs(text: str) -> Markup:
    """Plain text as <p> elements, each in its own direction; a blank line separates them, a line break stays one."""
    return _in_paragraphs(escape(text))


def paragraphs_with_links(text: str) -> Markup:
    """The same, with addresses of web pages and of people as links: for what administrators write."""
    return _in_paragraphs(with_links(text))


def with_links(text: str, rel: str = "") -> Markup:
    """Plain text with addresses of web pages and of people as links, which have this relation."""
    linked = "".join(urlize(part, rel=rel or None) for part in _WIDE_PUNCTUATION.split(text))
    return Markup(linked)  # noqa: S704  (`urlize` escapes the text)


def _in_paragraphs(escaped: Markup) -> Markup:
    blocks = (block.strip() for block in _BLANK_LINE.split(str(escaped).replace("\r\n", "\n")))
    html = "\n".join(f'<p dir="auto">{block.replace(chr(10), "<br>")}</p>' for block in blocks if block)
    return Markup(html)  # noqa: S704  (escaped before)


def highlighted(text: str, spans: Iterable[tuple[int, int]]) -> Markup:
    """`text` with the character ranges in `spans` (start, end) inside <mark>; overlapping ranges are joined."""
    text = text.replace(_OPENS, _UNKNOWN).replace(_CLOSES, _UNKNOWN)
    marked: list[str] = []
    done = 0
    for start, end in sorted(spans):
        begin = max(start, done)
        if end <= begin:
            continue
        marked += (text[done:begin], _OPENS, text[begin:end], _CLOSES)
        done = end
    marked.append(text[done:])
    html = str(escape("".join(marked))).replace(_OPENS, "<mark>").replace(_CLOSES, "</mark>")
    return Markup(html)  # noqa: S704  (escaped before; the two code points occurred nowhere else)


def counted(number: int, singular: str, plural: str) -> str:
    """A number with its noun: "1 lab", "1,200 labs"."""
    return f"{number:,} {singular if number == 1 else plural}"


def grouped(number: int) -> str:
    """1200 → "1,200"."""
    return f"{number:,}"


def ordinal(number: int) -> str:
    """1 → "1st", 2 → "2nd", 11 → "11th"."""
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")  # noqa: PLR2004
    return f"{number:,}{ending}"


def per_cent_of(share: float, total: float) -> str:
    """A part of a total in whole per cent, as in "12 %"; a part above zero is never "0 %" but "under 1 %"."""
    return f"{round(100 * share / total) or 'under 1'} %"


def this_page_with(**changes: Any) -> str:  # noqa: ANN401  (query values of any printable type)
    """URL of this page with some query values replaced, or removed if the value is None."""
    query: dict[str, Sequence[str]] = dict(request.args.lists())
    for name, value in changes.items():
        if value is None:
            query.pop(name, None)
        else:
            query[name] = value if isinstance(value, list) else [str(value)]
    # The query is joined by hand: url_for would take a reader's ?_scheme=… or ?endpoint=… for its own arguments.
    path = _this_path()
    return f"{path}?{urlencode(query, doseq=True)}" if query else path


def page_is_at(path: str) -> None:
    """Set the path of this page if it answers a submitted form, so that its links to itself lead there."""
    g.this_path = path


def _this_path() -> str:
    """The path of this page, computed once per request: pages have dozens of links to themselves."""
    if "this_path" not in g:
        g.this_path = url_for(str(request.endpoint), **(request.view_args or {}))
    path: str = g.this_path
    return path


ZONE_COOKIE = "zone"  # which static/js/own-zone.js sets


def _read_in_own_zone() -> None:
    """Word the times of this request in the zone that the reader's browser told; programs get those of the cycles."""
    zone = "" if is_of_api() else request.cookies.get(ZONE_COOKIE, "")
    READERS_ZONE.set(zone if is_zone(zone) else "")


def _forget_zone(_error: BaseException | None) -> None:
    READERS_ZONE.set("")


def init_templating(app: Flask) -> None:
    """Give the templates of `app` these filters and functions, and its sentences the reader's time zone."""
    app.before_request(_read_in_own_zone)
    app.teardown_request(_forget_zone)
    app.jinja_env.filters.update(
        calendar_day=calendar_day,
        deadline_element=deadline_element,
        time_element=time_element,
        time_left=time_left,
        in_own_zone=in_own_zone,
        told=told,
        paragraphs=paragraphs,
        paragraphs_with_links=paragraphs_with_links,
        with_links=with_links,
        highlighted=highlighted,
        grouped=grouped,
        ordinal=ordinal,
        per_cent_of=per_cent_of,
        kind_of_source=kind_of_source,
        score_parts=score_parts,
        strength=strength,
        word_diff=word_diff,
    )
    add_contact_filters(app.jinja_env)
    app.jinja_env.globals.update(this_page_with=this_page_with, counted=counted)
    app.jinja_env.trim_blocks = True
    app.jinja_env.lstrip_blocks = True
