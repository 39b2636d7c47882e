"""Words of web pages themselves: "News", "Publications", "Loading …" say nothing of what a lab works on.

They are looked for like all others, but a text that has nothing else fits no lab, nor does one that is what widespread
templates bring as their sample. Their stems make it necessary: those of "news" and "publications" are "new" and
"public", which abstracts are full of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.matching.terms import is_weak, stop_words

if TYPE_CHECKING:
    from collections.abc import Iterable

_OF_PAGES = (
    "about academicpages adipiscing amet award badge baseurl bibtex bio blog breadcrumb citation consectetur contact "
    "cookie copyright css div doi dolor download excerpt faq favicon footer github gmail googletagmanager gtag header "
    "hindex home homepage honor honour href html http https img internship ipsum jekyll jpg link loading login logo "
    "logout lorem md member menu nav navbar navigation nbsp news novelty page pdf people permalink php placeholder "
    "png publication px redirect result rgba rss shieldsio sidebar site sitemap slide span src stylesheet subscribe "
    "talk template theme thumbnail toggle url utf viewport webpage website widget wordpress wowchemy www"
)
_BESIDE_THEM = (
    "absolute accept address ai align alt anchor append archive arrow article assign async author auto background bar "
    "base below block blue bold border bottom box btn build builder built button cache capture category cdn center "
    "charset class click collection color column comment config container content current cv data date debug default "
    "demo description details device display down edit else em embed endfor endif example external feed feel fill "
    "first flex float font for form free full function gallery get google green grey grid group gs height hello "
    "hidden horizontal icon id if image include index information init inline input inside interested internal "
    "invited item js json know label last latest layout left limit line list main map margin markdown media meta "
    "middle minimal mistake mode more name next none nowrap null number on open order organisation organization "
    "overflow padding paper paragraph path personal photo plugin pointer portfolio position post posts powered "
    "previous primary print profile project property public publish published raw read recent recommended red "
    "relative rem repo repository research reserved responsive return right row sample scholar score screen script "
    "scroll search secondary section select selected set shadow share shared show size small sort source space stat "
    "static strong style sub svg sym tab table tag target text time title toc top total transparent type undefined "
    "unit unless update updated use user value var version vertical video view visible void welcome where white wide "
    "width window wrap wrapper xml yaml year yml your z"
)
_SAMPLES = """
    abstract / accepted / accepted at / accepted by / accepted in / accepted to / accepted to appear / apply now
    appear / appear at / appear in / appearing in / best paper / coming soon / code available / collaborators
    current students / dataset available / extended abstract / follow us / former students / join us / last update
    opening hours / openings / powered by / results reproduced / services / share this / student paper
    terms of use / to appear / to appear at / to appear in / under construction
    a post with images / a project with a background image / an other project with a background image
    a project that redirects to another website / a simple inline announcement with markdown emoji
    a simple inline announcement / a long announcement with details
    academic service / ai score / an example conference paper / an example journal article
    an example preprint working paper / blog post number / create your website in minutes
    deep residual learning for image recognition / details of publications / details of system projects
    enjoy reading this article / example project / example talk / external project / hobbies / internal project
    last modified / last updated / page last updated
    paper box / paper box image / paper box text / paper title number / paper title number with math / previous next
    portfolio item number / professional activities
    read more / read more about this post / recent posts / relevant topic in your field / report abuse
    research interest / share on / short description of portfolio item number / show all / sign in / sign up
    teaching / teaching assistant / teaching experience / this is a page not in the main menu
    this is an item in your portfolio it can be have images or nice text
    this is a description of a teaching experience
    this paper is about the number the number is left for future work / view all
    does not match the recommended repository name for your site / does not match the baseurl configured
    which does not match the baseurl configured in config yml
    recommended repository name / your text here / your name here
"""
"""Whole texts, without numbers: samples of widespread templates, headings, what buttons and listings say."""


def _bare(form: str) -> str:
    """A word in the singular, without a number before or behind it ("10px", "39papers", "score61")."""
    return form.strip("0123456789").removesuffix("s")


_SURE, _NOT_SURE = (frozenset(map(_bare, words.split())) for words in (_OF_PAGES, _BESIDE_THEM))
_WHOLE = frozenset(
    tuple(_bare(word) for word in sample.split() if len(word) > 1)
    for sample in " / ".join(_SAMPLES.strip().splitlines()).split(" / ")
)


def are_of_pages(forms: Iterable[str]) -> bool:
    """Whether the folded words of a text, in singular or plural, are such as web pages have for themselves.

    One of them surely is, or together they are a whole text of a template. Numbers and single letters do not count,
    stop words only in whole texts.
    """
    said = [(form, _bare(form)) for form in forms if not is_weak(form)]
    stop = stop_words()
    whole = tuple([single for _, single in said])
    if not all(form in stop or single in _SURE or single in _NOT_SURE for form, single in said):
        return whole in _WHOLE
    return not _SURE.isdisjoint(whole) or whole in _WHOLE
