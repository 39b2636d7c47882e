"""Downloads of personal data, in the audit log: who downloaded what, how many rows, with which filter.

A search text may be a name, and the log is never erased, so the log only says that there was one.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from flask import request

from portal import audit
from portal.db import db
from portal.web.access import actor
from portal.web.impersonation.requests import impersonating, record_after_rollback

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from portal.models import User

TYPED = "a text that is not kept"


def record_download(
    *, act: str, object_type: str, object_key: str, rows: int | None = None, asked: Mapping[str, str] | None = None
) -> None:
    """Record a download in the audit log, in the transaction of the request. A HEAD request is not a download.

    Args:
        act: Its code, worded in `portal.admin.system.audit_log.acts`.
        object_type: The kind of object whose data the file holds.
        object_key: Which object.
        rows: How many rows a list has.
        asked: The filter and order of the list, without anything personal (`what_was_asked`).

    Side effects: the entry is kept if the response is a success; one that is refused or fails leaves none. During an
    impersonation it is the administrator's entry, who has the file, and says whom they viewed the portal as.
    """
    if request.method == "HEAD":
        return
    after: dict[str, Any] = {} if rows is None else {"rows": rows, "asked": dict(asked or {})}
    impersonation = impersonating()

    def record(who: User) -> None:
        audit.record(
            db.session(),
            actor=who,
            act=act,
            object_type=object_type,
            object_key=object_key,
            now=datetime.now(UTC),
            after=(after if impersonation is None else {**after, "viewing_as": impersonation.email}) or None,
        )

    if impersonation is None:
        record(actor())
    else:
        record_after_rollback(record)


def record_download_while_impersonating(*, act: str, object_type: str, object_key: str) -> None:
    """Record the download of a file that was meant for the reader, if it is an administrator who views it as them."""
    if impersonating() is not None:
        record_download(act=act, object_type=object_type, object_key=object_key)


def what_was_asked(values: Mapping[str, str], *, typed: Collection[str]) -> dict[str, str]:
    """The values of a filter that are not empty; for those that were `typed`, only that they were given."""
    return {name: TYPED if name in typed else value for name, value in values.items() if value}
