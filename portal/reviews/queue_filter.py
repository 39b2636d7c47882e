"""What of a lab's queue is shown and in what order, as it stands in the address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from portal.applications.states import CHOICE_LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_TEXT = 200  # characters
ROWS = (20, 100, 250)  # of a page, to choose from; the first is usual
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
    """Of which cycle (its slug; empty: the newest), in which state, with which scorecard of mine, what is new, from
    which score on, with which text; in which order, and how many on a page. Empty values narrow nothing.
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
        """Whether anything is left out."""
        return bool(self.state or self.card or self.new or self.least or self.text)

    def query(self) -> dict[str, str]:
        """The values that stand in the address; what is usual is left out."""
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
        """As the end of an address: "?state=ranked&sort=newest", with some values changed or, where empty, left out."""
        values = {name: value for name, value in {**self.query(), **changed}.items() if value}
        return f"?{urlencode(values)}" if values else ""

    def of_cycle(self, slug: str) -> QueueFilter:
        """The same in another cycle."""
        return replace(self, cycle=slug)


def read_filter(values: Mapping[str, str]) -> QueueFilter:
    """The filter that the values of an address ask for; what nobody could have chosen is taken as not said."""
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
    """Without the sign that PostgreSQL takes in no text, and without blanks around."""
    return text.replace("\0", "").strip()


def _score(text: str) -> float:
    """A score from 0 to 1 with three places; anything else is 0."""
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        return 0.0
    return round(value, 3) if 0 < value <= 1 else 0.0
