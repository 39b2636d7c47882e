"""Long work outside of requests: jobs that people start, and work that the clock starts.

A package declares its work with `job` and `clockwork`; a service starts a job with `start`, in the transaction of the
request. The process `portal work` does the rest. See docs/jobs.md.
"""

from portal.jobs.progress import CancelledError, Outcome, Progress
from portal.jobs.registry import JobError, JobRefused, ask_to_cancel, clockwork, job, start

__all__ = [
    "CancelledError",
    "JobError",
    "JobRefused",
    "Outcome",
    "Progress",
    "ask_to_cancel",
    "clockwork",
    "job",
    "start",
]
