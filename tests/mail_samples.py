"""Samples of all fields of mails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from portal.mail.kinds import Kind

SAMPLES: dict[str, Any] = {
    "about": "Living here",
    "applicant": "Li Wei 李伟",
    "by": "Ada Admin",
    "code": "K7QM-2XWD",
    "confirmed_on": "2026-05-04",
    "count": 3,
    "cycle": "Admission 2027",
    "day": "2026-12-01",
    "deadline_at": "2026-12-16T11:59:00+00:00",
    "held_until": "2027-12-04T08:00:00+00:00",
    "lab": "Relaxed System Lab",
    "labs": ["Relaxed System Lab", "Catalyst & Friends <b>"],
    "message": "On 3 December we tell you about living here.\n\nThe room is named on the page.",
    "minutes": 30,
    "missing": "The transcript of your last two years.",
    "news": [{"text": "Relaxed System Lab: a new applicant in Admission 2027.", "path": "/reviews/"}],
    "outcome": "accepted",
    "reason": "The degree you named does not lead to a Ph.D. here.",
    "reply_by_at": "2027-02-01T11:59:00+00:00",
    "roles": ["professor", "admin"],
    "starts_at": "2027-01-12T14:00:00+00:00",
    "stood_at": "2026-12-01T08:00:00+00:00",
    "until": "2027-01-05T11:59:00+00:00",
    "went_on_at": "2027-12-01T08:00:00+00:00",
    "where": "https://video.example.edu/room",
    "zone": "Etc/GMT+12",
}


def sample(kind: Kind) -> dict[str, Any]:
    """A context for a mail of this kind."""
    return {name: SAMPLES[name] for name in kind.names}
