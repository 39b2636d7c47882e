"""What an index knows about words: which terms occur, their weights, what misspelt words mean."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from portal.matching.language.names import compact_name, name_key
from portal.matching.language.spelling import Speller, is_common, is_one_common_word
from portal.matching.language.stemming import pair_key, stem
from portal.matching.language.terms import BOUND_PREFIXES, stop_words
from portal.matching.language.word_cache import LONGEST_WORD, cached_by_word
from portal.matching.language.words import folded_words
from portal.matching.query.expansion import SHORT_TEXT_WORDS
from portal.matching.query.filling_words import KEYS as FILLING_KEYS
from portal.matching.query.other_languages import SMALL_WORDS
from portal.matching.query.short_forms import is_another_word

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from portal.matching.language.names import ManyNames
    from portal.matching.language.stretches import Stretch
    from portal.matching.query.expansion import Expander
    from portal.matching.segments.layers import State
    from portal.matching.segments.weights import Weights

_CACHED = 100_000
_MEANT = 4_096
_FEW = 32
"""Terms of a text that are looked up together."""
_SHORTEST_JOINED = 6
_SHORTEST_HALF = 3
_LONG_HALF = 5
_BETWEEN = ("of", "and", "in", "for", "to", "on", "with")
_LONGEST = 40
"""Letters. Longer strings are not words, and correcting them would take long."""


class Lexicon:
    """The words of one state of an index. Caches answers."""

    def __init__(self, weights: Weights, state: State, expander: Expander, speller: Speller) -> None:
        self.weights = weights
        self.state = state
        self.expander = expander
        self._speller = speller
        self._short = frozenset(key for key, _ in expander.long_forms)
        self.uses: Callable[[str], bool] = cached_by_word(_CACHED)(self._uses)
        self.is_known: Callable[[str], bool] = cached_by_word(_CACHED)(self._is_known)
        self._made_by: Callable[[str], frozenset[str]] = lru_cache(maxsize=_CACHED)(self._made)
        self.is_only_of_a_name: Callable[[str], bool] = cached_by_word(_CACHED)(self._is_part_of_a_name)
        # An unknown word may occur thousands of times in a text, and each occurrence is examined with its neighbours.
        self._meant: Callable[[str, str, str, bool], str | None] = lru_cache(maxsize=_MEANT)(self._find_meant)
        self.is_right: Callable[[str], bool] = cached_by_word(_CACHED)(
            lambda form: form not in BOUND_PREFIXES and self._is_known(form) and stem(form) not in self._short
        )

    @property
    def names(self) -> ManyNames:
        """Key → spellings of every system."""
        return self.state.names

    def may_name(self, forms: Iterable[str]) -> bool:
        """Whether a text of these folded words may name a system."""
        return self.state.names.may_begin(forms)

    def is_said_of(self, name: str, forms: Sequence[str]) -> bool:
        """Whether a work on the system with the key `name`, or a profile with the name, contains all these words.

        Ignores the authors and years of works on the system.
        """
        authors_and_years = self._made_by(name)
        keys = [stem(form) for form in forms if form not in authors_and_years]
        names = (name, stem(compact_name(name)))
        return not keys or any(self.state.stand_together([*dict.fromkeys((of_name, *keys))]) for of_name in names)

    def unused_and_unknown(self, forms: Sequence[str]) -> tuple[int, int]:
        """How many of the folded words no lab uses, and how many of these no phrase of a concept has either."""
        unused = [key for key in map(stem, forms) if not self.uses(key)]
        return len(unused), sum(not self.expander.scattered_words.knows(key) for key in unused)

    def _made(self, name: str) -> frozenset[str]:
        """The authors and years of works on the system with the key `name`, as folded words."""
        works = list(self.state.works_on(name))
        authors = {form for work in works for author in work.authors for form in folded_words(author)}
        return frozenset(authors | {str(work.year) for work in works})

    def _uses(self, key: str) -> bool:
        # The same as `state.uses`: the labs that were fitted have the terms that have a weight of their own.
        return key in self.weights or self.state.adds(key)

    def _is_part_of_a_name(self, form: str) -> bool:
        """Whether a common folded word is part of a system's name and is in no more works than that name."""
        weight = self.weights.of(stem(form))
        is_in_a_name = any(
            weight >= self.weights.of(name) and form in words and len(words) > 1
            for name in self.names
            if form in name
            for words in map(folded_words, self.names[name])
        )
        return is_in_a_name and is_common(form)

    def is_short(self, key: str) -> bool:
        """Whether labs use a word with this key as an abbreviation."""
        return key in self._short

    def look_up(self, keys: Sequence[str]) -> None:
        """Cache at once what is known about the terms of a short text."""
        if len(keys) <= _FEW:
            self.weights.look_up(keys)

    def are_right(self, stretches: Iterable[Stretch]) -> bool:
        """Whether there is certainly nothing to correct: all words are known, and none may begin another word."""
        return all(map(self.is_right, {form for stretch in stretches for form in stretch.forms}))

    def correct(self, before: str, form: str, after: str, *, count: int) -> str | None:
        """The probable correction of a folded word between its neighbours; None if it is known or similar to nothing.

        Words written together are separated by a space ("federatedlearning"). In a text of few words (`count`), even a
        correct word is corrected if that makes a known pair ("electronic heath records").
        """
        if len(form) > _LONGEST or self.is_known(form):
            return None
        find = self._meant if len(before) + len(after) <= LONGEST_WORD else self._find_meant
        return find(before, form, after, count <= SHORT_TEXT_WORDS)

    def _find_meant(self, before: str, form: str, after: str, is_short_text: bool) -> str | None:  # noqa: FBT001 - part of a key
        if self._is_in_a_name(before, form, after):
            return None
        two_words = self._two_words(form) or self._with_small_word(before, form, after)
        if two_words is not None:
            return two_words
        # Words that only stand together with a hyphen are counted as one, too, which no text means ("state-of").
        candidates = list(filter(self.is_known, self._speller.candidates(form)))
        candidates = candidates or self._speller_of_names.candidates(form)
        if not candidates and is_short_text:
            beside = [word for word in (before, after) if word]
            pairs = len(beside) if is_common(form) else 1
            may_pair = sum(self.uses(stem(word)) for word in beside) >= max(pairs, 1)
            near = self._speller.slightly_off(form) if may_pair else []
            candidates = [word for word in near if self._known_pairs(before, word, after) >= pairs]
            candidates = candidates or [
                word for word in self.expander.speller.candidates(form) if not form.startswith(word)
            ]
        return min(
            candidates, key=lambda word: (-self._known_pairs(before, word, after), candidates.index(word)), default=None
        )

    def forms_pair(self, before: str, form: str, after: str) -> bool:
        """Whether the labs use a folded word together with one of its neighbours."""
        return self._known_pairs(before, form, after) > 0

    def is_name(self, form: str) -> bool:
        """Whether a folded word is the name of a system."""
        return name_key(form) in self.names

    def _known_pairs(self, before: str, word: str, after: str) -> int:
        """How many of the two pairs of a word with its neighbours the labs use, including "multi-modal"."""
        joined = before in BOUND_PREFIXES and self.uses(stem(before + word))
        pairs = ((first, second) for first, second in ((before, word), (word, after)) if first and second)
        return 2 * joined + sum(self.uses(pair_key(first, second)) for first, second in pairs)

    def spelt_out(self, before: str, form: str, after: str, written: str, *, count: int) -> str | None:
        """What a folded word between its neighbours abbreviates, if no lab uses it; None if it is no abbreviation.

        In a text of few words, it is one if it is the whole text (`count` is 1) or if it is `written` with two capitals
        ("GP", not "gp"). "DB4ML" always means "db for ml".
        """
        if "4" in form and not self.is_known(form):
            return self._with_for(form)
        key = stem(form)
        if key not in self._short or count > SHORT_TEXT_WORDS or self._is_in_a_name(before, form, after):
            return None
        long_forms = self.expander.long_forms
        for following in (stem(after), "") if after else ("",):
            long = long_forms.get((key, following))
            surely = count == (2 if following else 1) or sum(map(str.isupper, written)) > 1
            if not following and is_another_word(self.expander.short_forms, key, written):
                return None
            if long is not None and surely and not self.uses(key):
                return long
        return None

    def joined(self, first: str, second: str) -> str | None:
        """The word of the labs that two folded words written apart form ("de centralized", "500 Mbps"), or None."""
        if len(first) + len(second) > _LONGEST or {first, second} <= stop_words():
            return None  # "over all" is not "overall"
        if first not in BOUND_PREFIXES and self.is_known(first) and self.is_known(second):
            return None
        whole = first + second
        is_measure = first.isdecimal() and second.isalpha() and len(second) > 1
        if not is_measure and (len(whole) < _SHORTEST_JOINED or not whole.isalpha()):
            return None
        if not self.uses(stem(whole)):
            return None
        stand_alone = self._stands_alone(first) and self._stands_alone(second)
        return None if stand_alone and first not in BOUND_PREFIXES else whole

    def misspelt_name(self, first: str, second: str) -> str | None:
        """The folded name of the system that two folded words form except for a slip ("cocktial sgd"), or None.

        One of them must be neither a word of a lab nor a common word; neither may be a name ("FusionAI vs").
        """
        unknown = [form for form in (first, second) if not (self.is_known(form) or is_common(form))]
        if not unknown or min(map(len, unknown)) < _SHORTEST_HALF:
            return None
        if any(name_key(form) in self.names for form in (first, second)):
            return None
        whole = first + second
        return next(iter(self._speller_of_names.candidates(whole)), None) if len(whole) <= _LONGEST else None

    @cached_property
    def _speller_of_names(self) -> Speller:
        """Corrections to the names of systems, written together."""
        return Speller(Counter(map(compact_name, self.state.names)), 1, has_compounds=True)

    def _is_known(self, form: str) -> bool:
        """Whether a folded word occurs, is an ignored word (in any language), or is the beginning of an added term."""
        key = stem(form)
        counts_for_nothing = form in stop_words() or form in SMALL_WORDS or key in FILLING_KEYS
        return counts_for_nothing or self.uses(key) or self.expander.knows(key)

    def _stands_alone(self, form: str) -> bool:
        return self.is_known(form) or is_common(form)

    def _two_words(self, form: str) -> str | None:
        """Two words that follow one another in labs, with a space or a small word between them."""
        for between in ("", *_BETWEEN):
            for cut in range(_SHORTEST_HALF, len(form) - _SHORTEST_HALF - len(between) + 1):
                if not form.startswith(between, cut):
                    continue
                first, second = form[:cut], form[cut + len(between) :]
                if self._is_pair(first, second):
                    return " ".join(filter(None, (first, between, second)))
        return self._two_long_words(form)

    def _two_long_words(self, form: str) -> str | None:
        """Two long words of labs, or a concept's phrase of two words, that do not form a word together."""
        if is_one_common_word(form):
            return None
        for cut in range(_LONG_HALF, len(form) - _LONG_HALF + 1):
            first, second = form[:cut], form[cut:]
            if all(map(self.uses, (stem(first), stem(second)))) or self.expander.has_phrase(stem(first), stem(second)):
                return f"{first} {second}"
        return None

    def _with_small_word(self, before: str, form: str, after: str) -> str | None:
        """A word of labs and the small word attached to it ("mixtureof experts"), separated by a space."""
        for small in _BETWEEN:
            first, second = form.removesuffix(small), form.removeprefix(small)
            if after and first != form and self._is_pair(first, after):
                return f"{first} {small}"
            if before and second != form and self._is_pair(before, second):
                return f"{small} {second}"
        return None

    def _is_pair(self, first: str, second: str) -> bool:
        return all(map(self.uses, (stem(first), stem(second), pair_key(first, second))))

    def _with_for(self, form: str) -> str | None:
        """Two words of labs or concepts with a 4 between them, which is replaced by "for"."""
        first, _, second = form.partition("4")
        are_known = all(half.isalpha() and len(half) > 1 and self._is_meant(half) for half in (first, second))
        return f"{first} for {second}" if are_known else None

    def _is_meant(self, form: str) -> bool:
        return form not in stop_words() and (self.is_known(form) or stem(form) in self._short)

    def _is_in_a_name(self, before: str, form: str, after: str) -> bool:
        """Whether the word and a neighbour form the name of a system ("jelly bean")."""
        return any(
            self.names.may_begin((first,)) and name_key(f"{first} {second}") in self.names
            for first, second in ((before, form), (form, after))
            if first and second
        )
