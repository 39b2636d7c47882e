"""URLs of a cycle's preview, missing items and retention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.admin.pages import cycle_preview, missing, retention

if TYPE_CHECKING:
    from flask import Blueprint

ACT = ("POST",)


def add_cycle_pages(blueprint: Blueprint, one_cycle: str) -> None:
    """Add the pages to `blueprint`, below `one_cycle`, the URL of a cycle."""
    preview = f"{one_cycle}/preview/<any(applicant, professor):who>/<any(before, open, closed):when>"
    blueprint.add_url_rule(preview, view_func=cycle_preview.preview_cycle)
    blueprint.add_url_rule(f"{one_cycle}/missing", view_func=missing.missing_items)
    blueprint.add_url_rule(f"{one_cycle}/missing/remind", view_func=missing.remind_of_missing, methods=ACT)
    blueprint.add_url_rule(f"{one_cycle}/retention", view_func=retention.retention)
    blueprint.add_url_rule(f"{one_cycle}/retention/hold", view_func=retention.hold_cycle, methods=ACT)
    blueprint.add_url_rule(f"{one_cycle}/retention/end-hold", view_func=retention.end_hold, methods=ACT)
