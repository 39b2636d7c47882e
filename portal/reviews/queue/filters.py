"""The filter and order of a lab's queue, as in its address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from portal.applications.states import CHOICE_LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_TEXT = 200  # characters
ROWS = (20, 100, 250)  # rows per page; the first is the default
CARDS = {"none": "No scorecard of mine", "draft": "My draft", "locked": "My locked scorecard"}
SORTS = {
    "match": "Match",
    "reply": "Reply due",
    "mean": "Mean of scorecards",
    "preference": "Our order",
    "state": "State",
    "newest": "Newest",
}


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """A queue's cycle (slug; empty: the newest), state, own scorecard, newness, least score, text, order and page
    size. Empty values do not filter.
    """

    cycle: str = ""
    state: str = ""
    card: str = ""
    new: bool = False
    least: float = 0.0
    text: str = ""
    sort: str = "match"
    rows: int = ROWS[0]

    @property
    def narrows(self) -> bool:
        """Whether any filter is set."""
        return bool(self.state or self.card or self.new or self.least or self.text)

    def query(self) -> dict[str, str]:
        """The query parameters, without defaults."""
        values = {
            "cycle": self.cycle,
            "state": self.state,
            "card": self.card,
            "new": "yes" if self.new else "",
            "least": f"{self.least:g}" if self.least else "",
            "q": self.text,
            "sort": "" if self.sort == "match" else self.sort,
            "show": "" if self.rows == ROWS[0] else str(self.rows),
        }
        return {name: value for name, value in values.items() if value}

    def in_address(self, **changed: str) -> str:
        """A query string such as "?state=ranked&sort=newest", with some values changed or, if empty, removed."""
        values = {name: value for name, value in {**self.query(), **changed}.items() if value}
        return f"?{urlencode(values)}" if values else ""

    def of_cycle(self, slug: str) -> QueueFilter:
        """The same in another cycle."""
        return replace(self, cycle=slug)


def read_filter(values: Mapping[str, str]) -> QueueFilter:
    """The filter in query parameters; invalid values are ignored."""
    state, card, sort = (values.get(name, "") for name in ("state", "card", "sort"))
    return QueueFilter(
        cycle=plain(values.get("cycle", ""))[:120],
        state=state if state in CHOICE_LABELS else "",
        card=card if card in CARDS else "",
        new=values.get("new") == "yes",
        least=_score(values.get("least", "")),
        text=plain(values.get("q", ""))[:LONGEST_TEXT],
        sort=sort if sort in SORTS else "match",
        rows=next((number for number in ROWS if values.get("show") == str(number)), ROWS[0]),
    )


def plain(text: str) -> str:
    """The text without NUL, which PostgreSQL refuses, and without surrounding spaces."""
    return text.replace("\0", "").strip()


def _score(text: str) -> float:
    """A score from 0 to 1 with three decimals; anything else is 0."""
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return 0.0
    return round(value, 3) if 0 < value <= 1 else 0.0
