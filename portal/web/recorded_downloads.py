"""Downloads of what is personal, in the audit log: who took what out of the portal, how much, and by which filter.

What somebody typed to search for may be a name, and the log is never erased: of it only that it was asked for is kept.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import request

from portal import audit
from portal.db import db
from portal.web.access import actor

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

TYPED = "a text that is not kept"


def record_download(
    *, act: str, object_type: str, object_key: str, rows: int | None = None, asked: Mapping[str, str] | None = None
) -> None:
    """Write a download into the audit log, in the transaction of the request. The head of an answer alone is none.

    Args:
        act: Its code, with words in `portal.admin.audit_log.words`.
        object_type: Of what kind the thing is whose data it holds.
        object_key: Which it is.
        rows: How many lines it has, for a list.
        asked: What narrows and orders the list, without anything personal (`what_was_asked`).

    Side effects: the entry is kept where the answer is a success; one that is refused, or fails, leaves none.
    """
    if request.method == "HEAD":
        return
    after: dict[str, Any] = {} if rows is None else {"rows": rows, "asked": dict(asked or {})}
    audit.record(
        db.session(),
        actor=actor(),
        act=act,
        object_type=object_type,
        object_key=object_key,
        now=datetime.now(UTC),
        after=after or None,
    )


def what_was_asked(values: Mapping[str, str], *, typed: Collection[str]) -> dict[str, str]:
    """The values of a filter that are not empty; of those that were `typed`, not what they say."""
    return {name: TYPED if name in typed else value for name, value in values.items() if value}
