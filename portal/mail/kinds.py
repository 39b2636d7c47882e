"""The kinds of mail and news. A new kind is one entry in `KINDS`, and templates/mail/<name>.txt."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from jinja2 import Environment, meta

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


OF_LETTERS = (
    # Referees have no account; their link opens one form and is deleted once the mail is sent.
    Kind(
        "referee_request",
        "Request for a letter of reference",
        (),
        subject="Request for a letter of reference",
        fields="applicant cycle zone until",
    ),
    Kind(
        "referee_reminder",
        "Reminder of a letter of reference",
        (),
        subject="Reminder: your letter of reference is due",
        fields="applicant cycle zone until",
    ),
    Kind(
        "referee_revoked",
        "A letter of reference is no longer needed",
        (),
        subject="A letter of reference is no longer needed",
        fields="applicant cycle",
    ),
    Kind(
        "referee_receipt",
        "Receipt for a letter of reference",
        (),
        subject="Your letter of reference has arrived",
        fields="applicant cycle zone until",
    ),
    Kind(
        "letter_received",
        "A letter of reference has arrived",
        (APPLICANT,),
        subject="A letter of reference has arrived",
        line="A letter of reference for {{ cycle }} has arrived.",
        several="{{ times }} letters of reference for {{ cycle }} have arrived.",
        fields="cycle",
        can_be_off=True,
    ),
    Kind(
        "letter_declined",
        "A referee declines to write",
        (APPLICANT,),
        subject="A referee cannot write a letter for you",
        line="A referee whom you asked for {{ cycle }} cannot write a letter.",
        fields="cycle",
    ),
)

OF_ACCOUNTS = (
    # An invitation's link opens one form and is wiped once the mail is sent; `lab` may be empty.
    Kind(
        "account_invitation",
        "Invitation to create an account",
        (),
        subject="Your invitation to {{ portal }}",
        fields="by roles lab until",
    ),
    Kind(
        "account_access",
        "An administrator gives your account new rights",
        (APPLICANT, PROFESSOR, ADMIN),
        subject="Your account has new rights",
        line="Your account has new rights: {{ roles|join(', ') }}{% if lab %}, {{ lab }}{% endif %}.",
        fields="by roles lab",
    ),
    Kind(
        "accounts_merged",
        "Another account of yours was merged into this one",
        (APPLICANT, PROFESSOR, ADMIN),
        subject="Your two accounts have been merged",
        line="Another account of yours was merged into this one.",
    ),
    Kind("account_closed", "Account closed", (), subject="Your account was merged into another one"),
)

DIGEST = "digest"

_ALL = (
    # The course of an application. Decisions are shown only in the portal, after the sign-in.
    Kind(
        "application_submitted",
        "Receipt when you submit an application",
        (APPLICANT,),
        subject="Your application for {{ cycle }} has arrived",
        fields="cycle zone code labs deadline_at",
    ),
    Kind(
        "application_withdrawn",
        "Receipt when you withdraw an application",
        (APPLICANT,),
        subject="Your application for {{ cycle }} is withdrawn",
        fields="cycle",
    ),
    Kind(
        "application_incomplete",
        "Something is missing in your application",
        (APPLICANT,),
        subject="Something is missing in your application for {{ cycle }}",
        fields="cycle zone missing until",
    ),
    Kind(
        "application_request_taken_back",
        "What was missing in your application is not needed any more",
        (APPLICANT,),
        subject="Nothing more is asked of you for {{ cycle }}",
        line="Nothing more is asked of you for {{ cycle }}: your last submission counts.",
        fields="cycle reason",
    ),
    Kind(
        "application_lacks",
        "Something is still missing in an application you submitted",
        (APPLICANT,),
        subject="Something is still missing in your application for {{ cycle }}",
        fields="cycle missing",
    ),
    Kind(
        "deadline_moved",
        "The deadline of a cycle in which you apply has moved",
        (APPLICANT,),
        subject="The deadline of {{ cycle }} has moved",
        line="The deadline of {{ cycle }} is now {{ deadline_at|moment(zone) }}.",
        fields="cycle zone deadline_at",
    ),
    Kind(
        "cycle_announcement",
        "Something the administrators write to applicants of a cycle",
        (APPLICANT,),
        subject="{{ cycle }}: {{ about }}",
        line="{{ cycle }}: {{ about }}",
        fields="cycle about message",
    ),
    Kind(
        "application_eligible",
        "Your application goes to the labs",
        (APPLICANT,),
        subject="Your application for {{ cycle }} goes to the labs",
        line="Your application for {{ cycle }} is complete and goes to the labs you chose.",
        fields="cycle",
        can_be_off=True,
    ),
    Kind(
        "application_ineligible",
        "Your application cannot be considered",
        (APPLICANT,),
        subject="News about your application for {{ cycle }}",
        line="There is news about your application for {{ cycle }}.",
        fields="cycle reason",
    ),
    Kind(
        "decision_released",
        "A lab has decided",
        (APPLICANT,),
        subject="News about your application",
        line="There is news about your application for {{ cycle }}.",
        fields="cycle",
    ),
    Kind(
        "offer_reminder",
        "Your answer is due soon",
        (APPLICANT,),
        subject="Your answer is due soon",
        line="Your answer for {{ cycle }} is due by {{ until|moment(zone) }}.",
        fields="cycle zone until",
    ),
    Kind(
        "offer_expired",
        "The time for your answer has run out",
        (APPLICANT,),
        subject="The time for your answer has run out",
        line="The time for your answer for {{ cycle }} has run out.",
        fields="cycle zone until",
    ),
    Kind(
        "offer_answered",
        "An applicant answers an offer of your lab",
        (PROFESSOR,),
        subject="{{ lab }}: an offer was answered",
        line="{{ lab }}: an applicant has answered your offer.",
        several="{{ lab }}: {{ times }} applicants have answered your offers.",
        fields="cycle lab",
        can_be_off=True,
    ),
    Kind(
        "offer_lapsed",
        "An open offer of your lab lapses",
        (PROFESSOR,),
        subject="{{ lab }}: an offer has lapsed",
        line="{{ lab }}: an open offer in {{ cycle }} has lapsed.",
        several="{{ lab }}: {{ times }} open offers in {{ cycle }} have lapsed.",
        fields="cycle lab",
        can_be_off=True,
    ),
    # Interviews.
    Kind(
        "interview_invited",
        "A lab invites you to an interview",
        (APPLICANT,),
        subject="{{ lab }} would like to talk with you",
        line="{{ lab }} would like to talk with you: pick a time for an interview.",
        fields="cycle lab",
    ),
    Kind(
        "interview_times",
        "A lab that invited you offers times",
        (APPLICANT,),
        subject="{{ lab }} offers times for your interview",
        line="{{ lab }} offers times for your interview: pick one.",
        fields="cycle lab",
    ),
    Kind(
        "interview_picked",
        "A time for an interview is set",
        (APPLICANT, PROFESSOR),
        subject="Interview, {{ lab }}: {{ starts_at|moment(zone) }}",
        fields="cycle lab zone starts_at minutes where",
    ),
    Kind(
        "interview_changed",
        "An interview has changed",
        (APPLICANT, PROFESSOR),
        subject="Changed interview, {{ lab }}: {{ starts_at|moment(zone) }}",
        fields="cycle lab zone starts_at minutes where",
    ),
    Kind(
        "interview_cancelled",
        "An interview is cancelled",
        (APPLICANT, PROFESSOR),
        subject="Cancelled interview, {{ lab }}: {{ starts_at|moment(zone) }}",
        line="The interview on {{ starts_at|moment(zone) }}, {{ lab }}, is cancelled.",
        fields="cycle lab zone starts_at reason",
    ),
    # Invitations to apply.
    Kind(
        "invitation",
        "A lab invites you to apply",
        (APPLICANT,),
        subject="{{ lab }} invites you to apply",
        line="{{ lab }} invites you to apply in {{ cycle }}.",
        fields="cycle lab zone deadline_at",
        can_be_off=True,
    ),
    Kind(
        "invitation_answered",
        "An applicant answers an invitation of your lab",
        (PROFESSOR,),
        subject="{{ lab }}: an invitation was answered",
        line="{{ lab }}: an applicant has answered your invitation.",
        several="{{ lab }}: {{ times }} applicants have answered your invitations.",
        fields="cycle lab",
        usual="digest",
        can_be_off=True,
    ),
    # The work of labs.
    Kind(
        "new_choices",
        "New applicants chose your lab",
        (PROFESSOR,),
        subject="{{ lab }}: a new applicant",
        line="{{ lab }}: a new applicant in {{ cycle }}.",
        several="{{ lab }}: {{ times }} new applicants in {{ cycle }}.",
        fields="cycle lab",
        usual="digest",
        can_be_off=True,
    ),
    Kind(
        "reply_due",
        "Replies of your lab are due soon",
        (PROFESSOR,),
        subject="{{ lab }}: replies are due by {{ reply_by_at|moment(zone) }}",
        line="{{ lab }}: {{ applicants(count) }} in {{ cycle }} due a reply by {{ reply_by_at|moment(zone) }}.",
        fields="cycle lab zone count reply_by_at",
        can_be_off=True,
    ),
    Kind(
        "reply_late",
        "Replies of a lab are late",
        (ADMIN,),
        subject="{{ lab }}: replies are late",
        line="{{ lab }}: the reply to {{ applicants(count) }} in {{ cycle }} is late.",
        fields="cycle lab zone count reply_by_at",
        usual="digest",
        can_be_off=True,
    ),
    Kind(
        "clock_gap",
        "The portal was not running, or its clock jumped",
        (ADMIN,),
        subject="Please look at the portal’s clock",
        line="No scheduled work was started from {{ stood_at|moment }} to {{ went_on_at|moment }}. Is the clock right?",
        fields="stood_at went_on_at held_until",
    ),
    Kind(
        "nobody_to_review",
        "A lab has nobody left to review an applicant",
        (ADMIN,),
        subject="{{ lab }}: nobody can review an application",
        line="{{ lab }}: everybody has a conflict of interest with an applicant in {{ cycle }}.",
        several="{{ lab }}: everybody has a conflict of interest with {{ times }} applicants in {{ cycle }}.",
        fields="cycle lab",
    ),
    Kind(
        "conflict_of_yours",
        "An administrator declares a conflict of interest of yours, or takes it back",
        (PROFESSOR,),
        subject="{{ lab }}: a conflict of interest of yours was {{ outcome }}",
        line="{{ lab }}: an administrator has {{ outcome }} a conflict of interest of yours.",
        several="{{ lab }}: an administrator has {{ outcome }} {{ times }} conflicts of interest of yours.",
        fields="lab outcome",
    ),
    # Keeping profiles accurate. `confirmed_on` is empty if nobody ever confirmed the profile.
    Kind(
        "profile_stale",
        "The profile of your lab should be confirmed",
        (PROFESSOR,),
        subject="{{ lab }}: is the profile still up to date?",
        line="{{ lab }}: please look over the profile and confirm that it is still up to date.",
        fields="lab confirmed_on",
        can_be_off=True,
    ),
    *OF_LETTERS,
    *OF_ACCOUNTS,
    # The digest itself; never used with `tell`.
    Kind(DIGEST, "Digest", (), subject="Your news for {{ day|day }}", fields="day news", can_be_off=True),
)
KINDS = {kind.name: kind for kind in _ALL}


def kind_of(name: str) -> Kind:
    """The kind called `name`.

    Raises:
        UnknownKindError: There is none; the message lists the known ones.
    """
    if name not in KINDS:
        raise UnknownKindError(f"There is no kind of mail {name!r}. Known are: {', '.join(sorted(KINDS))}.")
    return KINDS[name]


def kinds_for(roles: list[str]) -> list[Kind]:
    """The kinds of mail that people with any of `roles` may get, in the order of the table."""
    return [kind for kind in _ALL if set(kind.audience) & set(roles)]
