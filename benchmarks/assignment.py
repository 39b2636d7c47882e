"""How fast an assignment round is computed and proved, compared with other ways to match, in one run, with ratios.

    python -m benchmarks.assignment [--sizes 10000x1000] [--peer-sizes 200x20 1000x100] [--seed-word 1]

Applicants list 10 to 30 labs, popular ones more often; one in a hundred lists none. Labs rank the applicants who list
them in five groups of equals and refuse one in ten. There are as many seats as applicants. Each line is measured in a
process of its own, so that its peak of memory is its own: what it takes in addition to the market. What takes less than
half a second is done five times, and the quickest counts.

The peers: `matching` (HospitalResident), with ties broken in advance, and without applicants whose list is empty, for
which it raises IndexError; it copies the market recursively, so it gets a deep stack. SciPy's linear_sum_assignment on
the dense matrix of applicants and seats, where a cell is the place of the lab in the applicant's list plus the place of
the applicant's group in the lab's order. This gives the least sum, not a stable assignment; the checker counts the
pairs that block it.
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
from portal.assignment.rounds import lottery_numbers, places
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
UNWANTED = 1000.0  # the cost of a pair that the applicant or the lab does not want


@dataclass(frozen=True)
class Measured:
    """A line of the table: seconds (None if it failed), megabytes in addition to the market, and a remark."""

    seconds: float | None
    megabytes: float
    remark: str


def market(applicants: int, labs: int, seed_word: str) -> Market:
    """A market that looks like a round of admissions."""
    chance = random.Random(f"{seed_word} {applicants} {labs}")  # noqa: S311 - no secret, and the same in every run
    names = [f"lab{position:05d}" for position in range(labs)]
    popular = [1 / (position + 10) for position in range(labs)]
    lists: dict[str, tuple[str, ...]] = {}
    groups: dict[str, list[list[str]]] = {name: [[] for _ in range(GROUPS)] for name in names}
    for position in range(applicants):
        length = 0 if chance.random() < 0.01 else min(labs, chance.randint(10, 30))
        chosen: dict[str, None] = {}
        while len(chosen) < length:
            chosen.update(dict.fromkeys(chance.choices(names, popular, k=length - len(chosen))))
        applicant = f"applicant{position:06d}"
        lists[applicant] = tuple(chosen)
        for name in chosen:
            if chance.random() < 0.9:
                groups[name][chance.randrange(GROUPS)].append(applicant)
    seats = dict.fromkeys(names, 0)
    for name in chance.choices(names, k=applicants):
        seats[name] += 1
    return Market(lists, {name: Lab(seats[name], tuple(map(tuple, groups[name]))) for name in names})


def strict(market: Market, seed: str, *, one_lottery: bool) -> Market:
    """The market with ties broken at random: by one number per applicant, or by one per applicant and lab."""
    one_number = lottery_numbers(market, seed)
    labs = {}
    for name, lab in market.labs.items():
        ranked = [applicant for group in lab.order for applicant in group]
        number_at_lab = {applicant: sha256(f"{seed}\n{name}\n{applicant}".encode()).hexdigest() for applicant in ranked}
        labs[name] = Lab(
            lab.seats, tuple((place,) for place in places(lab, one_number if one_lottery else number_at_lab))
        )
    return Market(market.applicants, labs)


def measured(act: Callable[[], str | Callable[[], str]]) -> Measured:
    """Measure an act in a process of its own. The act returns its remark, or a function that computes it afterwards."""

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
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(sending,))
    process.start()
    sending.close()
    try:
        result: Measured = receiving.recv() if receiving.poll(LONGEST) else Measured(None, 0, f"more than {LONGEST} s")
    except EOFError:
        result = Measured(None, 0, "the process died")
    process.kill()
    process.join()
    return result


def hospital_resident(market: Market, expected: Mapping[str, str]) -> Callable[[], str]:
    """The `matching` package on a market with strict orders and mutual lists."""
    games = import_module("matching.games")
    residents = {applicant: list(labs) for applicant, labs in market.applicants.items()}
    hospitals = {name: [applicant for (applicant,) in lab.order] for name, lab in market.labs.items()}
    capacities = {name: lab.seats for name, lab in market.labs.items()}

    def act() -> str:
        game = games.HospitalResident.create_from_dictionaries(residents, hospitals, capacities)
        solution = game.solve(optimal="resident")
        assignment = {applicant.name: lab.name for lab, applicants in solution.items() for applicant in applicants}
        return "the same assignment" if assignment == expected else "another assignment"

    return act


def for_hospital_resident(market: Market) -> Market:
    """The market without what `matching` cannot handle: ties, empty lists, labs without seats or without applicants."""
    without_ties = strict(market, SEED, one_lottery=True)
    accepted = {name: {applicant for (applicant,) in lab.order} for name, lab in without_ties.labs.items()}
    labs = {name: lab for name, lab in without_ties.labs.items() if lab.seats and lab.order}
    lists = {
        applicant: tuple(lab for lab in names if lab in labs and applicant in accepted[lab])
        for applicant, names in without_ties.applicants.items()
    }
    lists = {applicant: names for applicant, names in lists.items() if names}
    mutual_labs = {
        name: Lab(lab.seats, tuple(group for group in lab.order if group[0] in lists)) for name, lab in labs.items()
    }
    return Market(lists, mutual_labs)


def least_sum(market: Market) -> Callable[[], Callable[[], str]]:
    """SciPy's linear_sum_assignment on applicants and seats."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    def act() -> Callable[[], str]:
        applicants = list(market.applicants)
        row_of = {applicant: place for place, applicant in enumerate(applicants)}
        seats = [name for name, lab in market.labs.items() for _ in range(lab.seats)]
        first_seat = {name: seats.index(name) for name in dict.fromkeys(seats)}
        cost = np.full((len(applicants), len(seats)), UNWANTED)
        rank = {
            applicant: {lab: place for place, lab in enumerate(labs)} for applicant, labs in market.applicants.items()
        }
        for name, start in first_seat.items():
            for place, group in enumerate(market.labs[name].order):
                for applicant in group:
                    cost[row_of[applicant], start : start + market.labs[name].seats] = rank[applicant][name] + place
        rows, columns = linear_sum_assignment(cost)
        assignment = {
            applicants[row_place]: seats[seat_place]
            for row_place, seat_place in zip(rows, columns, strict=True)
            if cost[row_place, seat_place] < UNWANTED
        }

        def remark() -> str:
            text = certificate(Round(market, SEED, assignment))
            blocking = sum("would rather have" in line for line in check(text.encode()).violations)
            return f"{len(assignment):,} placed; {blocking:,} pairs block it"

        return remark

    return act


def line(name: str, size: str, result: Measured, base: float) -> None:
    """Print a row of the table."""
    figures = "– | – | –"
    if result.seconds is not None:
        figures = f"{result.seconds:.3f} | {result.seconds / base:.1f} | {max(0.0, result.megabytes):.0f}"
    print(f"| {name} | {size} | {figures} | {result.remark} |", flush=True)


def ours(size: str, market: Market) -> float:
    """Measure the round itself. Returns the seconds that solving took."""
    solution = solve(market, SEED)
    text = certificate(solution).encode()
    some_labs = sorted(market.labs)[: max(1, len(market.labs) // 100)]
    lists = sum(map(len, market.applicants.values()))
    base = measured(lambda: f"{len(solve(market, SEED).lab_of):,} placed; {lists:,} entries in the lists")
    seconds = base.seconds or 1.0
    line("portal: solve", size, base, seconds)

    def proof() -> str:
        return "; ".join(check(text).violations) or "proved: stable, and best for the applicants"

    line(
        "portal: check the lists",
        size,
        measured(lambda: f"{len(Market(market.applicants, market.labs).labs):,} labs"),
        seconds,
    )
    line("portal: write the certificate", size, measured(lambda: f"{len(certificate(solution)) / 1e6:.1f} MB"), seconds)
    line("portal: read it", size, measured(lambda: f"{len(read_round(text.decode()).lab_of):,} placed"), seconds)
    line("checker: verify it", size, measured(proof), seconds)

    def more_seats() -> str:
        outcome = what_if(solution, {lab: market.labs[lab].seats + 1 for lab in some_labs})
        return f"labs with a seat more: {len(some_labs):,}; people who move: {len(outcome.moves):,}"

    line("portal: what-if", size, measured(more_seats), seconds)
    return seconds


def lotteries(size: str, market: Market) -> None:
    """Print how many applicants get which choice with one lottery and with one per lab, averaged over some draws."""
    print(f"\n| {size}, mean of {DRAWS} draws | first choice | one of the first three | no place |")
    print("|---|---:|---:|---:|")
    for name, one_lottery in (("one lottery for all labs", True), ("one for each lab", False)):
        rounds = [solve(strict(market, f"draw {draw}", one_lottery=one_lottery), SEED) for draw in range(DRAWS)]
        choices = [solution.by_choice() for solution in rounds]
        first = sum(counts.get(1, 0) for counts in choices) / DRAWS
        three = sum(count for counts in choices for choice, count in counts.items() if choice <= 3) / DRAWS
        without = len(market.applicants) - sum(len(solution.lab_of) for solution in rounds) / DRAWS
        print(f"| {name} | {first:,.0f} | {three:,.0f} | {without:,.0f} |", flush=True)


def empty_list(size: str) -> None:
    """Print what `matching` does with an applicant who lists no lab."""
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
    has_peer = find_spec("matching") is not None
    print(
        f"{platform.machine()}, Python {platform.python_version()}; matching: {'yes' if has_peer else 'not installed'}"
    )
    print("\n| what | applicants × labs | s | / solve | MB | |\n|---|---|---:|---:|---:|---|")
    biggest: tuple[str, Market] | None = None
    for size in dict.fromkeys([*arguments.peer_sizes, *arguments.sizes]):
        applicants, labs = map(int, size.split("x"))
        measured_market = market(applicants, labs, arguments.seed_word)
        size_in_words = f"{applicants:,} × {labs:,}"
        base = ours(size_in_words, measured_market)
        biggest = (size_in_words, measured_market)
        if size not in arguments.peer_sizes:
            continue
        line("scipy: least sum", size_in_words, measured(least_sum(measured_market)), base)
        if has_peer:
            fitting = for_hospital_resident(measured_market)
            line("matching", size_in_words, measured(hospital_resident(fitting, solve(fitting, SEED).lab_of)), base)
    if has_peer:
        empty_list("2 × 1")
    if biggest:
        lotteries(*biggest)


if __name__ == "__main__":
    main()
