"""URLs of a cycle's missing items, announcements and retention."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.admin.pages import announcements, missing, retention

if TYPE_CHECKING:
    from flask import Blueprint

FORM = ("GET", "POST")
ACT = ("POST",)


def add_cycle_pages(blueprint: Blueprint, one_cycle: str) -> None:
    """Add the pages to `blueprint`, below `one_cycle`, the URL of a cycle."""
    blueprint.add_url_rule(f"{one_cycle}/missing", view_func=missing.missing_items)
    blueprint.add_url_rule(f"{one_cycle}/missing/remind", view_func=missing.remind_of_missing, methods=ACT)
    all_written, one_written = f"{one_cycle}/announcements", f"{one_cycle}/announcements/<int:announcement_id>"
    blueprint.add_url_rule(all_written, view_func=announcements.announcements)
    blueprint.add_url_rule(f"{all_written}/new", view_func=announcements.new_announcement, methods=FORM)
    blueprint.add_url_rule(f"{one_written}/tell", view_func=announcements.tell_the_rest, methods=ACT)
    blueprint.add_url_rule(f"{one_written}/take-back", view_func=announcements.take_back_announcement, methods=FORM)
    blueprint.add_url_rule(f"{one_cycle}/retention", view_func=retention.retention)
    blueprint.add_url_rule(f"{one_cycle}/retention/hold", view_func=retention.hold_cycle, methods=ACT)
    blueprint.add_url_rule(f"{one_cycle}/retention/end-hold", view_func=retention.end_hold, methods=ACT)
