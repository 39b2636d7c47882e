"""No log tells the secret of an address that a secret opens."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from portal.web.log_filters import PATH_LOGGERS

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
