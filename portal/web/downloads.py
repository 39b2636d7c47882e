"""Files to download: CSV that spreadsheets open without executing anything in it, and entries in the audit log for
personal data.

A search text may be a name, and the log is never erased, so the log only says that there was one.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from flask import Response, request

from portal import audit
from portal.db import db
from portal.web.access import actor

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


BYTE_ORDER_MARK = "\ufeff"  # without it some programs assume Latin-1
# Joiners are part of words: Persian and Indian names are spelt with them, and emoji are built with them.
JOINERS = "\u200c\u200d"
BEFORE_TEXT = f" \u00a0\u3000{JOINERS}"
_SIGNS = "=+-@|%＝＋－＠﹢﹣−﹦﹫"
STARTS_FORMULA = tuple(f"{_SIGNS}\t\r\n")
# Where lists are separated by semicolons, as in most of Europe, a spreadsheet that opens our commas splits a text at
# its semicolons and line ends, in spite of the quotation marks. A dash and a space that begin a line are a list.
_AFTER_SEPARATOR = re.compile(rf"([;\t\r\n][\s\"]*+)(?:(?<=[\r\n])- |([{re.escape(_SIGNS)}]))?")


def harmless(cell: str) -> str:
    """The text of a cell that no spreadsheet takes for a formula: an apostrophe is put before one, and before what
    would be one if the text were split at a semicolon, a tab or a line end. Invisible characters, after which a formula
    may come, are removed.
    """
    allowed = f"\t\r\n{JOINERS}"
    visible = cell
    if not cell.isprintable():  # most are, and hold no invisible character: files have a hundred thousand cells
        visible = "".join(
            character
            for character in cell
            if character in allowed or unicodedata.category(character) not in {"Cc", "Cf"}
        )
        visible = visible.lstrip(JOINERS)
    visible = _AFTER_SEPARATOR.sub(_guarded, visible)
    start = visible.lstrip(BEFORE_TEXT)
    return f"'{visible}" if start.startswith(STARTS_FORMULA) else visible


def _guarded(found: re.Match[str]) -> str:
    return f"{found[1]}'{found[2]}" if found[2] else found[0]


def csv_file(rows: Iterable[Iterable[str]]) -> bytes:
    """The rows as a file for spreadsheets: UTF-8, every cell quoted, no cell a formula."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerows(map(harmless, row) for row in rows)
    return (BYTE_ORDER_MARK + out.getvalue()).encode("utf-8", "replace")


TYPED = "a text that is not kept"


def record_download(
    *, act: str, object_type: str, object_key: str, rows: int | None = None, asked: Mapping[str, str] | None = None
) -> None:
    """Record a download in the audit log, in the transaction of the request; a HEAD request is none. `act` is worded in
    `portal.admin.system.audit_log.words`; a list has `rows` and what was `asked`, without anything personal.
    """
    if request.method == "HEAD":
        return
    after: dict[str, Any] = {} if rows is None else {"rows": rows, "asked": dict(asked or {})}
    audit.record(db.session(), actor(), act, object_type, object_key, datetime.now(UTC), after=after or None)


def what_was_asked(values: Mapping[str, str], *, typed: Collection[str]) -> dict[str, str]:
    """The values of a filter that are not empty; for those that were `typed`, only that they were given."""
    return {name: TYPED if name in typed else value for name, value in values.items() if value}


CSV = "text/csv; charset=utf-8"


def download(body: str | bytes | Iterable[str], name: str, media_type: str) -> Response:
    """A file that is saved as `name` and cached nowhere; content produced piece by piece is streamed."""
    response = Response(body, content_type=media_type)
    response.headers.set("Content-Disposition", "attachment", **_names(name))
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _names(name: str) -> dict[str, str]:
    """The name as the header's parameters, which hold ASCII alone (RFC 6266): servers send no header with other
    characters, and fail. Browsers take the encoded name, and the plain one where they do not know it.
    """
    if name.isascii():
        return {"filename": name}
    stem, dot, ending = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().rpartition(".")
    return {"filename": f"{stem.strip() or 'file'}{dot}{ending}", "filename*": f"UTF-8''{quote(name, safe='')}"}
