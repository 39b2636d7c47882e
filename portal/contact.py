"""The address to write to, PORTAL_CONTACT, where pages and mails advise to write to the administrators.

Answers to mails go there, too: see `portal.mail.delivery` and `portal.accounts.mailing`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from jinja2 import pass_context
from markupsafe import Markup, escape

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.runtime import Context

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
