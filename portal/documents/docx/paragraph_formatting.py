"""How the paragraphs of a Word document are laid out, with what their styles and lists say.

Runs in the reading child only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.documents.docx.lengths import of_twips
from portal.documents.docx.names import qn
from portal.documents.docx.styles import chain_of, styles_by_id, usual_paragraph_style
from portal.documents.docx.switches import OFF, is_on

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.docx.numbering import Numbering

_LINES_OF_AUTO = 240
# What Word takes for "auto" room between paragraphs.
_AUTO_SPACE = 14.0


@dataclass(frozen=True, slots=True)
class Form:
    """How a paragraph is laid out, lengths in points.

    Attributes:
        left: indent; where the text runs from right to left, that at the left all the same.
        right: indent.
        first: further indent of the first line; less than none where it hangs out.
        align: "left", "right", "center" or "both".
        line: height of a line, of what it usually is; None where `exact` or `at_least` says it.
        exact: height of every line; None where it depends on the letters.
        at_least: least height of a line.
        before: room above.
        after: room below.
        contextual: whether that room is left out between paragraphs of the same style.
        frame: the `w:framePr` that takes it out of the text; None where there is none.
        outline: level of a heading, 0 for the highest; None for text.
        breaks: whether it begins a page.
    """

    left: float = 0.0
    right: float = 0.0
    first: float = 0.0
    align: str = "left"
    line: float | None = 1.0
    exact: float | None = None
    at_least: float = 0.0
    before: float = 0.0
    after: float = 0.0
    contextual: bool = False
    frame: Element | None = None
    outline: int | None = None
    breaks: bool = False


class Forms:
    """The forms of paragraphs, given the styles and lists of their document."""

    def __init__(self, styles: Element | None, numbering: Numbering) -> None:
        self._numbering = numbering
        self._styles = styles_by_id(styles)
        self._forms: dict[Element, Form] = {}
        self._of_styles: dict[str | None, Form] = {}
        self._default = Form()
        self._usual_style = usual_paragraph_style(self._styles)
        if styles is not None:
            self._default = _changed(Form(), styles.find(f"{qn('w:docDefaults')}/{qn('w:pPrDefault')}/{qn('w:pPr')}"))

    def of(self, paragraph: Element) -> Form:
        """The form of a `w:p`."""
        form = self._forms.get(paragraph)
        if form is None:
            properties = paragraph.find(qn("w:pPr"))
            style = properties.find(qn("w:pStyle")) if properties is not None else None
            name = style.get(qn("w:val")) if style is not None else self._usual_style
            form = _indented(self._of_style(name), self._numbering.indent_of(paragraph))
            form = _changed(form, properties)
            is_bidi = _is_switched_on(properties, "w:bidi") if properties is not None else None
            form = self._forms[paragraph] = _mirrored(form) if is_bidi else form
        return form

    def _of_style(self, name: str | None) -> Form:
        form = self._of_styles.get(name)
        if form is None:
            form = self._default
            for style in reversed(chain_of(self._styles, name)):
                form = _changed(form, style.find(qn("w:pPr")))
            self._of_styles[name] = form
        return form


def _changed(form: Form, properties: Element | None) -> Form:
    """`form` changed by a `w:pPr`."""
    if properties is None:
        return form
    form = _spaced(_indented(form, properties.find(qn("w:ind"))), properties.find(qn("w:spacing")))
    align, frame, outline = (properties.find(qn(tag)) for tag in ("w:jc", "w:framePr", "w:outlineLvl"))
    if align is not None:
        named = {"start": "left", "end": "right", "distribute": "both"}
        value = align.get(qn("w:val"), "left")
        form = replace(form, align=named.get(value, value))
    if frame is not None:
        form = replace(form, frame=frame)
    if outline is not None:
        level = outline.get(qn("w:val"), "9")
        form = replace(form, outline=int(level) if level in set("012345678") else None)
    contextual, breaks = (_is_switched_on(properties, tag) for tag in ("w:contextualSpacing", "w:pageBreakBefore"))
    form = form if contextual is None else replace(form, contextual=contextual)
    return form if breaks is None else replace(form, breaks=breaks)


def _indented(form: Form, indent: Element | None) -> Form:
    if indent is None:
        return form
    left, right = (
        next((indent.get(qn(side)) for side in sides if indent.get(qn(side)) is not None), None)
        for sides in (("w:start", "w:left"), ("w:end", "w:right"))
    )
    first, hanging = indent.get(qn("w:firstLine")), indent.get(qn("w:hanging"))
    if left is not None:
        form = replace(form, left=of_twips(left))
    if right is not None:
        form = replace(form, right=of_twips(right))
    if hanging is not None:
        return replace(form, first=-of_twips(hanging))
    return form if first is None else replace(form, first=of_twips(first))


def _spaced(form: Form, spacing: Element | None) -> Form:
    if spacing is None:
        return form
    before, after = (spacing.get(qn(side)) for side in ("w:before", "w:after"))
    if before is not None:
        form = replace(form, before=of_twips(before))
    if after is not None:
        form = replace(form, after=of_twips(after))
    if spacing.get(qn("w:beforeAutospacing"), "0") not in OFF:
        form = replace(form, before=_AUTO_SPACE)
    if spacing.get(qn("w:afterAutospacing"), "0") not in OFF:
        form = replace(form, after=_AUTO_SPACE)
    line = spacing.get(qn("w:line"))
    if line is None:
        return form
    points, rule = of_twips(line), spacing.get(qn("w:lineRule"), "auto")
    if rule == "exact":
        return replace(form, line=None, exact=abs(points), at_least=0.0)
    if rule == "atLeast":
        return replace(form, line=1.0, exact=None, at_least=points)
    return replace(form, line=points * 20 / _LINES_OF_AUTO, exact=None, at_least=0.0)


def _mirrored(form: Form) -> Form:
    """The form of a paragraph from right to left, whose sides are named after where lines begin and end."""
    align = {"left": "right", "right": "left"}.get(form.align, form.align)
    return replace(form, left=form.right, right=form.left, align=align)


def _is_switched_on(properties: Element, tag: str) -> bool | None:
    """Whether a switch is on; None where it is not mentioned."""
    switch = properties.find(qn(tag))
    return None if switch is None else is_on(switch)
