"""The public pages: home, labs, systems, about, feeds."""

from __future__ import annotations

from flask import Blueprint, render_template

blueprint = Blueprint("labs", __name__)


@blueprint.get("/")
def home() -> str:
    """The box "What do you want to work on?" and the labs."""
    return render_template("labs/home.html")
