"""The kinds of mail about letters of reference."""

from __future__ import annotations

from portal.mail.kind import Kind
from portal.models.user import APPLICANT

OF_LETTERS = (
    # Referees have no account; their link opens one form and is deleted once the mail is sent.
    Kind(
        "referee_request",
        "Request for a letter of reference",
        (),
        subject="Request for a letter of reference",
        line="",
        fields="applicant cycle zone until",
    ),
    Kind(
        "referee_reminder",
        "Reminder of a letter of reference",
        (),
        subject="Reminder: your letter of reference is due",
        line="",
        fields="applicant cycle zone until",
    ),
    Kind(
        "referee_revoked",
        "A letter of reference is no longer needed",
        (),
        subject="A letter of reference is no longer needed",
        line="",
        fields="applicant cycle",
    ),
    Kind(
        "referee_receipt",
        "Receipt for a letter of reference",
        (),
        subject="Your letter of reference has arrived",
        line="",
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
