"""`portal assignment …`: assign, verify, explain, try other seats and compare. Works on files, without a database."""

from __future__ import annotations

import errno
import json
import os
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from portal.assignment import (
    FileRefused,
    MarketError,
    Step,
    UnknownName,
    certificate,
    compare,
    lists_digest,
    read_market,
    read_round,
    solve,
    steps,
    what_if,
    why_not,
)
from portal.assignment.records import quoted, require_name
from portal.assignment.verify import PROVED, prove
from portal.labs.commands.input import STANDARD_INPUT, has_bar, name_of, opened
from portal.web.whole_numbers import whole_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from portal.assignment import Changes, Market, Move, Reason, Round, SeatChange, WhatIf


FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)
PARTS = 200  # of a bar
SMALL = 1000  # bytes of a certificate that count as one item of work
CERTIFICATE = click.Path(exists=True, dir_okay=False)


def _seats(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, int]:
    """Parse LAB=N into seats by lab; the name of a lab may itself contain an equals sign."""
    seats_by_lab: dict[str, int] = {}
    for text in values:
        lab, _, seats = text.rpartition("=")
        seat_count = whole_number(seats)
        if not lab or seat_count is None:
            raise click.BadParameter(f"{quoted(text)} is not LAB=N with a whole number of seats, such as systems=3.")
        if lab in seats_by_lab:
            raise click.BadParameter(f"the seats of {quoted(lab)} are given twice. Give them once.")
        seats_by_lab[lab] = seat_count
    return seats_by_lab


SEATS_OF = click.option(
    "--seats-of",
    "seats",
    metavar="LAB=N",
    multiple=True,
    callback=_seats,
    help="Other seats than in FILE; may be repeated.",
)
SEED = click.option("--seed", help="The published seed of the lottery, if FILE does not have it.")
JSON = click.option("--json", "machine", is_flag=True, help="Answer with JSON.")


@click.group("assignment")
def assignment() -> None:
    """Assign applicants to labs, and prove the result.

    It goes by the orders of both sides and the labs' seats. docs/assignment.md says how.
    """


@assignment.command("digest")
@click.argument("file", type=FILE)
@SEATS_OF
def digest(file: str, *, seats: dict[str, int]) -> None:
    """Print the digest of a market, to publish before the draw.

    It covers the lists, orders and seats in FILE. Published before the seed is known, it proves that none of them was
    changed afterwards.
    """
    click.echo(lists_digest(_market(file, seats)[0]))


@assignment.command("solve")
@click.argument("file", type=FILE)
@SEATS_OF
@SEED
@click.option("--out", required=True, type=click.Path(dir_okay=False, allow_dash=True), help="The certificate.")
def solve_command(file: str, *, seats: dict[str, int], seed: str | None, out: str) -> None:
    """Assign applicants to labs, and write the certificate.

    FILE is a market, or a certificate whose lists are to be assigned again. Anybody can verify the certificate. An
    existing file is never overwritten.
    """
    market, own_seed = _market(file, seats)
    computed = _solved(market, _seed(own_seed, seed))
    text = certificate(computed)
    if out == STANDARD_INPUT:
        click.echo(text, nl=False)
    else:
        _write(Path(out), text)
    for line in [*summary_lines(computed), digest_of_certificate(text)]:
        click.echo(line, err=out == STANDARD_INPUT)
    if out != STANDARD_INPUT:
        name = click.format_filename(out)
        click.echo(f"The certificate is in {name}. To verify it, run: portal assignment verify {name}")


@assignment.command("verify")
@click.argument("file", type=click.Path(allow_dash=True))
def verify_command(file: str) -> None:
    """Verify a certificate independently.

    The code that checks shares nothing with the code that assigns.

    Ends with 0 if it is proved, 1 if it is refuted, 2 if it cannot be read.
    """
    code, lines = _proved("/dev/stdin" if file == STANDARD_INPUT else file)
    click.echo("\n".join(lines))
    sys.exit(code)


@assignment.command("why")
@click.argument("file", type=CERTIFICATE)
@click.argument("applicant")
@click.argument("lab", required=False)
@JSON
def why_command(file: str, applicant: str, lab: str | None, *, machine: bool) -> None:
    """Explain why an applicant did not get a lab.

    FILE is a certificate. Without LAB, every lab on the list of APPLICANT is explained.
    """
    computed = _round(file)
    with _reporting_refusals():
        choices = computed.market.applicants[require_name(applicant, computed.market.applicants, "applicant")]
        reasons = [why_not(computed, applicant, choice) for choice in (choices if lab is None else (lab,))]
    _print(reason_lines(reasons), reasons_as_json(reasons) if machine else None)


@assignment.command("what-if")
@click.argument("file", type=FILE)
@click.argument("seats", metavar="LAB=N …", nargs=-1, required=True, callback=_seats)
@SEED
@JSON
def what_if_command(file: str, seats: dict[str, int], *, seed: str | None, machine: bool) -> None:
    """Show who would move if labs had other numbers of seats.

    LAB=N gives a lab N seats; name as many labs as you like.

    FILE is a market or a certificate. Nothing is written.
    """
    market, own_seed = _market(file, {})
    chosen_seed = _seed(own_seed, seed)
    with _reporting_refusals():
        changed_market = market.with_seats(seats)
    computed = _solved(market, chosen_seed)
    with _bar(steps(changed_market), "Trying other seats") as tick:
        outcome = what_if(computed, seats, tick)
    _print(what_if_lines(outcome), as_json(outcome) if machine else None)


@assignment.command("compare")
@click.argument("old", type=CERTIFICATE)
@click.argument("new", type=CERTIFICATE)
@JSON
def compare_command(old: str, new: str, *, machine: bool) -> None:
    """Compare two certificates.

    It shows what differs in lists, seats and seed, and who got what.
    """
    changes = compare(_round(old), _round(new))
    _print(changes_lines(changes), as_json(changes) if machine else None)


def _market(path: str, seats: Mapping[str, int]) -> tuple[Market, str | None]:
    with opened(path) as file:
        content = file.read()
    with _reporting_refusals(name_of(path)):
        market, seed = read_market(content)
        return market.with_seats(seats), seed


def _seed(file_seed: str | None, option_seed: str | None) -> str:
    seeds = {seed for seed in (file_seed, option_seed) if seed is not None}
    if not seeds:
        raise click.UsageError('The lottery needs its published seed: give it with --seed, or as "seed" in the file.')
    if len(seeds) > 1:
        raise click.UsageError(
            "The seed in the file differs from that of --seed. Leave out --seed, or use a file without a seed."
        )
    return seeds.pop()


def _solved(market: Market, seed: str) -> Round:
    with _reporting_refusals(), _bar(steps(market), "Assigning") as tick:
        return solve(market, seed, tick)


def _round(path: str) -> Round:
    """The round in a certificate, after proving it; a certificate that is not proved ends the command."""
    code, _ = _proved(path)
    name = click.format_filename(path)
    if code != PROVED:
        raise click.ClickException(
            f"{name} cannot be proved as a certificate, so it is not used. "
            f"To see what is wrong with it, run: portal assignment verify {name}"
        )
    with _reporting_refusals(path):
        return read_round(Path(path).read_bytes())


def _proved(path: str) -> tuple[int, list[str]]:
    """The checker's exit code and lines. Shows a bar; its length is fixed, as the number of steps is not yet known."""
    size = Path(path).stat().st_size if Path(path).is_file() else 0
    with _bar(PARTS, "Proving", watched=has_bar(size // SMALL)) as bar:
        drawn = 0

        def tick(done: int, total: int) -> None:
            nonlocal drawn
            reached = done * PARTS // total
            if reached > drawn:
                bar(reached - drawn)
                drawn = reached

        return prove(path, tick)


def _write(path: Path, text: str) -> None:
    """Create the file, whole or not at all, readable by its owner only: it holds everybody's list. An existing file is
    not overwritten.
    """
    name = click.format_filename(path)
    try:
        write_new(path, text)
    except FileExistsError:
        raise click.ClickException(
            f"{name} exists already, and existing files are never overwritten. Give another name with --out."
        ) from None


@contextmanager
def _reporting_refusals(path: str = "") -> Iterator[None]:
    """End the command with a sentence if a name, a list or a file cannot be used."""
    try:
        yield
    except (FileRefused, MarketError, UnknownName) as error:
        raise click.ClickException(f"{path}: {error}" if path else str(error)) from None


@contextmanager
def _bar(length: int, label: str, *, watched: bool | None = None) -> Iterator[Callable[[int], object]]:
    """A function that reports finished steps. Shows a progress bar on a terminal if there are many steps."""
    hidden = not (has_bar(length) if watched is None else watched)
    steps_shown = max(1, length // PARTS)
    with click.progressbar(
        length=length, label=label, file=sys.stderr, hidden=hidden, update_min_steps=steps_shown
    ) as bar:
        yield bar.update


def _print(lines: Iterable[str], data: str | None) -> None:
    click.echo(data if data is not None else "\n".join(lines))


FIRST_CHOICES = 5  # have a line each in the summary
MOST_NAMES = 20  # on a line; JSON has them all
STEPS = {
    Step.JOINED: "is new",
    Step.LEFT: "is gone",
    Step.PLACED: "gets a place",
    Step.UNPLACED: "loses their place",
    Step.BETTER: "better for them",
    Step.WORSE: "worse for them",
    Step.OTHER: "the earlier lab is no longer on their list",
}


def as_json(record: WhatIf | Changes) -> str:
    """A record as JSON with the names of its fields."""
    return json.dumps(asdict(record), indent=2)


def reasons_as_json(reasons: Sequence[Reason]) -> str:
    """Reasons as JSON, each with its sentence."""
    return json.dumps([asdict(reason) | {"sentence": reason.sentence} for reason in reasons], indent=2)


def summary_lines(computed: Round) -> Iterator[str]:
    """How many applicants got a place, by their choice, with the seed and digest of the round."""
    applicants, placed = len(computed.market.applicants), len(computed.lab_of)
    seats = sum(lab.seats for lab in computed.market.labs.values())
    yield f"{placed:,} of {applicants:,} applicants have a place; {seats - placed:,} of {seats:,} seats are free."
    counts_by_choice = computed.by_choice()
    for choice in range(1, min(FIRST_CHOICES, max(counts_by_choice, default=0)) + 1):
        yield f"  number {choice} on their list: {counts_by_choice.get(choice, 0):,}"
    if further := sum(count for choice, count in counts_by_choice.items() if choice > FIRST_CHOICES):
        yield f"  further down: {further:,}"
    yield f"Seed: {quoted(computed.seed)}"
    yield f"Digest of lists, orders and seats: {lists_digest(computed.market)}"


def digest_of_certificate(text: str) -> str:
    """The line with the digest of a certificate."""
    return f"Digest of this certificate: {json.loads(text)['digest']}"


def reason_lines(reasons: Sequence[Reason]) -> list[str]:
    """The sentence of each reason, or a sentence that says that the list is empty."""
    return [reason.sentence for reason in reasons] or ["You have no labs on your list."]


def what_if_lines(outcome: WhatIf) -> Iterator[str]:
    """Which seats change and who moves."""
    yield from _seat_lines(outcome.seats)
    yield from _move_lines(outcome.moves, outcome.placed_before, outcome.placed_after)


def changes_lines(changes: Changes) -> Iterator[str]:
    """The differences between two rounds: of lists, seats and seed, and who moves."""
    if changes.same_input:
        yield "Lists, orders, seats and seed are the same."
    if changes.seeds is not None:
        yield f"Seed: {quoted(changes.seeds[0])} → {quoted(changes.seeds[1])}"
    yield from _names("New applicants", changes.new_applicants)
    yield from _names("Applicants who are gone", changes.gone_applicants)
    yield from _names("New labs", changes.new_labs)
    yield from _names("Labs that are gone", changes.gone_labs)
    yield from _names("Applicants whose lists changed", changes.lists)
    yield from _names("Labs whose orders changed", changes.orders)
    yield from _seat_lines(changes.seats)
    yield from _move_lines(changes.moves, changes.placed_before, changes.placed_after)


def _names(title: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
        yield f"{title} ({len(names):,}): {', '.join(map(quoted, names[:MOST_NAMES]))}{more}"


def _seat_lines(changes: Iterable[SeatChange]) -> Iterator[str]:
    for change in changes:
        yield f"Seats of {quoted(change.lab)}: {change.before:,} → {change.after:,}"


def _move_lines(moves: Sequence[Move], placed_before: int, placed_after: int) -> Iterator[str]:
    yield f"With a place: {placed_before:,} → {placed_after:,}"
    if not moves:
        yield "Nobody moves."
        return
    yield f"Who moves ({len(moves):,}):"
    for move in moves:
        yield f"  {quoted(move.applicant)}: {_lab(move.before)} → {_lab(move.after)}, {STEPS[move.step]}"


def _lab(name: str | None) -> str:
    return "no place" if name is None else quoted(name)


UNFINISHED = ".unfinished"


def write_new(path: Path, text: str) -> None:
    """Create the file, readable by its owner only. A command that is killed meanwhile leaves nothing under its name;
    what it left beside it, the next one for the same name removes.

    Raises:
        FileExistsError: The name is taken; the file there stays as it is.
        OSError: It cannot be written.
    """
    if path.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    try:
        _write_draft(path, text)
    except OSError as error:  # which may name the unfinished file
        raise OSError(error.errno, error.strerror, str(path)) from None


def _write_draft(path: Path, text: str) -> None:
    prefix = f".{path.name}."
    for entry in path.parent.iterdir():
        if entry.name.startswith(prefix) and entry.name.endswith(UNFINISHED):
            entry.unlink(missing_ok=True)
    descriptor, draft_name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=UNFINISHED)
    draft = Path(draft_name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            raise
        except OSError:  # some file systems have no second names
            if path.exists():
                raise
            draft.rename(path)
    finally:
        draft.unlink(missing_ok=True)
