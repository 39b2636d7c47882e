"""Words that fill wishes and titles in every field: "recent work on …", "I want to do research on …".

Abstracts contain them too, so "recent works on glaciers" shares a pair of words with many labs. In stated texts they do
not count if there are other words. Words whose inflections mean something else in this field are not included
("related" would cover "relational", "project" "projection").
"""

from __future__ import annotations

from portal.matching.language.stemming import pair_key, stem

_WORDS = (
    "applicant application apply approach area assistantship bachelor background become bsc challenge dear "
    "dissertation enjoy especially gpa grad graduate hello help hi hope idea ielts interest interested internship "
    "investigate know latest let like looking love main make master method mphil msc need new novel number passion "
    "passionate phd position postdoc postdoctoral prior prof professor really recent research researcher semester "
    "stipend study supervisor technique thesis toefl topic undergraduate use vacancy want way wish work"
)
_NEGATED = "aren couldn didn doesn don hadn hasn haven isn mustn needn shouldn wasn weren won wouldn"
"""Verbs with "n't", as words are split; none of them is misspelt ("shouldn't" is not "should")."""
KEYS = frozenset(map(stem, (*_WORDS.split(), *_NEGATED.split())))
"""The keys of these words."""
PAIRS = frozenset(pair_key(first, second) for first in _WORDS.split() for second in _WORDS.split())
"""The keys of pairs of these words."""
