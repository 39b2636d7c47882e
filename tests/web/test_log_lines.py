"""What a server in production logs has a time, a process and a level, from the first line on."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LOGGING = """
import logging
from portal import create_app
for _ in range(2):
    create_app()
logging.getLogger("portal.web.work").info("Mail: %s sent", 3)
logging.getLogger("huey").warning("away /letters/a-token")
logging.getLogger("portal.web.errors").warning("failed /letters/a-token")
"""
CONFIGURED = "import logging; logging.basicConfig(format='own: %(message)s')" + LOGGING


def logged(program: str, folder: Path) -> list[str]:
    settings = {
        "PORTAL_MODE": "production",
        "PORTAL_SECRET_KEY": "k" * 40,
        "PORTAL_INSTANCE": str(folder),
        "PORTAL_BASE_URL": "https://portal.example.edu",
        "PORTAL_MAIL_URL": "memory:",
    }
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()


def test_every_line_has_them_and_no_line_a_token(tmp_path: Path) -> None:
    lines = [
        re.fullmatch(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+\d{4}\] \[\d+\] (.*)", line)
        for line in logged(LOGGING, tmp_path)
    ]
    assert [line and line[1] for line in lines] == [
        "[INFO] Mail: 3 sent",
        "[WARNING] away /letters/…",
        "[WARNING] failed /letters/…",
    ]


def test_logging_that_is_set_up_otherwise_stays_as_it_is(tmp_path: Path) -> None:
    assert logged(CONFIGURED, tmp_path) == [
        "own: Mail: 3 sent",
        "own: away /letters/a-token",
        "own: failed /letters/…",
    ]
