"""Names of elements and attributes of Word documents, as lxml has them. Runs in the reading child only."""

from __future__ import annotations

from functools import cache

from docx.oxml.ns import qn as _qn


@cache
def qn(name: str) -> str:
    """The full name of "w:p", looked up once: a long document asks for some names a hundred thousand times."""
    full: str = _qn(name)
    return full
