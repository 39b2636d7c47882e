"""The URLs of the figures, under /admin/figures/, and of the bias audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.admin.figures.of_cycle import KEYS
from portal.admin.pages import bias, figures

if TYPE_CHECKING:
    from flask import Blueprint


def add_figures_pages(blueprint: Blueprint) -> None:
    """Add the pages to the administrators' blueprint."""
    blueprint.add_url_rule("/figures/", view_func=figures.figures)
    blueprint.add_url_rule("/figures/<slug>", view_func=figures.figures_of_cycle)
    blueprint.add_url_rule(f"/figures/<slug>/<any({', '.join(KEYS)}):figure>.csv", view_func=figures.figure_file)
    blueprint.add_url_rule("/bias", view_func=bias.bias)
    blueprint.add_url_rule("/bias/start", view_func=bias.start_bias_audit, methods=("POST",))
