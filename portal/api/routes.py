"""The pages of the API's documentation, and registering the API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from flask import Blueprint, current_app, jsonify, render_template

from portal.accounts.api_tokens import SCOPES
from portal.api import admin, applications, labs, ranking, reviews
from portal.api.blueprint import PREFIX, PortalApi
from portal.api.callers import init_callers, needs
from portal.api.problems import DEFAULT_DETAILS, init_problems
from portal.config import settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from flask import Flask, Response
    from flask_wtf import CSRFProtect


EXTENSION = "portal_api"
METHODS = frozenset({"get", "post", "put", "patch", "delete"})
DEEPEST = 6  # levels of a body that the page shows

blueprint = Blueprint("api-documents", __name__, url_prefix=PREFIX)


@dataclass(frozen=True, slots=True)
class FieldLine:
    """A parameter, or a field of a body with `name` as its full path."""

    name: str
    kind: str
    required: bool
    description: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path."""

    id: str
    method: str
    path: str
    summary: str
    description: str
    scope: str
    public: bool
    parameters: Sequence[FieldLine]
    body: Sequence[FieldLine]
    answer: Sequence[FieldLine]
    refusals: Sequence[str]


@dataclass(frozen=True, slots=True)
class Group:
    """The operations on one subject."""

    name: str
    title: str
    operations: Sequence[Operation]


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


def _groups(document: Mapping[str, Any]) -> Iterator[Group]:
    for tag in document["tags"]:
        operations = [
            _operation(document, method, path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
            if method in METHODS and tag["name"] in operation.get("tags", ())
        ]
        yield Group(tag["name"], tag["description"], operations)


def _operation(document: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any]) -> Operation:
    shared = document["paths"][path].get("parameters", [])
    parameters = [
        FieldLine(
            parameter["name"],
            f"{parameter['in']}, {_kind(document, parameter['schema'])}",
            parameter.get("required", False),
            parameter.get("description", ""),
        )
        for parameter in (*shared, *operation.get("parameters", ()))
    ]
    success = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
    return Operation(
        id=f"{method}-{path.removeprefix(PREFIX).strip('/').replace('/', '-').replace('{', '').replace('}', '')}",
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        description=operation.get("description", ""),
        scope=operation.get("x-scope", ""),
        public={} in operation.get("security", [{}]),
        parameters=parameters,
        body=_content(document, operation.get("requestBody", {})),
        answer=_content(document, success),
        refusals=sorted(status for status in operation["responses"] if int(status) in DEFAULT_DETAILS),
    )


def _content(document: Mapping[str, Any], holder: Mapping[str, Any]) -> list[FieldLine]:
    schema = holder.get("content", {}).get("application/json", {}).get("schema")
    return list(_fields(document, schema, "", 0)) if schema else []


def _fields(document: Mapping[str, Any], schema: Mapping[str, Any], prefix: str, depth: int) -> Iterator[FieldLine]:
    resolved = _resolved(document, schema)
    if "items" in resolved:
        yield from _fields(document, resolved["items"], f"{prefix}[]", depth)
        return
    if depth >= DEEPEST:
        return
    for name, field in resolved.get("properties", {}).items():
        path = f"{prefix}.{name}" if prefix else name
        required = name in resolved.get("required", ())
        yield FieldLine(path, _kind(document, field), required, field.get("description", ""))
        yield from _fields(document, field, path, depth + 1)


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    for option in schema.get("anyOf", schema.get("allOf", ())):
        if "$ref" in option:
            return _resolved(document, option)
    if "$ref" not in schema:
        return schema
    referenced: Mapping[str, Any] = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return referenced


def _kind(document: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    resolved = _resolved(document, schema)
    kinds = resolved.get("type", "any")
    kind = " or ".join(kinds) if isinstance(kinds, list) else str(kinds)
    if "items" in resolved:
        return f"{kind} of {_kind(document, resolved['items'])}"
    if "enum" in resolved:
        return " | ".join(str(value) for value in resolved["enum"] if value is not None)
    if resolved.get("format") == "date-time":
        return kind.replace("string", "moment")
    return ", ".join(filter(None, (kind, _between(resolved, "imum", ""), _between(resolved, "Length", " characters"))))


def _between(schema: Mapping[str, Any], ending: str, unit: str) -> str:
    """The limits of a value in words; empty if there is no upper limit."""
    least, most = schema.get(f"min{ending}"), schema.get(f"max{ending}")
    if not isinstance(most, int | float):
        return ""
    words = f"{least:,.10g} to {most:,.10g}" if isinstance(least, int | float) else f"up to {most:,.10g}"
    return words + unit


SUBJECTS = (labs.blueprint, ranking.blueprint, applications.blueprint, reviews.blueprint, admin.blueprint)


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
