"""How fast an assignment round is, and proving it, beside other ways to match, in one run, with ratios.

    python -m benchmarks.assignment [--sizes 10000x1000] [--peer-sizes 200x20 1000x100] [--seed-word 1]

Applicants list 10 to 30 labs, popular ones more often; one in a hundred lists none. Labs rank who lists them in five
groups of equals and refuse every tenth. There are as many seats as applicants. Each line is measured in a process of
its own, so that its peak of memory is its own: what it took on top of the market that all are given. What takes less
than half a second is done five times, and the quickest counts.

The peers: `matching` (HospitalResident), with ties broken before, and without the applicants whose list is empty, on
which it raises IndexError; its copy of the market recurses, so it is given a deep stack. SciPy's linear_sum_assignment
on the dense matrix of applicants and seats, each cell the choice's number plus the place in the lab's groups: the least
sum over all, not a stable assignment; the checker counts how many pairs block it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import random
import resource
import sys
import threading
import time
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from portal.assignment import Lab, Market, Round, certificate, read_round, solve, what_if
from portal.assignment.lottery import lottery_numbers, places
from portal.assignment.verify import check

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from multiprocessing.connection import Connection

SEED = "benchmark"
GROUPS = 5
LONGEST = 900  # seconds for one line
SHORT = 0.5  # seconds
DRAWS = 10
STACK = 1 << 30
UNWANTED = 1000.0  # the cost of a pair that one of both does not want


@dataclass(frozen=True)
class Measured:
    """A line of the table: seconds, megabytes on top of what was there, and a remark; or why there are none."""

    seconds: float | None
    megabytes: float
    remark: str


def market(applicants: int, labs: int, word: str) -> Market:
    """A market that looks like a round of admissions."""
    chance = random.Random(f"{word} {applicants} {labs}")  # noqa: S311 - no secret, and the same in every run
    names = [f"lab{number:05d}" for number in range(labs)]
    popular = [1 / (number + 10) for number in range(labs)]
    lists: dict[str, tuple[str, ...]] = {}
    groups: dict[str, list[list[str]]] = {name: [[] for _ in range(GROUPS)] for name in names}
    for number in range(applicants):
        wanted = 0 if chance.random() < 0.01 else min(labs, chance.randint(10, 30))
        found: dict[str, None] = {}
        while len(found) < wanted:
            found.update(dict.fromkeys(chance.choices(names, popular, k=wanted - len(found))))
        applicant = f"applicant{number:06d}"
        lists[applicant] = tuple(found)
        for name in found:
            if chance.random() < 0.9:
                groups[name][chance.randrange(GROUPS)].append(applicant)
    seats = dict.fromkeys(names, 0)
    for name in chance.choices(names, k=applicants):
        seats[name] += 1
    return Market(lists, {name: Lab(seats[name], tuple(map(tuple, groups[name]))) for name in names})


def strict(given: Market, seed: str, *, one_lottery: bool) -> Market:
    """The market with ties broken: by one number for each applicant, or by one for each at each lab."""
    drawn = lottery_numbers(given, seed)
    labs = {}
    for name, lab in given.labs.items():
        ranked = [one for group in lab.order for one in group]
        own = {one: sha256(f"{seed}\n{name}\n{one}".encode()).hexdigest() for one in ranked}
        labs[name] = Lab(lab.seats, tuple((place,) for place in places(lab, drawn if one_lottery else own)))
    return Market(given.applicants, labs)


def measured(act: Callable[[], str | Callable[[], str]]) -> Measured:
    """What an act takes in a process of its own. It gives its remark, or what finds it once the time has been taken."""

    def child(answer: Connection) -> None:
        sys.setrecursionlimit(10**7)
        threading.stack_size(STACK)
        worker = threading.Thread(target=timed, args=(answer,))
        worker.start()
        worker.join()

    def timed(answer: Connection) -> None:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        before, start = pages * resource.getpagesize() / 1e6, time.perf_counter()
        try:
            remark = act()
        except (IndexError, MemoryError, RecursionError) as error:
            answer.send(Measured(None, 0, f"{type(error).__name__}: {error}"))
            return
        seconds = time.perf_counter() - start
        for _ in range(4 if seconds < SHORT else 0):
            start = time.perf_counter()
            act()
            seconds = min(seconds, time.perf_counter() - start)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
        answer.send(Measured(seconds, peak - before, remark if isinstance(remark, str) else remark()))

    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(there,))
    process.start()
    there.close()
    try:
        found: Measured = here.recv() if here.poll(LONGEST) else Measured(None, 0, f"more than {LONGEST} s")
    except EOFError:
        found = Measured(None, 0, "the process died")
    process.kill()
    process.join()
    return found


def hospital_resident(given: Market, expected: Mapping[str, str]) -> Callable[[], str]:
    """The `matching` package on a market with strict orders and mutual lists."""
    games = import_module("matching.games")
    residents = {one: list(labs) for one, labs in given.applicants.items()}
    hospitals = {name: [one for (one,) in lab.order] for name, lab in given.labs.items()}
    capacities = {name: lab.seats for name, lab in given.labs.items()}

    def act() -> str:
        game = games.HospitalResident.create_from_dictionaries(residents, hospitals, capacities)
        found = game.solve(optimal="resident")
        got = {one.name: lab.name for lab, ones in found.items() for one in ones}
        return "the same assignment" if got == expected else "another assignment"

    return act


def for_hospital_resident(given: Market) -> Market:
    """The market without what `matching` has no answer to: people with nobody to go to, labs with nobody or no seat."""
    broken = strict(given, SEED, one_lottery=True)
    takes = {name: {one for (one,) in lab.order} for name, lab in broken.labs.items()}
    labs = {name: lab for name, lab in broken.labs.items() if lab.seats and lab.order}
    lists = {
        one: tuple(lab for lab in names if lab in labs and one in takes[lab])
        for one, names in broken.applicants.items()
    }
    lists = {one: names for one, names in lists.items() if names}
    kept = {
        name: Lab(lab.seats, tuple(group for group in lab.order if group[0] in lists)) for name, lab in labs.items()
    }
    return Market(lists, kept)


def least_sum(given: Market) -> Callable[[], Callable[[], str]]:
    """SciPy's linear_sum_assignment on applicants and seats."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    def act() -> Callable[[], str]:
        names = list(given.applicants)
        row = {one: number for number, one in enumerate(names)}
        seats = [name for name, lab in given.labs.items() for _ in range(lab.seats)]
        first = {name: seats.index(name) for name in dict.fromkeys(seats)}
        cost = np.full((len(names), len(seats)), UNWANTED)
        rank = {one: {lab: number for number, lab in enumerate(labs)} for one, labs in given.applicants.items()}
        for name, start in first.items():
            for number, group in enumerate(given.labs[name].order):
                for one in group:
                    cost[row[one], start : start + given.labs[name].seats] = rank[one][name] + number
        rows, columns = linear_sum_assignment(cost)
        got = {names[r]: seats[c] for r, c in zip(rows, columns, strict=True) if cost[r, c] < UNWANTED}

        def remark() -> str:
            text = certificate(Round(given, SEED, got))
            blocking = sum("would rather have" in line for line in check(text.encode()).violations)
            return f"{len(got):,} placed; {blocking:,} pairs block it"

        return remark

    return act


def line(what: str, size: str, found: Measured, base: float) -> None:
    """Print a row of the table."""
    figures = "– | – | –"
    if found.seconds is not None:
        figures = f"{found.seconds:.3f} | {found.seconds / base:.1f} | {max(0.0, found.megabytes):.0f}"
    print(f"| {what} | {size} | {figures} | {found.remark} |", flush=True)


def ours(size: str, given: Market) -> float:
    """Measure the round itself, and say how many seconds solving took."""
    held = solve(given, SEED)
    text = certificate(held).encode()
    some = sorted(given.labs)[: max(1, len(given.labs) // 100)]
    lists = sum(map(len, given.applicants.values()))
    base = measured(lambda: f"{len(solve(given, SEED).lab_of):,} placed; {lists:,} entries in the lists")
    seconds = base.seconds or 1.0
    line("portal: solve", size, base, seconds)

    def proof() -> str:
        return "; ".join(check(text).violations) or "proved: stable, and best for the applicants"

    line(
        "portal: check the lists",
        size,
        measured(lambda: f"{len(Market(given.applicants, given.labs).labs):,} labs"),
        seconds,
    )
    line("portal: write the certificate", size, measured(lambda: f"{len(certificate(held)) / 1e6:.1f} MB"), seconds)
    line("portal: read it", size, measured(lambda: f"{len(read_round(text).lab_of):,} placed"), seconds)
    line("checker: verify it", size, measured(proof), seconds)

    def imagined() -> str:
        found = what_if(held, {lab: given.labs[lab].seats + 1 for lab in some})
        return f"labs with a seat more: {len(some):,}; people who move: {len(found.moves):,}"

    line("portal: what-if", size, measured(imagined), seconds)
    return seconds


def lotteries(size: str, given: Market) -> None:
    """Print what one lottery and one for each lab give the applicants, over some draws."""
    print(f"\n| {size}, mean of {DRAWS} draws | first choice | one of the first three | no place |")
    print("|---|---:|---:|---:|")
    for name, one_lottery in (("one lottery for all labs", True), ("one for each lab", False)):
        rounds = [solve(strict(given, f"draw {draw}", one_lottery=one_lottery), SEED) for draw in range(DRAWS)]
        choices = [held.by_choice() for held in rounds]
        first = sum(found.get(1, 0) for found in choices) / DRAWS
        three = sum(count for found in choices for choice, count in found.items() if choice <= 3) / DRAWS
        without = len(given.applicants) - sum(len(held.lab_of) for held in rounds) / DRAWS
        print(f"| {name} | {first:,.0f} | {three:,.0f} | {without:,.0f} |", flush=True)


def empty_list(size: str) -> None:
    """What `matching` does with somebody who lists no lab."""
    games = import_module("matching.games")

    def act() -> str:
        game = games.HospitalResident.create_from_dictionaries({"a": ["x"], "b": []}, {"x": ["a"]}, {"x": 1})
        return json.dumps(str(game.solve()))

    line("matching: one list is empty", size, measured(act), 1.0)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["10000x1000"], metavar="NxM", help="applicants x labs")
    parser.add_argument("--peer-sizes", nargs="*", default=["200x20", "1000x100", "3000x300"], metavar="NxM")
    parser.add_argument("--seed-word", default="1", help="another word, another market")
    arguments = parser.parse_args()
    peer = find_spec("matching") is not None
    print(f"{platform.machine()}, Python {platform.python_version()}; matching: {'yes' if peer else 'not installed'}")
    print("\n| what | applicants × labs | s | / solve | MB | |\n|---|---|---:|---:|---:|---|")
    biggest: tuple[str, Market] | None = None
    for size in dict.fromkeys([*arguments.peer_sizes, *arguments.sizes]):
        applicants, labs = map(int, size.split("x"))
        given = market(applicants, labs, arguments.seed_word)
        shown = f"{applicants:,} × {labs:,}"
        base = ours(shown, given)
        biggest = (shown, given)
        if size not in arguments.peer_sizes:
            continue
        line("scipy: least sum", shown, measured(least_sum(given)), base)
        if peer:
            fitting = for_hospital_resident(given)
            line("matching", shown, measured(hospital_resident(fitting, solve(fitting, SEED).lab_of)), base)
    if peer:
        empty_list("2 × 1")
    if biggest:
        lotteries(*biggest)


if __name__ == "__main__":
    main()
