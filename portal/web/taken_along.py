"""A text of the home page on its way into somebody's interests, across registering, the mail and signing in.

It waits in the cookie of the reader's session: it reaches the server's tables only when its owner saves it as their
own. Others may use the same browser, so it is for one account only:

- It carries a number that stands in the address of “Register with this text”. Whoever registers or signs in on from
  there binds it to the address that they type (`bind`); it is offered to that account and to no other.
- It is gone when somebody else signs in, when anybody signs out, when it was added or declined, and after a while.
- It is added to the interests only where the person presses so (`mark_wanted`).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from flask import session

from portal.web.messages import cookie_size

KEY = "taken_along"
FIELD = "text"
"""The name of the number in addresses and forms."""
UNBOUND = timedelta(minutes=30)
"""Time to register or sign in."""
BOUND = timedelta(hours=2)
"""Time to open the mail, to sign in and to add it."""
LARGEST_COOKIE = 3_000  # bytes; the rest of what a browser keeps is for messages and for being signed in


@dataclass(frozen=True, slots=True)
class TakenAlong:
    """A text that waits for an account; `wanted` once its owner has pressed that it be added."""

    text: str
    wanted: bool


def take_along(text: str, now: datetime, *, account: str = "") -> str:
    """Let `text` wait in place of one before; its number, or nothing, and nothing waits, where no browser keeps it.

    Args:
        text: What was written.
        now: The moment.
        account: Whose it is where they are signed in and have pressed that it be added.
    """
    number = secrets.token_urlsafe(9)
    session[KEY] = {"text": text, "number": number, "account": account, "wanted": bool(account), "at": now.isoformat()}
    if cookie_size() <= LARGEST_COOKIE:
        return number
    leave()
    return ""


def waits_under(number: str, now: datetime) -> bool:
    """Whether a text waits that has this number: whoever asks came from its own “Register with this text”."""
    waiting = _waiting(now)
    return waiting is not None and bool(number) and waiting["number"] == number


def bind(account: str, now: datetime) -> None:
    """From now on the text that waits is offered to this account, and to no other."""
    waiting = _waiting(now)
    if waiting is not None:
        session[KEY] = {**waiting, "account": account, "wanted": False, "at": now.isoformat()}


def keep_for(account: str, now: datetime) -> None:
    """Let go of a text that is not this account's."""
    if text_for(account, now) is None:
        leave()


def text_for(account: str, now: datetime) -> TakenAlong | None:
    """The text that waits for this account, if one does."""
    waiting = _waiting(now)
    if waiting is None or not account or waiting["account"] != account:
        return None
    return TakenAlong(str(waiting["text"]), bool(waiting["wanted"]))


def mark_wanted() -> None:
    """The owner pressed that the text be added; it waits until they have saved it."""
    if KEY in session:
        session[KEY] = {**session[KEY], "wanted": True}


def leave() -> None:
    """Let nothing wait any longer."""
    session.pop(KEY, None)


def _waiting(now: datetime) -> dict[str, Any] | None:
    """What waits, as long as it may; what an older version of the portal let wait may not."""
    waiting = session.get(KEY)
    if waiting is None:
        return None
    if not {"text", "number", "account", "wanted", "at"} <= set(waiting):
        leave()
        return None
    kept = BOUND if waiting["account"] else UNBOUND
    if abs(now - datetime.fromisoformat(waiting["at"])) > kept:
        leave()
        return None
    found: dict[str, Any] = waiting
    return found
