"""Headers of responses: a strict content security policy, caching, what search engines may list, secret addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import Response, make_response, render_template, request
from secure import (
    ContentSecurityPolicy,
    CrossOriginOpenerPolicy,
    PermissionsPolicy,
    ReferrerPolicy,
    Secure,
    StrictTransportSecurity,
    XContentTypeOptions,
    XFrameOptions,
)

from portal.web.assets import STATIC
from portal.web.navigation import Navigation

if TYPE_CHECKING:
    from flask import Flask


BAD_REQUEST, NOT_FOUND, GONE = 400, 404, 410
OUT_OF_DATE = "Your session expired – your text is safe. Nothing was saved yet. Check it and send it again."
# These pages treat everybody as signed out.
ALONE = Navigation((), (), (), "")


def page_alone(template: str, status: int = 200, **values: Any) -> Response:  # noqa: ANN401  (values of a template)
    """A page without a way to the rest of the portal."""
    return alone(make_response(render_template(template, navigation=lambda: ALONE, **values), status))


def closed_page(template: str, *, known: bool, **values: Any) -> Response:  # noqa: ANN401  (values of a template)
    """The page for every link that does not work; only its status tells a link that was `known` from any other."""
    return page_alone(template, GONE if known else NOT_FOUND, **values)


def alone(response: Response) -> Response:
    """Keep a page opened by a secret out of caches and the referrer of its links."""
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "private, no-store"
    return response


# Blueprints that anybody reads. All else asks for a sign-in, a token or a secret link.
PUBLIC = frozenset({"labs", "help", "api-labs", "api-documents"})
# Visitors are led from it to the sign-in, which is marked; Lighthouse counts a mark of its own as a fault of the page.
UNMARKED = "applications.matches"


def may_be_listed() -> bool:
    """Whether this request is for a page that search engines may list."""
    return request.blueprint in PUBLIC or request.endpoint in STATIC


YEAR = 31_536_000  # seconds

POLICY = (
    ContentSecurityPolicy()
    .default_src("'none'")
    .script_src("'self'")
    .style_src("'self'")
    # Bootstrap draws its form controls, and the TOTP page its QR code, with data: images.
    .img_src("'self'", "data:")
    .font_src("'self'")
    .connect_src("'self'")
    .manifest_src("'self'")
    .form_action("'self'")
    .frame_ancestors("'none'")
    .base_uri("'none'")
)

# An uploaded file is shown, if at all, in a sandbox without any rights.
UPLOADED_FILE_POLICY = "sandbox; default-src 'none'"


def _secure(*, https: bool) -> Secure:
    return Secure(
        csp=POLICY,
        # Not for its subdomains: below a university's own name they are not the portal's.
        hsts=StrictTransportSecurity().max_age(YEAR) if https else None,
        referrer=ReferrerPolicy().strict_origin_when_cross_origin(),
        permissions=PermissionsPolicy().camera().microphone().geolocation(),
        coop=CrossOriginOpenerPolicy().same_origin(),
        xcto=XContentTypeOptions().nosniff(),
        xfo=XFrameOptions().deny(),
    )


def init_headers(app: Flask, *, https: bool) -> None:
    """Set the headers of every response of `app`."""
    headers = _secure(https=https).headers

    def set_headers(response: Response) -> Response:
        # Redirects that add a trailing slash repeat the Host header, which differs behind a proxy.
        location = response.headers.get("Location", "")
        if location.startswith(request.host_url):
            response.headers["Location"] = "/" + location.removeprefix(request.host_url).lstrip("/")
        for name, value in headers.items():
            response.headers.setdefault(name, value)
        if response.status_code >= BAD_REQUEST or not (may_be_listed() or request.endpoint == UNMARKED):
            response.headers["X-Robots-Tag"] = "noindex, nofollow"
        # Static files have their own (see assets.py).
        if request.endpoint not in STATIC and "Cache-Control" not in response.headers:
            response.cache_control.private = True
            response.cache_control.no_cache = True
        return response

    app.jinja_env.globals.update(may_be_listed=may_be_listed)
    app.after_request(set_headers)
