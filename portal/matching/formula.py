"""The numbers of the formula: score = FOCUS_SHARE · focus + (1 - FOCUS_SHARE) · (best works' cosines) / BEST_WORKS."""

PROFILE_WEIGHT = 3
"""As how many works a profile counts in a lab's focus. docs/matching-measured.md has the figures behind it."""
FOCUS_SHARE = 0.5
"""How much the lab's overall focus counts in the score; the rest is its best works."""
BEST_WORKS = 3
