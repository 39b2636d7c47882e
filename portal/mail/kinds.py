"""The kinds of mail and news. A new kind is one line of `_ALL`, and templates/mail/<name>.txt: a head with its subject,
news and fields, a blank line, and the text of the mail.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from jinja2 import Environment, meta

from portal.config import RESOURCES
from portal.models.user import ADMIN, APPLICANT, PROFESSOR

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
_PARSER = Environment(autoescape=True)
_PARSER.filters.update(moment=str, deadline=str, day=str)
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
        body: Template of its text.
        line: Template of the news in the portal and in digests; if there is none, the subject as a sentence.
        several: Template of one line for several pieces of news with equal lines. It may use the fields that `line`
            shows unchanged, and `times`; empty for kinds that hardly come together.
        fields: Names of the fields of its context, separated by spaces: exactly these.
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
    body: str = ""
    line: str = ""
    fields: str = ""
    several: str = ""
    usual: How = "at_once"
    can_be_off: bool = False

    def __post_init__(self) -> None:
        if self.audience and not self.line:
            object.__setattr__(self, "line", f"{self.subject}.")
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

    def checked(self, context: Mapping[str, Any]) -> dict[str, Any]:
        """`context`, if it holds exactly the fields, and all of them can be stored; else raises `ContextError`."""
        given, expected = set(context), set(self.names)
        if given != expected:
            missing, unknown = ", ".join(sorted(expected - given)), ", ".join(sorted(given - expected))
            raise ContextError(f"Mail of kind {self.name}: missing: {missing or '–'}; not known: {unknown or '–'}.")
        try:
            json.dumps(dict(context))
        except TypeError as error:
            raise ContextError(f"Mail of kind {self.name}: {error}. Moments go in as ISO texts.") from None
        return dict(context)


HEAD = ("Subject", "News", "Several", "Fields")


def _kind(
    name: str, label: str, audience: tuple[str, ...] = (), *, usual: How = "at_once", can_be_off: bool = False
) -> Kind:
    """The kind whose texts are in the file of that name."""
    text = (RESOURCES / "templates/mail" / f"{name}.txt").read_text(encoding="utf-8")
    lines, _, body = text.partition("\n\n")
    head = dict(line.split(": ", 1) for line in lines.splitlines())
    subject, line, several, names = (head.pop(part, "") for part in HEAD)
    if head or not subject:
        raise ValueError(f"{name}: a mail begins with {', '.join(HEAD)}, the first of which is needed.")
    return Kind(name, label, audience, subject, body, line, names, several, usual, can_be_off)


DIGEST = "digest"

_ALL = (
    _kind("application_submitted", "Receipt when you submit an application", (APPLICANT,)),
    _kind("application_withdrawn", "Receipt when you withdraw an application", (APPLICANT,)),
    _kind("application_incomplete", "Something is missing in your application", (APPLICANT,)),
    _kind(
        "application_request_taken_back", "What was missing in your application is not needed any more", (APPLICANT,)
    ),
    _kind("application_lacks", "Something is still missing in an application you submitted", (APPLICANT,)),
    _kind("deadline_moved", "The deadline of a cycle in which you apply has moved", (APPLICANT,)),
    _kind("cycle_announcement", "An announcement of the administrators", (APPLICANT,)),
    _kind("application_eligible", "Your application goes to the labs", (APPLICANT,), can_be_off=True),
    _kind("application_ineligible", "Your application cannot be considered", (APPLICANT,)),
    _kind("decision_released", "A lab has decided", (APPLICANT,)),
    _kind("deadline_reminder", "The deadline of your draft is near", (APPLICANT,), can_be_off=True),
    _kind("new_lab", "A new lab fits your interests", (APPLICANT,), usual="digest", can_be_off=True),
    _kind("offer_reminder", "Your answer is due soon", (APPLICANT,)),
    _kind("offer_expired", "The time for your answer has run out", (APPLICANT,)),
    _kind("offer_answered", "An applicant answers an offer of your lab", (PROFESSOR,), can_be_off=True),
    _kind("offer_lapsed", "An open offer of your lab lapses", (PROFESSOR,), can_be_off=True),
    _kind("interview_invited", "A lab invites you to an interview", (APPLICANT,)),
    _kind("interview_times", "A lab that invited you offers times", (APPLICANT,)),
    _kind("interview_picked", "A time for an interview is set", (APPLICANT, PROFESSOR)),
    _kind("interview_changed", "An interview has changed", (APPLICANT, PROFESSOR)),
    _kind("interview_cancelled", "An interview is cancelled", (APPLICANT, PROFESSOR)),
    _kind("invitation", "A lab invites you to apply", (APPLICANT,), can_be_off=True),
    _kind(
        "invitation_answered",
        "An applicant answers an invitation of your lab",
        (PROFESSOR,),
        usual="digest",
        can_be_off=True,
    ),
    _kind("new_choices", "New applicants chose your lab", (PROFESSOR,), usual="digest", can_be_off=True),
    _kind("reply_due", "Replies of your lab are due soon", (PROFESSOR,), can_be_off=True),
    _kind("reply_late", "Replies of a lab are late", (ADMIN,), usual="digest", can_be_off=True),
    _kind("clock_gap", "The portal was not running, or its clock jumped", (ADMIN,)),
    _kind("nobody_to_review", "A lab has nobody left to review an applicant", (ADMIN,)),
    _kind(
        "conflict_of_yours", "An administrator declares a conflict of interest of yours, or takes it back", (PROFESSOR,)
    ),
    _kind("profile_stale", "The profile of your lab should be confirmed", (PROFESSOR,), can_be_off=True),
    _kind("referee_request", "Request for a letter of reference"),
    _kind("referee_reminder", "Reminder of a letter of reference"),
    _kind("referee_revoked", "A letter of reference is no longer needed"),
    _kind("referee_receipt", "Receipt for a letter of reference"),
    _kind("letter_received", "A letter of reference has arrived", (APPLICANT,), can_be_off=True),
    _kind("letter_declined", "A referee declines to write", (APPLICANT,)),
    _kind("account_invitation", "Invitation to create an account"),
    _kind("account_access", "An administrator gives your account new rights", (APPLICANT, PROFESSOR, ADMIN)),
    _kind("accounts_merged", "Another account of yours was merged into this one", (APPLICANT, PROFESSOR, ADMIN)),
    _kind("account_closed", "Account closed"),
    _kind(DIGEST, "Digest", can_be_off=True),
)
KINDS = {kind.name: kind for kind in _ALL}


def kind_of(name: str) -> Kind:
    """The kind called `name`. Raises `UnknownKindError`: there is none; the message lists the known ones."""
    if name not in KINDS:
        raise UnknownKindError(f"There is no kind of mail {name!r}. Known are: {', '.join(sorted(KINDS))}.")
    return KINDS[name]


def kinds_for(roles: list[str]) -> list[Kind]:
    """The kinds of mail that people with any of `roles` may get, in the order of the table."""
    return [kind for kind in _ALL if set(kind.audience) & set(roles)]
