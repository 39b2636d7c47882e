"""What waits in the session cookie: messages for the next page, some with an undo, and a text from the home page.

Browsers drop cookies of more than about four kilobytes. The text waits to be added to somebody's interests while they
register, confirm and sign in, and reaches the server's tables only when its owner saves it as their own. Since others
may use the same browser, it is for one account only:

- A number for it is in the URL of “Register with this text”. Whoever continues from there binds it to the e-mail
  address that they type (`bind`); it is offered to that account and to no other.
- It is discarded when somebody else signs in, when anybody signs out, once it is added or declined, and after a while.
- It is added to the interests, and saved with them, only if the person asks for it (`mark_wanted`).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, cast

from flask import current_app, flash, g, message_flashed, session

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flask import Flask
    from flask.sessions import SecureCookieSessionInterface


Tone = Literal["good", "info", "warn", "bad"]

FLASHED = "_flashes"  # where Flask keeps them in the session
LONGEST_COOKIE = 3_800  # bytes, without the cookie's name and attributes
CUT = 300  # characters that are kept of a message that is too long


def flash_message(text: str, tone: Tone = "good") -> None:
    """Show `text` on the next page."""
    flash(text, tone)


def flash_with_undo(
    text: str, action: str, values: Mapping[str, str] | None = None, *, label: str = "Undo", tone: Tone = "good"
) -> None:
    """Show `text` on the next page with a button that posts `values` (and the form token) to `action`.

    Side effects: writes the message into the session; it is shown once. If it is too long, it has no button.
    """
    flash({"text": text, "action": action, "values": dict(values or {}), "label": label}, tone)  # type: ignore[arg-type]


def flash_with_link(text: str, href: str, label: str, tone: Tone = "good") -> None:
    """Show `text` on the next page, followed by a link."""
    flash({"text": text, "href": href, "label": label}, tone)  # type: ignore[arg-type]


def drop_flashed() -> None:
    """Remove the messages of this request, which failed: they claim that something was done which was not saved.

    Messages of earlier requests that nobody has read yet stay.
    """
    message_count = g.pop("message_count", 0)
    if message_count:
        session[FLASHED] = session.get(FLASHED, [])[:-message_count]


def init_messages(app: Flask) -> None:
    """Count all messages that `app` flashes, and shorten them so that the session cookie fits into browsers' limits."""
    message_flashed.connect(_count, app)
    message_flashed.connect(_fit, app)


def _count(_app: Flask, **_message: object) -> None:
    g.message_count = g.get("message_count", 0) + 1


def _fit(_app: Flask, **_message: object) -> None:
    """Shorten messages, the longest first, until the cookie fits: browsers drop a cookie that is too long, and with it
    the messages.
    """
    if cookie_size() <= LONGEST_COOKIE:
        return
    messages = list(session[FLASHED])
    for index in sorted(range(len(messages)), key=lambda index: len(str(messages[index][1])), reverse=True):
        tone, message = messages[index]
        text = message["text"] if isinstance(message, dict) else message
        messages[index] = (tone, text if len(text) <= CUT else f"{text[:CUT].rstrip()}…")
        session[FLASHED] = messages
        if cookie_size() <= LONGEST_COOKIE:
            return


def cookie_size() -> int:
    """The current size of the session cookie in bytes."""
    interface = cast("SecureCookieSessionInterface", current_app.session_interface)
    serializer = interface.get_signing_serializer(current_app)
    return len(serializer.dumps(dict(session))) if serializer is not None else 0


KEY = "pending_text"
FIELD = "text"
"""The name of the number in addresses and forms."""
UNBOUND = timedelta(minutes=30)
"""Time to register or sign in."""
BOUND = timedelta(hours=2)
"""Time to open the mail, to sign in and to add it."""
LARGEST_COOKIE = 3_000  # bytes; the rest of what a browser keeps is for messages and for being signed in


@dataclass(frozen=True, slots=True)
class PendingText:
    """A text that waits for an account; `wanted` once its owner has asked to add it."""

    text: str
    wanted: bool


def hold_text(text: str, now: datetime, *, account: str = "") -> str:
    """Hold `text` in place of an earlier one; returns its number, or an empty string if the browser would not keep it.

    Args:
        text: What was written.
        now: The current time.
        account: Its owner, if they are signed in and have asked to add it.
    """
    number = secrets.token_urlsafe(9)
    session[KEY] = {"text": text, "number": number, "account": account, "wanted": bool(account), "at": now.isoformat()}
    if cookie_size() <= LARGEST_COOKIE:
        return number
    discard()
    return ""


def is_pending(number: str, now: datetime) -> bool:
    """Whether the text with this number is held: the person came from its own “Register with this text”."""
    held = _held(now)
    return held is not None and bool(number) and held["number"] == number


def bind(account: str, now: datetime) -> None:
    """From now on, offer the text to this account and to no other."""
    held = _held(now)
    if held is not None:
        session[KEY] = {**held, "account": account, "wanted": False, "at": now.isoformat()}


def discard_unless_for(account: str, now: datetime) -> None:
    """Discard a text that is not this account's; see `text_for`."""
    if text_for(account, now) is None:
        discard()


def text_for(account: str, now: datetime) -> PendingText | None:
    """The text held for an account, or None."""
    held = _held(now)
    if held is None or held["account"] != account:
        return None
    return PendingText(str(held["text"]), bool(held["wanted"]))


def mark_wanted() -> None:
    """Its owner has asked to add the text; it is held until they have saved it."""
    if KEY in session:
        session[KEY] = {**session[KEY], "wanted": True}


def discard() -> None:
    """Discard the text."""
    session.pop(KEY, None)


def _held(now: datetime) -> dict[str, Any] | None:
    """The text that is held, or None. Side effect: discards it if its time is up or an older version wrote it."""
    held = session.get(KEY)
    if held is None:
        return None
    if not {"text", "number", "account", "wanted", "at"} <= set(held):
        discard()
        return None
    lifetime = BOUND if held["account"] else UNBOUND
    if abs(now - datetime.fromisoformat(held["at"])) > lifetime:
        discard()
        return None
    held_text: dict[str, Any] = held
    return held_text
