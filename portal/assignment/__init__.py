"""Assignment rounds: a stable matching of applicants and labs, its certificate and reasons.

Usable by itself: no web, no database, no clock.

>>> from portal.assignment import Lab, Market, solve, why_not
>>> labs = {"systems": Lab(1, (("bo",), ("an", "cy"))), "theory": Lab(1, (("an",), ("bo",)))}
>>> computed = solve(Market({"an": ("systems", "theory"), "bo": ("systems",), "cy": ()}, labs), seed="draw of 1 March")
>>> sorted(computed.lab_of.items())
[('an', 'theory'), ('bo', 'systems')]
>>> why_not(computed, "an", "systems").why
<Why.FULL: 'full'>

The checker, `portal/assignment/verify.py`, is not exported here: it shares no code with the rest.
"""

from portal.assignment.certificate import FileRefused, certificate, lists_digest, read_market, read_round
from portal.assignment.explanations import (
    Changes,
    Move,
    NotStable,
    Reason,
    SeatChange,
    Step,
    WhatIf,
    Why,
    compare,
    what_if,
    why_not,
)
from portal.assignment.records import Lab, Market, MarketError, Round, UnknownName, lottery_number
from portal.assignment.solver import solve, steps

__all__ = [
    "Changes",
    "FileRefused",
    "Lab",
    "Market",
    "MarketError",
    "Move",
    "NotStable",
    "Reason",
    "Round",
    "SeatChange",
    "Step",
    "UnknownName",
    "WhatIf",
    "Why",
    "certificate",
    "compare",
    "lists_digest",
    "lottery_number",
    "read_market",
    "read_round",
    "solve",
    "steps",
    "what_if",
    "why_not",
]
