"""A BibTeX file → its entries as fields of text, with macros filled in; broken entries with the reason."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bibtexparser.model import (
    DuplicateBlockKeyBlock,
    DuplicateFieldKeyBlock,
    Entry,
    ExplicitComment,
    ImplicitComment,
    ParsingFailedBlock,
    Preamble,
    String,
)
from bibtexparser.splitter import Splitter

from portal.seeding.imports.bibtex_values import VALUE_LIMIT, BrokenValue, read_value
from portal.seeding.pages import excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bibtexparser.model import Block

# What is wrong with a file is reported in its list of problems, not in the log of the program.
logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)

MONTHS = dict(
    zip(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
        ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
         "December"),
        strict=True,
    )
)  # fmt: skip
# A field that follows a value without a comma between them; an entry whose key is not followed by one.
_NO_COMMA = re.compile(r"([}\"\w])([ \t]*\n[ \t]*[A-Za-z][\w.+-]{0,40}[ \t]*=[ \t]*[{\"\w])")
_NO_COMMA_AFTER_KEY = re.compile(
    r"^([ \t]*@\w{1,30}[ \t]*[{(][ \t]*(?:[^\s,={}\"()]{1,200}(?=[ \t]*\n))?)"
    r"(?=\s{0,20}[A-Za-z][\w.+-]{0,40}[ \t]*=[ \t]*[{\"\w])",
    re.MULTILINE,
)
_LEFTOVER = re.compile(r"^\s*,?\s*([A-Za-z][\w.+-]{0,40})\s*=\s*[{\"\w]")
_COMMENTED = re.compile(r"%[^\n]*\n")
_TYPE = re.compile(r"@\s*(\w+)")
_MACRO = re.compile(r"\s*@(?:string|comment|preamble)\b", re.IGNORECASE)
_COMMA_ADDED = "a comma was missing and was added"
MACROS_LIMIT = 5000


@dataclass(frozen=True, slots=True)
class BibEntry:
    """An entry: its type and field names in lower case, values as TeX, and remarks on repairs and unknown macros."""

    line: int
    type: str
    key: str
    fields: dict[str, str]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BrokenBlock:
    """An entry or macro that cannot be read, and why."""

    line: int
    text: str
    reason: str


@dataclass(slots=True)
class BibFile:
    """The content of a BibTeX file, in order. `macros` are by name in lower case; a comma was added to the `mended`
    lines (from 0).
    """

    entries: list[BibEntry | BrokenBlock] = field(default_factory=list)
    mended: frozenset[int] = frozenset()
    macros: dict[str, str] = field(default_factory=dict)


def read_bibtex_file(text: str) -> BibFile:
    """The entries of a BibTeX text. Never raises for what is wrong with the text."""
    file = BibFile(macros=dict(MONTHS))
    # The parser would end such an entry at its first field and take the rest of it for a comment.
    repaired = _NO_COMMA_AFTER_KEY.sub(lambda head: head[0] if _MACRO.match(head[0]) else f"{head[0]},", text)
    file.mended = frozenset(
        index
        for index, (repaired_line, line) in enumerate(zip(repaired.split("\n"), text.split("\n"), strict=True))
        if repaired_line != line
    )
    blocks = list(Splitter(repaired).split().blocks)
    for position, block in enumerate(blocks):
        following = blocks[position + 1] if position + 1 < len(blocks) else None
        _read_block(file, block, following)
    return file


def is_name_of_entry(kind: str) -> bool:
    """Whether "@kind{" opens an entry, not a macro, a comment or a preamble."""
    return kind.lower() not in ("string", "comment", "preamble")


def _read_block(file: BibFile, block: Block, following: Block | None) -> None:
    if isinstance(block, ImplicitComment | ExplicitComment | Preamble):
        return
    if isinstance(block, DuplicateBlockKeyBlock) and isinstance(block.ignore_error_block, Entry | String):
        # Two entries with one key are two entries: their content decides whether they are one work.
        _read_block(file, block.ignore_error_block, following)
    elif isinstance(block, String):
        _read_macro(file, block)
    elif isinstance(block, Entry):
        file.entries.append(_entry(file, block, following, ()))
    elif isinstance(block, DuplicateFieldKeyBlock) and isinstance(block.ignore_error_block, Entry):
        duplicates = ", ".join(sorted(block.duplicate_keys))
        note = f"the field {duplicates} occurs twice; the first value was taken"
        file.entries.append(_entry(file, block.ignore_error_block, following, (note,)))
    elif isinstance(block, ParsingFailedBlock):
        _read_failed(file, block)


def _read_failed(file: BibFile, block: ParsingFailedBlock) -> None:
    raw = block.raw or ""
    line = (block.start_line or 0) + 1
    kind = _TYPE.match(raw)
    if kind and kind[1].lower() == "comment":
        return  # a comment around entries, which are read by themselves
    if kind and not is_name_of_entry(kind[1]):
        file.entries.append(BrokenBlock(line, excerpt(raw), _why_broken(raw, block, kind[1].lower())))
        return
    mended = _mended(raw)
    if mended is not None:
        moved = Entry(mended.entry_type, mended.key, list(mended.fields), start_line=line - 1, raw=raw)
        file.entries.append(_entry(file, moved, None, (_COMMA_ADDED,)))
    else:
        file.entries.append(BrokenBlock(line, excerpt(raw), _why_broken(raw, block, "entry")))


def _mended(raw: str) -> Entry | None:
    """The entry with the commas that it lacks between lines, if it can be read then."""
    if len(raw) > VALUE_LIMIT:
        return None
    text = _NO_COMMA.sub(r"\1,\2", raw)
    if text == raw:
        return None
    blocks = Splitter(text).split().blocks
    return blocks[0] if len(blocks) == 1 and isinstance(blocks[0], Entry) else None


def _why_broken(raw: str, block: ParsingFailedBlock, noun: str) -> str:
    opened, closed = raw.count("{"), raw.count("}")
    lines = raw.rstrip().count("\n")
    first = (block.start_line or 0) + 1
    where = f"in lines {first}–{first + lines}" if lines else f"in line {first}"
    why = str(getattr(block.error, "abort_reason", ""))
    # The parser met the next entry or the end of the file inside this one: something in it is not closed.
    left_open = why.startswith("Unexpected")
    if left_open and opened > closed:
        if opened - closed == 1:
            return f"a closing brace “}}” is missing {where}; add it and import the file again"
        return f"{opened - closed} closing braces “}}” are missing {where}; add them and import the file again"
    if left_open and raw.count('"') % 2:
        return f"a quotation mark is missing {where}; add it and import the file again"
    detail = why.split("\n", 1)[0].replace("`", "“", 1).replace("`", "”", 1)
    return f"this {noun} cannot be read {where} ({detail.strip().rstrip('.')}); correct it and import the file again"


def _read_macro(file: BibFile, block: String) -> None:
    try:
        text, _ = read_value(str(block.value), file.macros)
    except BrokenValue as error:
        line = (block.start_line or 0) + 1
        file.entries.append(BrokenBlock(line, excerpt(block.raw or block.key), f"{error}; correct the macro"))
        return
    if len(file.macros) < MACROS_LIMIT:
        file.macros[block.key.lower()] = text[:VALUE_LIMIT]


def _entry(file: BibFile, entry: Entry, following: Block | None, notes: Sequence[str]) -> BibEntry | BrokenBlock:
    line = (entry.start_line or 0) + 1
    notes = (*notes, _COMMA_ADDED) if line - 1 in file.mended else notes
    source = entry.raw or entry.key
    leftover = _LEFTOVER.match(following.comment) if isinstance(following, ImplicitComment) else None
    if leftover:
        reason = (
            f"a closing brace too many: the entry ends before its field “{leftover[1]}”; remove the brace and import "
            "the file again"
        )
        return BrokenBlock(line, excerpt(source), reason)
    try:
        fields, remarks = _fields(file, ((item.key, str(item.value)) for item in entry.fields))
    except BrokenValue as error:
        mended = _mended(entry.raw or "")
        if mended is None:
            return BrokenBlock(line, excerpt(source), f"{error}; correct it and import the file again")
        try:
            fields, remarks = _fields(file, ((item.key, str(item.value)) for item in mended.fields))
        except BrokenValue as second_error:
            return BrokenBlock(line, excerpt(source), f"{second_error}; correct it and import the file again")
        remarks.append(_COMMA_ADDED)
    return BibEntry(line, entry.entry_type.lower(), entry.key, fields, (*notes, *remarks))


def _fields(file: BibFile, items: Iterable[tuple[str, str]]) -> tuple[dict[str, str], list[str]]:
    fields: dict[str, str] = {}
    remarks: list[str] = []
    for key, raw in items:
        try:
            value, unknown = read_value(raw, file.macros)
        except BrokenValue as error:
            raise BrokenValue(f"the field “{excerpt(key)}” cannot be read ({error})") from None
        remarks += [f"the macro “{name}” is not defined in the file; its name was used instead" for name in unknown]
        name = _without_comments(key).lower().strip()
        if value.strip() and not fields.get(name):
            fields[name] = value
    return fields, remarks


def _without_comments(key: str) -> str:
    """A field's name without the commented lines before it."""
    before, end, name = key.rpartition("\n")  # quick: without a line end, each "%" would be searched to the end
    return _COMMENTED.sub("", before + end) + name
