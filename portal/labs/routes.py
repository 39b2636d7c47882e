"""The addresses of the public pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Flask

from portal.labs import catalogue
from portal.labs.live_index.live import live_index
from portal.labs.matches import topic_map
from portal.labs.pages import about, cycle, feeds, home, lab_list, lab_profile, systems
from portal.labs.profile import attribution

if TYPE_CHECKING:
    from flask.blueprints import BlueprintSetupState

blueprint = Blueprint("labs", __name__)

blueprint.add_url_rule("/", view_func=home.home, methods=["GET", "POST"])
blueprint.add_url_rule("/labs/", view_func=lab_list.labs, endpoint="labs")
blueprint.add_url_rule("/labs/<slug>", view_func=lab_profile.profile)
blueprint.add_url_rule("/labs/<slug>/", view_func=lab_profile.without_slash)
blueprint.add_url_rule("/labs/<slug>/match", view_func=lab_profile.match, methods=["GET", "POST"])
blueprint.add_url_rule("/systems/", view_func=systems.systems)
blueprint.add_url_rule("/cycles/<slug>", view_func=cycle.cycle)
blueprint.add_url_rule("/about", view_func=about.about)
blueprint.add_url_rule("/sitemap.xml", view_func=feeds.sitemap)
blueprint.add_url_rule("/sitemap-<int:number>.xml", view_func=feeds.sitemap_part)
blueprint.add_url_rule("/robots.txt", view_func=feeds.robots)
blueprint.add_url_rule("/news.atom", view_func=feeds.news)


@blueprint.record_once
def remember_across_requests(state: BlueprintSetupState) -> None:
    """Create the caches that the public pages keep between requests; the topic map is drawn after each fit."""
    maps = topic_map.TopicMaps()
    state.app.extensions[catalogue.EXTENSION] = catalogue.LiveCatalogue()
    state.app.extensions[attribution.EXTENSION] = attribution.Attribution()
    state.app.extensions[topic_map.EXTENSION] = maps
    if isinstance(state.app, Flask):
        live_index(state.app).rehearsals.add(maps.draw)
