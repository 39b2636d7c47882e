"""Formulas in titles and abstracts as plain characters: “$k$-means++” as “k-means++”, “$O(n^2)$” as “O(n²)”.

Pages do not typeset mathematics, and plain characters are easier to read than TeX. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from portal.seeding.imports.latex import text_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.matching import Span

# A formula has no space inside its dollar signs, and no digit after them, unlike a price.
_FORMULA = re.compile(r"(?<!\\)\$(?![\s$])([^$\n]{0,300}?[^\s$\\])\$(?![\d$])")
_TILDE = re.compile(r"\\(?:wide)?tilde\s*(?:\{\s*(\\?\w+)\s*\}|(\w))")
_HAT = re.compile(r"\\(?:wide)?hat\s*(?:\{\s*(\\?\w+)\s*\}|(\w))")
_RAISED = re.compile(r"\^\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|\S))")
_LOWERED = re.compile(r"_\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|\S))")
_SUPERSCRIPTS = str.maketrans("0123456789+-=()in", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿ")
_SUBSCRIPTS = str.maketrans("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_RAISES, _LOWERS, _OPENS, _CLOSES = "\ue000", "\ue001", "\ue002", "\ue003"
_BRACE, _BRACE_ENDS = "\ue004", "\ue005"
_LOOSE = re.compile(rf"(?<!\s)\s++([)\],{_BRACE_ENDS}])")
_SET_APART = re.compile(f"([{_RAISES}{_LOWERS}]){_OPENS}([^{_OPENS}{_CLOSES}]*){_CLOSES}")


def readable(text: str) -> str:
    """`text` with its formulas in plain characters."""
    return _FORMULA.sub(lambda match: _plain(match[1]), text) if "$" in text else text


def readable_with(text: str, spans: Sequence[Span]) -> tuple[str, tuple[Span, ...]]:
    """The same with `spans` moved accordingly; a span that overlaps a formula covers all of it afterwards."""
    if "$" not in text:
        return text, tuple(spans)
    pieces: list[str] = []
    moved: list[tuple[int, int, int, int]] = []  # for each formula, its old and its new position
    done = length = 0
    for match in _FORMULA.finditer(text):
        plain = _plain(match[1])
        pieces += (text[done : match.start()], plain)
        at = length + match.start() - done
        done, length = match.end(), at + len(plain)
        moved.append((match.start(), match.end(), at, length))
    pieces.append(text[done:])

    def place(position: int, *, is_end: bool) -> int:
        shift = 0
        for start, end, begins, ends in moved:
            if position >= end:
                shift = ends - end
            elif position > start or (position == start and not is_end):
                return ends if is_end else begins
        return position + shift

    return "".join(pieces), tuple((place(start, is_end=False), place(end, is_end=True)) for start, end in spans)


@lru_cache(maxsize=4096)
def _plain(formula: str) -> str:
    """A formula in plain characters; as it was written, with its dollar signs, where nothing would be left of it."""
    tex = formula
    for accent, accented in (("\u0303", _TILDE), ("\u0302", _HAT)):
        tex = accented.sub(partial(_with_accent, accent), tex)
    for sign, pattern in ((_RAISES, _RAISED), (_LOWERS, _LOWERED)):
        tex = pattern.sub(partial(_set_apart, sign), tex)
    tex = tex.replace(r"\{", _BRACE).replace(r"\}", _BRACE_ENDS)
    plain = text_of(f"${tex}$")
    while (smaller := _SET_APART.sub(_small, plain)) != plain:
        plain = smaller
    result = unicodedata.normalize("NFC", _LOOSE.sub(r"\1", plain).replace(_BRACE, "{").replace(_BRACE_ENDS, "}"))
    return result if any(map(str.isprintable, result)) else f"${formula}$"


def _with_accent(accent: str, match: re.Match[str]) -> str:
    return f"{match[1] or match[2]}{accent}"


def _set_apart(sign: str, match: re.Match[str]) -> str:
    inner = match[2] if match[1] is None else match[1]
    # A space ends a command; it is removed again below.
    return f"{sign}{_OPENS}{inner} {_CLOSES}" if inner.startswith("\\") else f"{sign}{_OPENS}{inner}{_CLOSES}"


def _small(match: re.Match[str]) -> str:
    """Superscripts and subscripts as small characters where these exist, otherwise after “^” or “_”."""
    inner = match[2].strip()
    small = inner.translate(_SUPERSCRIPTS if match[1] == _RAISES else _SUBSCRIPTS)
    if not set(small) & set(inner):
        return small
    sign = "^" if match[1] == _RAISES else "_"
    return f"{sign}{inner}" if len(inner) == 1 else f"{sign}({inner})"
