"""`portal assignment …`: assign, verify and explain. Works on files, without a database."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from portal.assignment import (
    FileRefused,
    MarketError,
    UnknownName,
    certificate,
    lists_digest,
    read_market,
    read_round,
    solve,
    steps,
    why_not,
)
from portal.assignment.records import quoted, require_name
from portal.assignment.verify import PROVED, prove
from portal.labs.commands.console import STANDARD_INPUT, has_bar, name_of, opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from portal.assignment import Round

FILE = click.Path(exists=True, dir_okay=False, allow_dash=True)
PARTS = 200  # of a bar
FIRST_CHOICES = 5  # have a line each in the summary


@click.group("assignment")
def assignment() -> None:
    """Assign applicants to labs, and prove the result.

    It goes by the orders of both sides and the labs' seats. docs/assignment.md says how.
    """


@assignment.command("solve")
@click.argument("file", type=FILE)
@click.option("--seed", help="The published seed of the lottery, if FILE does not have it.")
@click.option("--out", required=True, type=click.Path(dir_okay=False, allow_dash=True), help="The certificate.")
def solve_command(file: str, *, seed: str | None, out: str) -> None:
    """Assign applicants to labs, and write the certificate.

    FILE is a market, or a certificate whose lists are to be assigned again. Anybody can verify the certificate. An
    existing file is never overwritten.
    """
    with opened(file) as opened_file:
        content = opened_file.read()
    with _reporting_refusals(name_of(file)):
        market, own_seed = read_market(content)
    chosen_seed = _seed(own_seed, seed)
    with _reporting_refusals(), _bar(steps(market), "Assigning") as tick:
        computed = solve(market, chosen_seed, tick)
    text = certificate(computed)
    if out == STANDARD_INPUT:
        click.echo(text, nl=False)
    else:
        _write(Path(out), text)
    for line in [*_summary(computed), f"Digest of this certificate: {json.loads(text)['digest']}"]:
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
    code, lines = prove("/dev/stdin" if file == STANDARD_INPUT else file)
    click.echo("\n".join(lines))
    sys.exit(code)


@assignment.command("why")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.argument("applicant")
@click.argument("lab", required=False)
def why_command(file: str, applicant: str, lab: str | None) -> None:
    """Explain why an applicant did not get a lab.

    FILE is a certificate. Without LAB, every lab on the list of APPLICANT is explained.
    """
    code, _ = prove(file)
    name = click.format_filename(file)
    if code != PROVED:
        raise click.ClickException(
            f"{name} cannot be proved as a certificate, so it is not used. "
            f"To see what is wrong with it, run: portal assignment verify {name}"
        )
    with _reporting_refusals(file):
        computed = read_round(Path(file).read_bytes())
    with _reporting_refusals():
        choices = computed.market.applicants[require_name(applicant, computed.market.applicants, "applicant")]
        reasons = [why_not(computed, applicant, choice) for choice in (choices if lab is None else (lab,))]
    click.echo("\n".join([reason.sentence for reason in reasons] or ["You have no labs on your list."]))


def _seed(file_seed: str | None, option_seed: str | None) -> str:
    seeds = {seed for seed in (file_seed, option_seed) if seed is not None}
    if not seeds:
        raise click.UsageError('The lottery needs its published seed: give it with --seed, or as "seed" in the file.')
    if len(seeds) > 1:
        raise click.UsageError(
            "The seed in the file differs from that of --seed. Leave out --seed, or use a file without a seed."
        )
    return seeds.pop()


def _summary(computed: Round) -> Iterator[str]:
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


def _write(path: Path, text: str) -> None:
    """Create the file, whole or not at all, readable by its owner only: it holds everybody's list.

    It gets its name when it is complete, so that a process that is killed leaves no part of a certificate under it.
    """
    if os.path.lexists(path):
        raise click.ClickException(
            f"{click.format_filename(path)} exists already, and existing files are never overwritten. "
            "Give another name with --out."
        )
    unfinished = None
    try:
        descriptor, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(unfinished).rename(path)
    except BaseException as error:
        if unfinished is not None:
            Path(unfinished).unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(path)
        raise


@contextmanager
def _reporting_refusals(path: str = "") -> Iterator[None]:
    """End the command with a sentence if a name, a list or a file cannot be used."""
    try:
        yield
    except (FileRefused, MarketError, UnknownName) as error:
        raise click.ClickException(f"{path}: {error}" if path else str(error)) from None


@contextmanager
def _bar(length: int, label: str) -> Iterator[Callable[[int], object]]:
    """A function that reports finished steps. Shows a progress bar on a terminal if there are many steps."""
    with click.progressbar(
        length=length,
        label=label,
        file=sys.stderr,
        hidden=not has_bar(length),
        update_min_steps=max(1, length // PARTS),
    ) as bar:
        yield bar.update
