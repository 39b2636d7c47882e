"""A process that is killed with a mail on its hands leaves exactly one mail in the end."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, update

from portal import create_app
from portal.db import db
from portal.jobs.registry import CLOCKWORK
from portal.mail.delivery import LEASE
from portal.models import OutboxMail
from portal.web.work import DELIVERY, job_queue

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Settings

KILLED = """
    import os, signal
    from datetime import UTC, datetime
    from portal import create_app
    from portal.db import db
    from portal.mail import write_to
    from portal.web import work

    app = create_app(serving=False)
    {death}
    with app.app_context():
        said = {{"applicant": "Li", "cycle": "2027"}}
        write_to(db.session(), "r@x.example", "R", "referee_revoked", said, now=datetime.now(UTC))
        db.session.commit()
        with work.post_office() as send:
            work.deliver(db.session(), send, letterhead=work.Letterhead("http://localhost"), clock=work._now)
"""
DEATHS = {
    "between commit and delivery": "work.job_queue(app).kick = lambda name: os.kill(os.getpid(), signal.SIGKILL)",
    "between delivery and its mark": (
        "import portal.mail.delivery as d; d._is_this_try = lambda *a: os.kill(os.getpid(), signal.SIGKILL)"
    ),
}


@pytest.mark.parametrize("death", DEATHS)
def test_a_killed_process_leaves_exactly_one_mail(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, death: str
) -> None:
    box = tmp_path / "box"
    environment = {**settings, "PORTAL_MODE": "development", "PORTAL_MAIL_URL": f"file://{box}", "PATH": ""}
    script = textwrap.dedent(KILLED).format(death=DEATHS[death])
    killed = subprocess.run([sys.executable, "-c", script], env=environment, check=False, capture_output=True)
    assert killed.returncode == -9, killed.stderr.decode()
    assert len(list(box.glob("*.eml"))) == (0 if "commit" in death else 1)
    again = create_app(environment)
    with again.app_context():
        # What the killed process had in hand runs out.
        db.session.execute(update(OutboxMail).values(lease_until=datetime.now(UTC) - LEASE))
        db.session.commit()
    for name in set(CLOCKWORK) - {DELIVERY}:
        monkeypatch.delitem(CLOCKWORK, name)
    for _ in range(2):
        job_queue(again).do_due()
        assert len(list(box.glob("*.eml"))) == 1
    with again.app_context():
        assert db.session.scalars(select(OutboxMail.state)).all() == ["sent"]
        db.engine.dispose()
