"""What hides who somebody is in their own texts: name, address, school, place, gendered words, as labels in brackets.

What the matcher never reads is hidden (`portal.matching.redact`), and what is known of the person: the parts of the
name and of the e-mail address, however they are written. Dates stay, but for the day of birth.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from portal import matching
from portal.matching import redact
from portal.matching.privacy.name_aliases import told_beside
from portal.matching.privacy.name_knowledge import Known
from portal.matching.privacy.name_occurrences import places
from portal.matching.privacy.name_owner import owners_of_people

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

LABELS = {"address": "contact", "telephone": "contact", "gender": "…"}
BORN = re.compile(
    r"(?im)(?<!\w)(?:(?:date[ \t]of[ \t]birth|birth[ \t]?date|d\.?o\.?b\.?|born|birthday|geboren)"
    r"[^\n.;|\d]{0,30}\d[^\n;|,]{0,20}\d{0,4}|aged?[ \t]*[:：]?[ \t]*\d{1,2}(?!\w)"
    r"|(?:出生日期|出生年月|生日|年龄)[^\n]{0,20})"
)
PRONOUNS = re.compile(
    r"(?i)(?<!\w)(?:he|she|they|ze|xe|sie|er)"
    r"(?:[ \t]?/[ \t]?(?:him|her|hers|his|them|theirs?|they|she|he|ihr|ihm)){1,3}"
)
NEUTRAL = frozenset({"they", "them", "their", "theirs", "themself", "themselves"})

Hidden = tuple[int, int, str]
Span = tuple[int, int]

_LABELLED = "[{}]".format
_LINE_END = "{:.0}\n".format


class Redactor:
    """Takes out of somebody's texts what says who they are, by the name and the address of their account and by
    `others`, the names that their texts tell, as `other_names` finds them.

    `found` are the stretches that were found before, by the digest of each text; those of other texts are looked for.
    """

    __slots__ = ("_email", "_found", "_name", "others")

    def __init__(
        self,
        name: str,
        email: str,
        others: tuple[str, ...] = (),
        found: Mapping[str, Sequence[Hidden]] = MappingProxyType({}),
    ) -> None:
        self._name, self._email, self.others, self._found = name, email, others, found

    def hidden(self, text: str) -> Sequence[Hidden]:
        """What is hidden of a text: start, end and label, in order and without overlaps."""
        kept = self._found.get(digest_of(text)) if self._found else None
        return _stretches(text, self._name, self._email, self.others) if kept is None else kept

    def redacted(self, text: str) -> str:
        """`text` without what says who it is: each stretch is replaced by its kind, as in "[school]"."""
        return _shown(text, self.hidden(text), _LABELLED) if text else text

    def redacted_with_spans(self, text: str, spans: Iterable[Span]) -> tuple[str, list[Span]]:
        """`redacted`, and where those of the `spans` of `text` (rising) stand in it that nothing of is hidden."""
        hidden = self.hidden(text)
        kept: list[Span] = []
        number = moved = 0
        for start, end in spans:
            while number < len(hidden) and hidden[number][1] <= start:
                before = hidden[number]
                moved += len(f"[{before[2]}]") - (before[1] - before[0])
                number += 1
            if number == len(hidden) or end <= hidden[number][0]:
                kept.append((start + moved, end + moved))
        return _shown(text, hidden, _LABELLED), kept

    def searchable(self, texts: Iterable[str]) -> str:
        """What can be found in the texts, in small letters: a line ends where something is hidden."""
        return "\n".join(_shown(text, self.hidden(text), _LINE_END) for text in texts).casefold()

    def term_says_who(self, term: str, via: str | None) -> bool:
        """Whether a term of a match, or the words it stands for, says who it is."""
        return any(self.hidden(as_in_a_text(word)) for word in (term, via) if word)


def as_in_a_text(term: str) -> str:
    """A term behind a word, as terms stand in texts: alone on a line, "Rust" would be a signature."""
    return f"with {term}"


def digest_of(text: str) -> str:
    """By what the stretches of a text are kept."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


@cache
def rules_in_use() -> str:
    """What tells the rules of this version from those of others: a digest of the files that say what is hidden."""
    digest = hashlib.blake2b(Path(__file__).read_bytes(), digest_size=16)
    for path in sorted(Path(matching.__file__).parent.rglob("*.*")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@lru_cache(maxsize=4096)
def other_names(texts: tuple[str, ...], name: str, email: str) -> tuple[str, ...]:
    """The names beside the account's that somebody's texts tell – former ones, in other scripts, nicknames –, so that
    each is hidden in the others as well.
    """
    known = known_of(name, email)
    told = (other for text in texts for other in (*told_beside(text, known), *owners_of_people(text)))
    return tuple(sorted(set(told)))


@lru_cache(maxsize=1024)
def _stretches(text: str, name: str, email: str, others: tuple[str, ...]) -> tuple[Hidden, ...]:
    """What is hidden of a text, in order, without overlaps. The texts asked for last are kept."""
    return _joined(_hidden(text, name, email, others))


def _shown(text: str, hidden: Iterable[Hidden], instead: Callable[[str], str]) -> str:
    """The text, with what stands `instead` of each stretch, by its label."""
    parts: list[str] = []
    position = 0
    for start, end, label in hidden:
        parts += (text[position:start], instead(label))
        position = end
    parts.append(text[position:])
    return "".join(parts)


def _hidden(text: str, name: str, email: str, others: tuple[str, ...]) -> Iterator[Hidden]:
    for item in redact(text).removed:
        if item.reason != "date" and item.text.strip() and item.text.casefold() not in NEUTRAL:
            yield item.start, item.end, LABELS.get(item.reason, item.reason)
    for born in BORN.finditer(text):
        yield born.start(), born.end(), "age"
    for pronouns in PRONOUNS.finditer(text) if "/" in text else ():
        yield pronouns.start(), pronouns.end(), LABELS["gender"]
    known = known_of(name, email, others)
    here = told_beside(text, known)
    for start, end in places(text, known_of(name, email, (*others, *here)) if here else known, strict=True):
        yield start, end, "name"


@lru_cache(maxsize=2048)
def known_of(name: str, email: str, others: tuple[str, ...] = ()) -> Known:
    """What is known of a person's name: as the account has it, `others` that a text tells, the address."""
    return Known((name, *others), (email.split("@", 1)[0],))


def _joined(found: Iterable[Hidden]) -> tuple[Hidden, ...]:
    """In order and without overlaps: what begins within another belongs to it; two of a kind side by side are one."""
    kept: list[Hidden] = []
    for start, end, label in sorted(found):
        if kept and start <= kept[-1][1] + (label == kept[-1][2]):
            before = kept[-1]
            kept[-1] = (before[0], max(before[1], end), before[2])
        else:
            kept.append((start, end, label))
    return tuple(kept)
