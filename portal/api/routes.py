"""The pages of the API's documentation, and registering the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from flask import Blueprint, current_app, jsonify, render_template

from portal.accounts.api_tokens import SCOPES
from portal.api import applications, labs, ranking, reviews
from portal.api.blueprint import PREFIX, PortalApi
from portal.api.callers import init_callers, needs
from portal.api.problems import DEFAULT_DETAILS, init_problems
from portal.config import settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from flask import Flask, Response
    from flask_wtf import CSRFProtect


EXTENSION = "portal_api"
METHODS = frozenset({"get", "post", "put", "patch", "delete"})

blueprint = Blueprint("api-documents", __name__, url_prefix=PREFIX)


@blueprint.get("/openapi.json")
@needs(None)
def openapi() -> Response:
    """The OpenAPI 3.1 document."""
    return jsonify(_document())


@blueprint.get("/")
@needs(None)
def documentation() -> str:
    """The same as a page."""
    document = _document()
    return render_template(
        "api/documentation.html",
        description=document["info"]["description"],
        groups=list(_groups(document)),
        scopes=SCOPES,
        problems=DEFAULT_DETAILS,
        prefix=PREFIX,
    )


def _document() -> dict[str, Any]:
    api = cast("PortalApi", current_app.extensions[EXTENSION])
    return api.document()


def _groups(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The operations on each subject, as the page shows them."""
    for tag in document["tags"]:
        operations = [
            _operation(method, path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
            if method in METHODS and tag["name"] in operation.get("tags", ())
        ]
        yield {"name": tag["name"], "title": tag["description"], "operations": operations}


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": f"{method}-{path.removeprefix(PREFIX).strip('/').replace('/', '-').replace('{', '').replace('}', '')}",
        "method": method.upper(),
        "path": path,
        "summary": operation.get("summary", ""),
        "description": operation.get("description", ""),
        "scope": operation.get("x-scope", ""),
        "public": {} in operation.get("security", [{}]),
        "refusals": sorted(status for status in operation["responses"] if int(status) in DEFAULT_DETAILS),
    }


SUBJECTS = (labs.blueprint, ranking.blueprint, applications.blueprint, reviews.blueprint)


def init_api(app: Flask, csrf: CSRFProtect) -> None:
    """Register the API. It reads no cookie, so its requests need no form token."""
    init_problems(app)
    init_callers(app)
    api = PortalApi(app, settings_of(app).name)
    for subject in SUBJECTS:
        api.add(subject)
        csrf.exempt(subject)
    app.register_blueprint(blueprint)
    app.extensions[EXTENSION] = api
