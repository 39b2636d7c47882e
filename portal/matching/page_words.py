"""Words of web pages themselves: "News", "Publications", "Loading …" say nothing of what a lab works on.

They are looked for like all others, but a text that has nothing else fits no lab. Their stems make it necessary: those
of "news" and "publications" are "new" and "public", which abstracts are full of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_OF_PAGES = (
    "about award badge bibtex bio blog breadcrumb citation contact cookie copyright cv doi download excerpt faq "
    "favicon footer header home homepage honor honour href html http https internship jpg link loading login "
    "logout member menu navbar navigation news page pdf people permalink placeholder png publication redirect "
    "result rss sidebar site sitemap slide subscribe talk template theme thumbnail toggle url webpage website "
    "widget www"
)
_BESIDE_THEM = (
    "alt anchor author box class click current default display first full google github group image img index "
    "invited last latest layout list main more name next number organisation organization paper personal previous "
    "profile project read recent repository research reserved right scholar search section selected show span src "
    "stat summary title top total type unit update updated version view"
)
_SURE, _NOT_SURE = frozenset(_OF_PAGES.split()), frozenset(_BESIDE_THEM.split())


def are_of_pages(forms: Iterable[str]) -> bool:
    """Whether folded words, in singular or plural, are such as web pages have for themselves, and one surely is."""
    sure = False
    for form in forms:
        both = {form, form.removesuffix("s")}
        if not both.isdisjoint(_SURE):
            sure = True
        elif both.isdisjoint(_NOT_SURE):
            return False
    return sure
