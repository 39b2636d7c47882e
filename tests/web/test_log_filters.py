"""No log tells the secret of an address that a secret opens."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from gunicorn.glogging import SafeAtoms

from portal.web.logs import PATH_LOGGERS, add_log_filters

if TYPE_CHECKING:
    from flask import Flask

SECRET = "Xk3-f_9aQ.sEcReT"
FORMS = ('"GET %s HTTP/1.1" 200 -', "127.0.0.1 %s?next=1", "[/x] %s")


@pytest.mark.parametrize("name", PATH_LOGGERS)
def test_every_path_with_a_secret_is_logged_without_it(app: Flask, caplog: pytest.LogCaptureFixture, name: str) -> None:
    paths = [rule.rule for rule in app.url_map.iter_rules() if "<token>" in rule.rule]
    assert len(paths) >= 7
    logger = logging.getLogger(name)
    logger.addHandler(caplog.handler)
    try:
        for path in paths:
            asked = path.replace("<token>", SECRET)
            for form in FORMS:
                logger.error(form, asked)
                logger.error(form.replace("%s", "%(r)s"), {"r": asked})
            logger.error(asked)
    finally:
        logger.removeHandler(caplog.handler)
    told = [record.getMessage() for record in caplog.records]
    assert len(told) >= len(paths) * (2 * len(FORMS) + 1)
    assert not [line for line in told if SECRET in line]
    assert all(any(path.split("<token>")[0] + "…" in line for line in told) for path in paths)


def test_a_log_of_requests_keeps_the_headers_that_its_format_names(caplog: pytest.LogCaptureFixture) -> None:
    """As in `gunicorn --access-logformat`: in any case, and with a dash for a header that did not come."""
    values = SafeAtoms({"r": f"GET /letters/{SECRET} HTTP/1.1", "{x-forwarded-for}i": "203.0.113.7"})
    logger = logging.getLogger("gunicorn.access")
    add_log_filters()
    logger.addHandler(caplog.handler)
    try:
        logger.error("%(r)s %({X-Forwarded-For}i)s %({Referer}i)s", values)
    finally:
        logger.removeHandler(caplog.handler)
    assert {record.getMessage() for record in caplog.records} == {"GET /letters/… HTTP/1.1 203.0.113.7 -"}
    assert SECRET in values["r"], "what the server logs elsewhere stays its own"


def test_the_documented_log_of_nginx_leaves_them_out_too(app: Flask) -> None:
    text = (Path(__file__).parents[2] / "docs" / "deploy.md").read_text(encoding="utf-8")
    (pattern,) = re.findall(r'^  "~(\^.*)" \$1\.\.\.;$', text, re.MULTILINE)
    paths = [rule.rule for rule in app.url_map.iter_rules() if "<token>" in rule.rule]
    assert paths
    for below in ("", "/phd"):
        for path in paths:
            found = re.match(pattern, below + path.replace("<token>", "a.b-c"))
            assert found is not None, path
            assert "a.b-c" not in found[1]
    assert re.match(pattern, "/labs/?q=/letters/") is None
