"""Signs of a Word document that are elements of their own. Runs in the reading child only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.documents.docx.fields import chosen_entry
from portal.documents.docx.names import qn
from portal.documents.icons import is_named_after_icons

if TYPE_CHECKING:
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

_SIGNS = {
    qn("w:tab"): "\t",
    qn("w:ptab"): "\t",
    qn("w:br"): "\n",
    qn("w:cr"): "\n",
    qn("w:noBreakHyphen"): "-",
    qn("w:softHyphen"): "",
}
# The Symbol font has Greek letters where others have Latin ones.
_LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_GREEK = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖαβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_SYMBOL = {**dict(zip(_LATIN, _GREEK, strict=True)), **{chr(code): chr(code) for code in range(0x20, 0x40)}}
_PRIVATE, _LAST_OF_A_FONT = 0xF000, 0xFF


def sign_of(element: Element) -> str | None:
    """The text that stands for the element; None when it is no sign. Pictures of a font are spaces."""
    if element.tag == qn("w:fldChar"):
        return chosen_entry(element)
    if element.tag != qn("w:sym"):
        return _SIGNS.get(element.tag)
    try:
        code = int(element.get(qn("w:char"), ""), 16)
    except ValueError:
        return " "
    if element.get(qn("w:font"), "").lower() == "symbol":
        code = code - _PRIVATE if code >= _PRIVATE else code
        return _SYMBOL.get(chr(code), " ") if 0 <= code <= _LAST_OF_A_FONT else " "
    return chr(code) if 0x20 <= code < 0xD800 else " "  # noqa: PLR2004 - before the surrogates and private letters


def words_in_font(element: Element) -> str:
    """The text of a `w:t` as its font shows it: a font of icons shows pictures for letters, Symbol Greek ones."""
    # Line ends are how the file is indented; Word shows a space.
    text = (element.text or "").replace("\n", " ")
    fonts = next((run.find(f"{qn('w:rPr')}/{qn('w:rFonts')}") for run in element.iterancestors(qn("w:r"))), None)
    font = "" if fonts is None else fonts.get(qn("w:ascii"), "")
    if font.lower() == "symbol":
        return "".join(_SYMBOL.get(letter, letter) for letter in text)
    if is_named_after_icons(font):
        return "".join(" " if letter.isascii() else letter for letter in text)
    return text
