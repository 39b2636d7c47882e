"""Elements and attributes of Word documents that switch something on or off. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.names import qn

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

ON, OFF = frozenset({"1", "true", "on"}), frozenset({"0", "false", "off"})


def is_on(switch: Element) -> bool:
    """Whether a switch such as `w:hidden` is on, as it is without a value."""
    return switch.get(qn("w:val"), "1").lower() not in OFF
