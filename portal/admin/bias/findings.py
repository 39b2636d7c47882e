"""What is said of a bias audit: small JSON values for the page, the command and the database.

Of applicants, the rule of `portal.admin.figures.small_counts` holds: how many of them moved is said from five on, and a
word that moved fewer than five of them is not said, for it could tell whose resume holds it. How far a ranking moved
at most is said: it tells of the matcher. Of made-up people everything is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.admin.figures.small_counts import LEAST, Published, in_words, nested
from portal.matching.bias.words import TITLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from portal.matching.bias.audit import BiasReport, Movement

ALL_TITLE = "All at once"
HEAD = (
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
    """What may be said of an audit. `of` is how many resumes there are, where not all were tried."""
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


def moved(found: Mapping[str, Any]) -> bool:
    """Whether anything moved."""
    return any(row["moved"][1] or row["reordered"][1] for row in found["rows"])


def cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    """A row under `HEAD`, as it is read."""
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


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Below the table of a command: the words that moved something."""
    if not moved(found):
        yield "Nothing moved."
    for word in found["words"]:
        yield f"{word['kind']}: {word['before']} → {word['after']} moved {word['resumes']}"
    if found["unsaid"]:
        yield f"Further words moved fewer than {LEAST} resumes each; they are not named."


def _row(title: str, found: Movement, people: int, *, made_up: bool) -> dict[str, Any]:
    counts = (people, found.people, found.reordered)
    published = [Published(count, count) for count in counts] if made_up else nested(counts)
    return {
        "kind": title,
        "moved": list(published[1]),
        "reordered": list(published[2]),
        "rank": found.largest_rank,
        "score": found.largest_score,
        "mean_tau": found.mean_tau,
        "least_tau": found.least_tau,
        "overlap": found.least_overlap,
    }
