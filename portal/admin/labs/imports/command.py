"""`portal import`: turns a file into proposals, as the pages do, accepts them at once if asked to, and reports."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import click
from flask.cli import with_appcontext
from sqlalchemy import select

from portal.accounts.cli import account_of
from portal.admin.labs.imports.service import BusyError, accept, propose_file
from portal.db import db
from portal.labs.commands.console import (
    STANDARD_INPUT,
    CommandStages,
    name_of,
    need_tables,
    opened,
)
from portal.labs.imports import LONGEST_REASON, RefusedImport, check_size, planned
from portal.labs.queries import lab_by_slug
from portal.models import Lab
from portal.models.user import ADMIN
from portal.seeding.imports.imported import BYTE_LIMIT, KIND_NAMES, ImportRefused
from portal.seeding.reader import read_import
from portal.seeding.records import COLLECTIONS, to_json
from portal.seeding.texts import plain
from portal.web.templating import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from portal.admin.labs.imports.service import Decided
    from portal.labs.imports import FileProposals
    from portal.models import User
    from portal.seeding.imports.labs_table import LabPlan
    from portal.seeding.pages import ImportKind, Reading


QUESTIONS = "/admin/questions"
LONGEST = 120  # characters of a value
SIGNS = {"merged": "merged ", "problem": "problem", "ignored": "ignored"}
TECHNICAL = ("schema", "key", "origins")
NAMING = ("title", "name", "text", "kind")


@dataclass(frozen=True, slots=True)
class Account:
    """The result of an import. `lab` is the slug of the lab that the file is about, or empty for a table of labs.

    `import_id` is the id of the import on the pages, or None if nothing was stored; `decided` is None unless proposals
    were to be accepted.
    """

    imported: Reading
    lab: str
    brought: FileProposals
    dry_run: bool
    import_id: int | None = None
    decided: Decided | None = None

    @property
    def page(self) -> str:
        """The page that lists the proposals; empty if none were stored."""
        if self.import_id is None:
            return ""
        return f"/admin/labs/{self.lab}/imports/{self.import_id}" if self.lab else QUESTIONS

    def as_json(self) -> dict[str, Any]:
        """The report for programs: what the file says of its lab, the entries left out, remarks, and proposals."""
        imported, fresh = self.imported, self.brought.fresh
        open_count = self.brought.waiting + (self.brought.count if self.import_id is not None else 0)
        left_out = (*imported.problems, *imported.merged, *imported.ignored)
        return {
            "file": imported.filename,
            "kind": imported.kind,
            "lab": self.lab or None,
            "counts": {name: len(getattr(imported, name)) for name in ("taken", "merged", "problems", "ignored")},
            **_contents(imported),
            "left_out": [asdict(entry) for entry in left_out],
            "remarks": [asdict(remark) for remark in imported.remarks],
            "new_labs": [
                {"line": plan.line, "lab": plan.lab, "profile": to_json(plan.new)}
                for plan in self.brought.new
                if plan.new
            ],
            "changes": [asdict(proposal) for plan in fresh for proposal in plan.proposals],
            "waiting_from_before": self.brought.waiting,
            "dry_run": self.dry_run,
            "import": self.import_id,
            "page": self.page or None,
            "made": self.decided.made if self.decided else 0,
            "accepted": self.decided.accepted if self.decided else 0,
            "revision": self.decided.revision if self.decided else None,
            "decided_by_others": self.decided.by_others if self.decided else 0,
            "left_open": self.decided.left if self.decided else open_count,
        }

    def as_lines(self) -> Iterator[str]:
        """The report for a person."""
        imported = self.imported
        yield f"{imported.filename}: {KIND_NAMES[imported.kind]}{f', for {self.lab}' if self.lab else ''}."
        problems = counted(len(imported.problems), "problem", "problems")
        yield (
            f"Entries: {len(imported.taken):,} taken, {len(imported.merged):,} merged, {problems}, "
            f"{len(imported.ignored):,} ignored."
        )
        for entry in imported.entries:
            if entry.outcome != "taken":
                yield f"  {SIGNS[entry.outcome]}  {entry.where}: {plain(entry.said)}: {plain(entry.reason)}"
        for remark in imported.remarks:
            where = f"entry {remark.pointer}: " if remark.pointer else f"line {remark.line}: " if remark.line else ""
            yield f"  note     {where}{plain(remark.said)}: {plain(remark.reason)}"
        for plan in (*self.brought.new, *self.brought.fresh):
            yield from _of_plan(plan)
        yield from self._ending()

    def _ending(self) -> Iterator[str]:
        count, waiting, new = self.brought.count, self.brought.waiting, len(self.brought.new)
        if not count and not waiting and not new:
            yield "It proposes nothing: all of it is stored already, or was decided before."
        if self.dry_run:
            if new:
                yield f"{counted(new, 'lab', 'labs')} would be made with --accept."
            if count:
                yield f"{counted(count, 'proposal', 'proposals')} would be made."
            if waiting:
                yield f"{counted(waiting, 'proposal', 'proposals')} made before still open."
            yield "Nothing was changed (--dry-run)."
            return
        if self.decided is not None:
            yield from self._decided(self.decided)
            return
        if new:
            yield f"{counted(new, 'lab is', 'labs are')} not there yet. --accept makes them; nothing was made."
        if count:
            yield f"{counted(count, 'proposal', 'proposals')} stored. Decide on the page {self.page}."
        if waiting:
            open_page = self.page or QUESTIONS
            yield f"{counted(waiting, 'proposal', 'proposals')} made before still open; look at {open_page}."

    def _decided(self, decided: Decided) -> Iterator[str]:
        if self.brought.new:
            yield f"{counted(decided.made, 'lab', 'labs')} made."
        if self.brought.count or self.brought.waiting:
            revision = f" This is revision {decided.revision}." if decided.revision else ""
            yield f"{counted(decided.accepted, 'proposal', 'proposals')} accepted.{revision}"
        if decided.by_others:
            yield f"{counted(decided.by_others, 'was', 'were')} made or decided by somebody else meanwhile."
        if decided.left:
            left = counted(decided.left, "proposal", "proposals")
            yield f"{left} not accepted and still open; look at {self.page or QUESTIONS}."


def _contents(imported: Reading) -> dict[str, Any]:
    """What a file says of one lab: its fields, people and works, and what could not be read."""
    profile = to_json(imported.labs[0]) if len(imported.labs) == 1 else {}
    return {
        "fields": {name: value for name, value in profile.items() if name not in (*COLLECTIONS, *TECHNICAL) and value},
        "people": profile.get("members", []),
        "works": profile.get("works", []),
        "problems": [asdict(entry) for entry in imported.problems],
    }


def _of_plan(plan: LabPlan) -> Iterator[str]:
    if plan.new is not None:
        leader = f", led by {plain(plan.new.leader)}" if plan.new.leader else ""
        yield f"+ new lab {plan.lab}: {plain(plan.new.name)}{leader} (line {plan.line})"
    for proposal in plan.proposals:
        replaces = proposal.current not in (None, "", [])
        current_text = f"today: {_value(proposal.current)}; " if replaces else ""
        mark, why = "~" if replaces else "+", plain(proposal.why)
        yield f"{mark} {plan.lab}, {proposal.path}: {_value(proposal.proposed)} ({current_text}{why})"


def _value(value: object) -> str:
    """A value on one short line: a text, a list of texts, or the name of an item."""
    if isinstance(value, dict):
        value = next((value[name] for name in NAMING if value.get(name)), "")
    if isinstance(value, list):
        value = ", ".join(_value(entry) for entry in value)
    return plain(str(value), LONGEST)


INTERRUPTED = 130
TABLE = "labs_csv"


@click.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--lab", "slug", metavar="SLUG", help="The lab that the file is about. Without it: a table of labs.")
@click.option(
    "--kind",
    type=click.Choice([kind for kind in KIND_NAMES if kind != TABLE]),
    help="What it is, where the content does not tell.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be proposed; change nothing.")
@click.option("--accept", "accepts", is_flag=True, help="Accept all of it at once, one revision per lab.")
@click.option("--as", "email", metavar="EMAIL", help="The administrator who does this; --accept needs one.")
@click.option("--json", "as_json", is_flag=True, help="Answer with JSON.")
@with_appcontext
def import_file(
    file: str,
    *,
    slug: str | None,
    kind: str | None,
    dry_run: bool,
    accepts: bool,
    email: str | None,
    as_json: bool,
) -> None:
    """Propose changes to lab profiles from a file.

    FILE may be - for standard input. Administrators decide on what is proposed, on their pages.

    With --lab: BibTeX, works from OpenAlex, an ORCID record or a home page, for that lab. Without: a
    table of labs (CSV), whose changes of labs that are there are proposed, and whose new labs are made with --accept.
    Broken entries are listed with their lines and the reason.

    You can stop it and run it again: nothing is proposed or accepted twice, and what was refused stays refused.
    """
    if kind is not None and slug is None:
        raise click.UsageError("--kind is for files about one lab; name it with --lab.")
    if accepts and email is None:
        raise click.UsageError("--accept decides in somebody’s name: say with --as which administrator’s.")
    need_tables()
    session = db.session()
    person = _administrator(email) if email is not None else None
    lab = _lab(session, slug) if slug is not None else None
    stored = "Nothing was stored."
    try:
        with CommandStages() as stages:
            stages.begin(f"Reading {_shown_name(file)}")
            imported = _read(file, lab, cast("ImportKind | None", kind))
            stages.begin("Comparing with what is stored")
            if dry_run:
                account = Account(imported, slug or "", planned(session, lab, imported), dry_run=True)
            else:
                brought, number = propose_file(session, lab, imported, actor=person, now=datetime.now(UTC))
                account = Account(imported, slug or "", brought, dry_run=False, import_id=number)
            if accepts and person is not None and not dry_run:
                stored = "What was accepted stays. To accept the rest, run the same command again."
                stages.begin("Accepting")
                reason = f"Imported from {_shown_name(file)}"[:LONGEST_REASON]
                decided = accept(session, lab, brought, author=person, reason=reason, step=stages.done)
                account = replace(account, decided=decided)
    except (ImportRefused, RefusedImport, BusyError) as refusal:
        raise click.ClickException(str(refusal)) from None
    except KeyboardInterrupt:
        session.invalidate()
        click.echo(f"Stopped. {stored}", err=True)
        sys.exit(INTERRUPTED)
    lines = [json.dumps(account.as_json(), ensure_ascii=False, indent=2)] if as_json else account.as_lines()
    click.echo("\n".join(lines))
    if account.decided is not None and account.decided.left:
        sys.exit(1)


def _read(file: str, lab: Lab | None, kind: ImportKind | None) -> Reading:
    name = _shown_name(file)
    with opened(file) as stream:
        data = stream.read(BYTE_LIMIT + 1)
    check_size(data)
    imported = read_import(data, filename=name, kind=kind)
    if lab is None and imported.kind != TABLE:
        raise click.ClickException(
            f"{name} is {KIND_NAMES[imported.kind]}, not a table of labs. Say with --lab which lab it is about."
        )
    if lab is not None and imported.kind == TABLE and len(imported.labs) != 1:
        raise click.ClickException(f"{name} is a table of {len(imported.labs)} labs. Leave out --lab to import it.")
    return imported


def _shown_name(file: str) -> str:
    """The name of the file as it is shown and stored: without its folder, and without bytes that are no text."""
    return click.format_filename(file, shorten=True) if file != STANDARD_INPUT else name_of(file)


def _administrator(email: str) -> User:
    person = account_of(email)
    if not person.active:
        raise click.ClickException(f"The account of {person.email} is suspended.")
    if not person.has_role(ADMIN):
        raise click.ClickException(f"{person.email} is no administrator.")
    return person


def _lab(session: Session, slug: str) -> Lab:
    lab = lab_by_slug(session, slug)
    if lab is not None:
        return lab
    if session.scalar(select(Lab.id).limit(1)) is None:
        raise click.ClickException("There are no labs in the database yet. portal seed makes those of the seed pages.")
    raise click.ClickException(f"There is no lab {slug!r}. It is the end of a lab’s address, /labs/SLUG.")
