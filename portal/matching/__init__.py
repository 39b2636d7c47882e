"""Which labs fit what a person wants to work on, and why. Usable by itself: no web, no database, no clock.

>>> from portal.matching import LabDoc, LabIndex, Query, Topic, WorkDoc
>>> work = WorkDoc("w1", "High-throughput inference of language models on one GPU", "", systems=("FlexGen",))
>>> index = LabIndex.fit([LabDoc("systems-lab", "We build systems for machine learning.", (work,))])
>>> [match.lab for match in index.rank(Query([Topic("language model inference")]))]
['systems-lab']
"""

from portal.matching.concepts import Concept, ConceptError, read_concepts
from portal.matching.evidence import mark, occurring
from portal.matching.formula import strength
from portal.matching.index import LabIndex
from portal.matching.language.spelling import Correction
from portal.matching.layers import UnknownLab
from portal.matching.privacy.redacting import Redacted, Removed, redact
from portal.matching.records import LabDoc, Query, Topic, WorkDoc
from portal.matching.results import (
    Evidence,
    Explanation,
    FacetCheck,
    Gap,
    Match,
    ProfileEvidence,
    Source,
    Span,
    TermShare,
)
from portal.matching.storage import IndexRefused

__all__ = [
    "Concept",
    "ConceptError",
    "Correction",
    "Evidence",
    "Explanation",
    "FacetCheck",
    "Gap",
    "IndexRefused",
    "LabDoc",
    "LabIndex",
    "Match",
    "ProfileEvidence",
    "Query",
    "Redacted",
    "Removed",
    "Source",
    "Span",
    "TermShare",
    "Topic",
    "UnknownLab",
    "WorkDoc",
    "mark",
    "occurring",
    "read_concepts",
    "redact",
    "strength",
]
