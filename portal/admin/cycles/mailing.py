"""A job that mails many applicants of a cycle: thousands of mails would hold a page for long."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mailing:
    """How many applicants are told something, and the number of the job that tells them."""

    applicants: int
    job_id: int
