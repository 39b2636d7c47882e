"""The numbers of the formula: score = FOCUS_SHARE · focus + (1 - FOCUS_SHARE) · (best works' cosines) / BEST_WORKS."""

PROFILE_WEIGHT = 3
"""How many works a profile counts as in a lab's focus. docs/matching-measured.md has the figures behind it."""
FOCUS_SHARE = 0.5
"""The weight of the lab's overall focus in the score; the rest is the weight of its best works."""
BEST_WORKS = 3
