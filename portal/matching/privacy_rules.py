"""What a resume says about a person rather than about the work: patterns, each with the reason to leave it out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from portal.matching.privacy_words import CITIES, COUNTRIES, EMPLOYERS, GENDERED, MONTHS, SCHOOLS

if TYPE_CHECKING:
    from collections.abc import Iterable

Reason = Literal["name", "address", "telephone", "school", "employer", "place", "date", "gender"]


def _any_of(words: Iterable[str]) -> str:
    alternatives = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"\s{1,3}") for word in alternatives)


_CAPITALISED = r"[^\W\d_a-z](?:[\w'’&-]|\.(?=\w)){0,30}"
_MONTH = _any_of(MONTHS)
_DOMAINS = "com|org|net|edu|io|ai|dev|me|info|co|gov|cn|hk|uk|de|fr|jp|kr|sg|ch|in|ca|au|tw"
_KINDS_OF_SCHOOL = (
    r"University|Universit[äéà]\w*|Universidad\w*|Universit[ey]\w*|College|Polytechnic|Academy|Hochschule"
    r"|École|Ecole|Institut(?:e)?[ \t]of[ \t](?:[A-Z]\w+[ \t]and[ \t])?[A-Z]\w+(?:[ \t][A-Z]\w+)?"
)
_CAMPUSES = r"Los Angeles|San Diego|Santa Barbara|Irvine|Davis|Austin|Berkeley|Urbana[-–]Champaign|Madison|Amherst"
RULES: tuple[tuple[Reason, re.Pattern[str]], ...] = (
    ("address", re.compile(r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]++)*+|(?:https?://|www\.)\S++")),
    ("address", re.compile(rf"(?<![\w.@-])(?:[\w-]+\.)+?(?:{_DOMAINS})\b(?:\.[a-z]{{2}})?(?:/\S*+)?")),
    (
        "telephone",
        re.compile(r"(?<![\w.])(?:\+|\(\+?)\d[\d\s().-]{6,18}\d|(?<![\w.-])\d{3}[-.\s]\d{3,4}[-.\s]\d{4}(?!\w)"),
    ),
    (
        "school",
        re.compile(
            rf"(?:{_CAPITALISED}[ \t]){{0,4}}(?:{_KINDS_OF_SCHOOL})"
            r"(?:[ \t](?:of|at|in|for|de|di|zu)(?:[ \t]the)?"
            rf"(?:[ \t]{_CAPITALISED}){{1,5}}(?:[ \t]and[ \t]{_CAPITALISED})?|,[ \t](?:{_CAMPUSES}))?"
            r"|(?:[\u4e00-\u9fff]{2,8}?(?:大学|大學|学院|學院|中学|中學))"
        ),
    ),
    ("school", re.compile(rf"(?<!\w)(?:{_any_of(SCHOOLS)})(?!\w)")),
    (
        "employer",
        re.compile(
            rf"(?<!\w)(?:{_any_of(EMPLOYERS)})(?!\w)"
            rf"|(?:{_CAPITALISED}[ \t]){{1,4}}(?:Inc|Ltd|LLC|GmbH|Corp|Corporation|AG|S\.A|PLC|Limited)\b\.?"
            r"|[\u4e00-\u9fff]{2,12}?(?:公司|集团|集團)"
        ),
    ),
    ("place", re.compile(rf"(?<!\w)(?:{_any_of((*COUNTRIES, *CITIES))})(?!\w)")),
    (
        "date",
        re.compile(
            rf"(?<!\w)(?:(?:{_MONTH})\.?,?[ \t]{{0,3}}(?:\d{{1,2}}(?:st|nd|rd|th)?,?[ \t]{{1,3}})?(?:19|20)\d\d"
            r"|(?:Spring|Summer|Fall|Autumn|Winter)[ \t,'’-]{1,3}(?:19|20)?\d\d"
            r"|(?:19|20)\d\d[./-]\d{1,2}(?:[./-]\d{1,2})?|\d{1,2}[./-](?:\d{1,2}[./-])?(?:19|20)\d\d"
            r"|(?:19|20)\d\d(?:年(?:\d{1,2}月(?:\d{1,2}日)?)?)?)(?!\w)",
            re.IGNORECASE,
        ),
    ),
    ("gender", re.compile(rf"(?<!\w)(?:{_any_of(GENDERED)})(?:['’]s)?(?!\w)", re.IGNORECASE)),
)
LABELLED_NAME = re.compile(
    r"(?im)^[ \t]*(?:(?:full|first|last|given)[ \t]+name|name|surname|姓名)[ \t]*[:：][ \t]*"
    r"(?P<name>\S[^\n|,;]{0,59})"
)
TITLED_NAME = re.compile(
    r"(?<!\w)(?:Prof(?:essor)?|Dr|Mr|Mrs|Ms|Miss|Sir|Dame)\.?[ \t]"
    rf"(?P<name>(?:[A-Z]\.[ \t]?){{0,2}}{_CAPITALISED}(?:[ \t][A-Z]\.)?(?:[ \t]{_CAPITALISED}){{0,3}})"
)
NAME_LINE = re.compile(
    rf"{_CAPITALISED}(?:[ \t]+{_CAPITALISED}){{1,3}}(?:[ \t]*[(（][^()（）\n]{{1,20}}[)）])?|[\u4e00-\u9fff·]{{2,5}}"
)
_HEADINGS = (
    "curriculum vitae resume résumé cv profile summary education research interests statement machine "
    "learning computer science systems skills experience about objective engineer student"
)
HEADINGS = frozenset(_HEADINGS.split())
