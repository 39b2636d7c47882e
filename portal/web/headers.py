"""Response headers: a strict content security policy on every page, and caching by kind of response."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request
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

if TYPE_CHECKING:
    from flask import Flask, Response

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
        # For this host alone: its subdomains, such as those of www.example.edu/phd, are not ours to decide on.
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
        # Static files have their own (see assets.py).
        if request.endpoint not in STATIC and "Cache-Control" not in response.headers:
            response.cache_control.private = True
            response.cache_control.no_cache = True
        return response

    app.after_request(set_headers)
