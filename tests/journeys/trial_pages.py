"""Made-up pages under /trial/ that extend ours: the server's side of what the scripts promise."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from flask import Blueprint, redirect, render_template_string, request
from wtforms import DecimalRangeField, TextAreaField
from wtforms.validators import Length

from portal.web.forms import PortalForm
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask
    from flask.typing import ResponseReturnValue

BASE = (
    '{% extends "base.html" %}{% import "macros/forms.html" as forms %}{% import "macros/lists.html" as lists %}'
    "{% block title %}Trial{% endblock %}{% block content %}<h1>Trial</h1>"
)
AUTOSAVED = """
<form method="post" data-autosave novalidate>{{ forms.token() }}
<input type="hidden" name="version" value="1">
<div class="field"><label for="note">Note</label><textarea class="form-control" id="note" name="note"></textarea>
<div id="note-error"></div></div>
{{ forms.submit("Save") }}{{ forms.save_state() }}</form><div id="told">Nothing yet</div>{% endblock %}"""
LIVE = """
<form method="{{ method }}" data-live data-target="#results" data-live-address>
{% if method == "post" %}{{ forms.token() }}{% endif %}
<label for="q">Words</label><input id="q" name="q" value="{{ q }}">{{ forms.submit("Search") }}</form>
<div id="results"><p data-count>{{ q|length }} labs</p>
{% for n in order %}
<article id="row-{{ n }}"><h2>Row {{ n }}</h2>
<details data-keep-open="{{ n }}"><summary>Why {{ n }}</summary><p>{{ ("reason " ~ n ~ " ") * 60 }}</p></details>
</article>
{% endfor %}</div>{% endblock %}"""
WORKS = """
{{ lists.filter_box("works", "Filter the works", "works", value, one="work", many="works") }}
<div id="works">{% for year, titles in years %}
<section data-filter-group><h2>{{ year }}</h2>
<ul>{% for title in titles %}<li data-filter-item>{{ title }}</li>{% endfor %}</ul></section>
{% endfor %}</div>{% endblock %}"""
UNSAVED = """
<form method="post" action="/trial/away" data-unsaved>{{ forms.token() }}<label for="t">Text</label>
<input id="t" name="t" value="before">{{ forms.submit("Save") }}</form><a href="/trial/away">Away</a>{% endblock %}"""
TICKS = """
{% import "macros/tables.html" as tables %}
<section id="list">{{ tables.select_all("list", "Tick these 2") }}
<ul><li><input type="checkbox" id="one"></li><li><input type="checkbox" id="two"></li></ul></section>
<input type="checkbox" id="elsewhere">{% endblock %}"""
KEYS = """
<div data-review-keys><a href="?at=next" data-key="j">Next applicant</a> <label for="n">Note</label><input id="n">
<button type="button" class="btn needs-script" data-key-list>Keys</button></div>{% endblock %}"""
ROWS = """
<ul data-review-keys>{% for name in ["One", "Two"] %}
<li data-row><input type="checkbox" aria-label="Tick {{ name }}"> <a href="/trial/away">{{ name }}</a></li>
{% endfor %}</ul>{% endblock %}"""
POINTS = """
<div data-review-keys><form method="post" action="/trial/away" data-points>{{ forms.token() }}
{% for name, most in [("fit", 5), ("sure", 3)] %}<fieldset class="criterion"><legend>{{ name }}</legend>
{% for value in range(most + 1) %}
<label><input type="radio" name="{{ name }}" value="{{ value or "" }}"{{ " checked" if not value }}>
{{ value }}</label>
{% endfor %}</fieldset>{% endfor %}
<label for="note">Note</label><textarea id="note"></textarea>
{{ forms.submit("Lock", **{"data-key": "l"}) }}</form></div>{% endblock %}"""
WIDGETS = """
<form method="post" action="/trial/away">{{ forms.token() }}{{ forms.field(form.statement, rows=4) }}
{{ forms.field(form.weight, min=0, max=5, step=0.5) }}</form>
<p id="time">{{ moment|time_element }}</p><p id="due">{{ moment|deadline_element("Etc/GMT+12") }}</p>
<table class="table table-stacks" id="table"><thead><tr><th>{{ tables.select_all("table", "Select all rows") }}</th>
<th scope="col">Name</th></tr></thead><tbody>{% for name in ["One", "Two"] %}
<tr><td data-label="Select"><input type="checkbox" aria-label="Select {{ name }}"></td>
<td data-label="Name">{{ name }}</td></tr>{% endfor %}</tbody></table>{% endblock %}"""
WAITING = """
<div data-job="/trial/progress"><label for="progress">Running</label><progress id="progress"></progress>
<span data-job-count></span> <span data-job-doing></span></div>{% endblock %}"""
REFUSED = """
<div class="error-summary" role="alert" tabindex="-1" data-error-summary>
{% if "elsewhere" not in request.args %}<a href="#t">Text: too long</a>{% endif %}
<a href="#steps">Go to the next steps</a></div>
<form method="post" action="/trial/away" data-unsaved>{{ forms.token() }}
<label for="t">Text</label><input id="t" name="t"></form>
<section id="steps">
<form method="post" action="/trial/away">{{ forms.token() }}{{ forms.submit("Next") }}</form></section>
{% endblock %}"""
BOARD = """
<script type="module" src="{{ asset("js/board.js") }}"></script>
<p role="status" data-board-said></p>
<form method="post" action="/trial/away" data-board>{{ forms.token() }}
<section data-column="new" data-column-label="New"><h2>New</h2>
<div data-card="1" data-name="Ada">
<button class="needs-script" type="button" data-handle aria-label="Move Ada">:</button>
<button type="submit" name="one" value="interview:1" data-to="interview">Invite</button></div></section>
<section data-column="interview" data-column-label="Interview"><h2>Interview</h2></section>
<section data-column="ranked" data-column-label="Ranked"><h2>Ranked</h2></section>
</form>{% endblock %}"""
TOLD = """
{% for name in ["one", "two", "three"] %}
<section id="{{ name }}">{% for line in range(30) %}<p>{{ name }}, {{ line }}</p>{% endfor %}</section>
{% endfor %}{% endblock %}"""
PREPARED = "<p>Here is the list.</p>{% endblock %}"
AWAY = "<p>You are away.</p>{% endblock %}"
YEARS = [(2025, ["Müller on graphs", "Serving on NPUs"]), (2024, ["Graph engines", "分布式训练"])]


@dataclass
class TrialServer:
    """The answers still to give instead of the usual ones, and what came in."""

    answers: list[tuple[dict[str, object], int]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def autosave(self) -> ResponseReturnValue:
        """A form that saves itself; sent by its button, it leads to /trial/away."""
        if request.method == "GET":
            return render_template_string(BASE + AUTOSAVED)
        self.notes.append((request.form["version"], request.form["note"]))
        if request.accept_mimetypes.best != "application/json":
            return redirect("/trial/away")
        if self.answers:
            return self.answers.pop(0)
        version = str(int(request.form["version"]) + 1)
        told = {"told": f"<p>Saved {len(self.notes)} times</p>", "elsewhere": "<p>No place on this page</p>"}
        return {"saved_at": "2026-11-20T21:55:00+00:00", "fields": {"version": version}, "parts": told}

    def live(self) -> ResponseReturnValue:
        """Twelve rows, turned round when anything is asked."""
        text = request.values.get("q", "")
        self.asked.append(f"{request.method} {text}")
        if self.answers:
            return self.answers.pop(0)
        method = "post" if "post" in request.args or request.method == "POST" else "get"
        order = range(12, 0, -1) if text else range(1, 13)
        return render_template_string(BASE + LIVE, q=text, order=order, method=method)

    def prepared(self) -> str:
        """Something that a job prepares: the page waits while there are answers still to give about its progress."""
        return render_template_string(BASE + (WAITING if self.answers else PREPARED))

    def progress(self) -> ResponseReturnValue:
        """How far the job is."""
        return self.answers.pop(0) if self.answers else {"state": "done"}


def open_trial_pages(app: Flask) -> TrialServer:
    """Add the pages to `app`; it must not have answered yet."""
    server = TrialServer()
    pages = Blueprint("trial", __name__, url_prefix="/trial")
    pages.add_url_rule("/autosave", "autosave", server.autosave, methods=["GET", "POST"])
    pages.add_url_rule("/live", "live", server.live, methods=["GET", "POST"])
    pages.add_url_rule("/prepared", "prepared", server.prepared)
    pages.add_url_rule("/progress", "progress", server.progress)
    for name, text in {
        "unsaved": UNSAVED,
        "keys": KEYS,
        "rows": ROWS,
        "points": POINTS,
        "ticks": TICKS,
        "refused": REFUSED,
        "board": BOARD,
        "away": AWAY,
    }.items():
        pages.add_url_rule(f"/{name}", name, _shower(text), methods=["GET", "POST"])
    pages.add_url_rule("/works", "works", _works)
    pages.add_url_rule("/widgets", "widgets", _widgets)
    pages.add_url_rule("/told", "told", _told)
    app.register_blueprint(pages)
    return server


def _shower(text: str) -> Callable[[], str]:
    return lambda: render_template_string(BASE + text)


class WidgetsForm(PortalForm):
    """A text that is counted, and a slider."""

    statement = TextAreaField("Statement", [Length(max=200, message="At most 200 characters.")])
    weight = DecimalRangeField("Weight of this topic", default=1)


def _widgets() -> str:
    moment = datetime(2026, 11, 20, 21, 55, tzinfo=UTC)
    macros = '{% import "macros/tables.html" as tables %}'
    return render_template_string(BASE + macros + WIDGETS, form=WidgetsForm(meta={"csrf": False}), moment=moment)


def _told() -> str:
    flash_message("Something about the second place. " * 5)
    return render_template_string(BASE + TOLD)


def _works() -> str:
    return render_template_string(BASE + WORKS, years=YEARS, value=request.args.get("works", ""))
