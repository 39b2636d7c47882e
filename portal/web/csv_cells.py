"""Cells of CSV files that spreadsheets open without running anything in them."""

from __future__ import annotations

import unicodedata

STARTS_FORMULA = tuple("=+-@|%\t\r\n＝＋－＠﹢﹣−﹦﹫")


def harmless(cell: str) -> str:
    """The text of a cell that no spreadsheet takes for a formula: an apostrophe stands before what would begin one.

    Signs that cannot be seen are taken out first, for a formula may stand behind them.
    """
    seen = "".join(sign for sign in cell if sign in "\t\r\n" or unicodedata.category(sign) not in {"Cc", "Cf"})
    begins = seen.lstrip(" \u00a0\u3000")
    return f"'{seen}" if begins.startswith(STARTS_FORMULA) else seen
