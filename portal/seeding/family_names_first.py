"""People at the beginning of a publication with their family names first: "Lee, A., & Kim, B.", "Lee A, Kim BC"."""

from __future__ import annotations

import re

from portal.seeding.names import CAPITAL, PARTICLES

# A capital and at least one small letter.
_WORD = rf"{CAPITAL}(?:{CAPITAL}|['’-]){{0,20}}+[^\W\d_][\w'’-]{{0,40}}+"
_FAMILY = rf"(?P<family>(?:(?:{'|'.join(sorted(PARTICLES))})\s){{0,3}}+{_WORD}(?:[ ]{_WORD})?)"
_ONE_FAMILY = rf"(?P<family>(?:(?:{'|'.join(sorted(PARTICLES))})\s){{0,3}}+{_WORD})"
_INITIALS = rf"{CAPITAL}\.(?:[ -]?{CAPITAL}\.){{0,3}}+"
# "Lee, A. B."; "Lee AB"; "Lee, Ann B."
_WITH_COMMA = re.compile(rf"{_FAMILY},\s?(?P<given>{_INITIALS})")
_ONE_WITH_COMMA = re.compile(rf"{_ONE_FAMILY},|{_WORD} {_WORD},\s?{_INITIALS}\s?\(")
_WITHOUT_COMMA = re.compile(rf"{_FAMILY} (?P<given>{CAPITAL}{{1,3}}+(?:-{CAPITAL})?+(?![\w-])\.?+)")
_IN_FULL = re.compile(rf"{_ONE_FAMILY},\s?(?P<given>{_WORD}(?:[ ](?:{_WORD}|{CAPITAL}\.?+)){{0,2}}+)")
_SEPARATOR = re.compile(
    r"(?:\s?[*†‡§¶#⁎∗^]){0,3}+\s{0,3}+(?:[,;/]\s{0,3}+(?:(?:&|(?:and|et|und)\b)\s{0,3}+)?+|(?:&|(?:and|et|und)\b)\s{0,3}+)"
)
_MARKS = re.compile(r"(?:\s?[*†‡§¶#⁎∗^]){0,3}+")
_MORE = re.compile(r"\s{0,3}+,?+\s{0,3}+(?:(?:&|and)\s{1,3}+)?+(?:et\.? al\.?+|\.\.\.|…)")
_BEFORE_TITLE = re.compile(r"\s{0,3}+[:,;.(]|\s{1,3}+[\w“\"«]")
_BEFORE_TITLE_OR_YEAR = re.compile(r"\s{0,3}+[.:(]|(?<=\.)\s")
_COLON = re.compile(r":\s|\s{0,3}\((?:19|20)\d{2}[a-z]?\)\s?[:.,]?\s")
# Abbreviations behind a word of a title that look like initials.
_NO_INITIALS = frozenset("AI ML RL VR AR US UK EU IT TV II III IV DNA RNA GPU".split())  # noqa: SIM905 - a list
_MOST_PEOPLE = 300


def leading_people(text: str) -> tuple[str, int] | None:
    """The people with their given names first ("A. Lee, B. Kim"), and where their list ends; None if it is another."""
    for person, behind in ((_WITH_COMMA, _BEFORE_TITLE), (_WITHOUT_COMMA, _BEFORE_TITLE_OR_YEAR), (_IN_FULL, _COLON)):
        names, end = _list_of(person, text)
        if not names:
            continue
        more = _MORE.match(text, end)
        end = more.end() if more else end
        # "Ann Lee, B. Kim" are two people with their given names first.
        is_other = person is _WITH_COMMA and len(names) == 1 and not _ONE_WITH_COMMA.match(text.lstrip())
        if behind.match(text, end) and not is_other:
            return ", ".join(names) + (" et al." if more else ""), end
    return None


def _list_of(person: re.Pattern[str], text: str) -> tuple[list[str], int]:
    """The people of a list whose items have one form, and where the last one ends."""
    names: list[str] = []
    end = 0
    found = person.match(text, len(text) - len(text.lstrip()))
    while found and len(names) < _MOST_PEOPLE:
        if found["given"].strip(".") in _NO_INITIALS:
            return [], 0
        names.append(f"{_stopped(found['given'])} {found['family']}")
        marks = _MARKS.match(text, found.end())
        end = marks.end() if marks else found.end()
        separator = _SEPARATOR.match(text, found.end())
        found = person.match(text, separator.end()) if separator else None
    return names, end


def _stopped(given: str) -> str:
    """Given names with a full stop behind each initial: "A. B." for "AB"."""
    if not given.replace("-", "").rstrip(".").isupper() or "." in given[:-1]:
        return given
    return "-".join(" ".join(f"{letter}." for letter in part) for part in given.rstrip(".").split("-"))
