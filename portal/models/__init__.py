"""Tables only. Imports run one way: user → lab → cycle → admission → interview, review; cycle → announcement;
lab → application.
"""

from portal.models.account_invitation import AccountInvitation
from portal.models.admission import Application, Choice, Decision, MatchRecord, MoveRecord, Referee, Submission
from portal.models.announcement import Announcement, AnnouncementRecipient
from portal.models.application import Interests, InterestTopic, LabShare, Resume
from portal.models.assignment import AssignmentRound
from portal.models.audit import AuditEntry, AuditHead, InstanceMark
from portal.models.cycle import Cycle, LabIntake, LabReviewing
from portal.models.impersonation import Impersonation
from portal.models.interview import CalendarFeed, InterviewSlot
from portal.models.job import ClockMark, Job
from portal.models.lab import (
    Activity,
    Lab,
    LabProfessor,
    LabProposal,
    LabRevision,
    Member,
    Opening,
    System,
    SystemWork,
    Work,
)
from portal.models.lab_import import LabImport
from portal.models.listed_choices import LISTED_BY
from portal.models.mail import MailPreference, Notification, OutboxMail
from portal.models.merged_account import MergedAccount
from portal.models.release import Release, ReleaseItem
from portal.models.review import Conflict, Invitation, QueueVisit, Redaction, ReviewMark, SavedView, Scorecard
from portal.models.token import ApiAnswer, ApiToken
from portal.models.user import Role, User

__all__ = [
    "LISTED_BY",
    "AccountInvitation",
    "Activity",
    "Announcement",
    "AnnouncementRecipient",
    "ApiAnswer",
    "ApiToken",
    "Application",
    "AssignmentRound",
    "AuditEntry",
    "AuditHead",
    "CalendarFeed",
    "Choice",
    "ClockMark",
    "Conflict",
    "Cycle",
    "Decision",
    "Impersonation",
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
    "MailPreference",
    "MatchRecord",
    "Member",
    "MergedAccount",
    "MoveRecord",
    "Notification",
    "Opening",
    "OutboxMail",
    "QueueVisit",
    "Redaction",
    "Referee",
    "Release",
    "ReleaseItem",
    "Resume",
    "ReviewMark",
    "Role",
    "SavedView",
    "Scorecard",
    "Submission",
    "System",
    "SystemWork",
    "User",
    "Work",
]
