"""Tables only. Imports run one way: user → lab → cycle → admission → interview, review; lab → application."""

from portal.models.admission import (
    LISTED_BY,
    Application,
    Choice,
    Decision,
    MatchRecord,
    MoveRecord,
    Referee,
    Submission,
)
from portal.models.application import Interests, InterestTopic, LabShare, Resume, SavedLab
from portal.models.audit import AuditEntry, AuditHead, InstanceMark
from portal.models.cycle import Announcement, AnnouncementRecipient, Cycle, LabIntake, LabReviewing
from portal.models.interview import InterviewSlot
from portal.models.job import ClockMark, Job
from portal.models.lab import (
    AccountInvitation,
    Lab,
    LabImport,
    LabProfessor,
    LabProposal,
    LabRevision,
    Opening,
    Work,
)
from portal.models.mail import MailPreference, Notification, OutboxMail
from portal.models.release import AssignmentRound, Release, ReleaseItem
from portal.models.review import (
    AssignedReviewer,
    ChoiceNote,
    ChoiceTag,
    Conflict,
    Invitation,
    LabText,
    QueueVisit,
    Redaction,
    Scorecard,
)
from portal.models.user import ApiAnswer, ApiToken, MergedAccount, OpenIdentity, Role, SignIn, User

__all__ = [
    "LISTED_BY",
    "AccountInvitation",
    "Announcement",
    "AnnouncementRecipient",
    "ApiAnswer",
    "ApiToken",
    "Application",
    "AssignedReviewer",
    "AssignmentRound",
    "AuditEntry",
    "AuditHead",
    "Choice",
    "ChoiceNote",
    "ChoiceTag",
    "ClockMark",
    "Conflict",
    "Cycle",
    "Decision",
    "InstanceMark",
    "InterestTopic",
    "Interests",
    "InterviewSlot",
    "Invitation",
    "Job",
    "Lab",
    "LabImport",
    "LabIntake",
    "LabProfessor",
    "LabProposal",
    "LabReviewing",
    "LabRevision",
    "LabShare",
    "LabText",
    "MailPreference",
    "MatchRecord",
    "MergedAccount",
    "MoveRecord",
    "Notification",
    "OpenIdentity",
    "Opening",
    "OutboxMail",
    "QueueVisit",
    "Redaction",
    "Referee",
    "Release",
    "ReleaseItem",
    "Resume",
    "Role",
    "SavedLab",
    "Scorecard",
    "SignIn",
    "Submission",
    "User",
    "Work",
]
