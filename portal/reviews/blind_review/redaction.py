"""Redacts a person's own texts: name, address, school, place and gendered words become labels in brackets.

Hides what the matcher never reads (`portal.matching.redact`), and the parts of the person's name and e-mail address in
any spelling. Dates stay, except the date of birth.
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
from portal.matching.privacy.name_aliases import aliases_in
from portal.matching.privacy.name_knowledge import Known
from portal.matching.privacy.name_occurrences import places
from portal.matching.privacy.name_owner import owners_of_people
from portal.matching.privacy.searched import searched, searched_for_names

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
    """Redacts a person's texts, given the account's name and address and `others`, further names from `other_names`.

    `found` are spans computed before, by each text's digest; other texts are searched.
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
        """What is hidden of a text: start, end and label, sorted and without overlaps."""
        stored = self._found.get(digest_of(text)) if self._found else None
        return _stretches(text, self._name, self._email, self.others) if stored is None else stored

    def redacted(self, text: str) -> str:
        """`text` with each hidden span replaced by its label, such as "[school]"."""
        return _shown(text, self.hidden(text), _LABELLED) if text else text

    def redacted_with_spans(self, text: str, spans: Iterable[Span]) -> tuple[str, list[Span]]:
        """`redacted`, and the new positions of those `spans` of `text` (sorted) without hidden parts."""
        hidden = self.hidden(text)
        new_spans: list[Span] = []
        index = shift = 0
        for start, end in spans:
            while index < len(hidden) and hidden[index][1] <= start:
                previous = hidden[index]
                shift += len(f"[{previous[2]}]") - (previous[1] - previous[0])
                index += 1
            if index == len(hidden) or end <= hidden[index][0]:
                new_spans.append((start + shift, end + shift))
        return _shown(text, hidden, _LABELLED), new_spans

    def searchable(self, texts: Iterable[str]) -> str:
        """The searchable part of the texts, in lower case; hidden spans become line ends."""
        return "\n".join(_shown(text, self.hidden(text), _LINE_END) for text in texts).casefold()

    def term_identifies(self, term: str, via: str | None) -> bool:
        """Whether a term of a match, or the words it was added for, identifies the person."""
        return any(self.hidden(as_in_a_text(word)) for word in (term, via) if word)


def as_in_a_text(term: str) -> str:
    """A term after a word, as in a text: alone on a line, "Rust" would look like a signature."""
    return f"with {term}"


def digest_of(text: str) -> str:
    """The key under which the spans of a text are stored."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


@cache
def rules_in_use() -> str:
    """The version of the redaction rules: a digest of the files that define them."""
    digest = hashlib.blake2b(Path(__file__).read_bytes(), digest_size=16)
    for path in sorted(Path(matching.__file__).parent.rglob("*.*")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@lru_cache(maxsize=4096)
def other_names(texts: tuple[str, ...], name: str, email: str) -> tuple[str, ...]:
    """Further names in a person's texts (former ones, other scripts, nicknames), so that each is also hidden in the
    other texts.
    """
    known = known_of(name, email)
    found_in = [searched_for_names(text).text for text in texts]
    names = (other for text in found_in for other in (*aliases_in(text, known), *owners_of_people(text)))
    return tuple(sorted(set(names)))


@lru_cache(maxsize=1024)
def _stretches(text: str, name: str, email: str, others: tuple[str, ...]) -> tuple[Hidden, ...]:
    """What is hidden of a text, sorted and without overlaps. Caches the last texts."""
    return _joined(_hidden(text, name, email, others))


def _shown(text: str, hidden: Iterable[Hidden], replacement: Callable[[str], str]) -> str:
    """The text with each hidden span replaced by `replacement` of its label."""
    parts: list[str] = []
    position = 0
    for start, end, label in hidden:
        parts += (text[position:start], replacement(label))
        position = end
    parts.append(text[position:])
    return "".join(parts)


def _hidden(text: str, name: str, email: str, others: tuple[str, ...]) -> Iterator[Hidden]:
    for item in redact(text).removed:
        if item.reason != "date" and item.text.strip() and item.text.casefold() not in NEUTRAL:
            yield item.start, item.end, LABELS.get(item.reason, item.reason)
    seen = searched(text)
    for born in BORN.finditer(seen.text):
        yield *seen.span(*born.span()), "age"
    for pronouns in PRONOUNS.finditer(seen.text) if "/" in seen.text else ():
        yield *seen.span(*pronouns.span()), LABELS["gender"]
    for_names = searched_for_names(text)
    known = known_of(name, email, others)
    if names_here := aliases_in(for_names.text, known):
        known = known_of(name, email, (*others, *names_here))
    for span in places(for_names.text, known, strict=True):
        yield *for_names.span(*span), "name"


@lru_cache(maxsize=2048)
def known_of(name: str, email: str, others: tuple[str, ...] = ()) -> Known:
    """The known forms of a person's name: the account's, `others` from texts, the address."""
    return Known((name, *others), (email.split("@", 1)[0],))


def _joined(spans: Iterable[Hidden]) -> tuple[Hidden, ...]:
    """Sorted and without overlaps: overlapping spans are merged, adjacent ones of one kind too."""
    merged: list[Hidden] = []
    for start, end, label in sorted(spans):
        if merged and start <= merged[-1][1] + (label == merged[-1][2]):
            previous = merged[-1]
            merged[-1] = (previous[0], max(previous[1], end), previous[2])
        else:
            merged.append((start, end, label))
    return tuple(merged)
