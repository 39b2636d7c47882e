"""The kinds of mail about accounts."""

from __future__ import annotations

from portal.mail.kind import Kind
from portal.models.user import ADMIN, APPLICANT, PROFESSOR

OF_ACCOUNTS = (
    # An invitation's link opens one form and is wiped once the mail is sent; `lab` may be empty.
    Kind(
        "account_invitation",
        "Invitation to create an account",
        (),
        subject="Your invitation to {{ portal }}",
        line="",
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
        fields="",
    ),
    Kind(
        "account_closed", "Account closed", (), subject="Your account was merged into another one", line="", fields=""
    ),
    Kind(
        "impersonation",
        "An administrator viewed the portal as you",
        (APPLICANT, PROFESSOR),
        subject="An administrator is viewing the portal as you",
        line="{{ by }} viewed the portal as you, without being able to change anything.",
        fields="by reason until",
        can_be_off=True,
    ),
)
