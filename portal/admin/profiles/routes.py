"""The URLs of one lab's profile: below /admin/ for every lab, below /reviews/ for the leaders of that lab.

Both are the same pages and forms. They link to each other within the current blueprint (`url_for(".lab")`), and use
the frame template that it names.
"""

from __future__ import annotations

from flask import Blueprint, request

from portal.admin.pages import confirming, history, items, profile, saving
from portal.admin.pages.loading import lab_or_404
from portal.db import db
from portal.labs.queries import why_not_edit
from portal.models.user import PROFESSOR
from portal.reviews.access import lab_sections
from portal.web.access import actor, audience, ensure

FORM = ("GET", "POST")
ACT = ("POST",)
COLLECTIONS = "<any(members, works, systems, activities, openings):collection>"
OWN = "/<slug>/profile"

own_lab = Blueprint("own_lab", __name__, url_prefix="/reviews")


def add_profile_pages(blueprint: Blueprint, one_lab: str) -> None:
    """Add the pages of a profile to a blueprint, below the URL `one_lab`, which holds the lab as <slug>."""
    # Keys of items never contain a "/", and no collection has the name of another page.
    section, past = f"{one_lab}/{COLLECTIONS}", f"{one_lab}/history"
    blueprint.add_url_rule(one_lab, view_func=profile.lab)
    blueprint.add_url_rule(f"{one_lab}/edit", view_func=profile.edit_texts, methods=FORM)
    blueprint.add_url_rule(section, view_func=profile.items)
    blueprint.add_url_rule(f"{one_lab}/add/<collection>", view_func=items.add_item, methods=FORM)
    blueprint.add_url_rule(f"{section}/<key>", view_func=items.edit_item, methods=FORM)
    blueprint.add_url_rule(f"{section}/<key>/remove", view_func=items.remove_item, methods=ACT)
    blueprint.add_url_rule(f"{one_lab}/merge", view_func=saving.merge_edit, methods=ACT)
    blueprint.add_url_rule(f"{one_lab}/confirm", view_func=confirming.confirm_profile, methods=ACT)
    blueprint.add_url_rule(past, view_func=history.history)
    blueprint.add_url_rule(f"{past}/compare", view_func=history.compare)
    blueprint.add_url_rule(f"{past}/<int:number>", view_func=history.revision)
    blueprint.add_url_rule(f"{past}/<int:number>/undo", view_func=history.undo_revision, methods=ACT)
    blueprint.add_url_rule(f"{past}/<int:number>/roll-back", view_func=history.roll_back, methods=ACT)
    blueprint.add_url_rule(f"{past}/<int:number>/restore", view_func=history.restore_place, methods=FORM)


def _only_own_lab() -> None:
    """Refuse every page to people who may not edit the lab in its URL."""
    lab = lab_or_404(str((request.view_args or {}).get("slug", "")))
    ensure(why_not_edit(db.session(), actor(), lab))


audience(own_lab, PROFESSOR)
own_lab.before_request(_only_own_lab)
own_lab.context_processor(lambda: {"frame": "admin/own_lab.html", "lab_sections": lab_sections})
add_profile_pages(own_lab, OWN)
own_lab.add_url_rule(f"{OWN}/proposals/<int:proposal_id>/withdraw", view_func=confirming.withdraw_proposal, methods=ACT)
