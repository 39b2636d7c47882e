"""The macros of templates/macros/match.html: shares of a score in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import render_template_string

if TYPE_CHECKING:
    from flask import Flask

BAR = '{% import "macros/match.html" as matches %}{{ matches.score_bar(shares, 1.0) }}'
TERMS = '{% import "macros/match.html" as matches %}{{ matches.terms(shares, score=1.0) }}'


def test_a_part_that_rounds_to_nothing_is_under_one_per_cent(app: Flask) -> None:
    shares = [{"source": "topic", "share": 0.997}, {"source": "resume", "share": 0.003}]
    with app.test_request_context("/styleguide"):
        html = render_template_string(BAR, shares=shares)
    assert "100 % from your topics, under 1 % from your resume" in html


def test_a_term_of_hardly_any_weight_is_under_one_per_cent(app: Flask) -> None:
    shares = [{"term": "slow network", "source": "statement", "share": 0.001}]
    with app.test_request_context("/styleguide"):
        html = render_template_string(TERMS, shares=shares)
    assert '<span class="term-share">under 1 %</span>' in html
