"""Words of which wishes and titles are full in every field: "recent work on …", "I want to do research on …".

A lab's abstracts have them as well, so "recent works on glaciers" has a pair of words with many labs in common. Beside
others they count for nothing in what is stated. Words that are something else in this field when they are inflected
are not among them ("related" is "relational", "project" is "projection").
"""

from __future__ import annotations

from portal.matching.language.stemming import pair_key, stem

_WORDS = (
    "applicant application apply approach area assistantship bachelor background bsc challenge dear dissertation "
    "especially gpa grad graduate hello help hi hope idea ielts interest interested internship investigate "
    "know latest like looking love main master method mphil msc new novel passion passionate phd position postdoc "
    "postdoctoral prior prof professor really recent research researcher semester stipend study supervisor "
    "technique thesis toefl topic undergraduate vacancy want way wish work"
)
_NEGATED = "aren couldn didn doesn don hadn hasn haven isn mustn needn shouldn wasn weren won wouldn"
"""Verbs with "n't" as words are split; none is misspelt ("shouldn't" is not "should")."""
KEYS = frozenset(map(stem, (*_WORDS.split(), *_NEGATED.split())))
"""The keys of these words."""
PAIRS = frozenset(pair_key(first, second) for first in _WORDS.split() for second in _WORDS.split())
"""The keys of two of them together."""
