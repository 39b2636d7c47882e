"""Rendering mails: the texts of their kinds, also as HTML; and the address
to write to, PORTAL_CONTACT, where mails and pages advise to write to the administrators.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, pass_context, select_autoescape
from markupsafe import Markup, escape

from portal.config import RESOURCES
from portal.mail.kinds import KINDS
from portal.moments import ANYWHERE_ON_EARTH, READERS_ZONE, is_zone, told, told_deadline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from jinja2.runtime import Context

    from portal.config import Settings
    from portal.mail.kinds import Kind


ADVICE = re.compile(
    r"\b(?:contact|write to|tell|ask) (?:an administrator|the administrators)(?: of the portal)?\b", re.IGNORECASE
)
"""The words in which a text says to write to them. A new text uses these, so that it names the address."""


def with_contact(text: str, address: str) -> str:
    """A plain text with the address after each advice to write to the administrators, as in "ask an administrator
    (help@example.edu)"; unchanged if no address is set.
    """
    return ADVICE.sub(lambda advice: f"{advice[0]} ({address})", text) if address else text


def mailto(address: str) -> str:
    """The URL with which a link opens a mail to an address."""
    return f"mailto:{quote(address, safe='@')}"


@pass_context
def _in_template(context: Context, text: str) -> str:
    """`with_contact` as a filter: in HTML, the address is a link."""
    address: str = context["config"]["PORTAL"].contact
    if not context.eval_ctx.autoescape:
        return with_contact(text, address)
    link = Markup('<a href="{}">{}</a>').format(mailto(address), address)
    return Markup(with_contact(str(escape(text)), link if address else ""))  # noqa: S704  (escaped before)


def add_contact_filters(environment: Environment) -> None:
    """Give the templates of pages or mails the filters `with_contact` and `mailto`."""
    environment.filters.update(with_contact=_in_template, mailto=mailto)


LONGEST_SUBJECT = 200
LONGEST_NAME = 60  # of a lab or a cycle in a subject
QUOTED = "    "
_ITEM = re.compile(r"(?:- |\d+\. )")
_SHOWN = re.compile(r"\{\{ (\w+) \}\}")  # a field in a line, as it is


@dataclass(frozen=True, slots=True)
class Letterhead:
    """The settings that mails show, under the names that the settings have; all but `base_url` may be empty."""

    base_url: str
    name: str = ""
    operator: str = ""
    contact: str = ""
    privacy_url: str = ""

    @classmethod
    def of(cls, settings: Settings) -> Letterhead:
        """That of the portal with these settings."""
        return cls(**{part.name: getattr(settings, part.name) for part in fields(cls)})


@dataclass(frozen=True, slots=True)
class RenderedMail:
    """The text of a mail."""

    subject: str
    text: str
    html: str


def moment(stamp: str, zone: str = "UTC") -> str:
    """An ISO text as a moment in the reader's zone, else in `zone`: "15 Dec 2026, 23:59 (Anywhere on Earth)";
    UTC for an unknown zone.
    """
    return told(datetime.fromisoformat(stamp), zone if is_zone(zone) else "UTC")


def deadline(stamp: str, zone: str) -> str:
    """The same with `zone` beside it. Anywhere on Earth, in which nobody lives, is followed by UTC where the reader's
    zone is not known: "15 Dec 2026, 23:59 (Anywhere on Earth: 16 Dec, 11:59 UTC)".
    """
    text = told_deadline(datetime.fromisoformat(stamp), zone if is_zone(zone) else "UTC")
    if zone != ANYWHERE_ON_EARTH or READERS_ZONE.get():
        return text
    utc = datetime.fromisoformat(stamp).astimezone(UTC)
    return f"{text.removesuffix(')')}: {utc.day} {utc:%b, %H:%M} UTC)"


def day(stamp: str) -> str:
    """An ISO day, such as "15 Dec 2026"."""
    parsed = datetime.fromisoformat(stamp)
    return f"{parsed.day} {parsed:%b %Y}"


def greeting(name: str) -> str:
    """How a mail begins: "Hello Li Wei,", or "Hello," to somebody whose name is not known."""
    return f"Hello {name}," if name else "Hello,"


def applicants(count: int) -> str:
    """A number of applicants: "1 applicant", "3 applicants"."""
    return f"{count:,} applicant{'' if count == 1 else 's'}"


@cache
def _templates() -> Environment:
    loader = FileSystemLoader(RESOURCES / "templates")
    environment = Environment(
        loader=loader,
        undefined=StrictUndefined,
        autoescape=select_autoescape(("html",), default_for_string=False),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(moment=moment, deadline=deadline, day=day, greeting=greeting)
    environment.globals.update(applicants=applicants)
    add_contact_filters(environment)
    return environment


def line_of(kind: Kind, context: Mapping[str, Any]) -> str:
    """The news in one line of plain text."""
    return _one_line(kind.line, context)


def line_of_several(kind: str, line: str, times: int) -> str:
    """One line for `times` pieces of news with the same `line`: from the template of their kind for several, or the
    line followed by a count.
    """
    if times == 1:
        return line
    mail_kind = KINDS.get(kind)  # no longer there for old news of a kind that was renamed
    match = _pattern(mail_kind.line).fullmatch(line) if mail_kind and mail_kind.several else None
    if mail_kind and match:
        return _one_line(mail_kind.several, {**match.groupdict(), "times": f"{times:,}"})
    return f"{line} ({times:,} times)"


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """A pattern that finds the fields in a line made from `template`: news stores only the line itself."""
    parts = _SHOWN.split(template)
    return re.compile("".join(f"(?P<{part}>.+)" if index % 2 else re.escape(part) for index, part in enumerate(parts)))


def rendered(kind: Kind, context: Mapping[str, Any], letterhead: Letterhead) -> RenderedMail:
    """Render a mail.

    Args:
        kind: The kind of mail.
        context: Its fields, plus `path` and `name`, which is empty for somebody who gave none.
        letterhead: What it says of the portal; links begin with its address.

    Raises: jinja2.UndefinedError: A template uses something that the context does not hold.
    """
    names = {name: _cut(context[name], LONGEST_NAME) for name in ("lab", "cycle") if name in context}
    subject = _cut(_one_line(kind.subject, {**context, **names, "portal": letterhead.name}), LONGEST_SUBJECT)
    values = {
        **context,
        "subject": subject,
        "link": f"{letterhead.base_url}{context['path']}" if context["path"] else "",
        "config": {"PORTAL": letterhead},
        "preferences": f"{letterhead.base_url}/accounts/mail" if kind.can_be_off else "",
    }
    return framed(subject, _compiled(kind.body).render(values), values)


def framed(subject: str, body: str, frame: Mapping[str, Any]) -> RenderedMail:
    """A mail with this body, as plain text and as HTML, followed by what every mail says of the portal.

    Args:
        subject: Its subject, which is also the title of the HTML.
        body: Parts with a blank line between them. A part that is indented by four spaces is a link or a quotation;
            lines that begin with "- " or a number are a list, and what is indented below one is its link.
        frame: `config`, which holds the `Letterhead` as PORTAL, and `preferences`, a link or "".
    """
    letterhead = frame["config"]["PORTAL"]
    body, footer = body.strip(), _templates().get_template("mail/footer.txt").render(frame).strip()
    parts = [_html_of(part, letterhead) for part in _parts(body)]
    html = (
        _templates()
        .get_template("mail/layout.html")
        .render(
            subject=subject,
            body=Markup("\n").join(parts),
            footer=_html_of(footer.removeprefix("--\n"), letterhead),
        )
    )
    return RenderedMail(subject, f"{body}\n\n{footer}\n", html)


def _parts(body: str) -> list[str]:
    """What blank lines divide; a quotation with blank lines in it is one."""
    parts: list[str] = []
    for part in re.split(r"\n\s*\n", body):
        if parts and part.startswith(QUOTED) and parts[-1].startswith(QUOTED):
            parts[-1] += f"\n\n{part}"
        else:
            parts.append(part)
    return parts


def _html_of(part: str, letterhead: Letterhead) -> Markup:
    if part.startswith(QUOTED):
        lines = _linked("\n".join(line.removeprefix(QUOTED) for line in part.split("\n")), letterhead)
        if lines.startswith("<a ") and "\n" not in lines:
            return Markup('<p class="way">{}</p>').format(lines)
        return Markup('<blockquote dir="auto">{}</blockquote>').format(_broken(lines))
    if item := _ITEM.match(part):
        items = [_item(text, letterhead) for text in re.split(rf"^{_ITEM.pattern}", part, flags=re.MULTILINE)[1:]]
        return Markup("<{0}>{1}</{0}>").format("ul" if item[0] == "- " else "ol", Markup().join(items))
    return Markup("<p>{}</p>").format(_broken(_linked(part, letterhead)))


def _item(text: str, letterhead: Letterhead) -> Markup:
    """An item of a list; one with a link below it is a link."""
    first, _, link = text.rstrip().partition("\n")
    if link.strip().startswith(f"{letterhead.base_url}/"):
        return Markup('<li><a href="{}">{}</a></li>').format(link.strip(), first)
    return Markup("<li>{}</li>").format(_broken(_linked(text.rstrip(), letterhead)))


def _linked(text: str, letterhead: Letterhead) -> Markup:
    """The escaped text, with links to the portal, its privacy notice and its contact."""
    known = [rf"{re.escape(letterhead.base_url)}(?:/\S*)?(?!\S)" if letterhead.base_url else ""]
    known += [re.escape(address) for address in (letterhead.privacy_url, letterhead.contact)]
    pattern = "|".join(one for one in known if one)
    pieces = re.split(f"({pattern})", text) if pattern else [text]
    return Markup().join(
        Markup('<a href="{}">{}</a>').format(mailto(piece) if piece == letterhead.contact else piece, piece)
        if index % 2
        else piece
        for index, piece in enumerate(pieces)
    )


def _broken(lines: Markup) -> Markup:
    return Markup("<br>\n").join(lines.split("\n"))


def _cut(text: str, longest: int) -> str:
    """The text, or its first words with an ellipsis if it is longer than `longest` characters. Long names are cut so
    that a mailbox, which shows the beginning of a subject, also shows what has happened.
    """
    if len(text) <= longest:
        return text
    words = text[:longest].rpartition(" ")[0]
    return (words if len(words) > longest // 2 else text[: longest - 1]) + "…"


def _one_line(template: str, context: Mapping[str, Any]) -> str:
    """Render a template as one line: a line end in a field must not become a header of the mail."""
    return " ".join(_compiled(template).render(context).split())


@cache
def _compiled(template: str) -> Template:
    return _templates().from_string(template)
