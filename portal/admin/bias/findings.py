"""The publishable findings of a bias audit, as small JSON values for the page, the command and the database.

Counts of applicants follow `portal.admin.figures.small_counts`: they are given from five on. A word that moved fewer
than five resumes is left out, since it could reveal whose resume holds it. The largest moves are given, since they
describe the matcher. For made-up people everything is given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.admin.figures.small_counts import LEAST, Published, in_words, nested
from portal.matching.bias.words import TITLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal.matching.bias.audit import BiasReport, Movement

ALL_TITLE = "All at once"
HEADER = (
    "Swapped",
    "Scores moved (resumes)",
    "Ranks moved (resumes)",
    "Largest change of rank",
    "Largest change of score",
    "Kendall’s tau, mean",
    "Kendall’s tau, lowest",
    "First five kept, lowest",
)


def findings(report: BiasReport, *, made_up: bool, of: int | None = None) -> dict[str, Any]:
    """The findings of an audit that may be published. `of` is the number of resumes, if not all were tried."""
    least = 1 if made_up else LEAST
    return {
        "resumes": report.people,
        "of": report.people if of is None else of,
        "labs": report.labs,
        "rows": [
            _row(ALL_TITLE if kind == "all" else TITLES[kind], found, report.people, made_up=made_up)
            for kind, found in report.kinds.items()
        ],
        "words": [
            {"kind": TITLES[word.kind], "before": word.before, "after": word.after, "resumes": count}
            for word, count in sorted(report.words.items(), key=lambda pair: (-pair[1], pair[0]))
            if count >= least
        ],
        "unsaid": any(count < least for count in report.words.values()),
    }


def moved(finding: Mapping[str, Any]) -> bool:
    """Whether anything moved."""
    return any(row["moved"][1] or row["reordered"][1] for row in finding["rows"])


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts of a row, in the columns of `HEADER`."""
    return (
        row["kind"],
        in_words(Published(*row["moved"])),
        in_words(Published(*row["reordered"])),
        str(row["rank"]),
        f"{row['score']:.4f}",
        f"{row['mean_tau']:.3f}",
        f"{row['least_tau']:.3f}",
        f"{100 * row['overlap']:.0f} %",
    )


def lines(finding: Mapping[str, Any]) -> Iterator[str]:
    """The lines below the table in a terminal: the words that moved a score or rank."""
    if not moved(finding):
        yield "Nothing moved."
    for word in finding["words"]:
        yield f"{word['kind']}: {word['before']} → {word['after']} moved {word['resumes']}"
    if finding["unsaid"]:
        yield f"Further words moved fewer than {LEAST} resumes each; they are not named."


def _row(title: str, movement: Movement, people: int, *, made_up: bool) -> dict[str, Any]:
    counts = (people, movement.people, movement.reordered)
    published = [Published(count, count) for count in counts] if made_up else nested(counts)
    return {
        "kind": title,
        "moved": list(published[1]),
        "reordered": list(published[2]),
        "rank": movement.largest_rank,
        "score": movement.largest_score,
        "mean_tau": movement.mean_tau,
        "least_tau": movement.least_tau,
        "overlap": movement.least_overlap,
    }
