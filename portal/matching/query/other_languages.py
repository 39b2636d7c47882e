"""Texts in other languages that contain technical terms in English, as applicants from many countries write them.

Words that no lab uses, such as all words of the other language, would only add to the length of such a text and push
down a lab that has all its technical terms. They are left out if a pair of words that labs use shows that the text
contains such terms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.matching.language.spelling import is_common

if TYPE_CHECKING:
    from portal.matching.query.reading import Reading

_ENOUGH, _ONE_OF = 2, 8
"""The least number of words with accents, and one in so many words; a single one may be a name."""
_SMALL_WORDS = """
    aber als arbeit auch auf beim bin dann das dass dem den der des dich diese diesem dieser dieses durch ein eine einem
    einen einer gegen gern gerne habe haben hatte ich ist kann kein keine mehr mein meine meinen meiner mich mit nach
    nicht noch oder ohne schon sehr sein seine seinen seiner sich sind soll thema und unter von weil welche wenn werden
    wird wurde wurden zum zur zwischen
    aussi aux avec avoir ces cette chez comme dans elle elles leur leurs mais mes moins notre nous pendant pour quand
    quelle quels sans sont sur une vous
    como cuando del desde donde entre esta estas este estos hacia hasta las los para pero por quiero quisiera sobre
    tengo
    anche degli della delle gli nella nelle sono
    mais minha muito pelo pela quero
    deze een het maar naar niet voor
"""
SMALL_WORDS = frozenset(_SMALL_WORDS.split())
"""Function words of German, French, Spanish, Italian, Portuguese and Dutch that are not English, without accents."""


def is_another(reading: Reading) -> bool:
    """Whether a text is in a language other than English.

    English texts contain names with accents, too, but few of them.
    """
    text, forms = reading.text, reading.forms
    if text.isascii() and SMALL_WORDS.isdisjoint(forms):
        return False
    words = ((unit.form, start, end) for sentence in reading.units for unit, start, end in sentence)
    others = sum(form in SMALL_WORDS or not text[start:end].isascii() for form, start, end in words)
    return others >= _ENOUGH and others * _ONE_OF >= len(forms)


def is_foreign(form: str) -> bool:
    """Whether a folded word that no lab uses may be one of another language."""
    return not form.isascii() or form in SMALL_WORDS or not is_common(form)
