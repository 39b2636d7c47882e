"""The definition of a kind of mail, and the fields that its subject may contain."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from jinja2 import Environment, meta

if TYPE_CHECKING:
    from collections.abc import Mapping

How = Literal["at_once", "digest", "never"]
HOWS: tuple[How, ...] = ("at_once", "digest", "never")
# Subjects are sent and shown without a sign-in, and lines are repeated in digests: neither may contain any of these.
NEVER_IN_A_SUBJECT = (
    "token",
    "link",
    "url",
    "path",
    "code",
    "secret",
    "password",
    "reason",
    "decision",
    "missing",
    "letter",
    "where",
    "applicant",
    "name",
    "address",
    "email",
    "news",
)
# Samples of all fields of contexts: the tests render every kind with them.
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
_PARSER = Environment(autoescape=True)
_PARSER.filters.update(moment=str, day=str)
_GIVEN = {"applicants", "portal", "times"}  # besides the fields


class UnknownKindError(LookupError):
    """A kind of mail that is not in the table; the message lists the known ones."""


class ContextError(ValueError):
    """A context that does not hold exactly what its kind needs; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of mail.

    Attributes:
        name: Its name in code, and the name of its templates.
        label: Its name on pages: its readers’ preferences and the administrators’ outbox.
        audience: Roles of those who may get it; empty for people without an account.
        subject: Template of the mail's subject. It may also use `portal`, the portal's name.
        line: Template of the news in the portal and in digests; empty for kinds without news.
        several: Template of one line for several pieces of news with equal lines. It may use the fields that `line`
            shows unchanged, and `times`; empty for kinds that hardly come together.
        fields: Names of the fields of its context, separated by spaces: exactly these, each known to `SAMPLES`.
            Moments are ISO texts with their zone; `zone` is the IANA name of the zone in which they are shown.
        usual: How it is sent to somebody who has not chosen.
        can_be_off: Whether its reader chooses between at once, digest and never. A kind that cannot be off is sent
            at once.

    Raises:
        ValueError: The subject or a line uses a field that it may not contain, or that the context does not hold.
    """

    name: str
    label: str
    audience: tuple[str, ...]
    subject: str
    line: str
    fields: str
    several: str = ""
    usual: How = "at_once"
    can_be_off: bool = False

    def __post_init__(self) -> None:
        for template in (self.subject, self.line, self.several):
            used = meta.find_undeclared_variables(_PARSER.parse(template)) - _GIVEN
            forbidden = sorted(name for name in used if any(part in NEVER_IN_A_SUBJECT for part in name.split("_")))
            if forbidden:
                raise ValueError(f"{self.name}: no subject or line may tell {', '.join(forbidden)}.")
            unknown = used - set(self.names)
            if unknown:
                raise ValueError(f"{self.name}: its fields do not hold {', '.join(sorted(unknown))}.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(self.fields.split())

    @property
    def sample(self) -> dict[str, Any]:
        """A sample context."""
        return {name: SAMPLES[name] for name in self.names}

    def checked(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """`context`, if it holds exactly the fields, and all of them can be stored.

        Raises:
            ContextError: It does not.
        """
        given, expected = set(context), set(self.names)
        if given != expected:
            missing, unknown = ", ".join(sorted(expected - given)), ", ".join(sorted(given - expected))
            raise ContextError(f"Mail of kind {self.name}: missing: {missing or '–'}; not known: {unknown or '–'}.")
        try:
            json.dumps(dict(context))
        except TypeError as error:
            raise ContextError(f"Mail of kind {self.name}: {error}. Moments go in as ISO texts.") from None
        return dict(context)
