"""Making a lab: from a home page, from a file of works, or empty; one form that is filled already; publishing it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from flask import redirect, render_template, request, url_for
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from wtforms import BooleanField

from portal.admin.labs import queries
from portal.admin.labs.fields import WORDS, KindField, length_of
from portal.admin.labs.forms import RecordFields, form_with
from portal.admin.labs.imports.pages import sent_file
from portal.admin.labs.saving import INVALID, lab_or_404
from portal.admin.labs.sections import PROFILE_FIELDS, SECTIONS, item_name, items_of, new_item, with_items
from portal.db import db
from portal.labs import service
from portal.labs.imports import RefusedImport, read_file, record_reading
from portal.labs.queries import lab_by_slug, profile_of
from portal.models import Lab, LabImport
from portal.seeding.imports.imported import STRUCTURED, decode
from portal.seeding.imports.planning import plan_import, with_proposals
from portal.seeding.names import slug as slug_of
from portal.seeding.records import LabRecord, WorkRecord, from_json, to_json, without_lost_references
from portal.web.access import actor, or_404
from portal.web.messages import flash_message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flask.typing import ResponseReturnValue
    from sqlalchemy import Select

    from portal.admin.labs.sections import Collection, Item, Section
    from portal.models.lab import RevisionSource
    from portal.seeding.pages import Reading
    from portal.seeding.records import Origin


MOST_ROWS = 100  # items of a section in the form; the others are kept as they were read
BLANK_ROWS = 3  # where there are none yet; else one to add more
EXCERPT = 160  # characters of a line
SHOWN: dict[Collection, tuple[str, ...]] = {
    "members": ("name", "role", "current"),
    "works": ("title", "authors", "venue", "year"),
}
"""The sections of which the form has rows, each with the fields of a row."""
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_TAG = re.compile(r"<[^<>]*>")


class NewLabForm(RecordFields):
    """The fields of a lab that is not there yet."""

    adds = True
    slug = KindField(
        "Short name in the address",
        WORDS,
        length_of(Lab, "slug") or 0,
        description="Small letters, digits and hyphens, as in /labs/relaxed-system-lab. It never changes. "
        "Leave it empty to have it made from the name.",
    )


class RowForm(RecordFields):
    """A person or a work; it is left out unless it is to be kept."""

    keep = BooleanField("Keep", default=True)


def new_lab() -> ResponseReturnValue:
    """Three ways to begin: a home page, with a file of works beside it; a file of works; or empty."""
    refusal = ""
    if request.method == "POST":
        try:
            return redirect(url_for("admin.fill_in", import_id=_begin()))
        except RefusedImport as error:
            refusal = str(error)
    page = render_template(
        "admin/new_lab.html",
        refusal=refusal,
        way=request.form.get("way", ""),
        text=request.form.get("text", ""),
        entries=request.form.get("entries", ""),
        begun=db.session().scalars(_begun()).all(),
    )
    return page, INVALID if refusal else 200


def _begun() -> Select[LabImport]:
    """What the person had read for a lab that is not saved yet, the last first."""
    unsaved = (LabImport.lab_id.is_(None), LabImport.profile.is_not(None), LabImport.created_by_id == actor().id)
    return select(LabImport).where(*unsaved).order_by(LabImport.id.desc())


def _begin() -> int:
    """Read what was sent and keep it for the form, once for two clicks; returns the id of its import.

    Raises:
        RefusedImport: A file cannot be read.
    """
    files = [sent_file("page", "text")] if request.form.get("way") == "page" else [sent_file("publications", "entries")]
    with_works = request.files.get("works")
    if with_works is not None and with_works.filename:
        files.append(sent_file("works", ""))
    digest = sha256(b"\0".join(data for data, _ in files)).hexdigest()
    known = db.session().scalars(_begun().where(LabImport.digest == digest)).first()
    if known is not None:
        return known.id
    read = [(data, read_file(data, filename)) for data, filename in files]
    # What is structured is taken last, so that it wins where a page says something else.
    read.sort(key=lambda one: one[1].kind in STRUCTURED)
    record = LabRecord(key="", name="")
    for _, imported in read:
        record = with_proposals(record, plan_import(record, imported))
    if not record.name and record.leader:
        record = replace(record, name=f"{record.leader}’s lab")
    lab_import = record_reading(db.session(), None, read[0][1], actor=actor(), now=datetime.now(UTC), digest=digest)
    lab_import.filename = ", ".join(imported.filename for _, imported in read)[:255]
    lab_import.profile = to_json(record)
    lab_import.remarks = [*_doubts(record, read), *lab_import.remarks]
    return lab_import.id


def _doubts(record: LabRecord, read: Sequence[tuple[bytes, Reading]]) -> list[dict[str, Any]]:
    """What a person should check, by path, each with the line that it came from."""
    lines = {imported.filename: decode(imported.filename, data)[0].split("\n") for data, imported in read}
    remarks = {
        (imported.filename, one.line): one.reason for _, imported in read for one in imported.remarks if one.line
    }

    def doubt(path: str, origin: Origin | None, *reasons: str) -> Iterator[dict[str, Any]]:
        said = remarks.get((origin.page, origin.line), "") if origin else ""
        why = [reason for reason in (*reasons, said) if reason]
        if why:
            text = lines.get(origin.page, [])[origin.line - 1 : origin.line] if origin and origin.line else []
            excerpt = " ".join(_TAG.sub(" ", "".join(text)).split())[:EXCERPT]
            line = origin.line if origin else 0
            yield {"path": path, "line": line, "pointer": "", "said": excerpt, "reason": "; ".join(why)}

    origins = dict(record.origins)
    if not record.name or record.name == f"{record.leader}’s lab":
        unnamed = "no name of a lab was found" + (": this one is made from the leader’s" if record.name else "")
        found = list(doubt("name", origins.get("name") or origins.get("leader"), unnamed))
    else:
        found = list(doubt("name", origins.get("name")))
    found += doubt("leader", origins.get("leader"), "" if record.leader else "no leader was found")
    for spec in PROFILE_FIELDS[2:]:
        found += doubt(spec.name, origins.get(spec.name))
    for collection in SHOWN:
        for item in items_of(record, collection):
            missing = ""
            if isinstance(item, WorkRecord):
                lacks = [word for word, value in (("people", item.authors), ("year", item.year)) if not value]
                missing = item.question or (f"no {' and no '.join(lacks)} found" if lacks else "")
            found += doubt(f"{collection}/{item.key}", next(iter(item.origins), None), missing)
    return found


class Filling:
    """The form of a new lab: its fields, and rows of people and works, the doubtful ones first if they are many."""

    def __init__(self, record: LabRecord, doubts: dict[str, dict[str, Any]]) -> None:
        self.record = record
        self.doubts = doubts
        self.lab = form_with(NewLabForm, PROFILE_FIELDS, record)(obj=record)
        self.rows = {name: list(self._rows(SECTIONS[name])) for name in SHOWN}
        self.more = {name: max(0, len(items_of(record, name)) - MOST_ROWS) for name in SHOWN}

    def _rows(self, section: Section) -> Iterator[tuple[Item | None, RowForm]]:
        specs = [spec for spec in section.fields if spec.name in SHOWN[section.name]]
        row_form = form_with(RowForm, specs, self.record)
        items = list(items_of(self.record, section.name))
        if len(items) > MOST_ROWS:
            items.sort(key=lambda item: f"{section.name}/{item.key}" not in self.doubts)
        for number, item in enumerate(items[:MOST_ROWS]):
            yield item, row_form(obj=item, prefix=f"{section.name}-{number}-", meta={"csrf": False})
        for number in range(1 if items else BLANK_ROWS):
            yield None, row_form(obj=section.blank, prefix=f"{section.name}-new{number}-", meta={"csrf": False})

    def is_valid(self) -> bool:
        """Whether the form was sent and everything that is kept can be saved."""
        rows = [form.validate() or not self._is_kept(item, form) for rows in self.rows.values() for item, form in rows]
        return bool(self.lab.validate_on_submit()) and all(rows)

    @staticmethod
    def _is_kept(item: Item | None, form: RowForm) -> bool:
        return bool(form.keep.data if item is not None else form[form.names[0]].data)

    def profile(self, slug: str) -> LabRecord:
        """The lab as the form has it."""
        record = replace(self.record, key=slug, **self.lab.values())
        for name, rows in self.rows.items():
            edited = {item.key: form for item, form in rows if item is not None}
            kept = tuple(
                replace(item, **edited[item.key].values()) if item.key in edited else item
                for item in items_of(record, name)
                if item.key not in edited or self._is_kept(item, edited[item.key])
            )
            record = with_items(record, name, kept)
            for item, form in rows:
                if item is None and self._is_kept(item, form):
                    added = new_item(record, SECTIONS[name], form.values())
                    record = with_items(record, name, (*items_of(record, name), added))
        return service.with_origins_of_unchanged(replace(self.record, key=slug), without_lost_references(record))


def fill_in(import_id: int | None = None) -> ResponseReturnValue:
    """The form of a new lab, filled with what was read; saved, it is a draft."""
    session = db.session()
    lab_import = or_404(session.get(LabImport, import_id)) if import_id is not None else None
    if lab_import is not None and lab_import.lab is not None:
        flash_message(f"{lab_import.lab.name} is made already.", "info")
        return redirect(url_for("admin.lab", slug=lab_import.lab.slug))
    record = from_json(or_404(lab_import.profile)) if lab_import else LabRecord(key="", name="")
    remarks = lab_import.remarks if lab_import else []
    filling = Filling(record, {remark["path"]: remark for remark in remarks if "path" in remark})
    if filling.is_valid():
        slug = filling.lab.slug.data or slug_of(filling.lab.name.data)
        made = filling.profile(slug)
        refusal = _why_not_made(made, slug, lab_import)
        if refusal is None or _is_made(made):
            flash_message(
                f"{made.name} is a draft{' already' if refusal else ''}: only administrators and its leader see it."
            )
            return redirect(url_for("admin.lab", slug=slug))
        filling.lab.slug.errors = [refusal]
    page = render_template(
        "admin/fill_in.html",
        filling=filling,
        lab_import=lab_import,
        sections=[SECTIONS[name] for name in SHOWN],
        others=[
            (section, [item_name(item) for item in items_of(record, name)])
            for name, section in SECTIONS.items()
            if name not in SHOWN and items_of(record, name)
        ],
    )
    return page, INVALID if request.method == "POST" else 200


def _is_made(record: LabRecord) -> bool:
    """Whether the lab exists exactly as in this form, so that the first of two clicks made it."""
    lab = lab_by_slug(db.session(), record.key)
    return lab is not None and lab.revision_number == 1 and profile_of(db.session(), lab) == record


def _why_not_made(record: LabRecord, slug: str, lab_import: LabImport | None) -> str | None:
    """Make the draft; returns the reason if its address is none, or taken."""
    session = db.session()
    taken = f"There is a lab at /labs/{slug} already. Edit that one, or choose another short name."
    if not _SLUG.fullmatch(slug):
        return "Use small letters, digits and single hyphens between them, such as relaxed-system-lab."
    if lab_by_slug(session, slug) is not None:
        return taken
    reason = f"A new lab, from {lab_import.filename}" if lab_import else "A new lab"
    source: RevisionSource = "import" if lab_import else "form"
    now = datetime.now(UTC)
    try:
        lab = service.create_lab(session, record, author=actor(), reason=reason, now=now, source=source, is_draft=True)
    except IntegrityError:
        session.rollback()
        return taken
    if lab_import is not None:
        lab_import.lab_id, lab_import.profile = lab.id, None
    return None


def discard(import_id: int) -> ResponseReturnValue:
    """Forget what was read for a lab that was not saved."""
    lab_import = db.session().get(LabImport, import_id)
    if lab_import is not None and lab_import.lab_id is None and lab_import.profile is not None:
        db.session().delete(lab_import)
        flash_message("It is discarded.", "info")
    return redirect(url_for("admin.new_lab"))


def publish_lab(slug: str) -> ResponseReturnValue:
    """Say what a draft lacks; publish it with one button."""
    session, lab = db.session(), lab_or_404(slug)
    if request.method == "POST" and service.publish(session, lab, author=actor(), now=datetime.now(UTC)):
        flash_message(f"{lab.name} is published: everybody can find it.")
    if not lab.is_draft:
        return redirect(url_for("admin.lab", slug=slug))
    record = profile_of(session, lab)
    reads = any(seat.user.active for seat in queries.professors_of(session, lab))
    doubted = queries.count_doubted(session, lab)
    checks: list[tuple[object, str, str]] = [
        (record.leader, "The leader’s name", "edit_texts"),
        (record.institution and record.place, "Institution and place", "edit_texts"),
        (
            record.interests or record.about or record.recruiting,
            "What the lab works on, or whom it looks for",
            "edit_texts",
        ),
        (record.works, "Works: without any, the lab is hardly found", "works"),
        (record.members, "People", "members"),
        (record.openings, "Openings", "openings"),
        (not doubted, "A decision on works with an open question", "questions"),
        (reads, "A reviewer", "invitations"),
    ]
    missing = [(text, where) for is_there, text, where in checks if not is_there]
    return render_template("admin/publish_lab.html", lab=lab, missing=missing)
