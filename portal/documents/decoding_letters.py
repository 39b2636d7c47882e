"""Text of one byte a character, without a mark: which encoding makes it read like a language.

The same bytes are letters in all of these encodings, so what counts is whether they are the letters of one
language, in their places: no capital inside of a word, no other script beside a letter, quotes around words.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from portal.documents import decoding_thai

# What is counted of a long text.
MOST_COUNTED = 4_000
FIRST_COUNTED = 300
FARTHER_OFF = 0.25
# Of 1, when all is in its place; below it, nothing fits.
LEAST_FIT = 0.55
# A few letters could be of any script.
ENOUGH_OF_A_SCRIPT = 8
# Letters that a language has, but rarely, and letters that are a word by themselves.
_RARE = 0.7
# Where Windows has quotes and bullets, an old Macintosh and DOS have letters; their texts are much rarer. In Cyrillic
# small letters nearly all agree, and only the capitals tell.
_RARELY_USED = {
    "mac_roman": 0.15,
    "mac_turkish": 0.15,
    "mac_latin2": 0.15,
    "cp852": 0.15,
    "cp850": 0.15,
    "mac_cyrillic": 0.02,
    "cp857": 0.15,
    "cp860": 0.15,
    "cp862": 0.15,
}
# By what begins a text its encoding is told, in whole pieces of a character.
SAMPLE = 262_144  # bytes


@dataclass(frozen=True)
class _Writing:
    """Letters of a language, and the encodings that have them.

    `common` are most of the letters of any text, for scripts of their own; `weight` is what a letter counts.
    """

    letters: frozenset[str]
    encodings: tuple[str, ...]
    common: frozenset[str] = frozenset()
    weight: float = 1.0


def _letters(lower: str) -> frozenset[str]:
    return frozenset(lower + lower.upper()) - {"S", "Ÿ"}


_WEST = ("cp1252", "iso8859_15", "mac_roman", "cp850")
_CENTRAL = ("cp1250", "iso8859_2", "mac_latin2", "cp852")
# These encodings have Romanian letters with a cedilla, where ISO 8859-16 has them with the comma that is meant.
_COMMAS = str.maketrans("ŞşŢţ", "ȘșȚț")
_CYRILLIC = ("cp1251", "koi8_u", "iso8859_5", "mac_cyrillic", "cp866")
# Five tones on each vowel; the encoding has them apart from their letters.
_VIETNAMESE = "đ" + "".join(
    unicodedata.normalize("NFC", vowel + tone)
    for vowel in "aăâeêioôơuưy"
    for tone in ("", *"\u0300\u0301\u0303\u0309\u0323")
).translate(dict.fromkeys(map(ord, "aeiouy")))
_COMMON_CYRILLIC = frozenset("оеаинтсрвлкмдпу")
# Earlier ones win where two fit alike: "é" is as Hungarian as French, and more often French.
_WRITINGS = (
    _Writing(_letters("äöüßéèêàâîôûçñ"), _WEST),
    _Writing(_letters("àâæçéèêëîïôœùûüÿ"), _WEST),
    _Writing(_letters("áéíóúüñçàèìòùïºª"), _WEST),
    _Writing(_letters("áâãàçéêíóôõúüºª"), (*_WEST, "cp860")),
    _Writing(_letters("åäöæøéüáèà"), _WEST),
    _Writing(_letters("çğıöşü") | {"İ"}, ("cp1254", "mac_turkish", "cp857")),
    _Writing(_letters("áðéíóúýþæö"), ("cp1252",)),
    _Writing(_letters("ąćęłńóśźżéü"), _CENTRAL),
    _Writing(_letters("áčďéěíňóřšťúůýžöüľĺŕô"), _CENTRAL),
    _Writing(_letters("áéíóöőúüűä"), _CENTRAL),
    _Writing(_letters("čćđšžéöü"), _CENTRAL),
    _Writing(_letters("ăâîșțşţé"), (*_CENTRAL, "iso8859_16")),
    _Writing(_letters("āčēģīķļņšūžąęėįųõäöü"), ("cp1257",)),
    _Writing(_letters("абвгдежзийклмнопрстуфхцчшщъыьэюяё"), _CYRILLIC, _COMMON_CYRILLIC),
    _Writing(_letters("абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"), _CYRILLIC, _COMMON_CYRILLIC | {"і"}),
    _Writing(_letters("абвгдђежзијклљмнњопрстћуфхцчџшѓѕќ"), _CYRILLIC, _COMMON_CYRILLIC | {"ј"}),
    _Writing(
        _letters("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ"),
        ("cp1253", "iso8859_7"),
        frozenset("αοιετσνηυρπκμλςόάίέ"),
    ),
    _Writing(frozenset("אבגדהוזחטיךכלםמןנסעףפץצקרשת"), ("cp1255", "cp862"), frozenset("יוהלאמרבתשנ")),
    _Writing(
        frozenset("ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگ\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652"),
        ("cp1256", "iso8859_6"),
        frozenset("الينمرتوبعدسةفهك"),
    ),
    _Writing(decoding_thai.LETTERS, ("cp874",), decoding_thai.COMMON),
    _Writing(_letters(_VIETNAMESE), ("cp1258",)),
    # Names of many countries side by side.
    _Writing(_letters("àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿœšžßºª"), _WEST, weight=0.8),
)
# Of a script that has small letters, a text of capitals only is the text of another script.
_ONLY_CAPITALS = 0.2
_APOSTROPHE = "’"
_APART = dict.fromkeys("–—…•·“”‘„‚«»¿¡€£©®™§°×±µ÷¦،؛؟¸", 0.9) | dict.fromkeys("†‡¶¥¢¬", 0.6)
# Frames of tables, as DOS drew them; they tell no language.
_FRAMES = range(0x2500, 0x25A0)
_DASHES = "–—·"
_WORDS_OF_ONE_LETTER = frozenset("àáèéêìíòóôùúåöøæý")
_AFTER = frozenset("²³¹°™®©…”»’½¼¾ªº")


def of_letters(data: bytes) -> tuple[str, str] | None:
    """The text and the name of its encoding; None when it reads like a language in none of them."""
    fits: list[tuple[float, str]] = []
    decoded: dict[str, str | None] = {}
    for writing in _WRITINGS:
        for encoding in writing.encodings:
            if encoding not in decoded:
                decoded[encoding] = _decoded(data[:SAMPLE], encoding)
            text = decoded[encoding]
            if text is None:
                continue
            # What is far from fitting shows itself soon.
            if _fit(text, writing, FIRST_COUNTED) < LEAST_FIT - FARTHER_OFF:
                continue
            fit = _fit(text, writing, MOST_COUNTED)
            if fit >= LEAST_FIT:
                fits.append((round(fit - _RARELY_USED.get(encoding, 0.0), 9), encoding))
    # Of encodings that fit alike the earlier one counts.
    for encoding in dict.fromkeys(name for _, name in sorted(fits, key=lambda fit: -fit[0])):
        text = _decoded(data, encoding)
        if text is not None:
            return text.translate(_COMMAS) if encoding in _CENTRAL else text, encoding
    return None


def _decoded(data: bytes, encoding: str) -> str | None:
    """The text; None when a byte means nothing, or a control character."""
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    if any("\x7f" <= character < "\xa0" for character in set(text)):
        return None
    return unicodedata.normalize("NFC", text) if encoding == "cp1258" else text


def _fit(text: str, writing: _Writing, limit: int) -> float:
    """How well the first characters beyond ASCII fit, from -1 to 1."""
    score = 0.0
    counted = capitals = 0
    for index, character in enumerate(text):
        if character.isascii() or character == "\xa0":
            continue
        before = text[index - 1] if index else " "
        after = text[index + 1] if index + 1 < len(text) else " "
        if ord(character) in _FRAMES and not (before.isalpha() or after.isalpha()):
            continue
        counted += 1
        capitals += character.isupper()
        score += _fit_of(character, before, after, writing)
        if counted >= limit:
            break
    if writing.common and counted < ENOUGH_OF_A_SCRIPT:
        return 0.0
    if writing.common and capitals == counted:
        score -= _ONLY_CAPITALS * counted
    return score / counted if counted else 1.0


def _fit_of(character: str, before: str, after: str, writing: _Writing) -> float:
    if character == _APOSTROPHE:
        return 0.9 if before.isalnum() or after.isalnum() else 0.0
    if character in writing.letters:
        return _fit_of_letter(character, before, after, writing)
    if character in _AFTER:
        return 0.8 if not after.isalpha() else -1.0
    if before.isalpha() and after.isalpha() and character not in _DASHES:
        return -1.0
    return _APART.get(character, -1.0)


def _fit_of_letter(character: str, before: str, after: str, writing: _Writing) -> float:
    if _is_out_of_place(character, before, after, writing):
        return -1.0
    if writing.common:
        return writing.weight if character.lower() in writing.common else _RARE
    return writing.weight if before.isalnum() or after.isalnum() else _RARE * writing.weight


def _is_out_of_place(character: str, before: str, after: str, writing: _Writing) -> bool:
    """A letter at a number, a capital after a small letter, a letter of another script beside a Latin one, or a letter
    by itself that is no word.
    """
    if character in decoding_thai.LETTERS:
        return decoding_thai.is_out_of_place(character, before, after)
    if before.isdigit() or (character.isupper() and before.islower()):
        return True
    if not before.isalnum() and not writing.common:
        is_word = after.isalpha() or (not after.isalnum() and character.lower() in _WORDS_OF_ONE_LETTER)
        if not is_word:
            return True
    # "ß" and the like have no capital; a small letter between capitals is no word either.
    if character.islower() and character != "ß" and before.isupper() and after.isupper():
        return True
    own_script = bool(writing.common)
    return own_script and (_is_latin(before) or _is_latin(after))


def _is_latin(character: str) -> bool:
    return character.isalpha() and (character.isascii() or unicodedata.name(character, "").startswith("LATIN"))
