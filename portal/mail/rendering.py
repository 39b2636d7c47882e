"""Rendering mails: plain text and HTML from templates/mail, subjects and lines from the table of kinds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, select_autoescape

from portal.config import RESOURCES
from portal.moments import format_in_zone, is_zone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.mail.kind import Kind

LONGEST_SUBJECT = 200


@dataclass(frozen=True, slots=True)
class RenderedMail:
    """The text of a mail."""

    subject: str
    text: str
    html: str


def moment(stamp: str, zone: str = "UTC") -> str:
    """An ISO text as a moment in `zone`, such as "15 Dec 2026, 23:59 (Anywhere on Earth)"; UTC for an unknown zone."""
    return format_in_zone(datetime.fromisoformat(stamp), zone if is_zone(zone) else "UTC")


def day(stamp: str) -> str:
    """An ISO day, such as "15 Dec 2026"."""
    on = datetime.fromisoformat(stamp)
    return f"{on.day} {on:%b %Y}"


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
    environment.filters.update(moment=moment, day=day)
    environment.globals.update(applicants=applicants)
    return environment


def line_of(kind: Kind, context: Mapping[str, Any]) -> str:
    """The news in one line of plain text."""
    return _one_line(kind.line, context)


def rendered(kind: Kind, context: Mapping[str, Any], base_url: str) -> RenderedMail:
    """Render a mail.

    Args:
        kind: The kind of mail.
        context: Its fields, plus `name` and `path`.
        base_url: Address of the portal, with which links begin.

    Raises: jinja2.UndefinedError: A template uses something that the context does not hold.
    """
    subject = _one_line(kind.subject, context)[:LONGEST_SUBJECT]
    values = {
        **context,
        "subject": subject,
        "link": f"{base_url}{context['path']}" if context["path"] else "",
        "config": {"PORTAL": {"base_url": base_url}},
        "preferences": f"{base_url}/accounts/mail" if kind.can_be_off else "",
    }
    text, html = (_templates().get_template(f"mail/{kind.name}.{ending}") for ending in ("txt", "html"))
    return RenderedMail(subject, text.render(values).strip() + "\n", html.render(values))


def _one_line(template: str, context: Mapping[str, Any]) -> str:
    """Keep line ends in texts from becoming headers of the mail."""
    return " ".join(_compiled(template).render(context).split())


@cache
def _compiled(template: str) -> Template:
    return _templates().from_string(template)
