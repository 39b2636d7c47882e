"""Words of web pages themselves: "News", "Publications", "Loading …" say nothing of what a lab works on.

They are looked for like all others, but a text that has nothing else fits no lab, nor does one that is what widespread
templates bring as their sample. Their stems make it necessary: those of "news" and "publications" are "new" and
"public", which abstracts are full of.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from portal.matching.beside_names import is_venue
from portal.matching.terms import is_weak, stop_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_OF_PAGES = (
    "about academicpages accepted acm adipiscing amet award badge baseurl bibtex bio blog breadcrumb citation "
    "consectetur contact cookie copyright css div doi dolor download excerpt faq favicon footer github gmail "
    "googletagmanager gtag header hindex home homepage honor honour href html http https ieee img internship ipsum "
    "jekyll jpg link loading login logo logout lorem md member menu nav navbar navigation nbsp news novelty page pdf "
    "people permalink php placeholder pmlr png publication px redirect result rgba rss shieldsio sidebar site sitemap "
    "slide span src stylesheet subscribe talk template theme thumbnail toggle url utf viewport webpage website widget "
    "wordpress wowchemy www"
)
_BESIDE_THEM = (
    "absolute accept address ae ai align alt anchor append appendix archive arrow article arxiv assign async author "
    "auto background bar base below block blue bold border bottom box btn build builder built button cache capture "
    "category ccf ccfa ccfb ccfc cdn center charset class click code collection color column comment config container "
    "content current cv data date debug default demo description details device display down edit else em embed "
    "endfor endif example external faculty feed feel fill first flex float font for form free full function gallery "
    "get google green grey grid group gs height hello hidden horizontal icon id if image include index information "
    "init inline input inside interested internal invited item js json know label last latest layout left limit line "
    "list main map margin markdown media meta middle minimal mistake mode more name next none nowrap null number on "
    "open oral order organisation organization overflow padding paper paragraph path personal photo plugin pointer "
    "portfolio position post poster posts powered pp preprint previous primary print profile project property public "
    "publish published raw read recent recommended red relative rem repo repository research reserved responsive "
    "return right row sample scholar score screen script scroll search secondary section select selected set shadow "
    "share shared show size small sort source space spotlight stat static strong style sub supplementary svg sym tab "
    "table tag target teaching text time title toc top total transparent type undefined unit unless update updated "
    "use user value var version vertical video view visible void welcome where white wide width window wrap wrapper "
    "xml yaml year yml your z"
)
_SAMPLES = """
    a long announcement with details / a post with images / a project that redirects to another website
    a project with a background image / a simple inline announcement
    a simple inline announcement with markdown emoji / abstract / academic service / accept all / accept all cookies
    accepted / accepted at / accepted by / accepted in / accepted to / accepted to appear / ai score
    an example conference paper / an example journal article / an example preprint working paper
    an other project with a background image / appear / appear at / appear in / appearing in / apply now / assistants
    back to top / best paper / blog post number / co first author / code available / collaborators / coming soon
    cookie settings / copy to clipboard / corresponding author / create your website in minutes / current students
    dataset available / deep residual learning for image recognition / details of publications
    details of system projects / does not match the baseurl configured
    does not match the recommended repository name for your site / edit this page on github
    enjoy reading this article / equal contribution / equal contribution corresponding author / example project
    example talk / extended abstract / external project / first author / follow us / former students / highlights
    hobbies / in submission / internal project / join us / last modified / last update / last updated
    manage preferences / opening hours / openings / oral presentation / organisational unit / organizational unit
    page last updated / page not found / paper box / paper box image / paper box text / paper title number
    paper title number with math / papers / papers under review / portfolio item number / powered by / previous next
    professional activities / read more / read more about this post / recent posts / recommended repository name
    reject / reject all / relevant topic in your field / report abuse / research assistants / research highlights
    research interest / results reproduced / scroll to top / search results / selected as oral / selected as spotlight
    services / settings / share on / share this / short description of portfolio item number / show all / sign in
    sign up / skip to content / skip to main content / spotlight presentation / student paper / teaching
    teaching assistant / teaching experience / terms of use / this is a description of a teaching experience
    this is a page not in the main menu / this is an item in your portfolio it can be have images or nice text
    this paper is about the number the number is left for future work / to appear / to appear at / to appear in
    toggle navigation / under construction / under review / view all / view all posts
    which does not match the baseurl configured in config yml / your name here / your text here
"""
"""Whole texts, without numbers: samples of widespread templates, headings, what buttons and listings say."""


_LONGEST_BANNER = 12
"""Words of a banner before it says "cookies"."""
_OURS, _ASKING = (
    frozenset(words.split()) for words in ("our thi we you", "accept agree consent continue keep store use using")
)
_VENUES = frozenset(("conference", "journal", "proceedings", "symposium", "transactions"))
_BEHIND_VENUES = frozenset(("for", "in", "of", "on"))
_ADORNING = (
    "annual appear appearing asia asian committee european international joint national nd pacific proceeding program "
    "rd reviewer st th usenix"
)
_BEFORE_VENUES = frozenset(_ADORNING.split())
_LABEL = re.compile(r"\[(?:\\?\[)?\s?(?P<label>[A-Za-z]{2,16})\s?(?:\\?\])?\](?:\([^()\n]{0,500}\))?")


def _bare(form: str) -> str:
    """A word in the singular, without a number before or behind it ("10px", "39papers", "score61")."""
    return form.strip("0123456789").removesuffix("s")


_SURE, _NOT_SURE = (frozenset(map(_bare, words.split())) for words in (_OF_PAGES, _BESIDE_THEM))
_WHOLE = frozenset(
    tuple(_bare(word) for word in sample.split() if len(word) > 1)
    for sample in " / ".join(_SAMPLES.strip().splitlines()).split(" / ")
)


def without_labels(text: str) -> str:
    """`text` with blanks in the place of links that pages have for works: "[video]", "[[code]](…)"."""
    return _LABEL.sub(_without_label, text) if "[" in text else text


def _without_label(found: re.Match[str]) -> str:
    label = found["label"].lower()
    return " " * len(found.group()) if _is_listed((label, _bare(label))) else found.group()


def are_of_pages(segments: Iterable[Iterable[str]]) -> bool:
    """Whether the folded words of a text, in singular or plural, are such as web pages have for themselves.

    The text is given in what it is made of, such as the entries of a menu. Each has nothing but such words, or is a
    whole text of a template, a banner or the name of a venue; one surely is. Numbers and single letters do not count,
    stop words only in whole texts.
    """
    surely = False
    for segment in segments:
        said = [(form, _bare(form)) for form in segment if not is_weak(form)]
        whole = tuple([single for _, single in said])
        is_whole = whole in _WHOLE or _is_a_banner(whole) or _is_a_venue(said)
        if not is_whole and not all(map(_is_listed, said)):
            return False
        surely = surely or is_whole or not _SURE.isdisjoint(whole)
    return surely


def _is_listed(word: tuple[str, str]) -> bool:
    form, single = word
    return single in _SURE or single in _NOT_SURE or form in stop_words() or is_venue(form)


def _is_a_banner(words: Sequence[str]) -> bool:
    """Whether a page says with these words that it keeps cookies."""
    return "cookie" in words[:_LONGEST_BANNER] and not (_OURS.isdisjoint(words) or _ASKING.isdisjoint(words))


def _is_a_venue(said: Sequence[tuple[str, str]]) -> bool:
    """Whether words are the full name of a venue, perhaps with "To appear in the 13th" before it.

    There is no other way to tell the subjects of a conference in its name from those of a lab.
    """
    for (form, single), (following, _) in pairwise(said):
        if form in _VENUES:
            return following in _BEHIND_VENUES
        if not (single in _BEFORE_VENUES or _is_listed((form, single))):
            return False
    return False
