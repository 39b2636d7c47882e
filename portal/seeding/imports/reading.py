"""A file → an `Imported`: the entry point for parsing imports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from portal.seeding.imports import openalex, orcid
from portal.seeding.imports.bibtex import read_bibtex
from portal.seeding.imports.decoding import BYTE_LIMIT, decode
from portal.seeding.imports.imported import KIND_NAMES, Imported, ImportRefused, Remark
from portal.seeding.imports.json_file import load_json, looks_like_json, obj
from portal.seeding.imports.labs_table import read_labs
from portal.seeding.imports.openalex import read_author
from portal.seeding.imports.orcid_shapes import as_answered, is_from_xml, load_orcid_xml, looks_like_orcid_xml
from portal.seeding.imports.page import read_page, read_seed_page
from portal.seeding.imports.recognising import entries_shown, kind_of_text, refuse_foreign
from portal.seeding.kinds import is_home_page
from portal.seeding.pages import UnknownPage, UnreadablePage
from portal.seeding.texts import plain

if TYPE_CHECKING:
    from portal.seeding.imports.imported import ImportKind, Reading
    from portal.seeding.imports.json_file import JsonFile

__all__ = ["BYTE_LIMIT", "ImportRefused", "Imported", "read_import"]

_JSON_KINDS = ("openalex_works", "openalex_author", "orcid")
_NAME_LENGTH = 120


def read_import(data: bytes, *, filename: str, kind: ImportKind | None = None) -> Imported:
    """The content of a file: drafts of profiles, and the outcome of each entry.

    The kind is detected from the content, with the name as a hint; `kind` overrides it for text pasted into the box for
    that kind. Has no side effects.

    Raises:
        ImportRefused: The file as a whole cannot be parsed; one sentence says why and what to do.
    """
    name = plain(filename.replace("\\", "/").rpartition("/")[2], _NAME_LENGTH) or "file"
    decoded = decode(name, data)
    detected_kind, reading = _read(name, decoded.text, kind)
    remarks = tuple(reading.ledger.remarks)
    if decoded.remark:
        remarks = (Remark(0, "", name, decoded.remark), *remarks)
    return Imported(
        filename=name,
        kind=detected_kind,
        encoding=decoded.encoding,
        labs=reading.labs,
        entries=reading.ledger.in_order(),
        remarks=remarks,
        subject=reading.subject,
        role=reading.role,
    )


def _read(name: str, text: str, kind: ImportKind | None) -> tuple[ImportKind, Reading]:
    file = _json_of(name, text, kind)
    if file is not None:
        return _read_json(name, file, kind)
    if kind is None:
        kind, refusal = _kind(name, text)
    else:
        refusal = None
    if kind == "bibtex":
        return kind, read_bibtex(name, entries_shown(text))
    if kind in ("html_page", "markdown_page"):
        return kind, read_page(name, text, is_markdown=kind == "markdown_page")
    if kind == "labs_csv":
        return kind, read_labs(name, text)
    try:
        if is_home_page(name, text):
            return "markdown_page", read_page(name, text, is_markdown=True)
        return "seed_page", read_seed_page(name, text)
    except UnknownPage as error:
        raise refusal or ImportRefused(str(error)) from None
    except UnreadablePage as error:
        raise ImportRefused(f"{error}; save the whole page again") from None


def _json_of(name: str, text: str, kind: ImportKind | None) -> JsonFile | None:
    """The JSON of a file, or of an ORCID record in XML; None if it is neither."""
    if looks_like_orcid_xml(text):
        return load_orcid_xml(name, text)
    refuse_foreign(name, text)
    is_json = kind in _JSON_KINDS or (kind is None and looks_like_json(text))
    return load_json(name, text) if is_json else None


def _kind(name: str, text: str) -> tuple[ImportKind, ImportRefused | None]:
    """The kind of a text. Text of unknown kind may still be a seed page; otherwise it is refused."""
    try:
        return kind_of_text(name, text), None
    except ImportRefused as refusal:
        return "seed_page", refusal


def _read_json(name: str, file: JsonFile, kind: ImportKind | None) -> tuple[ImportKind, Reading]:
    if is_from_xml(file.value):
        file = replace(file, value=as_answered(file.value))
    entries = openalex.entries_of(file.value)
    heads = [value for _, value in entries[:50]]
    if kind == "openalex_author" or (
        kind is None and not any(map(openalex.is_work, heads)) and any(map(openalex.is_author, heads))
    ):
        return "openalex_author", read_author(name, entries)
    if kind == "openalex_works" or (kind is None and any(map(openalex.is_work, heads))):
        return "openalex_works", openalex.read_works(name, file, entries)
    if kind == "orcid" or orcid.is_orcid(file.value):
        return "orcid", orcid.read_orcid(name, file.value)
    if kind is None and "results" in obj(file.value) and not entries:
        raise ImportRefused(f"{name}: the answer of OpenAlex has no results")
    raise ImportRefused(
        f"{name}: this kind of JSON is not known; the portal reads works and authors of OpenAlex and records of ORCID; "
        f"from other services, export {KIND_NAMES['bibtex']}"
    )
