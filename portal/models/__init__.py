"""Tables only. Imports run one way: user → lab → application → review → audit; user → concept."""

from portal.models.application import Interests, InterestTopic, NamedLab, Resume
from portal.models.audit import AuditEntry, InstanceMark
from portal.models.concept import ConceptEntry, ConceptRevision
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
from portal.models.review import ReviewMark
from portal.models.user import Role, User

__all__ = [
    "Activity",
    "AuditEntry",
    "ConceptEntry",
    "ConceptRevision",
    "InstanceMark",
    "InterestTopic",
    "Interests",
    "Lab",
    "LabProfessor",
    "LabProposal",
    "LabRevision",
    "Member",
    "NamedLab",
    "Opening",
    "Resume",
    "ReviewMark",
    "Role",
    "System",
    "SystemWork",
    "User",
    "Work",
]
