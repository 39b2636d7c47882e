"""Audits exports of a lab's applicants, as a file or through the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.web.recorded_downloads import record_download, what_was_asked

if TYPE_CHECKING:
    from portal.models import Cycle, Lab
    from portal.reviews.queue.filter import QueueFilter


def record_queue(lab: Lab, cycle: Cycle, chosen: QueueFilter, rows: int) -> None:
    """Write an audit entry for an export of this many applicants."""
    filters = what_was_asked({**chosen.query(), "cycle": cycle.slug}, typed={"q"})
    key = f"{lab.slug}/{cycle.slug}"
    record_download(act="applicant.download", object_type="lab in cycle", object_key=key, rows=rows, asked=filters)
