"""Files that Word inserts when it opens a document: pages, texts, other documents. Runs in the reading child only.

Programs that turn pages into Word documents write them like this (`w:altChunk`): the document is empty, and Word
reads the page beside it.
"""

from __future__ import annotations

import email
import email.policy
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from docx.oxml.ns import nsmap
from docx.oxml.parser import parse_xml

from portal.documents import refusals
from portal.documents.colours import WHITE, alike
from portal.documents.decoding import decode
from portal.documents.docx.colours import colour_of
from portal.documents.docx.names import qn
from portal.documents.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from docx.opc.part import Part
    from docx.oxml.xmlchemy import BaseOxmlElement as Element

    from portal.documents.extracted import Raw

_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_LETTERS = frozenset({"message/rfc822", "multipart/related", "application/x-mimearchive"})
_ZIP = b"PK\x03\x04"
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w-]{2,20})", re.IGNORECASE)
_NO_TEXT = frozenset({"head", "script", "style", "template", "title"})
_WITHOUT_END = frozenset({"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})
_WITHIN_LINES = frozenset(
    {
        *("a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd"),
        *("mark", "o:p", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr"),
    }
)
_HIDING = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|opacity:0(?:\.0\d*)?(?![.\d])|font-size:(?:0|1|2)(?:\.\d+)?(?:px|pt|;|$)"
)
_COLOUR = re.compile(r"(?:^|;)color:([^;]+)")


def take_in_chunks(document: Part, body: Element, read: Callable[[bytes], Raw]) -> None:
    """Insert the text of every chunk into `body`, in place of the chunk; hidden text of a page becomes a hidden run.

    Args:
        document: the part that holds the relations of the chunks.
        body: the body of the document.
        read: reads a Word document inside of it.

    Raises:
        RefusedDocument: a chunk is of a kind that only Word reads.
    """
    for chunk in list(body.iter(qn("w:altChunk"))):
        relation = document.rels.get(chunk.get(qn("r:id"), ""))
        if relation is None or relation.is_external:
            continue
        part = relation.target_part
        for line in paragraphs(*_lines_of(part, read)):
            chunk.addprevious(line)


def _lines_of(part: Part, read: Callable[[bytes], Raw]) -> tuple[list[str], list[str]]:
    """The lines of a chunk that show, and those that do not."""
    if not part.blob.startswith(_ZIP):
        return _read(part.content_type, part.blob)
    raw = read(part.blob)
    return raw.visible.split("\n"), raw.hidden.split("\n")


def paragraphs(shown: Iterable[str], hidden: Iterable[str] = ()) -> Element:
    """A body with a paragraph for each text."""
    body: Element = parse_xml(f'<w:body xmlns:w="{nsmap["w"]}"/>')
    for content, is_hidden in (*((entry, False) for entry in shown), *((entry, True) for entry in hidden)):
        line = body.makeelement(qn("w:p"))
        run = line.makeelement(qn("w:r"))
        if is_hidden:
            properties = run.makeelement(qn("w:rPr"))
            properties.append(properties.makeelement(qn("w:vanish")))
            run.append(properties)
        text = run.makeelement(qn("w:t"))
        text.text = "".join(character for character in content if character >= " ")
        run.append(text)
        line.append(run)
        body.append(line)
    return body


def _read(kind: str, data: bytes) -> tuple[list[str], list[str]]:
    """The lines of a chunk that show, and those that do not."""
    kind = kind.partition(";")[0].strip().lower()
    if kind == "text/plain":
        return decode(data).text.splitlines(), []
    if kind in _LETTERS:
        letter = email.message_from_bytes(data, policy=email.policy.default)
        part = letter.get_body(("html", "plain"))
        content = part.get_payload(decode=True) if part is not None else None
        if part is not None and isinstance(content, bytes):
            return _read(part.get_content_type(), content)
    elif kind in _PAGES:
        page = _Page()
        page.feed(_decoded(data))
        page.close()
        return _lines(page.shown), _lines(page.hidden)
    raise refusals.damaged(Kind.DOCX.label)


def _lines(pieces: list[list[str]]) -> list[str]:
    return [line for line in map("".join, pieces) if line.strip()]


def _decoded(data: bytes) -> str:
    declared = _CHARSET.search(data[:2048])
    try:
        return data.decode(declared[1].decode("ascii") if declared else "utf-8").lstrip("\ufeff")
    except (UnicodeDecodeError, LookupError):
        return decode(data).text


class _Page(HTMLParser):
    """Collects the lines of a page: those shown, and those that its own styles hide."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[list[str]] = [[]]
        self.hidden: list[list[str]] = [[]]
        self._open: list[tuple[str, bool | None, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line at a block; remember whether what is inside shows (None: it is no text at all)."""
        if tag not in _WITHIN_LINES:
            self._break()
        if tag in _WITHOUT_END:
            return
        _, parent_shows, on_colour = self._open[-1] if self._open else ("", True, False)
        attributes = {name: value or "" for name, value in attrs}
        style = re.sub(r"\s+", "", attributes.get("style", "").lower())
        on_colour = on_colour or "bgcolor" in attributes or "background" in style
        shows = parent_shows and not (
            "hidden" in attributes or _hides(style, attributes.get("color"), on_colour=on_colour)
        )
        self._open.append((tag, None if tag in _NO_TEXT or parent_shows is None else shows, on_colour))

    def handle_endtag(self, tag: str) -> None:
        """Close the element, with what was left open inside of it."""
        if tag not in _WITHIN_LINES:
            self._break()
        for place in range(len(self._open) - 1, max(-1, len(self._open) - 64), -1):
            if self._open[place][0] == tag:
                del self._open[place:]
                return

    def handle_data(self, data: str) -> None:
        """Add to the line."""
        shows = self._open[-1][1] if self._open else True
        if shows is not None:
            (self.shown if shows else self.hidden)[-1].append(data.replace("\n", " "))

    def _break(self) -> None:
        for lines in (self.shown, self.hidden):
            if lines[-1]:
                lines.append([])


def _hides(style: str, plain: str | None, *, on_colour: bool) -> bool:
    """Whether the styles of an element hide it; in front of a colour of its own or around it, white may well show."""
    if _HIDING.search(style):
        return True
    declared = _COLOUR.search(style)
    colour = colour_of(declared[1] if declared else plain)
    return colour is not None and not on_colour and alike(colour, WHITE)
