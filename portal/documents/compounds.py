"""Whether two halves on both sides of a line end are a compound with its hyphen, or a word that was broken there."""

from __future__ import annotations

import re

# First halves of compounds that keep their hyphen when a line ends after it.
_STARTS = (
    "all award best billion cache child class client closed cloud code collision cost cross cutting data deep "
    "discrete domain eight eighteen eighty eleven energy event evidence fast fault few fifteen fifty final fine first "
    "five fixed flow forty four fourteen full game graph ground half hand hardware heat high human hundred input job "
    "kernel key language large last latency left line load long low machine market memory million mixed model "
    "momentum multi near network nine nineteen ninety noise non object one open page part peer people person physics "
    "pipeline policy post power problem project quality quasi query rate real resource right risk role rule safety "
    "sample science second security self semi sentence server service seven seventeen seventy short single six "
    "sixteen sixty skill social software solution source space speech state student system task team ten tensor test "
    "text third thirteen thirty thousand three time token top traffic tree twelve twenty two type user value vector "
    "video vision voice water web well word work world year zero "
)
_COMPOUND_STARTS = frozenset(_STARTS.split())
# First halves that begin many words (in-ference, pre-diction, off-loading) and only some compounds.
_COMPOUNDS = {
    "auto": ("differentiation", "grader", "scaling", "tuning"),
    "co": ("advis", "author", "design", "first", "locat", "schedul", "train"),
    "end": ("effector", "host", "of", "system", "to", "user"),
    "geo": ("distributed", "replicated"),
    "in": ("band", "context", "depth", "domain", "house", "memory", "network", "person", "place", "situ", "vehicle"),
    "key": ("value",),
    "loop": ("fusion", "invariant"),
    "off": ("axis", "campus", "chip", "diagonal", "grid", "policy", "road", "target", "the"),
    "on": ("board", "campus", "chip", "demand", "device", "policy", "premise", "site", "the"),
    "peer": ("review", "to"),
    "pre": ("compute", "defined", "existing", "print", "process", "trained", "training"),
    "time": ("critical", "series"),
}
# What follows a compound's first half in words that are none: long-est, state-ment, multi-ple, high-light.
_NO_SECOND_HALF = re.compile(
    r"(?:er|est|st|ly|ing|ings|ed|s|y|ary|al|age|by|le|led|ling|tude|way|over|pone)$"
    r"|(?:ment|iz|ist|ism|ity|light|ple|pli|ply|media|vari|graduat|fer|se)"
)
# Second halves of compounds that no typesetter parts from the first but by its hyphen; such a first half is a word.
_ENDS = (
    "adaptive addressable agnostic answering assisted attention augmented aware balanced bandwidth based batching "
    "billion bit byte centric class conserving constrained core critical day defined dependent designed "
    "differentiation dimensional distributed driven efficient enabled fold free friendly generation gigabit gigabyte "
    "grained guided hour inflated informed intensive invariant kilobyte latency learning level megabit megabyte "
    "member million minute month node operator oriented page parallel parameter partitioning people person powered "
    "preserving programmable quality rate reviewed scale scaling scheduling sensitive sharding size sparse specific "
    "speed structured supervised tailed terabyte theoretic thousand throughput tolerant week year "
)
_COMPOUND_ENDS = frozenset(_ENDS.split())
_NO_FIRST_HALF = frozenset({"hyper", "inter", "over", "photo", "super", "under"})
# What a typesetter leaves of a word for the next line when the word is a part of a compound: locality-sensit-ive.
_ENDING = re.compile(
    r"(?:a|i)?t?(?:ion|ive)s?|(?:iz|is)?(?:ed|er|ing|ation)s?|ments?|ness|ly|ity|al(?:ly)?|[ai]ble|[ae]nce|ous|ic(?:al)?"
)
# Names with a capital inside, of which a typesetter breaks the two parts apart.
_IN_TWO = "deepspeed github gitlab javascript mapreduce openflow opengl powerpoint pytorch tensorflow typescript"
_NAMES = frozenset(_IN_TWO.split())
_FIRST_LETTERS = re.compile(r"(?<=[^\W\d_])(?:[\W\d_].*)")
# Headings in capitals are long words; short ones are names (CPU-GPU).
LETTERS_IN_CAPITALS, LETTERS_OF_A_FIRST_HALF = 9, 5
# Both halves of a compound may be words of the text; shorter ones are so by chance ("the-" and "sis").
LETTERS_OF_A_WORD = 4


def keeps_hyphen(first: str, second: str, words: set[str]) -> bool:
    """Whether “first-” and “second” on the next line are a compound rather than one broken word."""
    if _is_one_name(first, second, words):
        return False
    if len(first) > 1 and first.isupper():
        return True  # KV-cache, GPU-based: no word begins in capitals and ends in small letters
    _, compound, last = first.rpartition("-")
    is_plain, first, second = first.isalpha(), first.lower(), second.lower() if second.islower() else ""
    if compound and second and ((last + second).lower() in words or _ENDING.fullmatch(second)):
        return False
    if not second or compound or not is_plain or len(first) == 1:
        # No typesetter leaves a single letter at the end of a line: e-commerce, k-means.
        return True
    if f"{first}-{second}" in words or first + second in words:
        return f"{first}-{second}" in words
    return _is_compound(first, second, words)


def _is_compound(first: str, second: str, words: set[str]) -> bool:
    """Whether two halves, neither of which tells by itself, are two words."""
    if second.startswith(_COMPOUNDS.get(first, ())):
        return True
    if len(first) >= LETTERS_OF_A_WORD:
        if second in _COMPOUND_ENDS and first not in _NO_FIRST_HALF:
            return True
        if len(second) >= LETTERS_OF_A_WORD and {first, second} <= words:
            return True
    return first in _COMPOUND_STARTS and _NO_SECOND_HALF.match(second) is None


def _is_one_name(first: str, second: str, words: set[str]) -> bool:
    """Whether two halves with capitals are one name or heading: Tensor-Flow, Narra-tiveQA, EDU-CATION."""
    if not first.isalpha() or second.islower() or len(first) == 1:
        return False
    # "Py-" goes on in "Torch/XLA".
    second = _FIRST_LETTERS.sub("", second)
    joined = (first + second).lower()
    if first.isupper():
        is_long = len(joined) >= LETTERS_IN_CAPITALS and len(first) >= LETTERS_OF_A_FIRST_HALF
        return second.isupper() and (is_long or joined in words)
    return joined in _NAMES or (second[:1].islower() and second.isalpha())
