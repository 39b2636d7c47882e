"""What fonts of text keep in the private use area: ligatures, small capitals, small figures."""

from __future__ import annotations

OF_MANY_FONTS = {
    "\uf001": "fi",
    "\uf002": "fl",
    **{chr(0xF700 + ord(sign)): sign for sign in "0123456789"},
    **{chr(0xF700 + ord(letter)): letter.upper() for letter in "abcdefghijklmnopqrstuvwxyz"},
}
"""Times New Roman, Arial and those made after them; expert fonts."""

_LIGATURES = {
    0xE030: "fb",
    0xE032: "ffh ffj ffk fft fh fj fk ft ck ch tt ct",
    0xE048: "Qu Th tz",
    0xE093: "Qu qu",
    0xE0E0: "f ff",
}
_SMALL_CAPITALS = {
    0xE051: "abcdefghijklmnopqrstuvwxyz",
    0xE06D: "-",
    0xE070: "àáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþÿĳßß",
    0xE097: "đăąćčďęěğĺłńňŋőŕřśşšţŧůűźżžľťțși",
}
OF_LIBERTINE = {
    **{chr(first + place): letters for first, row in _LIGATURES.items() for place, letters in enumerate(row.split())},
    **{chr(first + place): letters for first, row in _SMALL_CAPITALS.items() for place, letters in enumerate(row)},
}
"""Libertine and Biolinum, in which many theses and resumes are set; fonts of icons have others in these places."""
SMALL_CAPITALS = frozenset(map(chr, range(0xE051, 0xE06B)))
"""Of Libertine, those without accents."""
