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

from portal.assignment.explanations import Changes, Move, NotStable, Reason, Why, compare, what_if, why_not
from portal.assignment.rounds import Lab, Market, MarketError, Round, certificate, lists_digest, read_round, solve

__all__ = [
    "Changes",
    "Lab",
    "Market",
    "MarketError",
    "Move",
    "NotStable",
    "Reason",
    "Round",
    "Why",
    "certificate",
    "compare",
    "lists_digest",
    "read_round",
    "solve",
    "what_if",
    "why_not",
]
