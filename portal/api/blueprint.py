"""Blueprints that document what each operation requires and its errors; the document is built when first read."""

from __future__ import annotations

import threading
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, TypeVar

from flask_smorest import Api, Blueprint
from webargs.flaskparser import FlaskParser

from portal.api.callers import needs
from portal.api.fields import ProblemSchema
from portal.api.idempotency import HEADER, LONGEST_KEY
from portal.api.problems import DEFAULT_DETAILS, MEDIA_TYPE, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flask import Flask, Request
    from marshmallow import Schema

    from portal.accounts.api_tokens import Scope

    View = TypeVar("View", bound=Callable[..., Any])

PREFIX = "/api/v1"
PROBLEM = "Problem"
SECURITY = "token"
EVERYWHERE = (400, 401, 403, 429, 500, 503)
WITH_BODY = frozenset({"post", "put", "patch"})
DESCRIPTION = (
    "The portal for programs. It answers with the same data, by the same rules and with the same refusals as the "
    "pages do. A token is made on the page of one’s account; it has scopes and an expiry, and never sees more than "
    "its owner does. Labs, works, systems, cycles, rankings and explanations are public, less often without a token. "
    "Lists come in parts: “next” of an answer is “cursor” of the next request. Errors are problem details (RFC 9457). "
    "Every answer says in RateLimit-Limit, RateLimit-Remaining and RateLimit-Reset how often one may ask."
)
REPLAY = {
    "in": "header",
    "name": HEADER,
    "description": "Chosen by the program for one request: sent again within 24 hours, it is answered as before, and "
    "nothing is done twice.",
    "schema": {"type": "string", "minLength": 1, "maxLength": LONGEST_KEY},
}
_ETAG = {"type": "string", "pattern": '^(\\*|"[0-9a-z-]{1,60}")$'}
IF_MATCH = {
    "in": "header",
    "name": "If-Match",
    "description": "The ETag that was read. Needed as soon as there is something to overwrite.",
    "schema": _ETAG,
}
IF_NONE_MATCH = {
    "in": "header",
    "name": "If-None-Match",
    "description": "The ETag that was read: answered with 304 while it is the same.",
    "schema": _ETAG,
}


class _BodyParser(FlaskParser):
    """Parses bodies. One that does not say that it is JSON is refused; so is JSON that Python cannot parse (too deep,
    numbers too long), like invalid JSON.
    """

    def _raw_load_json(self, req: Request) -> Any:  # noqa: ANN401  (JSON)
        if req.get_data() and not req.is_json:
            raise Problem(415)
        try:
            return super()._raw_load_json(req)
        except (JSONDecodeError, UnicodeDecodeError):
            raise
        except (RecursionError, ValueError):
            raise Problem(400) from None


class ApiBlueprint(Blueprint):  # type: ignore[misc]  # the library has no types
    """The operations on one subject."""

    ARGUMENTS_PARSER = _BodyParser()

    def __init__(self, name: str, module: str, *, description: str) -> None:
        super().__init__(f"api-{name}", module, url_prefix=PREFIX, description=description)
        self._prepare_doc_cbks.append(self._add_needs)

    def operation(
        self,
        path: str,
        scope: Scope,
        *,
        response: type[Schema],
        arguments: type[Schema] | None = None,
        method: str = "GET",
        public: bool = False,
        errors: tuple[int, ...] = (),
        headers: tuple[dict[str, Any], ...] = (),
    ) -> Callable[[View], View]:
        """Register a view as an operation.

        Args:
            path: The path below /api/v1.
            scope: The scope that a token needs.
            response: The schema of the response.
            arguments: The schema of a GET's parameters or of a JSON body; the view's first argument.
            method: The method.
            public: Whether it can also be used without a token.
            errors: Statuses of errors beyond the usual ones.
            headers: Headers that it reads.
        """

        def register(view: View) -> View:
            decorated: Any = self.response(200, response)(view)
            if IF_NONE_MATCH in headers:
                decorated = self.alt_response(304, description="The reader has it already.", success=True)(decorated)
            if arguments is not None:
                decorated = self.arguments(arguments, location="query" if method == "GET" else "json")(decorated)
            if headers:
                decorated = self.doc(parameters=list(headers))(decorated)
            self.route(path, methods=[method])(needs(scope, *errors, public=public)(decorated))
            return view

        return register

    @staticmethod
    def _add_needs(doc: dict[str, Any], doc_info: Mapping[str, Any], *, method: str, **_more: Any) -> dict[str, Any]:  # noqa: ANN401  (as in the library)
        """Document the scope of an operation and the errors that it may return."""
        needs_declared, more_statuses = doc_info["needs"], doc_info.get("errors", ())
        responses = doc.setdefault("responses", {})
        statuses = {*EVERYWHERE, *more_statuses, 422}
        if method in WITH_BODY:
            statuses |= {413, 415}
        for status in sorted(statuses):
            responses[status] = PROBLEM
        if needs_declared.scope is not None:
            doc["security"] = [{SECURITY: [needs_declared.scope.name]}, *([{}] if needs_declared.public else [])]
            doc["x-scope"] = needs_declared.scope.name
        return doc


class PortalApi(Api):  # type: ignore[misc]  # the library has no types
    """The whole interface."""

    DEFAULT_ERROR_RESPONSE_NAME = None
    _document: dict[str, Any] | None = None
    _lock = threading.Lock()

    def __init__(self, app: Flask, title: str) -> None:
        self._title = title
        self._blueprints: list[ApiBlueprint] = []
        app.config.update(API_TITLE=title, API_VERSION="v1", OPENAPI_VERSION="3.1.0")
        super().__init__(app, spec_kwargs={"info": {"description": DESCRIPTION}})

    def _register_error_handlers(self) -> None:
        """Does nothing: `portal.api.problems` answers all errors."""

    def _register_responses(self) -> None:
        """Does nothing: every refusal is the response `PROBLEM`. The library would describe one for each HTTP status,
        which takes half as long as the rest of `create_app`.
        """

    def add(self, blueprint: ApiBlueprint) -> None:
        """Register a blueprint."""
        self._app.extensions["flask-smorest"]["blp_name_to_api"][blueprint.name] = self
        self._app.register_blueprint(blueprint)
        self._blueprints.append(blueprint)

    def document(self) -> dict[str, Any]:
        """The OpenAPI 3.1 document. Built once per process: of the application, only the title is in it."""
        with PortalApi._lock:
            if PortalApi._document is None:
                PortalApi._document = self._build()
            document = PortalApi._document
        return document | {"info": document["info"] | {"title": self._title}}

    def _build(self) -> dict[str, Any]:
        spec = self.spec
        spec.components.security_scheme(
            SECURITY,
            {"type": "http", "scheme": "bearer", "description": "A token of one’s own, made under /accounts/tokens/."},
        )
        description = "A refusal: its detail is a sentence for people. Statuses: " + ", ".join(
            map(str, DEFAULT_DETAILS)
        )
        content = {MEDIA_TYPE: {"schema": ProblemSchema}}
        spec.components.response(PROBLEM, {"description": description, "content": content})
        for blueprint in self._blueprints:
            blueprint.register_views_in_doc(self, self._app, spec, name=blueprint.name, parameters=None)
            spec.tag({"name": blueprint.name, "description": blueprint.description})
        document: dict[str, Any] = spec.to_dict()
        return document
