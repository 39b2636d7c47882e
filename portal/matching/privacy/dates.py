"""Dates and periods as resumes of many countries write them: months beside a year, terms, and "to present"."""

from __future__ import annotations

import re

from portal.matching.privacy.late_patterns import LatePattern
from portal.matching.privacy.search import Rule
from portal.matching.privacy.words import MONTHS, MONTHS_ABROAD

_YEAR = r"(?:19\d|20[0-3])\d"
_MONTHS = "|".join(sorted({*MONTHS, *map(re.escape, MONTHS_ABROAD)}, key=lambda month: (-len(month), month)))
# Ordinary words of English as well: months only where they are written as abbreviations.
_MONTH = rf"(?:{_MONTHS}|(?:set|out)(?=[./])|(?-i:mars)|tháng[ \t]\d{{1,2}})"
_DAY = r"\d{1,2}(?:st|nd|rd|th|er|[.º°])?[ \t-]{1,2}(?:(?:de|of)[ \t])?"
_OF = r"(?:(?:de|del|năm|of)[ \t])?"
_UNTIL = r"(?:[ \t]{0,2}[-–—~～][ \t]{0,2}|[ \t](?:to|till|until|bis|à|al?|do|até|hasta|đến)[ \t])"
_NOW = (
    "present|now|today|current|currently|date|ongoing|heute|jetzt|aujourd['’]hui|présent|ce jour|presente|actualidad"
    "|la actualidad|la fecha|atual|o momento|hoje|oggi|halen|günümüz|devam|sekarang|nay|obecnie|dziś|teraz"
    "|nu|heden|dnes|н\\.в\\.|настоящее время|σήμερα|至今|现在|현재"
)
_TERMS = (
    "Spring|Summer|Fall|Autumn|Winter|Michaelmas|Hilary|Trinity|Lent|Easter|Wintersemester|Sommersemester|WiSe|SoSe"
    "|printemps|été|automne|hiver|léto|zima|podzim|jaro|sommaren|hösten|våren|vintern|lato|jesień|primavera|verano|otoño|invierno|estate|autunno|inverno|verão|outono"
)
_END = r"(?![^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3])"
"""Where a number ends: letters of Chinese, Japanese and Korean follow it without a space."""
_NEXT = rf"(?=[ \t](?:\d{{1,4}}(?!\w)|{_MONTH}))"

DATE_RULES: tuple[Rule, ...] = (
    Rule(
        "date",
        LatePattern(
            rf"(?<![A-Za-z0-9_])(?:(?:{_DAY})?"
            rf"(?:(?:{_MONTH})\.?[ \t]{{0,2}}(?:-|–|—|to)[ \t]{{0,2}})?"
            rf"{_MONTH}\.?,?(?:[ \t]{{0,3}}|[/-]){_OF}(?:(?:\d{{1,2}}(?:st|nd|rd|th)?,?[ \t]{{1,3}})?{_YEAR}|['’]\d\d)"
            rf"|(?:{_TERMS})[ \t,'’-]{{1,3}}(?:19|20)?\d\d"
            rf"|{_YEAR}[./-]\d{{1,2}}(?:[./-]\d{{1,2}})?|\d{{1,2}}[./-](?:\d{{1,2}}[./-])?{_YEAR}"
            rf"|\d{{1,2}}\.[ \t]\d{{1,2}}\.[ \t]{_YEAR}"
            rf"|(?-i:[IVX]{{1,4}})[ \t.]{_YEAR}|(?-i:Q[1-4]|H[12])[ \t/]{_YEAR}|(?-i:FY)[ \t]?(?:20)?\d\d(?!\w)"
            rf"|{_YEAR}(?:[年년](?:[ \t]?\d{{1,2}}[月월](?:[ \t]?\d{{1,2}}[日일])?)?)?){_END}"
            rf"(?:{_UNTIL}(?:{_NOW})(?!\w)|[ \t](?:to|till|until|bis|à|al?|do|até|hasta|đến){_NEXT})?",
            re.IGNORECASE,
        ),
        LatePattern(r"\d\d"),
        within_lines=True,
        needs_digits=True,
    ),
    # Years of the Persian calendar, which are told by being two.
    Rule(
        "date",
        LatePattern(r"(?<![\w.,-])1[34]\d\d[ \t]?[-–—/][ \t]?1[34]\d\d(?![\w-]|[.,]\d)"),
        LatePattern(r"\d[ \t]?[-–—/][ \t]?1[34]\d\d"),
        within_lines=True,
        needs_digits=True,
    ),
    Rule(
        "date",
        LatePattern(r"(?<![\w'’])['’]\d\d(?=[ \t]*(?:[,;:|)–—\n-]|\.(?!\w)|$))"),
        signs=("'", "’"),
        needs_digits=True,
    ),
)
