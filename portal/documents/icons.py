"""Fonts whose letters are pictures, told by their names."""

from __future__ import annotations

import re

_OF_ICONS = re.compile(
    r"(?:[A-Z]{6}\+)?(?:font-?awesome|academicons|marvosym|material-?(?:icons|symbols)|bootstrap-?icons|simple-?icons"
    r"|glyphicons|ionicons|icomoon|fontello|devicons?|dashicons|wingdings|webdings|(?:itc)?zapfdingbats)",
    re.IGNORECASE,
)


def is_named_after_icons(font: str) -> bool:
    """Whether a font is named after a collection of icons."""
    return _OF_ICONS.match(font.replace(" ", "")) is not None
