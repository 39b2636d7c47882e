"""Names of elements and attributes of Word documents, as lxml has them. Runs in the reading child only."""

from __future__ import annotations

from functools import cache

from docx.oxml.ns import nsmap
from docx.oxml.ns import qn as _qn

DRAWING = f"{{{nsmap['a']}}}"
"""Drawings, in any program of Office."""
WORD_DRAWING = f"{{{nsmap['wp']}}}"
"""How a drawing is put into the text."""
MICROSOFT_WORD = "{http://schemas.microsoft.com/office/word/2010/"
SHAPE = f"{MICROSOFT_WORD}wordprocessingShape}}"
WORD_2010 = f"{MICROSOFT_WORD}wordml}}"
VML = "{urn:schemas-microsoft-com:vml}"
"""The older drawing language."""


@cache
def qn(name: str) -> str:
    """The full name of "w:p", looked up once: a long document asks for some names a hundred thousand times."""
    full: str = _qn(name)
    return full
