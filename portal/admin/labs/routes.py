"""The URLs about labs. Those of a profile are below /admin/ for every lab, below /reviews/ for the leaders of that lab.

Both are the same pages and forms. They link to each other within the current blueprint (`url_for(".lab")`), and use
the frame template that it names.
"""

from __future__ import annotations

from flask import Blueprint, request

from portal.admin.labs import history_pages, new_lab, pages, photo, profile_pages, saving
from portal.admin.labs.imports import pages as imports
from portal.admin.labs.saving import lab_or_404
from portal.db import db
from portal.labs.queries import why_not_edit
from portal.models.user import PROFESSOR
from portal.reviews.access import lab_sections
from portal.web.access import actor, audience, ensure, or_404

FORM = ("GET", "POST")
ACT = ("POST",)
COLLECTIONS = "<any(members, works, systems, activities, openings):collection>"
OWN = "/<slug>/profile"

own_lab = Blueprint("own_lab", __name__, url_prefix="/reviews")


def add_lab_pages(blueprint: Blueprint, one_lab: str) -> None:
    """Add the administrators' pages about labs to their blueprint; one lab is below the URL `one_lab`."""
    blueprint.add_url_rule("/labs/", view_func=pages.labs)
    blueprint.add_url_rule("/new-lab", view_func=new_lab.new_lab, methods=FORM)
    blueprint.add_url_rule("/new-lab/empty", view_func=new_lab.fill_in, endpoint="empty_lab", methods=FORM)
    blueprint.add_url_rule("/new-lab/<int:import_id>", view_func=new_lab.fill_in, methods=FORM)
    blueprint.add_url_rule("/new-lab/<int:import_id>/discard", view_func=new_lab.discard, methods=ACT)
    blueprint.add_url_rule(f"{one_lab}/publish", view_func=new_lab.publish_lab, methods=FORM)
    add_profile_pages(blueprint, one_lab)
    blueprint.add_url_rule(f"{one_lab}/archive", view_func=pages.archive_lab, methods=FORM)
    blueprint.add_url_rule(f"{one_lab}/list-again", view_func=pages.list_lab_again, methods=ACT)
    blueprint.add_url_rule("/questions", view_func=imports.questions)
    imports_of_lab = f"{one_lab}/imports"
    blueprint.add_url_rule(imports_of_lab, view_func=imports.imports, methods=FORM)
    # What one file proposes, and what pages and tables of labs do.
    for changes in (f"{imports_of_lab}/<int:import_id>", f"{one_lab}/changes"):
        blueprint.add_url_rule(changes, view_func=imports.one_import)
        blueprint.add_url_rule(f"{changes}/decide", view_func=imports.decide, endpoint="decide_import", methods=ACT)


def add_profile_pages(blueprint: Blueprint, one_lab: str) -> None:
    """Add the pages of a profile to a blueprint, below the URL `one_lab`, which holds the lab as <slug>."""
    # Keys of items never contain a "/", and no collection has the name of another page.
    section, past = f"{one_lab}/{COLLECTIONS}", f"{one_lab}/history"
    blueprint.add_url_rule(one_lab, view_func=profile_pages.lab)
    blueprint.add_url_rule(f"{one_lab}/edit", view_func=profile_pages.edit_texts, methods=FORM)
    blueprint.add_url_rule(section, view_func=profile_pages.items)
    blueprint.add_url_rule(f"{one_lab}/add/<collection>", view_func=profile_pages.add_item, methods=FORM)
    blueprint.add_url_rule(f"{section}/<key>", view_func=profile_pages.edit_item, methods=FORM)
    blueprint.add_url_rule(f"{section}/<key>/remove", view_func=profile_pages.remove_item, methods=ACT)
    blueprint.add_url_rule(f"{one_lab}/merge", view_func=saving.merge_edit, methods=ACT)
    blueprint.add_url_rule(f"{one_lab}/confirm", view_func=profile_pages.confirm_profile, methods=ACT)
    blueprint.add_url_rule(f"{one_lab}/photo", view_func=photo.photo, methods=FORM)
    blueprint.add_url_rule(f"{one_lab}/photo/remove", view_func=photo.remove_photo, methods=ACT)
    blueprint.add_url_rule(past, view_func=history_pages.history)
    blueprint.add_url_rule(f"{past}/compare", view_func=history_pages.compare)
    blueprint.add_url_rule(f"{past}/<int:number>", view_func=history_pages.revision)
    blueprint.add_url_rule(f"{past}/<int:number>/undo", view_func=history_pages.undo_revision, methods=ACT)
    blueprint.add_url_rule(f"{past}/<int:number>/roll-back", view_func=history_pages.roll_back, methods=ACT)


def _only_own_lab() -> None:
    """Refuse every page to people who may not edit the lab in its URL; of a draft, only those who may know."""
    lab = lab_or_404(str((request.view_args or {}).get("slug", "")))
    reason = why_not_edit(db.session(), actor(), lab)
    or_404(None if reason and lab.is_draft else lab)
    ensure(reason)


audience(own_lab, PROFESSOR)
own_lab.before_request(_only_own_lab)
own_lab.context_processor(lambda: {"frame": "admin/own_lab.html", "lab_sections": lab_sections})
add_profile_pages(own_lab, OWN)
