"""A page of Flask that does next to nothing: what a portal's page is compared with under load.

Twenty rows of one statement on SQLite, in a template without a layout; no session, no permissions, no headers.
"""

from __future__ import annotations

import os

from flask import Flask, render_template_string
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import text

PAGE = """<!doctype html><title>Bare</title><table>
{% for row in rows %}<tr><td>{{ row.id }}</td><td>{{ row.name }}</td></tr>
{% endfor %}</table>"""


def create_app() -> Flask:
    """The application; makes its table of twenty rows in the file that BARE_DATABASE names."""
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = f"sqlite:///{os.environ['BARE_DATABASE']}"
    database = SQLAlchemy(app)
    with app.app_context():
        database.session.execute(text("CREATE TABLE IF NOT EXISTS line (id INTEGER PRIMARY KEY, name TEXT)"))
        if not database.session.execute(text("SELECT count(*) FROM line")).scalar_one():
            database.session.execute(
                text("INSERT INTO line (name) VALUES (:name)"), [{"name": f"Row {n}"} for n in range(20)]
            )
        database.session.commit()

    @app.get("/")
    def page() -> str:
        return render_template_string(PAGE, rows=database.session.execute(text("SELECT id, name FROM line")).all())

    return app
