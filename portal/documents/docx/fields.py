"""Fields of a Word document: instructions, which nobody sees, and the text that they may contain.

Runs in the reading child only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from portal.documents.docx.names import qn

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

# Letters that are painted over each other: the last of them is the word, the one before how it is read, or a ring.
_OVERSTRIKE = re.compile(r"\s*EQ\s[^()]*\\o[^()]*\(.*[,;](?P<base>[^,;]+)\)\s*", re.DOTALL)
_KIND = qn("w:fldCharType")


class Fields:
    """The fields of one part.

    Attributes:
        codes: the children of runs that stand between the begin of a field and its result.
        nested: the results of fields inside of a code, which tell it something ("page 2") and hide nothing.
        shown: what a code shows that has no result, by the last element of the code.
    """

    def __init__(self, root: Element | None) -> None:
        self.codes: set[Element] = set()
        self.nested: set[Element] = set()
        self.shown: dict[Element, str] = {}
        # Of every open field its code so far; None once its result has begun.
        open_fields: list[list[Element] | None] = []
        for run in root.iter(qn("w:r")) if root is not None else ():
            for child in run.iterchildren("{*}*"):
                kind = child.get(_KIND) if child.tag == qn("w:fldChar") else None
                if kind == "begin":
                    open_fields.append([])
                elif kind == "separate" and open_fields:
                    self.codes.update(open_fields[-1] or ())
                    open_fields[-1] = None
                elif kind == "end" and open_fields:
                    self._close(open_fields.pop())
                else:
                    codes = [code for code in open_fields if code is not None]
                    for code in codes:
                        code.append(child)
                    if codes and open_fields[-1] is None:
                        self.nested.add(child)

    def _close(self, code: list[Element] | None) -> None:
        """End a field; one without a result may show a part of its code."""
        if not code:
            return
        self.codes.update(code)
        instruction = "".join(part.text or "" for part in code if part.tag == qn("w:instrText"))
        overstrike = _OVERSTRIKE.fullmatch(instruction)
        if overstrike is not None:
            self.shown[code[-1]] = overstrike["base"]


def chosen_entry(mark: Element) -> str | None:
    """The entry that is chosen in the list of a form; None when `mark` (a `w:fldChar`) begins no such list."""
    drop_down = mark.find(f"{qn('w:ffData')}/{qn('w:ddList')}")
    if drop_down is None:
        return None
    entries = [entry.get(qn("w:val"), "") for entry in drop_down.iterchildren(qn("w:listEntry"))]
    index = "0"
    for tag in ("w:default", "w:result"):
        chosen = drop_down.find(qn(tag))
        index = index if chosen is None else chosen.get(qn("w:val"), "0")
    return entries[int(index)] if index.isdecimal() and int(index) < len(entries) else ""
