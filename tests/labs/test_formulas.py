"""Formulas become plain characters; other text stays as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.labs.texts import readable, readable_with


@pytest.mark.parametrize(
    ("formula", "plain"),
    [
        ("k", "k"),
        (r"\mathbb{R}^d", "ℝ^d"),
        (r"\widetilde{O}(nd + nk^2)", "Õ(nd + nk^2)"),
        (r"\tilde O(n)", "Õ(n)"),
        (r"\hat{y}", "ŷ"),
        (r"m^{1-α} n d + n^3", "m^(1-α) n d + n^3"),
        (r"q_1, q_2, \dots, q_{j-1}", "q_1, q_2, …, q_(j-1)"),
        (r"n^{\log_2 7}", "n^(log_2 7)"),
        (r"1.25\times", "1.25×"),
        (r"\frac{1}{n}", "1/n"),
        (r"\ell_2", "ℓ_2"),
    ],
)
def test_a_formula_says_the_same_in_plain_characters(formula: str, plain: str) -> None:
    assert readable(f"in ${formula}$ steps") == f"in {plain} steps"


@pytest.mark.parametrize(
    "text",
    [
        "costs $5 and $10",
        "from $5-$10 a head",
        "US$ and A$",
        "$unclosed",
        "$$x$$",
        r"a $\$5$ b",
        "no dollar",
        "$ n $",
        "",
    ],
)
def test_what_is_no_formula_stays(text: str) -> None:
    assert readable(text) == text
    assert readable_with(text, ((0, len(text)),)) == (text, ((0, len(text)),))


def test_stretches_move_along_and_take_in_whole_formulas() -> None:
    text = "Faster $k$-means++ in $O(n^2)$ time"
    parts = ["$k$-means++", "Faster", "(n^2)", "time", "means"]
    spans = [(text.index(part), text.index(part) + len(part)) for part in parts]
    plain, moved = readable_with(text, spans)
    assert plain == "Faster k-means++ in O(n^2) time"
    assert [plain[start:end] for start, end in moved] == ["k-means++", "Faster", "O(n^2)", "time", "means"]


def test_broken_tex_is_shown_rather_than_nothing() -> None:
    for broken in (r"$\frac{1}{$", r"$^{$", "$_$", r"$\unknown{x}$", "$" + "{" * 200 + "x$"):
        assert readable(broken)


@given(st.text(st.sampled_from("$\\{}^_ ab12~frac"), max_size=40), st.data())
def test_whatever_is_written_stretches_stay_within_what_is_said(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    plain, ((begins, ends),) = readable_with(text, ((start, end),))
    assert plain == readable(text)
    assert 0 <= begins <= ends <= len(plain)
