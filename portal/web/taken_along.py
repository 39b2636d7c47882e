"""A text of the home page on its way into somebody's interests, across registering, the mail and signing in.

It waits in the cookie of the reader's session: it reaches the server's tables only when its owner saves it as their
own. Another browser does not have it, and after a while this one has not either.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from flask import session

from portal.web.messages import cookie_size

KEY = "taken_along"
KEPT = timedelta(days=2)
"""As long as the mailed link that confirms an address is good."""
LARGEST_COOKIE = 3_000  # bytes; the rest of what a browser keeps is for messages and for being signed in


def take_along(text: str, now: datetime) -> bool:
    """Let `text` wait in place of one before; False, and nothing waits, where a browser would not keep it."""
    session[KEY] = {"text": text, "at": now.isoformat()}
    if cookie_size() <= LARGEST_COOKIE:
        return True
    leave()
    return False


def text_taken_along(now: datetime) -> str:
    """The text that waits, or nothing."""
    waiting = session.get(KEY)
    if waiting is None:
        return ""
    if now - datetime.fromisoformat(waiting["at"]).astimezone(UTC) > KEPT:
        leave()
        return ""
    return str(waiting["text"])


def leave() -> None:
    """Let nothing wait any longer."""
    session.pop(KEY, None)
